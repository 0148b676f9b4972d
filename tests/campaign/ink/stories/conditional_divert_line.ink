VAR x = 1
{x: -> one}
Never.
== one
One. {x == 1: -> two | never told}
== two
Two.
{x == 2: -> one}
-> END
