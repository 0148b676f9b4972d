VAR x = 1
{x:
  The one.
}
{x > 1:
  Many.
- else:
  Few.
}
{
- x == 0: nothing
- x == 1: one
  and more
- else: lots
}
{x > 3:
  big
}
Done.
