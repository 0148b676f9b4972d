* A -> inner -> outer
* B
  -> inner ->
  Back in B.
- Met. -> END
== inner
Inner {inner}.
->->
== outer
Outer. -> END
