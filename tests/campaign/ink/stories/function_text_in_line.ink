Say: {greet("Pike")}, and {greet("Osk")}!
{ num(3) } things
~ temp n = num(2)
N is {n}.
-> END
== function greet(who)
hello {who}
== function num(n)
{
- n == 2: two
- n == 3: three
}
