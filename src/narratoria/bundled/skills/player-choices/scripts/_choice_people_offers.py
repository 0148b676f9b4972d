"""Makes the offers about people who are there, by their opinion and by what happened between them."""

from __future__ import annotations

import re

from _choice_offers import (
    LONGEST,
    TRIFLES,
    append_clause,
    best_stat,
    faction_receipt,
    is_plural,
    is_trivial,
    make_offer,
    memory_rank,
    memory_receipt,
    mentions,
    person_receipt,
    player_names,
    shared_memory_receipts,
    stat_receipt,
    with_article,
)
from _choice_phrases import about_them, clause, domain_of, is_state, kind_of, outcome_in, pronouns, telling
from _choice_scene import COLD, WARM, Scene, listed

from narratoria.sdk.names import fold

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

SHOWN = re.compile(
    r"(?i)\b(?:letter|map|photo\w*|ring|key|seal|token|badge|book|diary|note\w*|coin|medal\w*|ticket|locket|ledger|"
    r"telegram|sketch|pendant|brooch|watch|warrant|invitation)\b"
)
MOST_ASKED = 12  # words of a failure that a question has room for
TALK = {
    "persuasion": "Charm {name} into telling you more",
    "empathy": "Sit with {name} and listen",
    "notice": "Question {name} and watch {their} face",
    "wit": "Make {name} laugh, then ask what {they} {know}",
    "study": "Question {name} and piece together what {they} {say}",
    "nerve": "Ask {name} to {their} face what nobody dares to ask",
}


def people_offers(scene: Scene) -> list[dict[str, Any]]:
    found = []
    for person in scene.people:
        found += shared_past_offers(person, scene)
        if person["perception"] > WARM:
            found += friend_offers(person, scene)
        elif person["perception"] < COLD:
            found += opponent_offers(person, scene)
        else:
            found += neutral_offers(person, scene)
        if person["perception"] >= COLD:
            found += show_offers(person, scene)
        if talk := talk_offer(person, scene):
            found.append(talk)
    return found


def shared_past_offers(person: dict[str, Any], scene: Scene) -> list[dict[str, Any]]:
    """Return what to talk about: what happened between the two, and what the other has not heard."""
    found = []
    for memory in sorted(scene.memories, key=memory_rank):
        known = knows(memory, person)
        part = telling(memory["summary"]) if known else outcome_in(memory["summary"])
        told = about_them(clause(part, player_names(scene)), person)
        if not told or is_trivial(memory, told):
            continue
        named = {**memory, "named": mentions({"summary": part}, person)}
        said = phrase_shared_past(told, named, person) if known else phrase_news(told, memory, person)
        if said is None or len(said[1]) > LONGEST:
            continue
        intent, text, fields = said
        weighs = kind_of(memory["summary"]) in ("harm", "promise", "help")
        weight = (
            40 + 8 * memory["episodic"] if intent == "tell" else 60 + 20 * memory["episodic"] + 8 * weighs
        )
        receipts = [memory_receipt(memory)] + (
            [person_receipt(person)] if abs(person["perception"]) > WARM else []
        )
        fields = {"kind": "talk", "target": person["id"], **fields}
        found.append(make_offer(text, f"{intent} {person['id']}", weight, *receipts, **fields))
    return found


def knows(memory: dict[str, Any], person: dict[str, Any]) -> bool:
    who = person["id"]
    return who in memory["characters"] or who in memory["witnesses"] or mentions(memory, person)


def phrase_shared_past(
    told: str, memory: dict[str, Any], person: dict[str, Any]
) -> tuple[str, str, dict[str, Any]] | None:
    """Phrase a memory for somebody who was there; None for one that needs no words."""
    name, score, kind = person["name"], person["perception"], kind_of(memory["summary"])
    risk = {"risky": True, "stake": f"{name} may hold it against you"}
    said: tuple[str, str, dict[str, Any]] | None = None
    if not told.startswith("you "):
        return None
    if kind == "harm":
        said = "amends", f"Make amends with {name}: {told}", risk
    elif score < COLD:
        said = "face", f"Ask {name} what has come between you since {told}", risk
    elif kind == "promise" and memory["named"]:
        text = f"Tell {name} you have not forgotten that {told}"
        said = "promise", text, {"for": "a promise is a promise"}
    elif kind == "help" and memory["named"] and score > WARM:
        said = "favour", f"Ask {name} to return the favour: {told}", {"for": f"{name} trusts you"}
    elif memory["outcome"] == "failure" and not is_state(told) and len(told.split()) <= MOST_ASKED:
        said = "advice", f"Ask {name} what went wrong when {told}", {}
    return said


def phrase_news(
    told: str, memory: dict[str, Any], person: dict[str, Any]
) -> tuple[str, str, dict[str, Any]] | None:
    """Phrase a memory that matters for somebody who was not there."""
    matters = memory["episodic"] or memory["significance"] in ("high", "critical")
    if not matters or person["perception"] < COLD:
        return None
    how = "how" if told.startswith("you ") and not is_state(told) else "that"
    return "tell", f"Tell {person['name']} {how} {told}", {}


