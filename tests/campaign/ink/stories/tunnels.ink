-> cross -> after
== cross
You cross.
* Slowly
  Slow.
* Fast
  Fast. ->->
- Over there.
->->
== after
After {cross}.
-> cross_again ->
Back once more.
-> END
== cross_again
{cross_again > 0: Again.}
->->
