-> fight ->
Survived.
-> END
== fight
* Win
  ->->
* Lose
  ->-> dead
== dead
Dead. -> END
