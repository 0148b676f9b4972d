- (top) {one|two|three} {&a|b} {!first|second} {|later|last}
+ [again]
+ {top > 5} [leave] -> END
- -> top
