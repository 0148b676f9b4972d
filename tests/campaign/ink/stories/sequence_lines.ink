- (top)
{ stopping:
- first
- second
  and more
- last
}
{ cycle:
- tick
- tock
}
{ once:
- only now
- and now
}
+ [again]
+ {top > 4} [leave] -> END
- -> top
