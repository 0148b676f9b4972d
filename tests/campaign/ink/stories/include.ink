INCLUDE included_part.ink
-> side
== after
After {side}. -> END
