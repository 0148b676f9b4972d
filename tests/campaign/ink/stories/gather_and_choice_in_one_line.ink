- * first
  * second
- - deep
- * third
- (end) over -> END
