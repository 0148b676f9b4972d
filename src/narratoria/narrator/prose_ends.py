"""The composer's own sentences for when a story draws to its end, and for afterwards."""

from __future__ import annotations

LEANING = (
    "Things are drawing together. You can feel it as one feels the last stair in the dark.",
    "There is not much left that could still go either way.",
    "You have the feeling that the threads are all in a few hands now, and that yours are among them.",
    "It will not be long, one way or the other.",
)
LOOKING_BACK = (
    "You go back over it, from the beginning.",
    "It takes less time to remember than it took to live.",
    "Seen from here, it has almost the shape of a story.",
)
LOOKED_BACK_BEFORE = (
    "You have been over it once, and it has not changed since.",
    "It is all still there, in the order in which it happened.",
    "There is a point at which remembering becomes telling, and you have reached it.",
)
TURNING_BACK = (
    "You leaf back through it, to the places where it could have gone another way.",
    "A story is a path only when one looks back along it. From in front it was all forks.",
    "You put your finger on the page, here and there, where something was still undecided.",
)
LEAVING = (
    "You leave it there. It will be there if you come back to it.",
    "You close it gently, as one closes a door on somebody who is asleep.",
    "That was it. You let the last of it fade, and do not reach after it.",
)
LOOKED_BACK = (
    "That is what there is to tell. The rest is only what happened.",
    "It could have gone otherwise at every turn of it. It went like this.",
    "You would not do all of it again. You would not leave any of it out.",
)
AT_THE_END = (
    "And of what you did yourself, this remains: {memory}.",
    "When you are asked about it later, you will begin with this: {memory}.",
    "There is something that is yours alone in all this: {memory}.",
)
