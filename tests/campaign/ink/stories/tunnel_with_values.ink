VAR total = 0
-> add(2) -> add(3) ->
Total {total}.
-> twice(4) -> end
== add(n)
~ total += n
Adding {n}.
->->
== twice(n)
~ temp m = n
-> add(m) ->
M is still {m}.
-> add(m) ->
->->
== end
Total {total}. -> END
