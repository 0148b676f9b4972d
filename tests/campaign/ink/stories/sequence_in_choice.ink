- (top)
+ A {&Red|Blue} {one|two|three}[!] door
+ {top > 4} Leave -> END
- -> top
