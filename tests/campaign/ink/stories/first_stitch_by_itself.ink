-> a
=== a ===
= one
One. -> two
= two
Two {a} {a.one}. -> END
