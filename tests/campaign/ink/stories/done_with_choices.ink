-> a
== a
Text.
* X -> b
* Y
  Yes. -> b
-> DONE
== b
B. -> END
