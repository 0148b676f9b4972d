- (top) {TURNS_SINCE(-> top)} {TURNS_SINCE(-> seen)} {TURNS()}
* (seen) See
* Wait
* Wait longer
* -> END
- -> top
