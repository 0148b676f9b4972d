"""What people say in composed scenes: a word that fits the moment, and then something that is theirs.

Every line is by temper (`narratoria.narrator.manner`). Slots: {wish} (what somebody wants), {deed} (what they
say of themselves), {other} (a name), {place}, {todo} (what the player could do).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from narratoria.narrator.manner import Temper

Lines: TypeAlias = Mapping[Temper, tuple[str, ...]]

# what one wants

WANTING: Lines = {
    "plain": ("All I want is to {wish}.", "I mean to {wish}, whatever comes of it."),
    "terse": ("I've to {wish}. That's all.", "There's one thing left. I'm to {wish}."),
    "formal": ("I ask for nothing else but to {wish}.", "I have still to {wish}."),
    "lively": ("And I've still to {wish}.", "If I could only {wish}. Imagine."),
    "grumbling": ("And who's to {wish}? I am.", "And still I'm expected to {wish}."),
    "bargaining": ("What I'd give to {wish}.", "There's no price on it: to {wish}."),
}
ASKING: Lines = {  # where it cannot stand after “to”
    "plain": ("{wish}. That's all I want.",),
    "terse": ("{wish}. That's all I ask.",),
    "formal": ("{wish}. I ask for nothing else.",),
    "lively": ("{wish}. That's all. Is it much?",),
    "grumbling": ("{wish}. Is that too much?",),
    "bargaining": ("{wish}. That's my price.",),
}
# what one is proud of, or thinks of others

PROUD: Lines = {
    "plain": ("{deed} You may as well know it.", "{deed} Anybody will tell you."),
    "terse": ("{deed}", "{deed} That's known."),
    "formal": ("{deed} I should like that to be remembered.", "{deed} It is little enough."),
    "lively": ("{deed} Ask anybody.", "{deed} It's true."),
    "grumbling": ("{deed} Not that anybody's thanked me.", "{deed} And what do I get for it?"),
    "bargaining": ("{deed} That you can have for nothing.", "{deed} And there's few who can say that."),
}
OF_OTHERS: Lines = {
    "plain": ("{other}? {deed}", "You want to know about {other}. {deed}"),
    "terse": ("{other}? {deed}",),
    "formal": ("You ask about {other}. {deed}",),
    "lively": ("{other}? {deed}", "Oh, {other}. {deed}"),
    "grumbling": ("{other}, is it? {deed}",),
    "bargaining": ("{other}? {deed}", "{other} you get for nothing. {deed}"),
}
AGAIN: Lines = {  # before what they said already
    "plain": ("I've told you.", "You've heard it from me before."),
    "terse": ("I said it.",),
    "formal": ("I can only repeat it.",),
    "lively": ("Didn't I say so?",),
    "grumbling": ("How often must I say it?",),
    "bargaining": ("You've had that from me already.",),
}
# a word that fits the moment; what is theirs follows it

AT_LEISURE: Lines = {
    "plain": ("There's not much more to tell.", "I'll say this."),
    "terse": ("Listen.", "One word more."),
    "formal": ("I have told you what I can.", "Since you ask me."),
    "lively": ("What else?", "Do you know what?"),
    "grumbling": ("What else would you have of me?", "I'll tell you how it is."),
    "bargaining": ("There's nothing more to be had.", "This one's cheap."),
}
TOLD: Lines = {
    "plain": ("I've wondered about that.", "Then there are two of us who know."),
    "terse": ("So.", "Good to know."),
    "formal": ("I had wondered.", "I am obliged to you."),
    "lively": ("No. Truly?", "Well, well."),
    "grumbling": ("That's all I needed.", "As if there weren't enough of it."),
    "bargaining": ("That's worth something.", "I'll remember who told me."),
}
ADVISING: Lines = {
    "plain": ("Nothing you could have helped.", "You were in a hurry."),
    "terse": ("Bad luck.", "Too quick."),
    "formal": ("You could not have helped it.", "You asked nobody first."),
    "lively": ("Oh, that happens.", "You'd do it again, I know."),
    "grumbling": ("Well, what did you expect?", "It's always the same."),
    "bargaining": ("You paid too much for it.", "You'll know the price of it now."),
}
TO_BE_DONE: Lines = {
    "plain": ("You could {todo}.", "There's one thing you haven't done. You could {todo}."),
    "terse": ("You could {todo}.", "It's left to you to {todo}."),
    "formal": ("You might {todo}.", "It is open to you to {todo}."),
    "lively": ("Why don't you {todo}?", "You could {todo}, you know."),
    "grumbling": ("Somebody ought to {todo}.", "You could {todo}, if you must do something."),
    "bargaining": ("It'd cost you nothing to {todo}.", "You could {todo}. That's free advice."),
}
TO_GO: Lines = {
    "plain": ("I'd try {place}.", "It's {place} I'd be thinking of."),
    "terse": ("Try {place}.", "It's {place} you want."),
    "formal": ("I should try {place}.", "You will find more at {place} than with me."),
    "lively": ("Why not {place}?", "I'd go to {place}, and I'd run."),
    "grumbling": ("Not here. Try {place}.", "You'd do better at {place}, and it's warmer here."),
    "bargaining": ("What you want isn't here. Try {place}.", "It's {place} you want. That's free advice."),
}
