"""Makes the offers that need nobody else: what the player carries, and what there is to think over."""

from __future__ import annotations

import re

from _choice_offers import PLACE, make_offer, with_owner, without_article
from _choice_scene import ChoiceScene, listed

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
    return [*offers, *study_offers(scene)]


def study_offers(scene: ChoiceScene) -> list[dict[str, Any]]:
    """Return looks at what the player carries: what something is known of, or else papers."""
    if isinstance(scene.ahead.get("deeds"), list):
        known = [one for one in listed(scene.ahead, "deeds") if one.get("act") == "examine"]
        return [
            make_offer(
                str(one.get("text")),
                "study",
                THING,
                *listed(one, "receipts"),
                kind="free",
                thing=str(one.get("thing") or ""),
                topic=str(one.get("id") or ""),
            )
            for one in known
            if one.get("text")
        ]
    offers = []
    for item in filter(READABLE.search, scene.items):
        receipt = {"kind": "state", "id": f"persona.items.{item}", "text": f"you have {item}"}
        fields = {"kind": "free", "thing": without_article(item)}
        offers.append(make_offer(f"Examine {with_owner(item)}", "study", THING, receipt, **fields))
    return offers
