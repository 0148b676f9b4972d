"""Makes the offers that need nobody else: what the player carries, and what there is to think over."""

from __future__ import annotations

import re

from _choice_offers import PLACE, make_offer, with_owner, without_article
from _choice_scene import ChoiceScene

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

MUCH_HAPPENED = 5  # scenes after which there is something to think over
THING = 42  # the weight of what is carried: a little more than another look round
READABLE = re.compile(  # what has more to it than one sees at first
    r"(?i)\b(?:letters?|envelopes?|maps?|photo\w*|notes?|notebook|books?|diary|journal|ledger|telegram|sketch\w*|"
    r"warrant|invitation|scroll|parchment|manuscript)\b"
)


def own_offers(scene: ChoiceScene) -> list[dict[str, Any]]:
    """Return offers to look into what the player carries, and to think where nobody is there to be asked."""
    offers = []
    if not scene.people and scene.number >= MUCH_HAPPENED:
        receipt = {"kind": "place", "id": str(scene.place.get("id") or PLACE), "text": "you are alone here"}
        offers.append(make_offer("Think over what has happened", "think", THING, receipt, kind="free"))
    for item in things_to_study(scene):
        thing = without_article(item)
        receipt = {"kind": "state", "id": f"persona.items.{item}", "text": f"you have {item}"}
        text = f"Examine {with_owner(item)}"
        offers.append(make_offer(text, "study", THING, receipt, kind="free", thing=thing))
    return offers


def things_to_study(scene: ChoiceScene) -> list[str]:
    """Return what the player carries and something is known of, or where nobody knows that, all papers."""
    known = scene.ahead.get("studies")
    if isinstance(known, list):
        return [item for item in scene.items if item in known]
    return list(filter(READABLE.search, scene.items))
