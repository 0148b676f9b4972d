VAR x = 3
{double(4)} and {double(double(2))}
~ raise(x)
~ raise(x)
x is {x}
{max3(1, 9, 4)} {say(2)} {fact(5)}
~ announce("bells")
Done {is_odd(x): odd|even}.
-> END
== function double(n)
~ return n * 2
== function raise(ref n)
~ n = n + 1
== function max3(a, b, c)
{ a < b:
  ~ return max3(b, a, c)
}
{ a < c:
  ~ return c
}
~ return a
== function say(n)
{n:
- 1: one
- 2: two
}
== function fact(n)
{n <= 1:
  ~ return 1
}
~ return n * fact(n - 1)
== function announce(what)
Hear the {what}!
== function is_odd(n)
~ return n mod 2 == 1
