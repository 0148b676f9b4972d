* Go -> there
* [Stay] -> here
* Hide["] and seek" -> there
== there
There. -> END
== here
Here. -> END
