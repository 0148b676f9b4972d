VAR n = 0
-> count
== count
{n < 3:
  ~ n++
  Count {n}.
  -> count
}
Over. -> END
