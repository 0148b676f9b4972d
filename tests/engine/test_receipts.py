"""Every paragraph of an answered scene says what it rests on, and the scene says what its answer changed."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from tests.engine.small_story import beat, begin, person, story

from narratoria.campaign.campaign import Conditions, Effects, LorePassage, Topic, Window
from narratoria.engine.action import ResolvedAction, choose, prepare_answers
from narratoria.engine.advance import advance_story
from narratoria.engine.facts import build_facts
from narratoria.engine.memory.recall import RecallResult
from narratoria.engine.receipts import add_receipts, describe_unit, locate_offers
from narratoria.engine.render import render
from narratoria.engine.scene import Choice, Receipt, Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.understanding import understand_by_words
from narratoria.narrator.answer import join_answers
from narratoria.narrator.answer_request import Answer
from narratoria.narrator.repertoire import load_repertoire
from narratoria.planning.aggregate import Aggregate
from narratoria.planning.replan import Fallback
from narratoria.skills.health import SessionHealth
from narratoria.state import SessionState

FLOOD = Topic(
    id="flood",
    ask="what the flood took",
    answer="“The bridge,” says Ada, “and my brother's barn.” She wipes the counter twice.",
    fact="Ada told you what the flood took.",
    effects=Effects(perception={"ada": 4}, gain=("a brass key",)),
)
TALE = story(lore=(LorePassage("lore/wheel.md", 0, "The wheel", "The mill wheel was carved from one oak."),))
ADA = msgspec.structs.replace(person("Ada", "mill"), topics=(FLOOD,))
TALE = replace(TALE, people={**TALE.people, "ada": ADA})


ASK_FLOOD = Choice(
    text="Ask Ada what the flood took", kind="talk", act="ask", target="ada", topic="ada/topic/flood"
)


def answer(choice: Choice) -> tuple[ResolvedAction, StorySnapshot, RecallResult]:
    """Return a choice with its answers; what shares words with it is taken to answer it."""
    session = begin(TALE)
    meaning = understand_by_words(choice, session, TALE, RecallResult())
    assert meaning is not None
    evidence = tuple(
        tuple(
            msgspec.structs.replace(one, relevance=float(bool({*one.text.split()} & {*choice.text.split()})))
            for one in pieces
            if one.source == "lore" or choice.topic
        )
        for pieces in meaning.evidence
    )
    recalled = RecallResult(understanding=msgspec.structs.replace(meaning, evidence=evidence))
    return (
        prepare_answers(choose(choice, session, TALE, recalled), session, TALE, recalled),
        session,
        recalled,
    )


def play(choice: Choice) -> Scene:
    """Return the scene that answers a choice, told by the engine alone."""
    action, session, recalled = answer(choice)
    facts = build_facts(action, session, TALE, recalled)
    scene = render(2, action, Fallback("", SessionHealth(), ()), Aggregate(SessionState({})), facts)
    scene = add_receipts(scene, action, "", TALE)
    after = advance_story(scene, action, session, TALE, state=session.state, health=SessionHealth())
    return after.scenes[-1]


def kinds(scene: Scene) -> set[str]:
    return {receipt.kind for passage in scene.passages for receipt in passage.because}


def test_an_answer_of_the_author_names_its_topic_and_what_it_changed() -> None:
    scene = play(ASK_FLOOD)

    told = [one for one in scene.passages if "topic" in {receipt.kind for receipt in one.because}]
    assert {one.because for one in told} == {(Receipt("topic", "ada/topic/flood", "what the flood took"),)}
    assert {one.by for one in told} == {"author"}
    assert scene.effects == ("Ada thinks better of you", "You have the brass key")


@pytest.mark.parametrize("words", ["I sing a song", "ask Ada about the king of France", "look for a ladder"])
def test_every_paragraph_of_an_answered_scene_has_a_receipt(words: str) -> None:
    scene = play(Choice(text=words))

    assert len(scene.passages) == len(scene.paragraphs)
    assert all(passage.because for passage in scene.passages)
    assert "unit" in kinds(scene)


def test_lore_that_somebody_says_is_named_by_its_page_and_the_unit_that_says_it() -> None:
    scene = play(Choice(text="ask Ada about the wheel carved from oak"))

    receipts = {receipt.kind: receipt for passage in scene.passages for receipt in passage.because}
    assert receipts["evidence"] == Receipt("evidence", "lore/lore/wheel.md#0", "The wheel")
    assert "unit" in receipts


def test_a_retelling_in_other_words_keeps_the_receipts_of_the_answer() -> None:
    scene, (action, _, _) = play(ASK_FLOOD), answer(ASK_FLOOD)
    bare = tuple(msgspec.structs.replace(one, because=()) for one in scene.passages)
    retold = msgspec.structs.replace(
        scene,
        passages=bare,
        paragraphs=tuple(f"Something else entirely, number {at}." for at in range(len(bare))),
    )

    first, *others = add_receipts(retold, action, "", TALE).passages
    assert [receipt.kind for receipt in first.because] == ["topic"]
    assert {receipt.kind for other in others for receipt in other.because} == {"place"}


def test_joined_answers_know_their_parts() -> None:
    one, two, three = (
        Answer(text=f"{name}.", fact=f"{name}.", source=f"unit:{name}", units=(name,)) for name in "abc"
    )

    assert join_answers([join_answers([one, two]), three]).parts == (one, two, three)
    assert join_answers([one]).parts == ()


def test_what_is_offered_where_a_beat_has_led_one_says_that_it_is_there() -> None:
    flood = beat("flood", Conditions(scene_count=Window(min=2)), effects=Effects(move_to="inn"))
    reasons = (
        Receipt("place", "mill", "the story offers it at the mill"),
        Receipt("beat", "flood", "a flood"),
    )
    offer = Choice(text="Climb", kind="beat", beat="climb", because=reasons)
    for tale, told in ((story(flood), "the story offers it at the inn"), (story(), reasons[0].text)):
        action = choose(Choice(text="Wait", kind="wait"), begin(tale), tale)
        scene = Scene(number=2, action="Wait", place="mill", paragraphs=("It rains.",), choices=(offer,))
        (located,) = locate_offers(scene, action, "", tale).choices
        assert [one.text for one in located.because] == [told, "a flood"]


def test_a_unit_is_described_by_its_acts_and_when_it_is_told() -> None:
    unit = next(one for one in load_repertoire() if one.outcome == "failure" and one.acts == ("persuade",))
    assert describe_unit(unit) == "persuade, when it fails"
