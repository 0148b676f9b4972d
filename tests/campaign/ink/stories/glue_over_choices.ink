He nods. <>
* [Yes] <> "Yes."
* [No] "No."
- <> So it is.
Then:
-> next
== next
<> glued to the knot.
-> END
