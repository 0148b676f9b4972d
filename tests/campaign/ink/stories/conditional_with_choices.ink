VAR debug = true
{debug:
  In debug.
  * [start] -> start
  * [end] -> finish
- else:
  -> start
}
== start
Start.
{not finish:
  * Once -> again
}
* Plain
- Met. -> finish
== again
Again -> finish
== finish
Finish. -> END
