"""A choice read against the story, without any model: intents, the offer they take up, and the evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import msgspec
import pytest
from tests.engine.small_story import WAIT, beat, begin, person, play, story

from narratoria.campaign.campaign import Campaign, Conditions, SpeechPatterns
from narratoria.engine.action import choose, prepare_answers
from narratoria.engine.memory import compress
from narratoria.engine.memory.recall import NOTHING, Lore, RecallResult
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.understanding import (
    MOST_EVIDENCE,
    Understander,
    understand_by_words,
)
from narratoria.narrator.answer_request import Answer
from narratoria.narrator.evidence import Evidence
from narratoria.planner.read import read_by_words

if TYPE_CHECKING:
    from narratoria.inference.text_matcher import TextMatcher

SLUICE = beat("sluice", Conditions(player_choice="Open the sluice gate"))
TALE = story(SLUICE)
READER = Understander(read_by_words(), None)


def over(session: StorySnapshot) -> StorySnapshot:
    return msgspec.structs.replace(session, progress=msgspec.structs.replace(session.progress, ending="home"))


async def test_a_walk_and_a_beat_are_not_read_and_nothing_is_after_the_end() -> None:
    session, words = begin(TALE), Choice(text="ask Ada about the flood")

    assert await READER.understand_choice(words, session, TALE, RecallResult()) is not None
    assert await READER.understand_choice(words, over(session), TALE, RecallResult()) is None
    assert understand_by_words(words, over(session), TALE, RecallResult()) is None
    for kind in ("go", "beat", "continue", "look-back"):
        choice = Choice(text="Go on", kind=kind)
        assert await READER.understand_choice(choice, session, TALE, RecallResult()) is None
    for kind in ("look", "wait", "talk"):
        choice = Choice(text="Go on", kind=kind, target="ada")
        assert await READER.understand_choice(choice, over(session), TALE, RecallResult()) is None


def test_a_question_has_the_person_it_is_for_and_evidence_for_each_intent() -> None:
    flood = Lore("l1", "The flood came in spring and took the bridge.", 0.9, "The flood")
    understanding = understand_by_words(
        Choice(text="ask Ada about the flood"), begin(TALE), TALE, RecallResult(lore=(flood,))
    )

    assert understanding is not None
    (intent,) = understanding.intents
    assert intent.act == "ask"
    assert intent.person is not None
    assert intent.person.id == "ada"
    assert len(understanding.evidence) == 1
    assert "lore/l1" in {one.id for one in understanding.evidence[0]}


def test_words_that_take_up_an_offer_need_no_evidence() -> None:
    understanding = understand_by_words(
        Choice(text="I open the sluice gate"), begin(TALE), TALE, RecallResult()
    )

    assert understanding is not None
    assert (understanding.beat, understanding.evidence) == ("sluice", ())


async def test_no_more_evidence_is_kept_than_a_turn_holds_and_none_without_a_question() -> None:
    many = [
        Evidence(id=str(at), text=f"The flood took house {at}.", source="lore", about="the flood")
        for at in range(3 * MOST_EVIDENCE)
    ]

    assert len(await READER.rank("the flood", many)) <= MOST_EVIDENCE
    assert await READER.rank("", many) == ()
    assert await READER.rank("the flood", []) == ()


async def test_who_is_asked_for_a_name_answers_with_it() -> None:
    role = Evidence(id="ada/role", text="Ada is a miller", source="profile")
    other = Evidence(id="ada/says/0", text="Mind your name.", source="saying")

    (answer,) = await READER.rank("who are you", [other, role])
    assert (answer.id, answer.relevance) == ("ada/role", 1.0)


async def test_who_is_asked_whom_they_talk_to_is_not_asked_for_a_name() -> None:
    role = Evidence(id="ada/role", text="Ada is a miller", source="profile")

    assert all(one.relevance < 1.0 for one in await READER.rank("who are you talking to", [role]))


# what is picked says by itself what is done


def picked(choice: Choice, session: StorySnapshot, campaign: Campaign) -> Answer:
    meaning = understand_by_words(choice, session, campaign, NOTHING)
    action = choose(choice, session, campaign, RecallResult(understanding=meaning))
    answer = prepare_answers(action, session, campaign).answer_for("")
    assert answer is not None
    return answer


def test_a_picked_wait_is_answered_by_a_unit_and_the_next_one_by_another() -> None:
    session = begin(TALE)
    first = picked(WAIT, session, TALE)
    (unit,) = first.units
    used = msgspec.structs.replace(session.progress, units={unit: session.progress.scene})
    second = picked(WAIT, msgspec.structs.replace(session, progress=used), TALE)

    assert first.source == f"unit:{unit}"
    assert second.units != first.units


def test_a_place_shows_what_its_author_wrote_before_a_look_is_answered_by_a_unit() -> None:
    mill = replace(TALE.places["mill"], details=("A mouse.", "A sack."))
    campaign = replace(TALE, places={**TALE.places, "mill": mill})
    session, look = begin(campaign), Choice(text="Look around", kind="look")
    for _ in mill.details:
        assert understand_by_words(look, session, campaign, NOTHING) is None
        session = play(session, look, campaign)

    assert picked(look, session, campaign).units


def test_who_looks_around_in_their_own_words_is_shown_what_the_author_wrote() -> None:
    mill = replace(TALE.places["mill"], details=("A mouse.", "A sack."))
    campaign = replace(TALE, places={**TALE.places, "mill": mill})
    session, words = begin(campaign), Choice(text="look around")
    meaning = understand_by_words(words, session, campaign, NOTHING)
    action = choose(words, session, campaign, RecallResult(understanding=meaning))

    assert (action.choice.kind, action.understanding) == ("look", None)


def test_whoever_goes_where_they_are_looks_around_there() -> None:
    session, words = begin(TALE), Choice(text="Go to the mill")
    meaning = understand_by_words(words, session, TALE, NOTHING)
    action = choose(words, session, TALE, RecallResult(understanding=meaning))

    assert (action.choice.kind, action.place.id) == ("look", "mill")
    assert action.understanding is not None
    assert [intent.act for intent in action.understanding.intents] == ["look"]


def test_somebody_who_is_talked_to_speaks_of_what_happened_and_never_says_the_same_twice() -> None:
    sayings = ("Bread has gone up again.", "The flood took my brother.", "Mind the step.")
    ada = msgspec.structs.replace(
        TALE.people["ada"], speech_patterns=SpeechPatterns(examples=sayings), role="miller"
    )
    campaign = replace(TALE, people={"ada": ada})
    before = begin(campaign)
    talk = Choice(text="Talk to Ada", kind="talk", target="ada")
    recent = compress.add(
        before.progress.history, compress.Summary(scene=2, text="You saw the flood take the bridge.")
    )
    after = msgspec.structs.replace(before, progress=msgspec.structs.replace(before.progress, history=recent))

    assert "Bread has gone up again" in picked(talk, before, campaign).text
    spoken = picked(talk, after, campaign)
    assert "The flood took my brother" in spoken.text
    heard = msgspec.structs.replace(after.progress, evidence=spoken.evidence)
    assert picked(talk, msgspec.structs.replace(after, progress=heard), campaign).evidence != spoken.evidence


# names, and goings


async def evidence_for(words: str, campaign: Campaign, lore: tuple[Lore, ...]) -> list[str]:
    session = begin(campaign)
    meaning = await READER.understand_choice(Choice(text=words), session, campaign, RecallResult(lore=lore))
    assert meaning is not None
    return [one.id for one in meaning.evidence[0]]


async def test_a_question_about_somebody_is_answered_by_what_names_them() -> None:
    flood = Lore("flood", "The flood took the bridge in spring, and everybody saw the flood.", 0.9)
    bram = Lore("bram", "Bram was drunk in spring.", 0.3)
    campaign = replace(TALE, people={**TALE.people, "bram": person("Bram", "inn")})

    of_bram = await evidence_for("ask Ada where Bram was in the flood", campaign, (flood, bram))
    assert of_bram.index("lore/bram") < of_bram.index("lore/flood")
    of_flood = await evidence_for("ask Ada about the flood", campaign, (flood, bram))
    assert of_flood.index("lore/flood") < of_flood.index("lore/bram")


async def test_a_question_to_somebody_is_not_about_them_because_it_names_them() -> None:
    flood = Lore("flood", "The flood took the bridge.", 0.9)
    ada = Lore("ada", "Ada grinds rye since the flood.", 0.9)

    found = await evidence_for("ask Ada how the flood took the bridge", TALE, (flood, ada))
    assert found[0] == "lore/flood"


async def test_what_is_looked_at_is_shown_where_the_place_tells_of_it() -> None:
    mill = replace(TALE.places["mill"], details=("An old brass tub, dented.", "A bell hangs there."))
    campaign = replace(TALE, places={**TALE.places, "mill": mill})

    assert (await evidence_for("examine the old brass bell", campaign, ()))[0] == "place/mill/2"


async def test_a_going_to_a_place_that_is_known_takes_up_no_offer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def take_any_offer(*_: object) -> str:
        return "sluice"

    monkeypatch.setattr(Understander, "_route", take_any_offer)

    async def beat_of(words: str) -> str:
        meaning = await READER.understand_choice(Choice(text=words), begin(TALE), TALE, RecallResult())
        assert meaning is not None
        return meaning.beat

    assert await beat_of("go to the inn") == ""
    assert await beat_of("go to the moon") == "sluice"


class Listening:
    """Finds the passages that speak of what is asked: a model takes longer to load than this rule to test."""

    def match(self, text: str, candidates: list[str], *_: object, **__: object) -> list[float]:
        return [0.95 if "mill" in text and "mill" in one else 0.0 for one in candidates]


async def test_where_nobody_is_named_whoever_can_answer_of_themselves_is_asked() -> None:
    ada = msgspec.structs.replace(person("Ada", "mill"), background="Ada keeps goats.")
    bo = msgspec.structs.replace(person("Bo", "mill"), background="Bo grew up in the mill.")
    tale = replace(story(SLUICE), people={"ada": ada, "bo": bo})
    reader = Understander(read_by_words(), None, cast("TextMatcher", Listening()))

    async def listener_of(words: str) -> str:
        meaning = await reader.understand_choice(Choice(text=words), begin(tale), tale, RecallResult())
        assert meaning is not None
        mention = meaning.intents[0].person
        assert mention is not None
        return mention.id

    assert await listener_of("ask about the mill") == "bo"
    assert await listener_of("ask Ada about the mill") == "ada"
    assert await listener_of("ask about the sea") == "ada"
