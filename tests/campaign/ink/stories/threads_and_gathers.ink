- (top) Talk.
<- gossip
* Go
  Going.
- -> out
== gossip
* The mill?
  It stands still.
* The bell?
  It drowned.
- Nobody knows more.
-> top
== out
Out. -> END
