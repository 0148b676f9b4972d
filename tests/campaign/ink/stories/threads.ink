-> market
== market
The market.
<- stall("fish")
<- stall("bread")
* Leave -> END
== stall(what)
A stall of {what}.
* Buy {what}
  You have {what}. -> END
+ Smell the {what}
  Mm, {what}.
  -> market
