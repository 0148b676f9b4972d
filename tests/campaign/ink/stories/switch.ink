VAR x = 0
- (top)
{ x:
- 0: zero
- 1: one
- 2:
  two
- else: many
}
* [more]
* [more still]
* [and more]
* [the last]
* -> END
- ~ x = x + 1
-> top
