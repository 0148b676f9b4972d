-> a
== a
~ temp t = 3
T is {t}.
~ t = t + 1
* Yes
  T is {t}.
* No
  ~ t = t * 10
  T is {t}.
- In the end {t}.
-> END
