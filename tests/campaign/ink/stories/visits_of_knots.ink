-> hub
== hub
Hub {hub}.
+ [a] -> a
+ [b] -> b
+ {a > 1 and b} [out] -> END
== a
A {a} {b: after B}.
-> hub
== b
B {b}.
-> hub
