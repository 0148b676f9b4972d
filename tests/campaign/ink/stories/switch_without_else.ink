VAR x = 7
Before.
{ x:
- 0: zero
- 1: one
}
After.
{x:
- 7: seven
}
