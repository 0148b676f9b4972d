- (top) Again.
* Once
* Twice
+ Sticky
+ {top > 4} Leave -> END
- -> top
