"""What can be offered besides people: the story's own offers, ways to go, things, and the past.

No two offers of one `intent` are shown together, and those of more `weight` come first.
"""

from __future__ import annotations

from _choice_offer import (
    best,
    is_trifling,
    names_of,
    of_faction,
    of_memory,
    of_person,
    of_stat,
    offer,
    the,
    weightiest,
    with_clause,
)
from _choice_offered import was_shown
from _choice_scene import COLD, WARM, Scene, listed
from _choice_weigh import is_refused, names_nobody_gone
from _choice_words import clause, domain_of, is_helping, is_state, lock_in

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

FAR = 1000  # steps
GO = {"stealth": ("Slip away to {}", "Slip back to {}"), "force": ("March to {}", "March back to {}")}
GO |= {"notice": ("Go to {} and keep your eyes open", "Go back to {} and keep your eyes open")}
GO |= {"nerve": ("Dare the way to {}", "Dare the way back to {}")}


# the story


ASIDE = 10  # the weight of what the story offers beside its way


def openings(scene: Scene) -> list[dict[str, Any]]:
    """What the story offers; friendly words to somebody who is no friend only where there is nothing else."""
    found, hidden = [], []
    for one in listed(scene.ahead, "openings"):
        text = one.get("text")
        if not isinstance(text, str) or not text.strip() or not names_nobody_gone(text, scene):
            continue
        made = offer(
            text,
            f"beat {one.get('beat')}",
            ASIDE if one.get("priority") == "optional" else 100,
            *(one.get("receipts") or one.get("because") or ()),
            kind="beat",
            beat=str(one.get("beat") or ""),
        )
        made |= {"risky": True} if one.get("risky") else {}
        made |= {"formula": str(one["formula"])} if one.get("formula") else {}
        if one.get("priority") != "critical" and is_helping(text) and is_refused(text, scene):
            hidden.append({**made, "risky": True})
        else:
            found.append(made)
    # a story that offers nothing else must still be able to go on
    return found or hidden


def ideas(scene: Scene) -> list[dict[str, Any]]:
    """What somebody else thought of, where nothing speaks against it."""
    given = scene.given.get("ideas")
    found = []
    for text in given if isinstance(given, list) else ():
        if not isinstance(text, str) or not text.strip() or not names_nobody_gone(text, scene):
            continue
        if is_helping(text) and is_refused(text, scene):
            continue
        found.append(offer(text, f"idea {text}", 90, kind="free", risky=True))
    return found


# ways


def ways(scene: Scene) -> list[dict[str, Any]]:
    """First the way to what cannot wait; then the nearest thing to do, and places one has not seen."""
    all_ways = sorted(
        listed(scene.ahead, "ways"), key=lambda to: (to.get("steps") or FAR, bool(to.get("visited")))
    )
    urgent = sorted((to for to in all_ways if to.get("urgent")), key=lambda to: to["urgent"])[:1]
    ordered = [*urgent, *(to for to in all_ways if to not in urgent)]
    return [way(to, scene, number) for number, to in enumerate(ordered) if to.get("name")]


def way(to: dict[str, Any], scene: Scene, number: int) -> dict[str, Any]:
    back = bool(to.get("visited"))
    stat = best(scene, *GO)
    plain = "Go back to {}" if back else "Go to {}"
    # one way is taken in the character's own manner; two would be a mannerism
    pattern = GO[domain_of(stat)][back] if stat and number == 0 else plain
    receipts = [of_stat(scene, stat)] if stat and number == 0 else []
    text = pattern.format(to["name"])
    there = [memory for memory in scene.memories if memory["location"] and memory["location"] == to.get("to")]
    for memory in sorted(there, key=weightiest)[:1]:
        told = clause(memory["summary"], names_of(scene))
        if told.startswith("you ") and not is_state(told) and not is_trifling(memory, told):
            head = pattern.split("{}")[0].format() + str(to["name"])
            told_so = with_clause(head, ", where ", told)
            text = text if was_shown(told_so, scene) else told_so
        receipts.append(of_memory(memory))
    return offer(
        text, f"go {to.get('to')}", 70 - number, *receipts, kind="go", target=str(to.get("to") or "")
    )


