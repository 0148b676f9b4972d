#!/usr/bin/env python3
"""Chooses three or four things to do next: what story, people, character and past suggest."""

from __future__ import annotations

import random

from _choice_history import is_resting, is_run_over, is_stale, update_offer_history, was_recalled
from _choice_modifiers import add_odds, stems
from _choice_odds import read_rules
from _choice_offers import (
    ASIDE,
    idea_offers,
    memory_receipt,
    place_offers,
    place_receipt,
    story_offers,
    way_offers,
)
from _choice_own_offers import own_offers
from _choice_people_offers import deed_offers, people_offers, visit_offers
from _choice_scene import ChoiceScene

from narratoria import sdk

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

MIN_OPTIONS, MAX_OPTIONS = 3, 4
MAX_OPENINGS = 2  # the story's own offers leave room to turn away from them
MOST_OF_A_KIND = {"talk": 4, "go": 2, "look": 1, "wait": 1}
OF_THE_PAST = 12  # of weight for what something that happened is behind
PLAIN_KINDS, PLAIN_SHARE = ("go", "look", "wait"), 1 / 3  # of a set, where there is something else to do
PLAIN_ACTS = ("examine", "think_back")
MOST_TOPICS = 2  # questions to one person in one set
SAME_KIND, SAME_PERSON = 12, 10  # of weight, for each other offer that does the same, or to the same person
ALIKE = 0.6  # of the words two choices share: above, they say the same
TELLING = 44  # from this weight on, something says more about this story than another way to go
FILLER = 10  # up to this weight, another way that leads somewhere says more
GENERIC = (
    *(("Continue", "continue"), ("Look around", "look"), ("Wait", "wait")),
    *(("Take stock of what you have", "free"), ("Think over what has happened", "free")),
    ("Rest and gather your strength", "free"),
)
ACTS = {  # what is done by an offer of each intent
    "amends": "apologise",
    "face": "accuse",
    "promise": "promise",
    "favour": "persuade",
    "admit": "confess",
    "tell": "tell",
    "help": "persuade",
    "press": "persuade",
    "persuade": "persuade",
    "faction": "persuade",
    "talk": "talk",
    "topic": "ask",
    "show": "show",
    "study": "examine",
    "think": "think_back",
    "avoid": "sneak",
}
PRIVATE = ("intent", "weight", "leads", "urgent", "place")  # of an offer, for picking alone
OBJECTS = (
    *("action", "place", "next", "persona", "roll", "rules", "recall", "standing", "opinion", "ledger"),
    "limits",
)
LISTS = ("people", "memories", "ideas", "factions")


def main(request: sdk.Request) -> dict[str, Any]:
    check_input(request.input)
    scene = ChoiceScene(request)
    scene.remember()
    rules = read_rules(request.input.get("rules"))
    dice = random.Random(f"{request.seed}/choices")
    picked = pick_choices(scene, request.config, dice)
    if patch := update_offer_history(scene, picked):
        sdk.state_patch({"playerChoices": {"offered": patch}})
    chosen = [finish_choice(choice, scene, rules, request.config) for choice in picked]
    payload = {"choices": [choice["text"] for choice in chosen], "details": chosen}
    sdk.ui_event("narrative_choice", payload)
    return payload


def check_input(given: dict[str, Any]) -> None:
    for names, kind, expected in ((OBJECTS, dict, "an object"), (LISTS, list, "a list")):
        for name in names:
            if not isinstance(given.get(name), (kind, type(None))):
                raise sdk.InvalidInput(name, f"expected {expected}")


