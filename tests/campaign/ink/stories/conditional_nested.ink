VAR a = true
VAR b = false
{a:
  A holds.
  {b:
    B too.
  - else:
    but not B. {a: still|not} {b: x|{a: inner|outer}}
  }
- else:
  neither
}
