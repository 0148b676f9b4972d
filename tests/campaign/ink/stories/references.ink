VAR a = 1
VAR b = 2
~ swap(a, b)
{a} {b}
-> knot
== knot
~ temp t = 5
~ twice(t)
{t}
~ through(t)
{t}
-> END
== function swap(ref x, ref y)
~ temp z = x
~ x = y
~ y = z
== function twice(ref x)
~ x = x * 2
== function through(ref x)
~ twice(x)
