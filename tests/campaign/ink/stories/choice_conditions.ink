VAR n = 1
- (top)
* {n > 0} positive
* {n > 5} large
* {not top} never
* {n == 1} {top == 1}
  [two conditions]
* (labelled) {n} with label
+ {labelled} [out] -> END
- -> top
