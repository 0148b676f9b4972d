- (top)
* A
* {CHOICE_COUNT() > 0} B
* {CHOICE_COUNT() == 0} C
* {CHOICE_COUNT() < 2} D
+ {CHOICE_COUNT() == 0} [leave] -> END
- -> top
