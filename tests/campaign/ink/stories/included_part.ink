Told first.
VAR from_there = 4
== side
The side {from_there}. -> after
