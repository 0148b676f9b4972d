"""Makes the offers about people who are there, by their opinion and by what happened between them."""

from __future__ import annotations

import re

from _choice_modifiers import stems
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
    with_owner,
    without_article,
)
from _choice_phrases import (
    about_them,
    clause,
    domain_of,
    is_state,
    key_sentence,
    kind_of,
    outcome_in,
    pronouns,
)
from _choice_scene import COLD, WARM, ChoiceScene, listed

from narratoria.sdk.names import fold

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

SHOWN = re.compile(
    r"(?i)\b(?:letter|map|photo\w*|ring|key|seal|token|badge|book|diary|note\w*|coin|medal\w*|ticket|locket|ledger|"
    r"telegram|sketch|pendant|brooch|watch|warrant|invitation)\b"
)
WRITTEN, IMPLIED, OPENED = 62, 48, 14  # the weights of topics: answered by the author, by a profile, opened
VISIT = 44  # the weight of a question to somebody elsewhere
DEEDS = {"comfort": 66, "tell": 58, "show": 56, "persuade": 55, "promise": 54}  # weights, by act
HANDED_OVER = re.compile(  # what one may be given without owing anything for it
    r"you (?:gave|handed|brought) .*\b(?:order|letter|note|report|list|message|warning|news|warrant|bill|"
    r"form|paper|word)\b"
)
RECENT = 6  # scenes in which everybody still remembers
MOST_ASKED = 12  # words of a failure that a question has room for
TALK = {
    "persuasion": "Charm {name} into telling you more",
    "empathy": "Sit with {name} and listen",
    "notice": "Question {name} and watch {their} face",
    "wit": "Make {name} laugh, then ask what {they} {know}",
    "study": "Question {name} and piece together what {they} {say}",
    "nerve": "Ask {name} to {their} face what nobody dares to ask",
}


def people_offers(scene: ChoiceScene) -> list[dict[str, Any]]:
    offers = []
    for person in scene.people:
        offers += shared_past_offers(person, scene)
        offers += topic_offers(person, scene)
        if person["perception"] > WARM:
            offers += friend_offers(person, scene)
        elif person["perception"] < COLD:
            offers += opponent_offers(person, scene)
        else:
            offers += neutral_offers(person, scene)
        if person["perception"] >= COLD:
            offers += show_offers(person, scene)
        if talk := talk_offer(person, scene):
            offers.append(talk)
    return offers


def topic_offers(person: dict[str, Any], scene: ChoiceScene) -> list[dict[str, Any]]:
    """Return questions worth asking; one that events have opened, or the author answers, weighs more."""
    offers: list[dict[str, Any]] = []
    for topic in listed(scene.ahead, "topics"):
        text, identifier = topic.get("text"), topic.get("id")
        if (
            topic.get("person") != person["id"]
            or not isinstance(text, str)
            or not isinstance(identifier, str)
        ):
            continue
        weight = WRITTEN if topic.get("written") else IMPLIED
        weight += OPENED * bool(topic.get("new")) - len(offers)
        reason = (
            "something that happened lets you ask" if topic.get("new") else f"{person['name']} would know"
        )
        receipt = {"kind": "topic", "id": identifier, "text": reason}
        receipts = [*listed(topic, "receipts"), receipt]
        receipts += [person_receipt(person)] if abs(person["perception"]) > WARM else []
        made = make_offer(f"Ask {person['name']} {text}", f"topic {identifier}", weight, *receipts)
        offers.append({**made, "kind": "talk", "target": person["id"], "topic": identifier})
    return offers


def visit_offers(scene: ChoiceScene) -> list[dict[str, Any]]:
    """Return questions worth a walk: to people whom the player has met and knows where to find."""
    offers: list[dict[str, Any]] = []
    for topic in listed(scene.ahead, "elsewhere"):
        fields = [topic.get(name) for name in ("id", "person", "text", "name", "place", "placeName")]
        if not all(isinstance(field, str) and field for field in fields):
            continue
        identifier, person, question, name, place, place_name = map(str, fields)
        name = re.sub(r"^The\b", "the", name)
        text = f"Go to {place_name} and ask {name} {question}"
        weight = VISIT + OPENED * bool(topic.get("new")) - (0 if topic.get("written") else 6) - len(offers)
        reason = "something that happened lets you ask" if topic.get("new") else f"{name} would know"
        receipt = {"kind": "topic", "id": identifier, "text": reason}
        receipts = [*listed(topic, "receipts"), receipt]
        if len(text) <= LONGEST:
            made = make_offer(text, f"topic {identifier}", weight, *receipts, kind="talk", target=person)
            offers.append({**made, "topic": identifier, "place": place})
    return offers


