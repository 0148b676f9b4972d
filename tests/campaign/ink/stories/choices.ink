Where to?
* North
* South[], says the sign
  You go south.
* [East] You go east.
* "West[."]," you say.
- You walk.
* -> END
