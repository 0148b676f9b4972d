VAR who = "Pike"
VAR n = 2
* Ask {who}[ {n > 1: again|}] about it
  {who} answers.
* "Tell {&me|us}[."]," you say to {who}
* All {n == 2: two}{n == 3: three} of them
- End.