def deed_offers(scene: ChoiceScene) -> list[dict[str, Any]]:
    """Return what can be done to people besides asking, as the engine worked it out."""
    offers = []
    for deed in listed(scene.ahead, "deeds"):
        text, act, person = deed.get("text"), deed.get("act"), scene.person(str(deed.get("person") or ""))
        if person is None or not isinstance(text, str) or len(text) > LONGEST or act not in DEEDS:
            continue
        fields: dict[str, Any] = {"kind": "talk", "target": person["id"], "act": act}
        fields |= {"topic": str(deed["id"])} if deed.get("id") else {}
        fields |= {"thing": str(deed["thing"])} if deed.get("thing") else {}
        fields |= {"risky": True} if deed.get("risky") else {}
        intent = f"deed {act} {person['id']}"
        offers.append(make_offer(text, intent, DEEDS[act], *listed(deed, "receipts"), **fields))
    return offers


def shared_past_offers(person: dict[str, Any], scene: ChoiceScene) -> list[dict[str, Any]]:
    """Return what to talk about: what happened between the two, and what the other has not heard."""
    offers = []
    for memory in sorted(scene.memories, key=memory_rank):
        is_witness = knows(memory, person)
        part = key_sentence(memory["summary"]) if is_witness else outcome_in(memory["summary"])
        event = about_them(clause(part, player_names(scene)), person)
        if not event or is_trivial(memory, event) or (not is_witness and was_told(event, person, scene)):
            continue
        named = {**memory, "named": mentions({"summary": part}, person)}
        phrase = (
            phrase_shared_past(event, named, person) if is_witness else phrase_news(event, memory, person)
        )
        if phrase is None or len(phrase[1]) > LONGEST:
            continue
        intent, text, fields = phrase
        if intent == "promise" and memory["scene"] and scene.number - memory["scene"] < RECENT:
            continue  # nobody is reminded of what was promised just now
        weighs = kind_of(memory["summary"]) in ("harm", "promise", "help")
        weight = (
            40 + 8 * memory["episodic"] if intent == "tell" else 60 + 20 * memory["episodic"] + 8 * weighs
        )
        receipts = [memory_receipt(memory)] + (
            [person_receipt(person)] if abs(person["perception"]) > WARM else []
        )
        fields = {"kind": "talk", "target": person["id"], **fields}
        offers.append(make_offer(text, f"{intent} {person['id']}", weight, *receipts, **fields))
    return offers


def was_told(event: str, person: dict[str, Any], scene: ChoiceScene) -> bool:
    """Return whether the player has told somebody of an event, be it in the author's words.

    One word of it that is nobody's name is enough: “her brother is alive” tells who lives in the reeds.
    """
    told = re.compile(rf"(?:You|The player) told {re.escape(person['name'])}\b")
    names = stems(" ".join(re.findall(r"\b[A-Z]\w+", event)))
    words = stems(event) - names
    return any(
        told.match(memory["summary"]) and words & stems(memory["summary"]) for memory in scene.memories
    )


def knows(memory: dict[str, Any], person: dict[str, Any]) -> bool:
    who = person["id"]
    return who in memory["characters"] or who in memory["witnesses"] or mentions(memory, person)


def phrase_shared_past(
    event: str, memory: dict[str, Any], person: dict[str, Any]
) -> tuple[str, str, dict[str, Any]] | None:
    """Phrase a memory for somebody who was there; None for one that needs no words."""
    name, score, kind = person["name"], person["perception"], kind_of(memory["summary"])
    risk = {"risky": True, "stake": f"{name} may hold it against you"}
    phrase: tuple[str, str, dict[str, Any]] | None = None
    if not event.startswith("you "):
        return None
    if kind == "harm":
        phrase = "amends", f"Make amends with {name}: {event}", risk
    elif score < COLD:
        phrase = "face", f"Ask {name} what has come between you since {event}", risk
    elif kind == "promise" and memory["named"]:
        text = f"Tell {name} you have not forgotten that {event}"
        phrase = "promise", text, {"for": "a promise is a promise"}
    elif kind == "help" and memory["named"] and score > WARM and not HANDED_OVER.match(event):
        phrase = "favour", f"Ask {name} to return the favour: {event}", {"for": f"{name} trusts you"}
    elif memory["outcome"] == "failure" and not is_state(event) and len(event.split()) <= MOST_ASKED:
        failure = re.sub(r"^you tried to ", "you failed to ", event)
        phrase = "admit", f"Admit to {name} that {failure}", {}
    return phrase


