"""The storyteller of last resort: grounded, varied, whole, and always there."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from evals.beats.play import turns
from hypothesis import given, settings
from hypothesis import strategies as st

from narratoria import paths
from narratoria.campaign.load import load_campaign
from narratoria.contracts.scene_facts import SceneFacts
from narratoria.engine.action import choose
from narratoria.engine.advance import advance_story
from narratoria.engine.facts import build_facts
from narratoria.engine.scene import BEGIN, Choice, Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.narrator.composer import Composer, compose_fallback, split_paragraph
from narratoria.narrator.composer_lines import ENDINGS, NARRATION
from narratoria.narrator.phrase_memory import sentences
from narratoria.skills.health import SessionHealth

STORIES = ("tomorrows-post", "harrowmere")
BROKEN = re.compile(
    r"\{\w+\}|  |\.\.(?!\.)|,\.|(?<!—)\s[,.;]|\bNone\b|“[^”]*$|“”|\b(\w+) \1\b(?<!that that)(?<!had had)"
)


def play(name: str, seed: int, many: int) -> list[Scene]:
    """The scenes of a story up to its end."""
    scenes = []
    for turn in turns(name, seed, many):
        scenes.append(turn.scene)
        if turn.after.progress.ending:
            break
    return scenes


@pytest.mark.parametrize("name", STORIES)
@pytest.mark.parametrize("seed", range(1, 9))
def test_twenty_scenes_are_whole_and_no_sentence_comes_twice(name: str, seed: int) -> None:
    scenes = play(name, seed, 20)
    told: dict[str, int] = {}
    for scene in scenes:
        assert 2 <= len(scene.paragraphs) <= 3, scene
        for paragraph in scene.paragraphs:
            assert not (broken := BROKEN.search(paragraph)), (broken, paragraph)
            assert paragraph[-1] in ".!?”…*", paragraph
            for sentence in sentences(paragraph):
                if len(sentence) > 30:
                    assert sentence not in told, f"{sentence!r} in scenes {told[sentence]} and {scene.number}"
                    told[sentence] = scene.number


JOINING_LINES = (
    *(*NARRATION.returned, *NARRATION.waited, *NARRATION.afterwards, *NARRATION.quiet),
    *(*NARRATION.warm_signs, *NARRATION.cold_signs, *ENDINGS.leaning),
)
JOINING_PATTERNS = [
    re.compile(re.sub(r"\\{\w+\\}", r"[A-Z][\\w. ]*", re.escape(line))) for line in JOINING_LINES
]


@pytest.mark.parametrize("name", STORIES)
@pytest.mark.parametrize("seed", range(1, 5))
def test_a_scene_has_one_joining_line_at_most_and_recites_no_consequence(name: str, seed: int) -> None:
    for turn in turns(name, seed, 60):
        text = turn.scene.text
        joining_lines = [line.pattern for line in JOINING_PATTERNS if line.search(text)]
        assert len(joining_lines) <= 1, text
        recited = [memory for memory in turn.known.remembered if f": {memory}." in text]
        assert turn.known.ending or not recited, text


def test_a_paragraph_is_cut_in_two_outside_speech() -> None:
    speech, work = (
        "She looks up. “I know. I have always known.”",
        "The work goes on, and nobody hums. It is late.",
    )
    assert split_paragraph(f"{speech} {work}") == [speech, work]
    letter = "You read. *Come home. Bring the dog.* Nobody has signed it."
    assert split_paragraph(letter) == ["You read. *Come home. Bring the dog.*", "Nobody has signed it."]
    assert split_paragraph("You ask. “No,” says Dr. Voke.") == ["You ask.", "“No,” says Dr. Voke."]
    for whole in ("“No. Never. Not for anything.”", "“No?” Anna asks. “Never.”", "You go on."):
        assert split_paragraph(whole) == []


def test_the_same_seed_tells_the_same_and_another_tells_it_otherwise() -> None:
    once, again, other = (play("tomorrows-post", seed, 8) for seed in (4, 4, 5))
    assert [scene.text for scene in once] == [scene.text for scene in again]
    assert [scene.text for scene in once] != [scene.text for scene in other]


def test_waiting_a_hundred_times_in_one_place_repeats_little() -> None:
    campaign = load_campaign(paths.BUNDLED_CAMPAIGNS / "tomorrows-post")
    session, choice = StorySnapshot(id="s", campaign="t", seed=1), BEGIN
    for _ in range(40):
        deed = choose(choice, session, campaign)
        known = build_facts(deed, session, campaign)
        scene = Scene(
            number=session.progress.scene + 1,
            action="Wait",
            place=deed.place.id,
            paragraphs=known.draft,
            choices=(),
        )
        session = advance_story(scene, deed, session, campaign, state=session.state, health=SessionHealth())
        choice = Choice(text="Wait", kind="wait")
    texts = [scene.text for scene in session.scenes]
    assert len(set(texts)) == len(texts)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.sampled_from(["", "success", "partial success", "failure", "banana"]))
def test_anything_typed_gets_two_paragraphs(typed: str, outcome: str) -> None:
    told = compose_fallback(scene_facts(action={"kind": "free", "text": typed, "number": 2}), outcome)
    assert len(told) == 2
    assert all(paragraph.strip() for paragraph in told)


def scene_facts(**parts: Any) -> SceneFacts:
    return msgspec.convert(parts, SceneFacts)


def person(**more: Any) -> dict[str, Any]:
    return {"id": "hob", "name": "Hob Tarrant", "met": True, "tone": "neutral", **more}


def talk(who: dict[str, Any], saying: str = "") -> str:
    action = {"kind": "talk", "text": "Talk", "person": "Hob Tarrant", "saying": saying, "number": 5}
    facts = scene_facts(action=action, people=[who], place={"name": "the inn"})
    return Composer(facts, "", 1, {}).paragraphs()[0]


def test_people_speak_as_they_think_of_the_player() -> None:
    told = {tone: talk(person(tone=tone), "Nobody knocks. Come in.") for tone in ("warm", "neutral", "cold")}
    assert len(set(told.values())) == 3
    for text in told.values():
        assert re.search(r"“Nobody knocks,” (?:says Hob|Hob \w+(?: \w+)*)\. “Come in.”", text), text


@pytest.mark.parametrize("outcome", ["failure", "partial success", "success", ""])
def test_talk_that_was_a_risk_is_told_as_it_ended(outcome: str) -> None:
    action = {"kind": "talk", "text": "Persuade Hob Tarrant to help", "person": "Hob Tarrant", "number": 5}
    facts = scene_facts(
        action={**action, "saying": "Mind the step."}, people=[person()], place={"name": "the inn"}
    )
    text = Composer(facts, outcome, 1, {}).paragraphs()[0]
    assert ("You try to persuade" in text) == (outcome in ("failure", "partial success")), text
    ends = [line.format(short="Hob", person="Hob Tarrant") for line in NARRATION.talk_ended.get(outcome, ())]
    assert any(line in text for line in ends) == bool(outcome), text
    assert "“Mind the step,”" in text


def test_somebody_who_has_said_it_all_is_still_somebody() -> None:
    who = person(
        virtues=["never lets anyone pay for soup"],
        relationships={"Ismay Corrie": "Has meant to apologise to her for eleven years"},
        motivations=["See the night coach in and out again"],
    )
    text = talk(who)
    grounded = ("pay for soup", "apologise", "see the night coach")
    assert any(part in text for part in grounded), text
    assert "{" not in text
