"""The choices skill: distinct, doable, shaped by character, history, standing and opinion, with receipts."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.skills.bundled.story_host import Tale, tale

from narratoria import paths
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.protocol.command import command_for
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, encode_request
from narratoria.protocol.events import Event, StatePatchEvent, UiEvent
from narratoria.protocol.process import Outcome, run
from narratoria.skills.discovery import discover
from narratoria.state import deep_merge

CATALOGUE = discover([paths.BUNDLED_SKILLS])
GENERATE, EVALUATE = "player-choices/generate-choices", "player-choices/evaluate-choice"

ALDRIC = {
    "id": "aldric",
    "name": "Aldric",
    "role": "blacksmith",
    "appearance": "A broad man; his beard is singed.",
    "unheard": 2,
}
SMITHY = {
    "id": "smithy",
    "name": "the smithy",
    "arrival": "A locked strongbox stands under the bench.",
    "unseen": 1,
}
ANVIL = {
    "id": "m-anvil",
    "summary": "The player helped Aldric mend the cracked anvil",
    "characters": ["player", "aldric"],
    "location": "smithy",
}
THEFT = {**ANVIL, "id": "m-theft", "summary": "The player stole a silver hammer from Aldric"}


async def call(script: str, data: dict[str, Any], **context: Any) -> tuple[Outcome, list[Event]]:
    _, found = CATALOGUE.find(script)
    events: list[Event] = []
    request = encode_request(
        request_id="1", tool=found.name, operation=found.name, input=data, context=context
    )
    return await run(command_for(found.path), request, NARRATORIA_V0, on_events=events.extend), events


async def choices(config: dict[str, Any] | None = None, **data: Any) -> list[dict[str, Any]]:
    outcome, events = await call(GENERATE, data, seed=1, config=config or {})
    assert outcome.ok, outcome.failure
    (payload,) = [event.payload for event in events if isinstance(event, UiEvent)]
    assert outcome.output == payload
    assert payload["choices"] == [detail["text"] for detail in payload["details"]]
    assert len(set(payload["choices"])) == len(payload["choices"])
    details: list[dict[str, Any]] = payload["details"]
    return details


def texts(found: list[dict[str, Any]]) -> str:
    return " | ".join(choice["text"] for choice in found)


def opening(text: str, **others: Any) -> dict[str, Any]:
    return {"beat": text.lower(), "text": text, **others}


def ahead(*openings: dict[str, Any], ways: tuple[dict[str, Any], ...] = (), **others: Any) -> dict[str, Any]:
    return {"": {"openings": list(openings), "ways": list(ways), **others}}


def persona(**stats: float) -> dict[str, Any]:
    return {"name": "Rook", "stats": stats, "traits": [], "items": []}


# what the story offers


async def test_who_wants_none_of_what_the_story_offers_can_leave_rather_than_wait_for_ever() -> None:
    ends = [opening(text) for text in ("Say a name", "Say them all", "Say your own")]
    ways = ({"to": "inn", "name": "the inn", "visited": True},)
    found = await choices(next=ahead(*ends, ways=ways), place={"name": "the pit", "unseen": 0})
    assert [one["text"] for one in found][3:] == ["Go back to the inn"]
    deeper = await choices(next=ahead(*ends, ways=ways), place={"name": "the pit", "unseen": 1})
    assert [one["text"] for one in deeper][3:] == ["Take a closer look at the pit"]


async def test_who_has_waited_is_not_asked_to_wait_again_while_there_is_another_look() -> None:
    waited = {"text": "Wait and listen", "kind": "wait", "number": 3}
    found = await choices(
        next=ahead(opening("Sing"), opening("Dig")), place={"name": "the pit"}, action=waited
    )
    assert "Look around" in texts(found)
    assert "Wait" not in texts(found)


async def test_the_storys_offers_come_first_with_their_risk_and_their_receipts() -> None:
    rope = {"kind": "beat", "id": "rope", "text": "you have found a rope"}
    leap = opening("Leap", risky=True, formula="2d6+1", because=["rope"], receipts=[rope])
    found = await choices(next=ahead(leap), place={"name": "the inn", "unseen": 2})
    assert found[0]["text"] == "Leap"
    assert (found[0]["kind"], found[0]["beat"], found[0]["risky"]) == ("beat", "leap", True)
    assert found[0]["because"] == [rope]
    assert "2d6+1" in found[0]["hint"]
    assert found[1]["text"] == "Take a closer look at the inn"


async def test_the_roll_decides_what_can_be_done_next() -> None:
    branches = {
        "success": {"openings": [opening("Celebrate")]},
        "partial success": {"openings": [opening("Limp")]},
        "failure": {"openings": [opening("Swim")]},
    }
    for roll, text in [
        ({"outcome": "success"}, "Celebrate"),
        ({"outcome": "banana"}, "Limp"),
        (None, "Limp"),
    ]:
        assert (await choices(next=branches, roll=roll))[0]["text"] == text


async def test_the_way_to_what_cannot_wait_comes_before_other_ways() -> None:
    ways = (
        {"to": "mill", "name": "the mill", "steps": 1, "urgent": None},
        {"to": "weir", "name": "the weir", "steps": 2, "urgent": 2, "visited": True},
    )
    found = await choices(next=ahead(ways=ways))
    going = [choice["text"] for choice in found if choice["kind"] == "go"]
    assert going == ["Go back to the weir", "Go to the mill"]


async def test_with_nothing_known_there_are_generic_choices() -> None:
    found = await choices()
    assert len(found) == 3
    assert {choice["text"] for choice in found} <= {"Wait and listen", "Look around", "Continue", "Wait"}


async def test_what_nothing_led_to_is_offered_because_of_the_place() -> None:
    mill = {"to": "mill", "name": "the mill"}
    found = await choices(
        {"maxOptions": 9, "minOptions": 9},
        place={"id": "smithy", "name": "the smithy"},
        people=[{**ALDRIC, "perception": 0}],
        next=ahead(opening("Open the strongbox"), ways=(mill,)),
        ideas=["Sing to the anvil"],
    )
    reasons = {
        choice["text"]: [(one["kind"], one["id"], one["text"]) for one in choice["because"]]
        for choice in found
    }
    assert reasons["Open the strongbox"] == [("place", "smithy", "the story offers it at the smithy")]
    assert reasons["Go to the mill"] == [("place", "smithy", "a way leads there from the smithy")]
    assert reasons["Talk to Aldric"] == [("place", "smithy", "Aldric is at the smithy")]
    assert reasons["Sing to the anvil"] == [
        ("place", "smithy", "the storyteller thought of it for the smithy")
    ]
    assert len(found) == 9
    assert all(one[1] and one[2] for receipts in reasons.values() for one in receipts)


async def test_how_many_there_are_is_a_setting() -> None:
    many = [opening(f"Open door number {number}") for number in ("one", "two", "three")]
    ways = tuple({"to": name, "name": f"the {name}"} for name in ("mill", "weir", "moor"))
    assert len(await choices({"maxOptions": 2, "minOptions": 2}, next=ahead(*many, ways=ways))) == 2
    assert len(await choices({"maxOptions": 6}, next=ahead(*many, ways=ways))) == 6
    assert len(await choices({"minOptions": 6, "maxOptions": 6})) == 6
    assert len(await choices({"minOptions": 5, "maxOptions": 3})) == 3


# what people can be asked


def topic(name: str, **others: Any) -> dict[str, Any]:
    return {
        "id": f"aldric/topic/{name}",
        "person": "aldric",
        "text": f"about {name}",
        "written": True,
        **others,
    }


async def test_a_question_that_the_author_answers_is_offered_with_its_topic_and_why() -> None:
    found = await choices(people=[ALDRIC], next=ahead(topics=[topic("bellows"), topic("coal", new=True)]))
    asked = [choice for choice in found if choice.get("topic")]

    assert [choice["text"] for choice in asked] == ["Ask Aldric about coal", "Ask Aldric about bellows"]
    assert [(one["kind"], one["act"], one["target"]) for one in asked] == [("talk", "ask", "aldric")] * 2
    assert asked[0]["topic"] == "aldric/topic/coal"
    opened, known = ("something that happened lets you ask", "Aldric would know")
    assert [one["because"][0]["text"] for one in asked] == [opened, known]
    assert all(one["because"][0]["kind"] == "topic" for one in asked)
    assert all(not {"intent", "weight", "leads", "urgent"} & set(choice) for choice in found)


async def test_a_question_that_a_beat_has_opened_has_the_beat_for_a_reason() -> None:
    beat = {"kind": "beat", "id": "forge-fire", "text": "the forge has burned"}
    asking = topic("the fire", new=True, receipts=[beat])
    found = await choices(people=[ALDRIC], next=ahead(topics=[asking]))

    (asked,) = [choice for choice in found if choice.get("topic")]
    assert asked["because"][0] == beat


async def test_at_most_two_questions_are_for_one_person_and_none_for_who_is_not_there() -> None:
    many = [topic(name) for name in ("bellows", "coal", "horses", "nails")]
    stranger = {**topic("ships"), "person": "hob", "id": "hob/topic/ships"}
    found = await choices({"maxOptions": 9}, people=[ALDRIC], next=ahead(topics=[*many, stranger]))

    assert len([choice for choice in found if choice.get("topic")]) == 2
    assert "ships" not in texts(found)


async def test_a_question_that_was_just_put_is_not_put_again_at_once() -> None:
    put = {"kind": "talk", "text": "Ask Aldric about coal"}
    found = await choices(people=[ALDRIC], action=put, next=ahead(topics=[topic("coal"), topic("nails")]))

    assert "Ask Aldric about coal" not in texts(found)
    assert "Ask Aldric about nails" in texts(found)


@pytest.mark.parametrize(("priority", "is_pressing"), [("high", False), ("critical", True)])
async def test_a_beat_rests_after_two_scenes_where_there_is_enough_else_unless_it_presses(
    priority: str, is_pressing: bool
) -> None:
    others = [
        opening(f"Open the {colour} door") for colour in ("red", "blue", "grey", "green", "white", "black")
    ]
    state: dict[str, Any] = {}
    offered = []
    for number in range(2, 8):
        asked = {
            "next": ahead(opening("Leap", priority=priority), *others),
            "action": {"text": "Hum", "number": number},
        }
        outcome, events = await call(GENERATE, asked, seed=number, config={}, state=state)
        for event in events:
            if isinstance(event, StatePatchEvent):
                state = deep_merge(state, event.patch)
        offered.append("Leap" in outcome.output["choices"])
    runs = [all(offered[at : at + 3]) for at in range(len(offered) - 2)]
    assert all(runs) if is_pressing else not any(runs)
    assert any(offered[2:])


async def test_going_and_looking_are_a_third_at_most_where_there_is_enough_else() -> None:
    ways = tuple({"to": name, "name": f"the {name}"} for name in ("mill", "weir"))
    topics = [
        {"id": f"aldric/{name}", "person": "aldric", "text": f"about {name}"} for name in ("fire", "ore")
    ]
    found = await choices(place=SMITHY, people=[ALDRIC], next=ahead(ways=ways, topics=topics))
    plain = [choice for choice in found if choice["kind"] in ("go", "look", "wait")]
    assert len(plain) * 3 <= len(found)
    assert [choice["kind"] for choice in plain] == ["go"]


async def test_who_is_alone_with_a_thing_can_study_it_and_think() -> None:
    carrying = {**persona(), "items": ["a sealed letter"]}
    found = await choices(action={"number": 6}, persona=carrying, place={"id": "moor", "name": "the moor"})
    acts = {(choice["text"], choice.get("act")) for choice in found}
    assert ("Examine the sealed letter", "examine") in acts
    assert ("Think over what has happened", "think_back") in acts
    found = await choices(action={"number": 6}, persona={**persona(), "items": ["the keys"]}, place=SMITHY)
    assert "keys" not in texts(found)


async def test_a_way_is_offered_at_most_twice_running_where_there_is_enough_else() -> None:
    ways = ({"to": "mill", "name": "the mill", "steps": 1},)
    state: dict[str, Any] = {}
    offered = []
    for number in range(1, 8):
        next_facts = ahead(ways=ways, topics=[topic(f"coal {number}"), topic(f"ore {number}")])
        action = {"text": "Hum", "number": number}
        asked = {"people": [ALDRIC], "place": SMITHY, "next": next_facts, "action": action}
        outcome, events = await call(GENERATE, asked, seed=number, config={}, state=state)
        for event in events:
            if isinstance(event, StatePatchEvent):
                state = deep_merge(state, event.patch)
        offered.append(any(choice["kind"] == "go" for choice in outcome.output["details"]))
    assert offered[:3] == [True, True, False]
    assert any(offered[3:])
    assert all(not all(offered[at : at + 3]) for at in range(len(offered) - 2))


# who is elsewhere, and what can be done besides asking


def question_elsewhere(name: str, place: str, **others: Any) -> dict[str, Any]:
    """Return a question to somebody who is at another place."""
    where = {"name": name.title(), "place": place, "placeName": f"the {place}"}
    return {
        "id": f"{name}/topic/tin",
        "person": name,
        "text": "about tin",
        "written": True,
        **where,
        **others,
    }


def deed(act: str, text: str, **others: Any) -> dict[str, Any]:
    receipt = {"kind": "evidence", "id": "hob/ties/aldric", "text": "Hob spoke to you of Aldric"}
    return {"act": act, "person": "aldric", "text": text, "receipts": [receipt], **others}


async def test_somebody_elsewhere_is_sought_out_with_a_question_and_its_reason() -> None:
    found = await choices(next=ahead(elsewhere=[question_elsewhere("hob", "mill")]), place=SMITHY)
    (visit,) = [choice for choice in found if choice.get("topic")]
    assert visit["text"] == "Go to the mill and ask Hob about tin"
    assert (visit["kind"], visit["act"], visit["target"]) == ("talk", "ask", "hob")
    assert [(one["kind"], one["id"]) for one in visit["because"]] == [("topic", "hob/topic/tin")]


async def test_no_way_is_offered_beside_a_question_that_leads_there() -> None:
    ways = tuple({"to": name, "name": f"the {name}", "steps": 1} for name in ("mill", "weir"))
    questions = [question_elsewhere("hob", "mill", new=True), question_elsewhere("una", "mill")]
    found = await choices(next=ahead(ways=ways, elsewhere=questions), place=SMITHY)
    assert len([choice for choice in found if "mill" in choice["text"]]) == 1


async def test_a_deed_is_offered_with_what_it_rests_on_and_what_answers_it() -> None:
    telling = deed("tell", "Tell Aldric what Hob said of him", id="aldric/ties/hob")
    found = await choices(people=[ALDRIC], next=ahead(deeds=[telling, deed("juggle", "Juggle")]))
    (tell,) = [choice for choice in found if choice.get("act") == "tell"]
    assert (tell["text"], tell["topic"], tell["target"]) == (telling["text"], "aldric/ties/hob", "aldric")
    assert tell["because"] == telling["receipts"]
    assert "Juggle" not in texts(found)


async def test_a_set_has_a_deed_rather_than_a_second_question_to_the_same_person() -> None:
    ways = ({"to": "mill", "name": "the mill", "steps": 1},)
    deeds = [deed("promise", "Promise Aldric to help him sleep"), deed("tell", "Tell Aldric what Hob said")]
    topics = [topic("coal"), topic("nails")]
    found = await choices(people=[ALDRIC], next=ahead(ways=ways, topics=topics, deeds=deeds), place=SMITHY)
    assert sorted(choice.get("act", choice["kind"]) for choice in found) == ["ask", "go", "promise", "tell"]


async def test_a_friend_who_is_asked_for_the_way_is_asked_for_advice() -> None:
    ways = ({"to": "mill", "name": "the mill", "steps": 1},)
    found = await choices(people=[{**ALDRIC, "perception": 60}], next=ahead(ways=ways), place=SMITHY)
    (asked,) = [choice for choice in found if choice["text"] == "Ask Aldric where he would go in your place"]
    assert asked["act"] == "ask_narrator"


async def test_an_event_brings_a_look_of_its_own_into_a_set_once() -> None:
    event = {"id": "m-fire", "summary": "The roof fell in.", "characters": [], "location": "smithy"}
    memories = [{**event, "episodic": True, "significance": "high"}]
    foe, ways = {**ALDRIC, "perception": -40}, ({"to": "mill", "name": "the mill", "steps": 1},)
    state: dict[str, Any] = {}
    looks = []
    for number in range(2, 4):
        topics = [topic(f"{name} {number}") for name in ("coal", "nails")]
        asked = {"people": [foe], "place": SMITHY, "memories": memories}
        asked |= {"next": ahead(ways=ways, topics=topics), "action": {"text": "Hum", "number": number}}
        outcome, events = await call(GENERATE, asked, seed=number, config={}, state=state)
        for sent in events:
            if isinstance(sent, StatePatchEvent):
                state = deep_merge(state, sent.patch)
        receipts = [one["id"] for choice in outcome.output["details"] for one in choice["because"]]
        looks.append("m-fire" in receipts)
    assert looks == [True, False]


async def test_what_somebody_was_told_is_not_told_to_them_again_however_long_ago() -> None:
    state: dict[str, Any] = {}
    told = "Tell Aldric what Hob said of him"
    offered = []
    for number, text in ((2, "Hum"), (3, told), (30, "Hum"), (60, "Hum"), (90, "Hum")):
        asked = {"people": [ALDRIC], "place": SMITHY, "action": {"text": text, "number": number}}
        asked["next"] = ahead(deeds=[deed("tell", told)])
        outcome, events = await call(GENERATE, asked, seed=number, config={}, state=state)
        for sent in events:
            if isinstance(sent, StatePatchEvent):
                state = deep_merge(state, sent.patch)
        offered.append(told in outcome.output["choices"])
    assert offered == [True, False, False, False, False]


async def test_a_failure_is_admitted_once_and_not_to_everybody_in_turn() -> None:
    failure = {"id": "m-1", "summary": "The player tried to mend the bellows.", "outcome": "failure"}
    failure |= {"characters": ["player"], "witnesses": ["aldric", "hob"]}
    hob = {**ALDRIC, "id": "hob", "name": "Hob"}
    state: dict[str, Any] = {}
    admitted = []
    for number, text in ((2, "Hum"), (3, "Admit to Aldric that you failed to mend the bellows"), (5, "Hum")):
        asked = {"people": [ALDRIC, hob], "memories": [failure], "place": SMITHY}
        asked["action"] = {"text": text, "number": number}
        outcome, events = await call(GENERATE, asked, seed=1, config={"maxOptions": 9}, state=state)
        for sent in events:
            if isinstance(sent, StatePatchEvent):
                state = deep_merge(state, sent.patch)
        admitted.append(any(one.startswith("Admit") for one in outcome.output["choices"]))
    assert admitted == [True, False, False]


@pytest.mark.parametrize(
    ("summary", "part"),
    [
        ("Half of the broken pin is inside your shirt.", "that half of the broken pin"),
        ("A G. T. has come here every Sunday.", "that a G. T. has come here every Sunday"),
        ("The player convinced Ismay Corrie.", ""),
        ("Maren Tolliver refused you flatly.", ""),
        ("The player convinced Ismay Corrie to close the bridge.", "how you convinced Ismay Corrie to close"),
    ],
)
async def test_news_is_a_clause_of_its_own_and_says_what_came_to_pass(summary: str, part: str) -> None:
    news = {"id": "m-1", "summary": summary, "characters": ["player"], "significance": "high"}
    found = texts(await choices({"maxOptions": 9}, people=[ALDRIC], memories=[news], place=SMITHY))
    assert f"Tell Aldric {part}" in found if part else "Tell Aldric" not in found


async def test_that_words_were_heard_or_not_is_no_news_for_others() -> None:
    refusal = {"id": "m-1", "summary": "Hob had no time for it.", "characters": ["player"], "episodic": True}
    for act, is_news in (("talk", False), ("beat", True)):
        told = texts(await choices(people=[ALDRIC], memories=[{**refusal, "actionType": act}], place=SMITHY))
        assert ("Tell Aldric that Hob had no time for it" in told) is is_news


async def test_what_a_beat_has_told_somebody_is_no_news_in_other_words() -> None:
    alive = {"id": "m-1", "summary": "Corvin Reed is alive in the reeds.", "characters": ["player"]}
    told = {"id": "m-2", "summary": "You told Aldric that his brother is alive.", "characters": ["aldric"]}
    asked = {**told, "summary": "You told Aldric that the bellows leak."}
    for other, is_news in ((asked, True), (told, False)):
        memories = [{**alive, "significance": "high"}, other]
        found = texts(await choices({"maxOptions": 9}, people=[ALDRIC], memories=memories, place=SMITHY))
        assert ("Tell Aldric that Corvin Reed is alive" in found) is is_news


async def test_a_letter_that_was_handed_over_is_no_favour_to_be_returned() -> None:
    gave = {**ANVIL, "summary": "The player gave Aldric the order to close the forge"}
    friend = {**ALDRIC, "perception": 60}
    assert "return the favour" in texts(await choices(people=[friend], memories=[ANVIL], place=SMITHY))
    assert "return the favour" not in texts(await choices(people=[friend], memories=[gave], place=SMITHY))


async def test_a_question_shown_before_fills_a_set_rather_than_a_look_around() -> None:
    state: dict[str, Any] = {}
    ways = ({"to": "mill", "name": "the mill", "steps": 1},)
    acting = []
    for number in range(2, 8):
        asked = {"people": [ALDRIC], "place": SMITHY, "action": {"text": "Hum", "number": number}}
        asked["next"] = ahead(ways=ways, topics=[topic(name) for name in ("coal", "nails", "tin", "ore")])
        outcome, events = await call(GENERATE, asked, seed=number, config={}, state=state)
        for sent in events:
            if isinstance(sent, StatePatchEvent):
                state = deep_merge(state, sent.patch)
        acting.append({one["text"] for one in outcome.output["details"] if one["kind"] == "talk"})
    assert all(len(texts_of_scene) >= 2 for texts_of_scene in acting)
    assert all(not (acting[at] & acting[at + 1] & acting[at + 2]) for at in range(4))


# the character


async def test_high_stealth_opens_a_lock_and_low_stealth_does_not() -> None:
    nimble = await choices(place=SMITHY, persona=persona(Stealth=16))
    clumsy = await choices(place=SMITHY, persona=persona(Stealth=15))
    (lock,) = [choice for choice in nimble if "Pick the lock of the strongbox" in choice["text"]]
    assert lock["because"][0] == {
        "kind": "state",
        "id": "persona.stats.Stealth",
        "text": "your Stealth is 16",
    }
    assert lock["risky"] is True
    assert "lock" not in texts(clumsy)


async def test_no_lock_is_picked_where_there_is_none() -> None:
    meadow = {"id": "meadow", "name": "the meadow", "arrival": "Grass, and a lark above it.", "unseen": 0}
    assert "lock" not in texts(await choices(place=meadow, persona=persona(Stealth=18)))


@pytest.mark.parametrize(("charisma", "unlikely"), [(7, True), (8, False), (16, False)])
async def test_low_charisma_marks_persuasion_as_unlikely(charisma: float, unlikely: bool) -> None:
    plead = opening("Persuade the guard to look away", risky=True)
    found = await choices(next=ahead(plead), persona=persona(Charisma=charisma))
    assert (found[0].get("difficulty") == "unlikely") is unlikely
    assert ("unlikely to succeed" in found[0].get("hint", "")) is unlikely


async def test_stats_of_any_campaign_are_understood_by_their_names_and_their_range() -> None:
    date = await choices(
        people=[{"id": "mina", "name": "Mina", "appearance": "She reads.", "unheard": 1}],
        place={"id": "cafe", "name": "the café", "arrival": "It rains against the window."},
        persona={"stats": {"Charm": 9, "Humour": 3, "Style": 4}},
    )
    assert "Mina" in texts(date)
    assert any(word in texts(date) for word in ("Charm", "Win", "Persuade"))
    case = await choices(
        people=[{"id": "butler", "name": "Mr Crane", "unheard": 1}],
        place={"id": "study", "name": "the study", "arrival": "A clock has stopped.", "unseen": 2},
        persona={"stats": {"Observation": 5, "Deduction": 5, "Nerve": 2}, "statRange": {"min": 1, "max": 5}},
    )
    assert any(word in texts(case) for word in ("Search", "Piece together", "Question"))


async def test_only_what_one_has_can_be_shown() -> None:
    scene = {"people": [ALDRIC], "place": SMITHY}
    having = await choices(**scene, persona={"items": ["a sealed letter"]})
    assert "Show Aldric the sealed letter" in texts(having)
    assert "Show" not in texts(await choices(**scene, persona={"items": []}))


async def test_one_letter_is_not_shown_to_everybody_in_turn() -> None:
    async def offered(who: dict[str, Any], number: int, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        scene = {"people": [who], "place": SMITHY, "persona": {"items": ["a sealed letter"]}}
        asked = {**scene, "action": {"text": "Look around", "number": number}}
        outcome, events = await call(GENERATE, asked, seed=1, config={}, state=state)
        noted = [event.patch for event in events if isinstance(event, StatePatchEvent)]
        return texts(outcome.output["details"]), noted[0] if noted else {}

    first, state = await offered(ALDRIC, 2, {})
    assert "Show Aldric the sealed letter" in first
    later, _ = await offered({**ALDRIC, "id": "hob", "name": "Hob"}, 5, state)
    assert "Show" not in later


async def test_what_lies_beside_the_story_s_way_is_offered_last() -> None:
    leaving = opening("Take the evening boat", priority="optional")
    ways = ({"to": "smithy", "name": "the smithy", "visited": False},)
    found = await choices(next=ahead(leaving, opening("Sit down"), ways=ways), place=SMITHY)
    assert [found[0]["text"], found[-1]["text"]] == ["Sit down", "Take the evening boat"]


# history, standing, opinion


async def test_a_failure_is_talked_over_with_whoever_was_there() -> None:
    failure = {**ANVIL, "summary": "You tried to put what you know before the abbess. It went wrong."}
    told = {**failure, "outcome": "failure", "characters": ["player", "verrin"], "episodic": True}
    abbess = {"id": "verrin", "name": "Abbess Verrin", "appearance": "She does everything slowly."}
    found = texts(await choices(people=[abbess], place=SMITHY, memories=[told]))
    assert "Admit to Abbess Verrin that you failed to put what you know before her" in found


@pytest.mark.parametrize(("scene", "is_reminded"), [(0, True), (3, True), (10, False)])
async def test_nobody_is_reminded_of_a_promise_that_was_given_just_now(scene: int, is_reminded: bool) -> None:
    promise = {**ANVIL, "summary": "You promised Aldric a new hammer.", "scene": scene}
    action = {"text": "Hum", "number": 12}
    found = texts(await choices(people=[ALDRIC], place=SMITHY, memories=[promise], action=action))
    assert ("you have not forgotten" in found) is is_reminded


async def test_a_title_ends_no_sentence_and_a_person_is_the_subject_of_what_they_did() -> None:
    failed = {
        **ANVIL,
        "summary": "You tried to lift Dr. Voke's case.",
        "outcome": "failure",
        "episodic": True,
    }
    promise = {**ANVIL, "id": "m-2", "summary": "You gave Aldric a promise, and Aldric believed it."}
    config = {"maxOptions": 9}
    found = texts(await choices(config, people=[ALDRIC], place=SMITHY, memories=[failed, promise]))
    assert "Admit to Aldric that you failed to lift Dr. Voke's case" in found
    assert "Tell Aldric you have not forgotten that you gave him a promise, and he believed it" in found


async def test_a_thing_of_the_players_own_is_called_theirs() -> None:
    carrying = {**persona(), "items": ["mother's letter", "a map"]}
    found = await choices({"maxOptions": 9}, persona=carrying, place={"id": "moor", "name": "the moor"})
    assert "Examine your mother's letter" in texts(found)
    known = ahead(deeds=[{**deed("examine", "Examine the map", id="lore/map"), "person": ""}])
    found = await choices(
        {"maxOptions": 9}, persona=carrying, place={"id": "moor", "name": "the moor"}, next=known
    )
    assert "letter" not in texts(found)
    assert "Examine the map" in texts(found)


async def test_what_was_done_for_somebody_comes_back_in_words_and_as_a_receipt() -> None:
    found = await choices(people=[{**ALDRIC, "perception": 45}], place=SMITHY, memories=[ANVIL])
    (favour,) = [choice for choice in found if "return the favour" in choice["text"]]
    assert favour["text"] == "Ask Aldric to return the favour: you helped him mend the cracked anvil"
    assert (favour["kind"], favour["target"]) == ("talk", "aldric")
    assert {"kind": "memory", "id": "m-anvil", "text": ANVIL["summary"]} in favour["because"]
    assert any(receipt["kind"] == "standing" and receipt["id"] == "aldric" for receipt in favour["because"])


async def test_a_place_is_named_with_what_happened_there() -> None:
    ways = ({"to": "smithy", "name": "the smithy", "visited": True},)
    found = await choices(next=ahead(ways=ways), memories=[ANVIL])
    (going,) = [choice for choice in found if choice["kind"] == "go"]
    assert going["text"] == "Go back to the smithy, where you helped Aldric mend the cracked anvil"
    assert going["because"] == [{"kind": "memory", "id": "m-anvil", "text": ANVIL["summary"]}]


async def test_a_betrayed_guild_offers_no_help() -> None:
    betrayal = {
        "id": "m1",
        "summary": "The player betrayed the Thieves Guild to the Watch",
        "characters": ["player"],
    }
    asking, other = opening("Ask for guild assistance"), opening("Climb the wall")
    trusting = await choices(next=ahead(asking, other), reputation={"Thieves Guild": 40})
    betrayed = await choices(next=ahead(asking, other), reputation={"Thieves Guild": 40}, memories=[betrayal])
    hated = await choices(next=ahead(asking, other), standing={"reputation": {"Thieves Guild": -45}})
    assert "Ask for guild assistance" in texts(trusting)
    for found in (betrayed, hated):
        assert "assistance" not in texts(found)
        assert "Thieves Guild and ask for help" not in texts(found)
        assert "Climb the wall" in texts(found)


@pytest.mark.parametrize(("score", "cooperates"), [(31, True), (30, False), (0, False), (-31, False)])
async def test_an_opinion_above_thirty_opens_cooperation(score: float, cooperates: bool) -> None:
    found = await choices(people=[{**ALDRIC, "perception": score}], place={"id": "x", "name": "the road"})
    assert ("Ask Aldric to help you" in texts(found)) is cooperates


async def test_an_opinion_below_minus_thirty_hides_what_is_friendly() -> None:
    asking = opening("Ask Aldric for shelter")
    liked = await choices(next=ahead(asking, opening("Walk on")), people=[ALDRIC], opinion=opinion(-30))
    loathed = await choices(next=ahead(asking, opening("Walk on")), people=[ALDRIC], opinion=opinion(-31))
    assert "Ask Aldric for shelter" in texts(liked)
    assert "shelter" not in texts(loathed)
    assert "Talk to Aldric" not in texts(loathed)
    assert "Face Aldric" in texts(loathed)


def opinion(score: float) -> dict[str, Any]:
    return {"perceptions": [{"npc": "aldric", "perception": score}]}


async def test_who_was_wronged_can_be_faced_with_it() -> None:
    found = await choices(people=[{**ALDRIC, "perception": -60}], place=SMITHY, memories=[THEFT])
    assert "Make amends with Aldric: you stole a silver hammer from him" in texts(found)


async def test_a_friend_in_a_hostile_faction_helps_only_in_secret() -> None:
    member = {**ALDRIC, "faction": "Smiths Guild"}
    both = await choices(people=[{**member, "perception": 50}], reputation={"Smiths Guild": 50})
    secret = await choices(people=[{**member, "perception": 50}], reputation={"Smiths Guild": -50})
    forced = await choices(people=[{**member, "perception": -50}], reputation={"Smiths Guild": 50})
    neither = await choices(people=[{**member, "perception": -50}], reputation={"Smiths Guild": -50})
    assert "Ask Aldric" in texts(both)
    assert "behind the back of the Smiths Guild" in texts(secret)
    assert "Remind Aldric what the Smiths Guild owes you" in texts(forced)
    for found in (forced, neither):
        assert "help" not in texts(found)


async def test_a_faction_is_called_by_its_name_wherever_it_is_known_by_its_id() -> None:
    member = {**ALDRIC, "faction": "salt-guild", "perception": 50}
    named = await choices(
        people=[member], reputation={"salt-guild": -50}, ledger={"factions": ["The Guild of Salt"]}
    )
    assert "behind the back of the Salt Guild" in texts(named)
    matching = {"factions": ["The Salt-Guild"]}
    assert "behind the back of the Salt-Guild" in texts(
        await choices(people=[member], reputation={"salt-guild": -50}, ledger=matching)
    )


async def test_a_triumph_or_failure_that_bears_on_the_scene_always_stands_behind_a_choice() -> None:
    many = [
        {
            **ANVIL,
            "id": f"e{number}",
            "summary": f"The player won the {name} race against Aldric",
            "episodic": True,
        }
        for number, name in enumerate(("spring", "summer", "autumn", "winter"))
    ]
    offers = ahead(opening("Bow"), opening("Boast"), ways=({"to": "inn", "name": "the inn"},))
    found = await choices(people=[ALDRIC], place=SMITHY, memories=many, next=offers)
    named = {receipt["id"] for choice in found for receipt in choice.get("because", [])}
    assert {"e0", "e1", "e2", "e3"} <= named


async def test_what_has_nothing_to_do_with_a_choice_does_not_stand_behind_it() -> None:
    won = {"id": "e1", "summary": "The player won the spring race", "episodic": True}
    found = await choices(place=SMITHY, memories=[won], next=ahead(ways=({"to": "inn", "name": "the inn"},)))
    assert {receipt["kind"] for choice in found for receipt in choice["because"]} == {"place"}


async def test_nobody_who_is_dead_or_gone_is_offered() -> None:
    pell = {"id": "pell", "name": "Pell", "unheard": 1, "perception": 60}
    found = await choices(
        people=[ALDRIC, pell, {"id": "hob", "name": "Hob", "unheard": 3}],
        next=ahead(opening("Ask Hob for advice"), opening("Sit down"), people=["aldric", "hob"]),
        ledger={"dead": ["Hob"]},
    )
    assert "Hob" not in texts(found)
    assert "Pell" not in texts(found)
    assert "Aldric" in texts(found)


async def test_one_person_is_asked_once_and_told_news_once() -> None:
    memories = [ANVIL, THEFT, {**ANVIL, "id": "m3", "summary": "The player promised Aldric a new hammer"}]
    friend = {**ALDRIC, "perception": 60}
    found = await choices(people=[friend], place=SMITHY, memories=memories, persona=persona(Charisma=18))
    with_aldric = [choice["text"] for choice in found if choice.get("target") == "aldric"]
    assert sorted(text.startswith("Tell ") for text in with_aldric) == [False, True], with_aldric


# hints


async def test_hints_are_as_many_as_wanted() -> None:
    data = {"next": ahead(opening("Persuade the guard", risky=True)), "persona": persona(Charisma=5)}
    none = await choices({"consequenceHintVerbosity": "none"}, **data)
    brief = await choices({"consequenceHintVerbosity": "brief"}, **data)
    detailed = await choices({"consequenceHintVerbosity": "detailed"}, **data)
    assert "hint" not in none[0]
    assert brief[0]["hint"] == "unlikely to succeed"
    assert "2d6-1" in detailed[0]["hint"]
    assert "your Charisma is 5" in detailed[0]["hint"]


@pytest.mark.parametrize(("threshold", "shown"), [(0, ""), (0.5, ""), (0.6, "risky"), (1, "risky")])
async def test_difficulty_is_shown_below_the_threshold(threshold: float, shown: str) -> None:
    found = await choices({"showDifficultyThreshold": threshold}, next=ahead(opening("Jump", risky=True)))
    assert found[0].get("difficulty", "") == shown


# evaluating


async def evaluate(choice: Any, **data: Any) -> dict[str, Any]:
    outcome, _ = await call(EVALUATE, {"choice": choice, **data})
    assert outcome.ok, outcome.failure
    return dict(outcome.output)


async def test_two_dice_give_the_odds_that_they_have() -> None:
    plain = await evaluate("Jump")
    assert plain["probabilities"] == {"failure": 0.4167, "partial success": 0.4167, "success": 0.1667}
    assert (plain["chance"], plain["modifier"], plain["formula"]) == (0.5833, 0, "2d6")


async def test_character_opinion_and_a_triumph_count_and_say_so() -> None:
    won = {**ANVIL, "episodic": True, "outcome": "triumph"}
    told = await evaluate(
        "Persuade Aldric to forge a key",
        persona=persona(Charisma=17),
        people=[{**ALDRIC, "perception": 40}],
        memories=[won],
    )
    assert [(one["name"], one["value"]) for one in told["modifiers"]] == [
        ("Charisma", 1),
        ("perception", 1),
        ("memory", 1),
    ]
    assert told["formula"] == "2d6+3"
    assert told["chance"] == pytest.approx(33 / 36, abs=1e-3)
    assert {receipt["kind"] for receipt in told["because"]} == {"state", "standing", "memory"}


async def test_together_they_count_no_more_than_the_rules_allow() -> None:
    told = await evaluate(
        "Persuade Aldric",
        persona=persona(Charisma=17),
        people=[{**ALDRIC, "perception": 99}],
        memories=[ANVIL],
    )
    assert told["modifier"] == 3


async def test_a_campaigns_dice_and_bands_replace_ours() -> None:
    rules = {"dice": "1d20", "bands": [{"name": "miss", "min": -99}, {"name": "hit", "min": 11}]}
    told = await evaluate("Jump", rules=rules)
    assert told["probabilities"] == {"miss": 0.5, "hit": 0.5}
    assert told["chance"] == 0.5


@settings(max_examples=12)
@given(
    st.lists(st.tuples(st.text(max_size=20), st.sampled_from(["Stealth", "Charm", "Grit", ""])), max_size=4),
    st.floats(-150, 150),
)
async def test_whatever_the_scene_there_are_three_or_four_choices(
    data: list[tuple[str, str]], score: float
) -> None:
    people = [{"id": name or "x", "name": name or "X", "perception": score} for name, _ in data]
    stats = {stat: score for _, stat in data if stat}
    memories = [
        {"id": str(n), "summary": f"{name} {stat}", "characters": [name]}
        for n, (name, stat) in enumerate(data)
    ]
    found = await choices(people=people, persona={"stats": stats}, memories=memories)
    assert 3 <= len(found) <= 4
    assert all(receipt["id"] and receipt["text"] for choice in found for receipt in choice["because"])
    assert all(choice["because"] for choice in found)


@pytest.mark.parametrize(
    ("script", "data"),
    [
        (GENERATE, {"people": 7}),
        (GENERATE, {"next": []}),
        (GENERATE, {"persona": "Rook"}),
        (GENERATE, {"memories": {"a": 1}}),
        (EVALUATE, {}),
        (EVALUATE, {"choice": {"kind": "talk"}}),
        (EVALUATE, {"choice": "  "}),
    ],
)
async def test_input_that_makes_no_sense_is_refused(script: str, data: dict[str, Any]) -> None:
    outcome, events = await call(script, data)
    assert outcome.failure is not None
    assert outcome.failure.code == "INVALID_INPUT"
    assert not [event for event in events if isinstance(event, UiEvent)]


# in a story


async def test_in_a_story_the_memory_and_the_state_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    async with tale(tmp_path / "narratoria.db") as story:
        kept = await remember_anvil(story)
        await story.ask(
            "npc-perception/update-perception", npc="aldric", change=60, reason="mended the anvil"
        )
        story.state = story.state.apply_patch({"persona": persona(Stealth=18)})
        found = (await story.ask(GENERATE, people=[ALDRIC], place=SMITHY))["details"]
    assert "Ask Aldric to return the favour: you helped him mend the cracked anvil" in texts(found)
    assert "Pick the lock of the strongbox" in texts(found)
    assert kept in {receipt["id"] for choice in found for receipt in choice.get("because", [])}


async def test_a_memory_that_answers_late_costs_the_memories_and_not_the_choices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))

    async def search(*_: Any, **__: Any) -> Any:
        await asyncio.sleep(60)

    monkeypatch.setattr(StoryMemory, "semantic_search", search)
    async with tale(tmp_path / "narratoria.db") as story:
        given = {"people": [ALDRIC], "place": SMITHY, "action": {"text": "Look around", "number": 2}}
        result = await story.call(GENERATE, given)
    assert result.ok, result.error
    assert result.retry_count == 0
    assert len(result.output["choices"]) >= 3


async def remember_anvil(story: Tale) -> str:
    event = {name: ANVIL[name] for name in ("summary", "characters", "location")}
    return str((await story.ask("memory/store-memory", **event, significance="high"))["id"])


async def test_nothing_beyond_the_players_content_limits_is_offered() -> None:
    openings = [
        {"beat": "kill", "text": "Stab Aldric in the back", "priority": "critical"},
        {"beat": "bread", "text": "Share your bread with Aldric", "priority": "high"},
    ]
    facts = {
        "place": SMITHY,
        "people": [ALDRIC],
        "next": {"": {"openings": openings, "people": ["aldric"]}},
        "ideas": ["Kiss Aldric on the mouth"],
    }
    free = [one["text"] for one in await choices(**facts)]
    limits = {"violence": "none", "words": ["stab", "kiss"]}
    limited = [one["text"] for one in await choices(**facts, limits=limits)]
    assert "Stab Aldric in the back" in free
    assert "Share your bread with Aldric" in limited
    assert not any("Stab" in text or "Kiss" in text for text in limited)
    assert len(limited) >= 3