# the place and the character


def around(scene: Scene) -> list[dict[str, Any]]:
    name = str(scene.place.get("name") or "this place")
    told = [str(scene.place.get(part) or "") for part in ("arrival", "description")]
    told += [
        str(text)
        for part in ("details", "moments", "features")
        for text in scene.place.get(part) or ()
        if text
    ]
    here = [
        memory
        for memory in scene.memories
        if memory["location"] and memory["location"] == scene.place.get("id")
    ]
    here.sort(key=weightiest)
    found = [*locked(scene, told), *by_stat(scene, name), *factions(scene)]
    unseen = scene.place.get("unseen")
    left = (unseen if isinstance(unseen, int) else 0) - (scene.action.get("kind") == "look")
    receipts = [of_memory(memory) for memory in here[:1]]
    keen = best(scene, "notice")
    if left > 0:
        text = f"Search {name} for what others have missed" if keen else f"Take a closer look at {name}"
        receipts += [of_stat(scene, keen)] if keen else []
        found.append(offer(text, "look", 41 + 8 * bool(keen), *receipts, kind="look"))
    else:
        found.append(offer("Look around", "look", 4, kind="look"))
    found.append(offer("Wait and listen", "wait", 10, kind="wait"))
    return found


def locked(scene: Scene, told: list[str]) -> list[dict[str, Any]]:
    """What hands can do about something shut."""
    thing = lock_in(*told)
    if not thing and any(told):
        return []
    thing = f"the {thing}" if thing else "the nearest door that should stay shut"
    found = []
    if stat := best(scene, "stealth"):
        text = f"Pick the lock of {thing}"
        found.append(offer(text, "lock", 66, of_stat(scene, stat), kind="free", risky=True, stat=stat))
    if stat := best(scene, "force"):
        text, stake = f"Force {thing} open", "it will be heard"
        found.append(
            offer(text, "lock", 59, of_stat(scene, stat), kind="free", risky=True, stat=stat, stake=stake)
        )
    return found


def by_stat(scene: Scene, name: str) -> list[dict[str, Any]]:
    texts = {
        "study": (f"Piece together what {name} can tell you", 44, "look"),
        "craft": (f"See what can be mended or put to use in {name}", 37, "look"),
        "stealth": (
            f"Keep to the shadows of {name} and listen unseen",
            38 if scene.people else 24,
            "wait",
        ),
        "nerve": ("Stand your ground and see who moves first", 28 if scene.people else 0, "wait"),
        "force": (f"Put your shoulder to whatever is in the way in {name}", 22, "look"),
    }
    unseen, found = scene.place.get("unseen"), []
    spent = isinstance(unseen, int) and unseen <= (scene.action.get("kind") == "look")
    for stat in scene.stats:
        if scene.level(stat) != "high":
            continue
        text, weight, kind = texts.get(domain_of(stat), ("", 0, ""))
        if weight and not (spent and kind == "look"):
            found.append(offer(text, kind, weight, of_stat(scene, stat), kind=kind, stat=stat))
    return found


def factions(scene: Scene) -> list[dict[str, Any]]:
    """Help from those who think well of the player: of somebody who is there, or by sending word."""
    found = []
    for faction in scene.factions():
        if scene.standing(faction) <= WARM or scene.is_hostile(faction):
            continue
        receipts = [of_faction(scene, faction)]
        member = next((one for one in scene.people if str(one.get("faction") or "") == faction), None)
        if member and member["perception"] < COLD:
            continue
        if member:
            text, fields = (
                f"Ask {member['name']} for the help of {the(faction)}",
                {"kind": "talk", "target": member["id"]},
            )
            receipts.append(of_person(member))
        else:
            text, fields = f"Send word to {the(faction)} and ask for help", {"kind": "free"}
        found.append(offer(text, f"faction {faction}", 53 if member else 33, *receipts, **fields))
    return found
