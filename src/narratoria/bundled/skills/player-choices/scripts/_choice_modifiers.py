"""Counts what speaks for and against a choice, how likely it is, and what the player is shown of it."""

from __future__ import annotations

import re

from _choice_odds import chance, difficulty, probabilities, with_modifier
from _choice_phrases import domain_of, domain_of_text, first_name
from _choice_scene import COLD, ChoiceScene, mapping

from narratoria.sdk.tiers import tier_of

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

UNLIKELY = "unlikely to succeed"


def modifiers(choice: dict[str, Any], scene: ChoiceScene, rules: dict[str, Any]) -> list[dict[str, Any]]:
    """Return everything that counts on the dice, together at most as much as the rules allow."""
    counts = rules["modifiers"]
    candidates = [
        *stat_modifiers(choice, scene, counts["trait"]),
        *opinion_modifiers(choice, scene, counts["sentiment"]),
        *memory_modifiers(choice, scene, counts["callback"]),
    ]
    counted: list[dict[str, Any]] = []
    for one in candidates:
        total = sum(other["value"] for other in counted)
        value = max(-counts["most"] - total, min(counts["most"] - total, one["value"]))
        if value:
            counted.append({**one, "value": value})
    return counted


def stat_for(choice: dict[str, Any], scene: ChoiceScene) -> str:
    """Return the stat that the choice would take, if the character has one for it."""
    named = choice.get("stat")
    if isinstance(named, str) and named in scene.stats:
        return named
    text = str(choice.get("text") or "")
    for stat in scene.stats:
        if re.search(rf"(?i)\b{re.escape(stat)}\b", text):
            return stat
    domain = domain_of_text(text)
    able = [stat for stat in scene.stats if domain and domain_of(stat) == domain]
    return max(able, key=lambda stat: scene.stats[stat], default="")


def stat_modifiers(choice: dict[str, Any], scene: ChoiceScene, counts: int) -> list[dict[str, Any]]:
    stat = stat_for(choice, scene)
    if stat and (level := scene.level(stat)):
        value = counts if level == "high" else -counts
        because = f"your {stat} is {scene.stats[stat]:g}"
        receipt = {"kind": "state", "id": f"persona.stats.{stat}", "text": because}
        return [{"name": stat, "value": value, "because": because, "receipt": receipt}]
    words = set(re.findall(r"[^\W\d_]{4,}", str(choice.get("text") or "").casefold()))
    for trait in scene.traits:
        if {word[:5] for word in re.findall(r"[^\W\d_]{4,}", trait.casefold())} & {
            word[:5] for word in words
        }:
            receipt = {"kind": "state", "id": f"persona.traits.{trait}", "text": f"you are {trait}"}
            return [{"name": trait, "value": counts, "because": f"you are {trait}", "receipt": receipt}]
    return []


def opinion_modifiers(choice: dict[str, Any], scene: ChoiceScene, counts: int) -> list[dict[str, Any]]:
    person = find_target(choice, scene)
    if person is None:
        return []
    score = person["perception"]
    value = counts * tier_of(score)
    if not value:
        return []
    because = f"{person['name']} {'thinks well' if value > 0 else 'thinks ill'} of you ({score:+g})"
    receipt = {"kind": "standing", "id": person["id"], "text": because}
    return [{"name": "perception", "value": value, "because": because, "receipt": receipt}]


def memory_modifiers(choice: dict[str, Any], scene: ChoiceScene, counts: int) -> list[dict[str, Any]]:
    """Return the triumph or failure that has to do with it: what one has done before, or learned from."""
    person = find_target(choice, scene)
    for memory in scene.memories:
        if memory["episodic"] and is_about(memory, choice, person):
            receipt = {"kind": "memory", "id": memory["id"], "text": memory["summary"]}
            return [{"name": "memory", "value": counts, "because": memory["summary"], "receipt": receipt}]
    return []


def is_about(memory: dict[str, Any], choice: dict[str, Any], person: dict[str, Any] | None) -> bool:
    named = {one.get("id") for one in choice.get("because") or () if isinstance(one, dict)}
    if memory["id"] and memory["id"] in named:
        return True
    if person is not None and person["id"] in memory["characters"]:
        return True
    return len(stems(memory["summary"]) & stems(str(choice.get("text") or ""))) >= 2


COMMON = frozenset(
    ["about", "after", "again", "before", "could", "from", "have", "into", "player", "that", "their"]
)


def stems(text: str) -> set[str]:
    words = re.findall(r"[^\W\d_]{4,}", text.casefold())
    return {word[:5] for word in words if word not in COMMON}


