VAR back = -> one
-> two(-> three)
== one
One. -> END
== two(-> where)
Two.
* Where I was told -> where
* Back -> back
== three
Three.
{back == -> one: to one}
~ back = -> four
-> back
== four
Four. -> END
