- (top) {RANDOM(1, 6)} {RANDOM(1, 6)} {RANDOM(0, 100)}
+ [again]
+ {top > 4} [leave] -> END
- -> top
