- (loop)
* {false} never
* -> 
  The fallback tells this.
- After it.
-> END
