- (first) First {first}.
* (a) A
* (b) B {a: after A}
* {a} {b} Both
  -> done
+ {first > 5} Enough -> done
- (second) {second > 1: again|once}
-> first
- (done) Done: {a} {b} {second}.
-> END
