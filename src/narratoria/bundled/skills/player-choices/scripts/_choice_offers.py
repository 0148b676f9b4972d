"""Makes the offers of a scene, with the receipts behind each.

An offer is a text, an intent, a weight and its receipts. No two offers of one `intent` are shown together,
and those of more `weight` come first.
"""

from __future__ import annotations

import re

from _choice_history import was_shown
from _choice_modifiers import is_refused, names_nobody_gone
from _choice_phrases import clause, domain_of, first_name, is_helping, is_state, lock_in
from _choice_scene import COLD, WARM, ChoiceScene, listed

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

TRIFLES = re.compile(  # what is done all day, and talk about talk
    r"(?i)you (?:chose to |tried to )?(?:(?:go|went|come|came|walk|head|wait|look|talk|arriv|remind|begin|"
    r"began|search|listen|sit|sat|keep|kept|wonder)\w*|(?:take|took) a closer look|"
    r"(?:tell|told|ask|asked) .* (?:how|that|to help|to return|what you should|you have not))\b"
)
OUTCOMES = re.compile(  # that somebody gave way or did not, where nothing says in what
    r"(?:you )?(?:convinced|persuaded|won over|talked round) \S+(?: \S+)?$|"
    r"[A-Z]\S*(?: [A-Z]\S*)? (?:refused you|refused|agreed|gave way|said no)"
    r"(?: (?:flatly|at once|in the end))?$"
)
LONGEST = 120  # characters of a choice; a memory that does not fit is left to the receipts


def make_offer(
    text: str, intent: str, weight: float, *receipts: dict[str, Any], **fields: Any
) -> dict[str, Any]:
    return {"text": text, "intent": intent, "weight": weight, "because": list(receipts), **fields}


def memory_receipt(memory: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "memory", "id": memory["id"], "text": memory["summary"]}


def stat_receipt(scene: ChoiceScene, stat: str) -> dict[str, Any]:
    return {"kind": "state", "id": f"persona.stats.{stat}", "text": f"your {stat} is {scene.stats[stat]:g}"}


def person_receipt(person: dict[str, Any]) -> dict[str, Any]:
    score = person["perception"]
    thinks = "thinks well of you" if score > 0 else "thinks ill of you" if score < 0 else "is undecided"
    return {"kind": "standing", "id": person["id"], "text": f"{person['name']} {thinks} ({score:+g})"}


def faction_receipt(scene: ChoiceScene, faction: str) -> dict[str, Any]:
    score = scene.standing(faction)
    return {"kind": "standing", "id": faction, "text": f"your standing with {faction} is {score:+g}"}


PLACE = "here"  # where no name of it is known
OFFERED = {  # what is true of a choice of each kind wherever it is offered
    "beat": "the story offers it at {place}",
    "go": "a way leads there from {place}",
    "talk": "{who} is at {place}",
    "wait": "you are at {place}, and may stay",
    "continue": "the story goes on from {place}",
    "idea": "the storyteller thought of it for {place}",
}


def place_receipt(choice: dict[str, Any], scene: ChoiceScene) -> dict[str, Any]:
    """Return the receipt of a choice that nothing in particular led to: where the player is."""
    place, target = scene.place, scene.person(str(choice.get("target") or ""))
    kind = "idea" if str(choice.get("intent") or "").startswith("idea ") else str(choice.get("kind") or "")
    text = OFFERED.get(kind, "you are at {place}")
    if kind == "talk" and target is None:
        text = "you are at {place}"
    name = str(place.get("name") or "this place")
    who = str(target["name"]) if target else ""
    return {
        "kind": "place",
        "id": str(place.get("id") or PLACE),
        "text": text.format(place=name, who=who[:1].upper() + who[1:]),
    }


def append_clause(text: str, joined: str, clause_text: str) -> str:
    whole = f"{text}{joined}{clause_text}"
    return whole if clause_text and len(whole) <= LONGEST else text


def best_stat(scene: ChoiceScene, *domains: str) -> str:
    """Return the character's best stat for any of these domains, if it stands out."""
    able = [stat for stat in scene.stats if domain_of(stat) in domains and scene.level(stat) == "high"]
    return max(able, key=lambda stat: scene.stats[stat], default="")


def shared_memory_receipts(person: dict[str, Any], scene: ChoiceScene) -> list[dict[str, Any]]:
    shared = [
        memory
        for memory in scene.memories
        if person["id"] in memory["characters"] or mentions(memory, person)
    ]
    return [memory_receipt(memory) for memory in sorted(shared, key=memory_rank)[:1]]


