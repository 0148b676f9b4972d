Start.
* A
  After A.
  More after A.
* B
-
* C[] and c
- (last)
  Last words. -> END