def phrase_news(
    event: str, memory: dict[str, Any], person: dict[str, Any]
) -> tuple[str, str, dict[str, Any]] | None:
    """Phrase a memory that matters for somebody who was not there."""
    matters = memory["episodic"] or memory["significance"] in ("high", "critical")
    is_talk = memory["action"] == "talk" and memory["episodic"]  # that words were heard, or not, is no news
    if not matters or is_talk or person["perception"] < COLD:
        return None
    how = "how" if event.startswith("you ") and not is_state(event) else "that"
    return "tell", f"Tell {person['name']} {how} {event}", {}


def friend_offers(person: dict[str, Any], scene: ChoiceScene) -> list[dict[str, Any]]:
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
    they, *_ = pronouns(person)
    text, fields = f"Ask {name} to help you", {"for": f"{name} trusts you"}
    if onward:
        text, fields = f"Ask {name} where {they} would go in your place", {"act": "ask_narrator"}
    receipts = [person_receipt(person), *shared_memory_receipts(person, scene)]
    return [
        make_offer(text, f"help {who}", 57 - 12 * bool(onward), *receipts, kind="talk", target=who, **fields)
    ]


def opponent_offers(person: dict[str, Any], scene: ChoiceScene) -> list[dict[str, Any]]:
    name, who, faction = person["name"], person["id"], str(person.get("faction") or "")
    they, _, their = pronouns(person)
    offers = []
    if faction and scene.standing(faction) > WARM and not scene.is_hostile(faction):
        text = f"Remind {name} what {with_article(faction)} {'owe' if is_plural(faction) else 'owes'} you"
        receipts = [person_receipt(person), faction_receipt(scene, faction)]
        offers.append(make_offer(text, f"press {who}", 56, *receipts, kind="talk", target=who, risky=True))
    hold = "hold" if they == "they" else "holds"
    text = f"Face {name} and ask what {they} {hold} against you"
    stake = f"{name} may make {their} dislike felt"
    receipts = [person_receipt(person), *shared_memory_receipts(person, scene)]
    offers.append(
        make_offer(text, f"face {who}", 46, *receipts, kind="talk", target=who, risky=True, stake=stake)
    )
    if stealth := best_stat(scene, "stealth"):
        text = f"Slip past {name} unseen"
        offers.append(
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
    return offers


def neutral_offers(person: dict[str, Any], scene: ChoiceScene) -> list[dict[str, Any]]:
    """Return offers to win over somebody who is undecided."""
    able = [stat for stat in scene.stats if domain_of(stat) == "persuasion"]
    if not able:
        return []
    stat = max(able, key=lambda one: scene.stats[one])
    level = scene.level(stat)
    name, who = person["name"], person["id"]
    text = f"Persuade {name} to take your side"
    memories = shared_memory_receipts(person, scene)
    event = about_them(clause(memories[0]["text"], player_names(scene)), person) if memories else ""
    if level != "low" and event.startswith("you ") and not is_state(event) and not TRIFLES.match(event):
        text = append_clause(f"Win {name} over", ": remind " + pronouns(person)[1] + " how ", event)
    weight = {"high": 54, "low": 36}.get(level, 32)  # what is unlikely pushes no plain talk aside
    receipts = [stat_receipt(scene, stat), *memories]
    return [
        make_offer(text, f"persuade {who}", weight, *receipts, kind="talk", target=who, risky=True, stat=stat)
    ]


def talk_offer(person: dict[str, Any], scene: ChoiceScene) -> dict[str, Any] | None:
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


def show_offers(person: dict[str, Any], scene: ChoiceScene) -> list[dict[str, Any]]:
    offers = []
    for item in scene.items:
        if SHOWN.search(item):
            thing = without_article(item)
            noun = thing.split()[0].casefold() if " of " in thing else thing.split()[-1].casefold()
            about_person = [memory for memory in scene.memories if mentions(memory, person)]
            done = (str(scene.action.get("text") or ""), *(memory["summary"] for memory in about_person))
            if person.get("heard") or any(noun in text.casefold() for text in done):
                continue  # they have seen it, or have other things to talk about
            receipt = {"kind": "state", "id": f"persona.items.{item}", "text": f"you have {item}"}
            text = f"Show {person['name']} {with_owner(item)}"
            memories = [
                memory_receipt(memory)
                for memory in scene.memories
                if thing.casefold() in memory["summary"].casefold()
            ]
            receipts = [receipt, *memories[:1]]
            offers.append(
                make_offer(
                    text,
                    f"show {person['id']}",
                    42,
                    *receipts,
                    kind="talk",
                    target=person["id"],
                    thing=thing,
                )
            )
    return offers[:1]