def mentions(memory: dict[str, Any], person: dict[str, Any]) -> bool:
    return bool(re.search(rf"\b{re.escape(first_name(person['name']))}\b", memory["summary"]))


def is_trivial(memory: dict[str, Any], clause_text: str) -> bool:
    """Return whether nobody would speak of it: going somewhere, looking round, talk about something else."""
    return memory["significance"] == "low" or bool(TRIFLES.match(clause_text) or OUTCOMES.match(clause_text))


def memory_rank(memory: dict[str, Any]) -> tuple[bool, int]:
    order = ("critical", "high", "medium", "low")
    return not memory["episodic"], order.index(memory["significance"]) if memory[
        "significance"
    ] in order else 2


def player_names(scene: ChoiceScene) -> tuple[str, ...]:
    return tuple(name for name in (scene.name, first_name(scene.name)) if name)


def with_article(faction: str) -> str:
    """Return the name with its article, as it stands within a sentence."""
    if re.match(r"[A-Z][\w']*'s\b", faction):
        return faction
    return f"the {re.sub(r'(?i)^the +', '', faction)}"


def without_article(item: str) -> str:
    return re.sub(r"(?i)^(?:a|an|the|your|my|some)\s+", "", item)


def with_owner(item: str) -> str:
    """Return something that is carried as it stands within a sentence: “the key”, “your mother's saddle”."""
    is_own = re.match(
        r"(?i)(?:your|my)\s|(?:mother|father|brother|sister|aunt|uncle|husband|wife)['’]s\s", item
    )
    return f"{'your' if is_own else 'the'} {without_article(item)}"


def is_plural(faction: str) -> bool:
    return faction.endswith("s") and not faction.endswith("ss")


# what can be offered besides people


FAR = 1000  # steps
GO = {"stealth": ("Slip away to {}", "Slip back to {}"), "force": ("March to {}", "March back to {}")}
GO |= {"notice": ("Go to {} and keep your eyes open", "Go back to {} and keep your eyes open")}
GO |= {"nerve": ("Dare the way to {}", "Dare the way back to {}")}


# the story


ASIDE = 10  # the weight of what the story offers beside its way


def story_offers(scene: ChoiceScene) -> list[dict[str, Any]]:
    """Return the story's offers; friendly words to somebody who is no friend only if nothing else is left."""
    offers, hidden = [], []
    for one in listed(scene.ahead, "openings"):
        text = one.get("text")
        if not isinstance(text, str) or not text.strip() or not names_nobody_gone(text, scene):
            continue
        made = make_offer(
            text,
            f"beat {one.get('beat')}",
            ASIDE if one.get("priority") == "optional" else 100,
            *(one.get("receipts") or one.get("because") or ()),
            kind="beat",
            beat=str(one.get("beat") or ""),
        )
        made |= {"urgent": True} if one.get("priority") == "critical" else {}
        made |= {"risky": True} if one.get("risky") else {}
        made |= {"formula": str(one["formula"])} if one.get("formula") else {}
        if one.get("priority") != "critical" and is_helping(text) and is_refused(text, scene):
            hidden.append({**made, "risky": True})
        else:
            offers.append(made)
    # a story that offers nothing else must still be able to go on
    return offers or hidden


def idea_offers(scene: ChoiceScene) -> list[dict[str, Any]]:
    """Return the storyteller's ideas that nothing speaks against."""
    given = scene.given.get("ideas")
    offers = []
    for text in given if isinstance(given, list) else ():
        if not isinstance(text, str) or not text.strip() or not names_nobody_gone(text, scene):
            continue
        if is_helping(text) and is_refused(text, scene):
            continue
        offers.append(make_offer(text, f"idea {text}", 90, kind="free", risky=True))
    return offers


# ways


def way_offers(scene: ChoiceScene) -> list[dict[str, Any]]:
    """Return the ways to go: first to what cannot wait, then to the nearest thing to do and to new places."""
    all_ways = sorted(
        listed(scene.ahead, "ways"), key=lambda to: (to.get("steps") or FAR, bool(to.get("visited")))
    )
    urgent = sorted((to for to in all_ways if to.get("urgent")), key=lambda to: to["urgent"])[:1]
    ordered = [*urgent, *(to for to in all_ways if to not in urgent)]
    return [way_offer(to, scene, number) for number, to in enumerate(ordered) if to.get("name")]


