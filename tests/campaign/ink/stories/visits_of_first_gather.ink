-> hub
== hub
- (top) {hub} {top}
+ [top] -> top
+ [hub] -> hub
+ {hub > 3} [out] -> END
