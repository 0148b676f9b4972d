"""A choice read against the story, without any model: intents, the offer they take up, and the evidence."""

from __future__ import annotations

import msgspec
from tests.engine.small_story import beat, begin, story

from narratoria.campaign.campaign import Conditions
from narratoria.engine.memory.recall import Lore, RecallResult
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.understanding import MOST_EVIDENCE, Understander, understand_by_words
from narratoria.narrator.evidence import Evidence
from narratoria.planner.read import read_by_words

SLUICE = beat("sluice", Conditions(player_choice="Open the sluice gate"))
TALE = story(SLUICE)
READER = Understander(read_by_words(), None)


def over(session: StorySnapshot) -> StorySnapshot:
    return msgspec.structs.replace(session, progress=msgspec.structs.replace(session.progress, ending="home"))


async def test_only_own_words_are_read_and_none_after_the_end() -> None:
    session, words = begin(TALE), Choice(text="ask Ada about the flood")

    assert await READER.understand_choice(words, session, TALE, RecallResult()) is not None
    assert await READER.understand_choice(words, over(session), TALE, RecallResult()) is None
    assert understand_by_words(words, over(session), TALE, RecallResult()) is None
    for kind in ("go", "look", "beat"):
        choice = Choice(text="Go on", kind=kind)
        assert await READER.understand_choice(choice, session, TALE, RecallResult()) is None


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
