* [Only offered]
  Only told.
* Both
  More.
* Begin[ and offered] and told
- End.