def friend_offers(person: dict[str, Any], scene: Scene) -> list[dict[str, Any]]:
    name, who, faction = person["name"], person["id"], str(person.get("faction") or "")
    if faction and scene.is_hostile(faction):
        text = f"Ask {name} for help behind the back of {with_article(faction)}"
        betrayed = scene.betrayal_of(faction)
        against = memory_receipt(betrayed) if betrayed else faction_receipt(scene, faction)
        stake = f"{with_article(faction)} must not hear of it"
        return [
            make_offer(
                text,
                f"help {who}",
                58,
                person_receipt(person),
                against,
                kind="talk",
                target=who,
                risky=True,
                stake=stake,
            )
        ]
    onward = [
        to for to in listed(scene.ahead, "ways") if to.get("name") and (to.get("urgent") or to.get("steps"))
    ]
    text = f"Ask {name} to help you choose your way" if onward else f"Ask {name} to help you"
    receipts = [person_receipt(person), *shared_memory_receipts(person, scene)]
    return [
        make_offer(
            text, f"help {who}", 57, *receipts, kind="talk", target=who, **{"for": f"{name} trusts you"}
        )
    ]


def opponent_offers(person: dict[str, Any], scene: Scene) -> list[dict[str, Any]]:
    name, who, faction = person["name"], person["id"], str(person.get("faction") or "")
    they, _, their = pronouns(person)
    found = []
    if faction and scene.standing(faction) > WARM and not scene.is_hostile(faction):
        text = f"Remind {name} what {with_article(faction)} {'owe' if is_plural(faction) else 'owes'} you"
        receipts = [person_receipt(person), faction_receipt(scene, faction)]
        found.append(make_offer(text, f"press {who}", 56, *receipts, kind="talk", target=who, risky=True))
    hold = "hold" if they == "they" else "holds"
    text = f"Face {name} and ask what {they} {hold} against you"
    stake = f"{name} may make {their} dislike felt"
    receipts = [person_receipt(person), *shared_memory_receipts(person, scene)]
    found.append(
        make_offer(text, f"face {who}", 46, *receipts, kind="talk", target=who, risky=True, stake=stake)
    )
    if stealth := best_stat(scene, "stealth"):
        text = f"Slip past {name} unseen"
        found.append(
            make_offer(
                text,
                f"avoid {who}",
                52,
                stat_receipt(scene, stealth),
                person_receipt(person),
                kind="free",
                risky=True,
            )
        )
    return found


def neutral_offers(person: dict[str, Any], scene: Scene) -> list[dict[str, Any]]:
    """Return offers to win over somebody who is undecided."""
    able = [stat for stat in scene.stats if domain_of(stat) == "persuasion"]
    if not able:
        return []
    stat = max(able, key=lambda one: scene.stats[one])
    level = scene.level(stat)
    name, who = person["name"], person["id"]
    text = f"Persuade {name} to take your side"
    memories = shared_memory_receipts(person, scene)
    told = about_them(clause(memories[0]["text"], player_names(scene)), person) if memories else ""
    if level != "low" and told.startswith("you ") and not is_state(told) and not TRIFLES.match(told):
        text = append_clause(f"Win {name} over", ": remind " + pronouns(person)[1] + " how ", told)
    weight = {"high": 54, "low": 36}.get(level, 32)  # what is unlikely pushes no plain talk aside
    receipts = [stat_receipt(scene, stat), *memories]
    return [
        make_offer(text, f"persuade {who}", weight, *receipts, kind="talk", target=who, risky=True, stat=stat)
    ]


def talk_offer(person: dict[str, Any], scene: Scene) -> dict[str, Any] | None:
    """Plain talk with somebody who still has something to say."""
    name, who = person["name"], person["id"]
    unheard = person.get("unheard")
    if unheard == 0 or fold(name) == fold(scene.action.get("person") or "") or person["perception"] < COLD:
        return None
    they, _, their = pronouns(person)
    stat = best_stat(scene, *TALK)
    text, receipts = f"Talk to {name}", shared_memory_receipts(person, scene)
    if stat:
        plural = they == "they"
        words = {"name": name, "they": they, "their": their}
        words |= {"know": "know" if plural else "knows", "say": "say" if plural else "says"}
        text = TALK[domain_of(stat)].format(**words)
        receipts = [stat_receipt(scene, stat), *receipts]
    return make_offer(
        text, f"talk {who}", 40 + 9 * bool(stat) if unheard else 12, *receipts, kind="talk", target=who
    )


def show_offers(person: dict[str, Any], scene: Scene) -> list[dict[str, Any]]:
    found = []
    for item in scene.items:
        if SHOWN.search(item):
            thing = re.sub(r"(?i)^(?:a|an|the|your|my|some)\s+", "", item)
            noun = thing.split()[0].casefold() if " of " in thing else thing.split()[-1].casefold()
            told = [memory for memory in scene.memories if mentions(memory, person)]
            done = (str(scene.action.get("text") or ""), *(memory["summary"] for memory in told))
            if person.get("heard") or any(noun in text.casefold() for text in done):
                continue  # they have seen it, or have other things to talk about
            receipt = {"kind": "state", "id": f"persona.items.{item}", "text": f"you have {item}"}
            text = f"Show {person['name']} the {thing}"
            memories = [
                memory_receipt(memory)
                for memory in scene.memories
                if thing.casefold() in memory["summary"].casefold()
            ]
            receipts = [receipt, *memories[:1]]
            found.append(
                make_offer(text, f"show {person['id']}", 42, *receipts, kind="talk", target=person["id"])
            )
    return found[:1]