def find_target(choice: dict[str, Any], scene: ChoiceScene) -> dict[str, Any] | None:
    """Return the person a choice is about."""
    if person := scene.person(str(choice.get("target") or "")):
        return person
    text = str(choice.get("text") or "")
    for person in scene.people:
        names = (person["name"], first_name(person["name"]))
        if any(len(name) > 2 and re.search(rf"\b{re.escape(name)}\b", text) for name in names):
            return person
    return None


def weigh_choice(choice: dict[str, Any], scene: ChoiceScene, rules: dict[str, Any]) -> dict[str, Any]:
    """Formula, modifiers, probabilities, chance and difficulty."""
    counted = modifiers(choice, scene, rules)
    total = sum(one["value"] for one in counted)
    given = choice.get("formula")
    formula = given if isinstance(given, str) and given else with_modifier(rules["dice"], total)
    shares = probabilities(formula, rules)
    probable = chance(shares)
    stat = stat_for(choice, scene)
    weak = bool(stat) and scene.level(stat) == "low"
    return {
        "formula": formula,
        "modifiers": counted,
        "modifier": total,
        "probabilities": shares,
        "chance": probable,
        "difficulty": "unlikely" if weak else difficulty(probable),
        "stat": stat,
    }


def add_odds(
    choice: dict[str, Any], scene: ChoiceScene, rules: dict[str, Any], config: dict[str, Any]
) -> dict[str, Any]:
    """Return the choice with its difficulty and its hint, as far as the settings want them shown."""
    risky = bool(choice.get("risky"))
    weighed = weigh_choice(choice, scene, rules) if risky else None
    shown = dict(choice)
    receipts = list(choice.get("because") or ())
    threshold = config.get("showDifficultyThreshold", 0.6)
    if weighed:
        receipts += [one["receipt"] for one in weighed["modifiers"] if not choice.get("formula")]
        if weighed["chance"] < threshold or (weighed["difficulty"] == "unlikely" and threshold > 0):
            shown["difficulty"] = weighed["difficulty"]
    if hint := hint_for(shown, weighed, str(config.get("consequenceHintVerbosity", "brief"))):
        shown["hint"] = hint
    for private in ("formula", "stat", "stake", "for"):
        shown.pop(private, None)
    shown["because"] = unique(receipts)
    if not shown["because"]:
        del shown["because"]
    return shown


def hint_for(choice: dict[str, Any], weighed: dict[str, Any] | None, verbosity: str) -> str:
    if verbosity == "none":
        return ""
    parts = []
    if weighed:
        word = choice.get("difficulty") or "risky"
        parts.append(UNLIKELY if word == "unlikely" else word)
        if verbosity == "detailed" or choice.get("formula"):
            parts[0] += f", {weighed['formula']}"
        if verbosity == "detailed":
            parts[0] += f", {round(100 * weighed['chance'])} in 100"
            parts += [f"{one['because']} ({one['value']:+d})" for one in weighed["modifiers"]]
    elif choice.get("for"):
        parts.append(str(choice["for"]))
    if verbosity == "detailed" and choice.get("stake"):
        parts.append(str(choice["stake"]))
    return "; ".join(parts)


def unique(receipts: list[Any]) -> list[dict[str, Any]]:
    """Each receipt once; a bare name is what a beat left."""
    by_key: dict[tuple[str, str], dict[str, Any]] = {}
    for one in receipts:
        receipt = {"kind": "beat", "id": one, "text": ""} if isinstance(one, str) else mapping(one)
        if receipt.get("kind") and receipt.get("id"):
            complete = {name: str(receipt.get(name) or "") for name in ("kind", "id", "text")}
            first = by_key.setdefault((complete["kind"], complete["id"]), complete)
            first["text"] = first["text"] or complete["text"]
    return list(by_key.values())


def is_refused(text: str, scene: ChoiceScene) -> str:
    """Return why friendly words to somebody who is no friend are not offered; empty where they may be."""
    for person in scene.people:
        if person["perception"] < COLD and names_in(text, person["name"]):
            return str(person["id"])
    for faction in scene.factions():
        head = re.sub(r"(?i)^the\s+|['’]s?\b", "", faction).strip()
        words = [
            head,
            *(word for word in head.split() if word.casefold() in ("guild", "watch", "family", "court")),
        ]
        if any(re.search(rf"(?i)\b{re.escape(word)}\b", text) for word in words if word) and scene.is_hostile(
            faction
        ):
            return faction
    return ""


def names_in(text: str, name: str) -> bool:
    return any(len(one) > 2 and re.search(rf"\b{re.escape(one)}\b", text) for one in (name, first_name(name)))


def names_nobody_gone(text: str, scene: ChoiceScene) -> bool:
    dead = mapping(scene.given.get("ledger")).get("dead")
    return not any(
        isinstance(name, str) and names_in(text, name) for name in (dead if isinstance(dead, list) else ())
    )