def pick_choices(scene: ChoiceScene, config: dict[str, Any], dice: random.Random) -> list[dict[str, Any]]:
    """Return the story's offers, a way on, and the best of the rest; no two of one kind about one thing."""
    most = max(int(config.get("maxOptions", MAX_OPTIONS)), 1)
    fewest = min(int(config.get("minOptions", MIN_OPTIONS)), most)
    story = within_limits([*story_offers(scene), *idea_offers(scene)], scene)
    going = within_limits(way_offers(scene), scene)
    offers = [*people_offers(scene), *deed_offers(scene), *visit_offers(scene)]
    personal = within_limits([*offers, *own_offers(scene), *place_offers(scene)], scene)
    resting = [one for one in personal if is_resting(one, scene) and not is_run_over(one, scene)]
    personal = [one for one in personal if not is_stale(one, scene)]
    shown_long = [one for one in (*story, *going, *personal) if is_run_over(one, scene)]
    resting = [one for one in resting if is_worthwhile(one)]
    worthwhile = [one for one in (*story, *personal) if is_worthwhile(one) and one not in shown_long]
    worthwhile += resting
    if len(worthwhile) < fewest:  # what the story offers rests only where there is enough else
        shown_long = [one for one in shown_long if one.get("kind") != "beat"]
    story, going, personal = (
        [one for one in offers if one not in shown_long] for offers in (story, going, personal)
    )
    dice.shuffle(personal)  # of two that weigh the same, either may come first
    personal.sort(key=lambda one: -one["weight"] - OF_THE_PAST * recalls_event(one))
    leading = [one for one in going if one["leads"] and (one["urgent"] or not is_stale(one, scene))]
    telling = [one for one in personal if one["weight"] >= TELLING]
    first = [*story[:MAX_OPENINGS], *telling[:1], *leading[:1]]
    ranked = [
        *first,
        *vary_kinds([one for one in telling if one not in first], first),
        *story[MAX_OPENINGS:],
        *(one for one in personal if one["weight"] > FILLER),
        *leading[1:],
        *personal,
        *(() if leading else going),
    ]
    chosen: list[dict[str, Any]] = []
    add_new(chosen, ranked, most)
    acting = [one for one in chosen if one.get("kind") not in ("look", "wait")]
    if len(acting) < fewest:  # rather two things with one person than to look around and to wait
        chosen = acting
        add_new(chosen, [one for one in ranked if one["weight"] > FILLER], fewest, is_crowded=True)
        add_new(chosen, ranked, most)
    if sum(not is_plain(one) for one in chosen) < fewest:
        chosen = fill_from_resting(chosen, resting, fewest)[:most]
    add_new(chosen, shown_long, fewest, is_crowded=True)
    if most <= MAX_OPTIONS:  # who wants more choices gets them
        drop_plain(chosen, fewest)
    chosen = with_way_out(chosen, going, scene)
    chosen = with_major_events(chosen, personal, scene, most)
    chosen.sort(
        key=lambda one: one.get("kind") == "beat" and one["weight"] <= ASIDE
    )  # nobody leaves by pressing 1
    for text, kind in GENERIC:
        intent = text if kind == "free" else kind
        if len(chosen) < fewest and intent not in [other["intent"] for other in chosen]:
            chosen.append({"text": text, "kind": kind, "intent": intent, "weight": 0, "because": []})
    return chosen


def fill_from_resting(
    chosen: list[dict[str, Any]], resting: list[dict[str, Any]], fewest: int
) -> list[dict[str, Any]]:
    """Return a set with what was offered before rather than with mere talk or another look."""
    doing = [one for one in chosen if not is_plain(one) and act_of(one) != "talk"]
    add_new(doing, resting, fewest)
    add_new(doing, [one for one in chosen if not is_plain(one)], fewest)
    plain = [one for one in chosen if is_plain(one)]
    return [*doing, *sorted(plain, key=lambda one: one.get("kind") != "go")]


