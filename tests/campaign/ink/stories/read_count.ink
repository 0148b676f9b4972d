VAR where = -> top
- (top) {READ_COUNT(-> top)} {READ_COUNT(where)} {top}
+ again
+ {READ_COUNT(-> top) > 3} leave -> END
- -> top
