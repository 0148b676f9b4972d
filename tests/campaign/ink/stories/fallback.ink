- (loop) Round {loop}.
* one
* two
* -> gone
- -> loop
- (gone) Nothing is left. -> END