def vary_kinds(offers: list[dict[str, Any]], before: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return offers by their weight, each counting less for every one before it of its kind or person."""
    left, ordered = list(offers), list(before)
    while left:
        best = max(
            left, key=lambda one: one["weight"] + OF_THE_PAST * recalls_event(one) - likeness(one, ordered)
        )
        left.remove(best)
        ordered.append(best)
    return ordered[len(before) :]


def likeness(one: dict[str, Any], others: list[dict[str, Any]]) -> int:
    """Return what an offer loses by what the others do already."""
    return sum(
        SAME_KIND * (act_of(one) == act_of(other)) + SAME_PERSON * (one.get("target") == other.get("target"))
        for other in others
        if one.get("kind") == other.get("kind") == "talk"
    )


def act_of(one: dict[str, Any]) -> str:
    """Return what an offer does."""
    return str(one.get("act") or ACTS.get(str(one["intent"]).partition(" ")[0]) or one.get("kind") or "")


def is_plain(one: dict[str, Any]) -> bool:
    """Return whether an offer only goes, looks or waits, be it at what the player carries."""
    return one.get("kind") in PLAIN_KINDS or act_of(one) in PLAIN_ACTS


def is_worthwhile(one: dict[str, Any]) -> bool:
    return not is_plain(one) and bool(one["weight"] > FILLER)


def drop_plain(chosen: list[dict[str, Any]], fewest: int) -> None:
    """Drop going, looking and waiting, the least first, while they are more than a third; one way stays."""
    while len(chosen) > fewest:
        plain = [one for one in chosen if is_plain(one)]
        if len(plain) <= PLAIN_SHARE * len(chosen):
            break
        ways = [one for one in plain if one.get("kind") == "go"]
        spare = [one for one in plain if one not in ways or len(ways) > 1]
        chosen.remove(min(spare or plain, key=weight_of))


def with_way_out(
    chosen: list[dict[str, Any]], going: list[dict[str, Any]], scene: ChoiceScene
) -> list[dict[str, Any]]:
    """Return a set with a way instead of mere looking or waiting, where it has none: one can always leave."""
    idle = [one for one in chosen if one.get("kind") in ("look", "wait") and one["weight"] <= FILLER]
    ways = [one for one in going if one not in chosen]
    if not idle or not ways or any(one.get("kind") == "go" for one in chosen):
        return chosen
    way = next((one for one in ways if not is_stale(one, scene)), ways[0])
    least = min(idle, key=weight_of)
    return [way if one is least else one for one in chosen]


def within_limits(offers: list[dict[str, Any]], scene: ChoiceScene) -> list[dict[str, Any]]:
    """Return the offers that do not go beyond the player's content limits."""
    beyond = scene.beyond_limits
    return [one for one in offers if not beyond or not beyond.search(one["text"])]


def recalls_event(one: dict[str, Any]) -> bool:
    """Return whether something that happened is behind an offer."""
    return any(isinstance(each, dict) and each.get("kind") == "memory" for each in one["because"])


def add_new(
    chosen: list[dict[str, Any]], offers: list[dict[str, Any]], most: int, *, is_crowded: bool = False
) -> None:
    """Add the offers that say something new, in their order, up to `most`."""
    for one in offers:
        if len(chosen) < most and is_new(one, chosen, is_crowded=is_crowded):
            chosen.append(one)


def is_new(one: dict[str, Any], chosen: list[dict[str, Any]], *, is_crowded: bool = False) -> bool:
    """Return whether it says something that the others do not.

    Where there is little else to do, one person may be told news and asked something.
    """
    kind = one.get("kind", "free")
    is_full = sum(other.get("kind") == kind for other in chosen) >= MOST_OF_A_KIND.get(kind, 9)
    if is_full or any(leads_to_same_place(one, other) for other in chosen):
        return False
    words = stems(one["text"])
    for other in chosen:
        if one["intent"] == other["intent"] or one["text"].casefold() == other["text"].casefold():
            return False
        if kind == other.get("kind") == "talk" and one.get("target") == other.get("target"):
            asked = sum(
                bool(each.get("topic")) and each.get("target") == one.get("target") for each in chosen
            )
            is_other = is_crowded and is_news(one) != is_news(other)
            is_other |= act_of(one) != act_of(other) and (is_deed(one) or is_deed(other))
            questions = bool(one.get("topic") and other.get("topic")) and act_of(one) == act_of(other)
            if not (questions or is_other) or asked >= MOST_TOPICS:
                return False  # two ways of talking to one person are one choice; news and a question are not
            continue  # questions begin alike
        shared, both = words & stems(other["text"]), words | stems(other["text"])
        if kind not in ("beat", "go") and both and len(shared) / len(both) > ALIKE:
            return False
        if same_event(one, other):
            return False
    return True


def is_news(one: dict[str, Any]) -> bool:
    """Return whether an offer is to tell somebody something."""
    return act_of(one) in ("tell", "promise")


def is_deed(one: dict[str, Any]) -> bool:
    return str(one["intent"]).startswith("deed ")


def leads_to_same_place(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether both go to one place, be it to ask somebody there."""
    places = [
        each.get("place") or (each.get("target") if each.get("kind") == "go" else "") for each in (one, other)
    ]
    return bool(places[0]) and places[0] == places[1]


def same_event(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether both tell of the same event: once is enough."""

    def recalled_events(choice: dict[str, Any]) -> set[str]:
        receipts = [receipt for receipt in choice["because"] if isinstance(receipt, dict)]
        return {
            receipt["id"]
            for receipt in receipts
            if receipt.get("kind") == "memory"
            and len(stems(receipt.get("text", "")) & stems(choice["text"])) >= 2
        }

    return bool(recalled_events(one) & recalled_events(other))


def with_major_events(
    chosen: list[dict[str, Any]], candidates: list[dict[str, Any]], scene: ChoiceScene, most: int
) -> list[dict[str, Any]]:
    """Put every triumph and failure that bears on the scene behind one of the choices."""
    for memory in scene.memories:
        if not memory["episodic"] or not memory["id"] or not bears_on_scene(memory, scene):
            continue
        if any(refers_to(choice, memory) for choice in chosen):
            continue
        host = next((choice for choice in chosen if belongs_to_choice(memory, choice, scene)), None)
        fitting = None if host else find_fitting_offer(memory, candidates, chosen, scene)
        if fitting and not (is_plain(fitting) and was_recalled(memory, scene)):
            spare = [
                c
                for c in chosen
                if c.get("kind") != "beat" and not any(refers_to(c, m) for m in major_events(scene))
            ]
            if len(chosen) < most or spare:
                chosen = [c for c in chosen if len(chosen) < most or c is not min(spare, key=weight_of)]
                host = {
                    **fitting,
                    "because": [one for one in fitting["because"] if not is_receipt(one, memory)],
                }
                chosen.append(host)
        if host is not None:  # a receipt that has nothing to do with its choice would be none
            host["because"] = [*host["because"], memory_receipt(memory)]
    return chosen


def find_fitting_offer(
    memory: dict[str, Any], candidates: list[dict[str, Any]], chosen: list[dict[str, Any]], scene: ChoiceScene
) -> dict[str, Any] | None:
    """Return an offer that rests on the memory, or that has to do with the same person."""
    left = [one for one in candidates if is_new(one, chosen)]
    return next((one for one in left if refers_to(one, memory)), None) or next(
        (one for one in left if belongs_to_choice(memory, one, scene)), None
    )


def weight_of(one: dict[str, Any]) -> float:
    return float(one["weight"])


def major_events(scene: ChoiceScene) -> list[dict[str, Any]]:
    return [memory for memory in scene.memories if memory["episodic"]]


def bears_on_scene(memory: dict[str, Any], scene: ChoiceScene) -> bool:
    """Return whether somebody of it is here, it happened here, or it belongs to no place or person."""
    people = {person["id"] for person in scene.people}
    here = memory["location"] and memory["location"] == scene.place.get("id")
    free = not memory["location"] and not set(memory["characters"]) - {"player"}
    return bool(people & set(memory["characters"])) or bool(here) or free


def refers_to(choice: dict[str, Any], memory: dict[str, Any]) -> bool:
    return any(is_receipt(one, memory) for one in choice["because"])


def is_receipt(one: Any, memory: dict[str, Any]) -> bool:
    return isinstance(one, dict) and one.get("id") == memory["id"]


def belongs_to_choice(memory: dict[str, Any], choice: dict[str, Any], scene: ChoiceScene) -> bool:
    target = choice.get("target")
    if target and (target in memory["characters"] or target == memory["location"]):
        return True
    here = memory["location"] and memory["location"] == scene.place.get("id")
    return bool(here) and choice.get("kind") in ("look", "wait", "free")


def finish_choice(
    choice: dict[str, Any], scene: ChoiceScene, rules: dict[str, Any], config: dict[str, Any]
) -> dict[str, Any]:
    fields = {name: value for name, value in choice.items() if name not in PRIVATE}
    if act := ACTS.get(str(choice["intent"]).partition(" ")[0]):
        fields.setdefault("act", act)
    shown = add_odds(fields, scene, rules, config)
    return shown if shown.get("because") else {**shown, "because": [place_receipt(choice, scene)]}


if __name__ == "__main__":
    sdk.run(main)
