- (top) {one {&x|y}|two {!z|w}|{three|four}}
+ [again]
+ {top > 6} [leave] -> END
- -> top