def way_offer(to: dict[str, Any], scene: ChoiceScene, number: int) -> dict[str, Any]:
    back = bool(to.get("visited"))
    stat = best_stat(scene, *GO)
    plain = "Go back to {}" if back else "Go to {}"
    # one way is taken in the character's own manner; two would be a mannerism
    pattern = GO[domain_of(stat)][back] if stat and number == 0 else plain
    receipts = [stat_receipt(scene, stat)] if stat and number == 0 else []
    text = pattern.format(to["name"])
    there = [memory for memory in scene.memories if memory["location"] and memory["location"] == to.get("to")]
    for memory in sorted(there, key=memory_rank)[:1]:
        event = clause(memory["summary"], player_names(scene))
        if event.startswith("you ") and not is_state(event) and not is_trivial(memory, event):
            head = pattern.split("{}")[0].format() + str(to["name"])
            with_event = append_clause(head, ", where ", event)
            text = text if was_shown(with_event, scene) else with_event
        receipts.append(memory_receipt(memory))
    made = make_offer(
        text, f"go {to.get('to')}", 70 - number, *receipts, kind="go", target=str(to.get("to") or "")
    )
    # a way leads somewhere if something waits there or beyond, or nobody has been there yet
    leads = to.get("steps") is not None or not back
    return {**made, "leads": leads, "urgent": bool(to.get("urgent")) and number == 0 and not scene.people}


# the place and the character


def place_offers(scene: ChoiceScene) -> list[dict[str, Any]]:
    name = str(scene.place.get("name") or "this place")
    descriptions = [str(scene.place.get(part) or "") for part in ("arrival", "description")]
    descriptions += [
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
    here.sort(key=memory_rank)
    offers = [*lock_offers(scene, descriptions), *stat_offers(scene, name), *faction_offers(scene)]
    unseen = scene.place.get("unseen")
    left = (unseen if isinstance(unseen, int) else 0) - (scene.action.get("kind") == "look")
    receipts = [memory_receipt(memory) for memory in here[:1]]
    keen = best_stat(scene, "notice")
    if left > 0:
        text = f"Search {name} for what others have missed" if keen else f"Take a closer look at {name}"
        receipts += [stat_receipt(scene, keen)] if keen else []
        offers.append(make_offer(text, "look", 41 + 8 * bool(keen), *receipts, kind="look"))
    else:
        has_looked = scene.action.get("kind") == "look"
        offers.append(make_offer("Look around", "look", 1 if has_looked else 4, kind="look"))
    has_waited = scene.action.get("kind") == "wait"  # and nothing came of it
    offers.append(make_offer("Wait and listen", "wait", 2 if has_waited else 10, kind="wait"))
    return offers


def lock_offers(scene: ChoiceScene, descriptions: list[str]) -> list[dict[str, Any]]:
    """Return what can be done about something locked."""
    thing = lock_in(*descriptions)
    if not thing and any(descriptions):
        return []
    thing = f"the {thing}" if thing else "the nearest door that should stay shut"
    offers = []
    if stat := best_stat(scene, "stealth"):
        text = f"Pick the lock of {thing}"
        offers.append(
            make_offer(text, "lock", 66, stat_receipt(scene, stat), kind="free", risky=True, stat=stat)
        )
    if stat := best_stat(scene, "force"):
        text, stake = f"Force {thing} open", "it will be heard"
        offers.append(
            make_offer(
                text, "lock", 59, stat_receipt(scene, stat), kind="free", risky=True, stat=stat, stake=stake
            )
        )
    return offers


def stat_offers(scene: ChoiceScene, name: str) -> list[dict[str, Any]]:
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
    unseen, offers = scene.place.get("unseen"), []
    spent = isinstance(unseen, int) and unseen <= (scene.action.get("kind") == "look")
    for stat in scene.stats:
        if scene.level(stat) != "high":
            continue
        text, weight, kind = texts.get(domain_of(stat), ("", 0, ""))
        if weight and not (spent and kind == "look"):
            offers.append(make_offer(text, kind, weight, stat_receipt(scene, stat), kind=kind, stat=stat))
    return offers


def faction_offers(scene: ChoiceScene) -> list[dict[str, Any]]:
    """Return offers to ask friendly factions for help, through a member who is there or by sending word."""
    offers = []
    for faction in scene.factions():
        if scene.standing(faction) <= WARM or scene.is_hostile(faction):
            continue
        receipts = [faction_receipt(scene, faction)]
        member = next((one for one in scene.people if str(one.get("faction") or "") == faction), None)
        if member and member["perception"] < COLD:
            continue
        if member:
            text, fields = (
                f"Ask {member['name']} for the help of {with_article(faction)}",
                {"kind": "talk", "target": member["id"]},
            )
            receipts.append(person_receipt(member))
        else:
            text, fields = f"Send word to {with_article(faction)} and ask for help", {"kind": "free"}
        offers.append(make_offer(text, f"faction {faction}", 53 if member else 33, *receipts, **fields))
    return offers
