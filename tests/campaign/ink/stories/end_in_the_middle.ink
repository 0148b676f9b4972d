* Die
  You die. -> END
* Live
- You live on.
* -> END
