- (top) Here.
{-> one|-> two|-> three}
== one
One -> top
== two
Two. <> -> top
== three
Three. -> END
