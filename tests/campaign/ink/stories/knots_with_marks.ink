-> one
=== one ===
One.
-> two
== two ==
Two.
-> three.deep
=== one_more
More. -> END
=== three
= deep
Deep. -> END
