VAR x = 0
- (top) {x > 1: Enough. -> over|Not yet.}
~ x++
* [on]
* [on and on]
* [and further]
- -> top
- (over) Over. -> END
