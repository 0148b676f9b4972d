"""The continuity gate: what it refuses, what it lets pass, and how often it is right."""

from __future__ import annotations

import string
from dataclasses import replace

import pytest
from evals.gate.__main__ import measure, measure_classes, read_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from narratoria.narrator.gate import (
    ContinuityLedger,
    ContinuityProblem,
    StoryGate,
    find_problems,
    sentences,
    write_checked,
)
from narratoria.narrator.story_knowledge import KeptText, StoryKnowledge
from narratoria.skills.host.services import Caller

LEDGER = ContinuityLedger(
    present=("Ismay Corrie",),
    absent=("Hob Tarrant",),
    dead=("Old Bram",),
    items=("a paper knife",),
    place="Callow Bridge",
    places=("Callow Bridge", "The Last Fire"),
    constraints=("Nobody dies in this story.",),
    known_text="Ismay Corrie the warden Hob Tarrant Old Bram a lantern on a hook Callow Bridge "
    "Last Fire Easterby",
    action="Promise Ismay Corrie to come back",
)
GOOD = "Ismay Corrie lifts the lantern. “Mind the planks,” she says. Far below, ice breaks."


def test_the_gate_keeps_its_figures_on_paragraphs_it_was_not_written_for() -> None:
    assert len(read_cases("dev")) + len(read_cases("held-out")) >= 60
    held_out = measure("held-out")
    assert held_out.precision >= 0.98, held_out.mistakes
    assert held_out.recall >= 0.98, held_out.mistakes
    assert held_out.named == held_out.right, "a text is refused for what is wrong with it"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Old Bram laughs and claps you on the back.", "dead"),
        ("Hob laughs from the far side of the lantern.", "absent"),
        ("You raise your musket.", "item"),
        ("You step into the Last Fire.", "place"),
        ("The driver is killed at once.", "constraint"),
        ("Behind her stands Walter Crane.", "name"),
        ("“I will,” you say.", "player"),
        ("You forgive her.", "player"),
        ("I look down.", "form"),
        ("1. Go on\n2. Turn back", "form"),
    ],
)
def test_a_bad_sentence_is_found_in_good_company(text: str, kind: str) -> None:
    found = find_problems(f"{GOOD} {text}" if "\n" not in text else f"{GOOD}\n\n{text}", LEDGER)
    assert [finding.kind for finding in found][:1] == [kind]
    assert found[0].sentence in text or text in found[0].sentence
    assert found[0].reason


FAMILY = ContinuityLedger(
    present=("Ismay Corrie",),
    absent=("Hob Tarrant", "Nan Tarrant", "Wat Corrie"),
    dead=("Old Bram Tarrant",),
    place="Callow Bridge",
    places=("Callow Bridge", "The Last Fire"),
    constraints=("Nobody dies in this story.",),
    known_text="Ismay Corrie Hob Nan Wat Old Bram Tarrant a lantern Callow Bridge Last Fire soup coat "
    "wind letter",
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Hob lifts the lantern and is gone.", "absent"),
        ("Nan shakes her head and walks away.", "absent"),
        ("Hob gives you the letter.", "absent"),
        ("Nan stops when you do.", "absent"),
        ("Until you speak, Nan waits.", "absent"),
        ("You remember the coat, and Nan holds it out.", "absent"),
        ("Tarrant shrugs.", "dead"),
        ("“Soup,” says Tarrant.", "dead"),
        ("Old Bram recalls the winter.", "dead"),
        ("Late in the night Old Bram sits down.", "dead"),
        ("Bram turns the body over.", "dead"),
        ("A man is killed, and not a lantern moves.", "constraint"),
    ],
)
def test_a_word_that_excuses_something_else_excuses_nothing(text: str, kind: str) -> None:
    assert [finding.kind for finding in find_problems(text, FAMILY)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "Hob is gone.",
        "Nan is at the Last Fire, with her soup.",
        "You asked Hob about the coat.",
        "It comes back to you: you waited, and Hob laughed.",
        "In her letter Nan says nothing of it.",
        "If Nan comes, she comes by the bridge.",
        "Corrie nods.",  # there is one of that name who is here
        "Old Bram lies in the churchyard, buried eleven years.",
        "The late Bram Tarrant built it.",
        "The wind dies down.",
        "It looks like death, but it is only the cold.",
    ],
)
def test_who_is_only_spoken_of_may_be_anywhere_and_dead(text: str) -> None:
    assert find_problems(text, FAMILY) == ()


@pytest.mark.parametrize("marks", ["“”", '""'])
def test_a_speech_of_many_sentences_is_the_speakers_to_its_end(marks: str) -> None:
    said = f"{marks[0]}Nobody is late. I don't hold with sayings. But I never let it stop.{marks[1]}"
    text = f"Pell does not look round. {said} She nods."
    assert [sentence.count(marks[0]) > 0 for sentence in sentences(text)] == [False, True, False]
    assert find_problems(text, ContinuityLedger(present=("Pell",), known_text=text)) == ()
    (found,) = find_problems(f"{text} I follow her.", ContinuityLedger(present=("Pell",), known_text=text))
    assert found.sentence == "I follow her."


def test_a_title_does_not_end_a_sentence() -> None:
    ledger = ContinuityLedger(absent=("Dr. Voke",), known_text="Dr. Voke")
    assert find_problems("Perhaps Dr. Voke leaves tonight.", ledger) == ()
    assert [one.kind for one in find_problems("Then Dr. Voke leaves.", ledger)] == ["absent"]


def test_what_the_player_chose_may_be_told() -> None:
    assert find_problems("You promise to come back. She nods.", LEDGER) == ()


async def test_a_text_is_asked_for_again_with_the_reason_and_at_most_three_times() -> None:
    asked: list[tuple[ContinuityProblem, ...]] = []

    async def stubborn(wrong: tuple[ContinuityProblem, ...]) -> str:
        asked.append(wrong)
        return "Hob Tarrant grins."

    refused = await write_checked(stubborn, LEDGER)
    assert not refused.ok
    assert len(asked) == 3
    assert asked[0] == ()
    assert asked[1][0].kind == "absent"

    async def learns(wrong: tuple[ContinuityProblem, ...]) -> str:
        return GOOD if wrong else "Hob Tarrant grins."

    mended = await write_checked(learns, LEDGER)
    assert mended.text == GOOD
    assert len(mended.refusals) == 1


async def test_a_skill_can_have_its_paragraphs_checked() -> None:
    facts = {"ledger": {"present": ["Ismay"], "dead": ["Bram"], "place": "Bridge"}}
    found = await StoryGate().check(Caller("storyteller"), ["Ismay nods.", "Bram nods."], facts)
    assert [(one.paragraph, "Bram is dead" in one.message) for one in found] == [(1, True)]


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=string.ascii_letters + " .,!?“”\"'\n—", max_size=400))
def test_whatever_it_reads_it_answers_with_sentences_of_the_text(text: str) -> None:
    for finding in find_problems(text, LEDGER):
        assert finding.sentence.rstrip("…") in text or finding.sentence == ""


async def test_a_paragraph_beyond_the_players_content_limits_is_refused_before_it_is_shown() -> None:
    facts = {"ledger": {"present": ["Ismay Corrie"]}, "limits": {"violence": "none", "words": ["gun"]}}
    found = await StoryGate().check(Caller("storyteller"), ["Ismay nods.", "Ismay bled."], facts)
    assert [one.paragraph for one in found] == [1]
    assert "the content limit of violence" in found[0].message
    assert await StoryGate().check(Caller("storyteller"), ["Ismay bled."], {"ledger": facts["ledger"]}) == []
    assert "gun" not in ContinuityLedger.of(facts).known_text


CHECKED_BY_WORDS = {"absent", "dead", "form", "item", "loop", "model", "name", "place", "player", "unrelated"}
SECRET = StoryKnowledge(
    kept_texts=(
        KeptText(
            "warden/secret",
            "Ismay Corrie sold the iron pins to a scrap dealer in Easterby and painted dowels grey.",
        ),
    ),
    open_texts=("Ismay Corrie is the warden of the bridge.", "The bridge stands on iron pins."),
)


def test_the_gate_refuses_what_a_model_should_not_send_and_lets_good_prose_pass() -> None:
    rows = {row.kind: row for row in measure_classes("fit").rows}
    assert sum(row.cases for row in rows.values()) >= 200
    assert rows["good"].refused <= 0.05 * rows["good"].cases
    for kind in CHECKED_BY_WORDS:
        assert rows[kind].refused >= 0.95 * rows[kind].cases, kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("As an AI, I can't continue this story.", "model"),
        ("Here is the next scene, as requested:", "model"),
        ("Would you like me to continue?", "model"),
        ("The lantern sways on the hook. The lantern sways on the hook.", "loop"),
        ("**Ismay** lifts the lantern.", "form"),
        ("Constraints: nobody dies.", "form"),
        ("Ismay Corrie: “Mind the planks.”", "form"),
        ('{"prose": "The planks creak."}', "form"),
        ("You pull the little camera from your coat pocket.", "item"),
        ("You tell her about your mother.", "player"),
        ("“You want old Hester Quarle for that,” says Ismay Corrie.", "name"),
        ("Hob Tarrant has sat down beside you.", "absent"),
        ("Then you are standing by the hearth in the Last Fire.", "place"),
    ],
)
def test_what_is_no_story_or_none_of_this_scene_is_refused(text: str, kind: str) -> None:
    assert kind in {problem.kind for problem in find_problems(f"{GOOD}\n\n{text}", LEDGER)}


@pytest.mark.parametrize(
    "text",
    [
        "She sold the pins to a scrap dealer and painted dowels grey.",
        "Ismay Corrie says that a scrap dealer from Easterby has the iron pins, and grey dowels stand there.",
    ],
)
def test_what_the_story_keeps_is_not_given_away(text: str) -> None:
    ledger = replace(LEDGER, knowledge=SECRET)
    (problem,) = find_problems(text, ledger)
    assert problem.kind == "plot"
    assert "dealer" not in str(problem)
    assert "dowels" not in str(problem)


def test_what_is_kept_may_be_told_once_the_facts_of_the_scene_tell_it() -> None:
    told = f"{LEDGER.known_text} {SECRET.kept_texts[0].text}"
    ledger = replace(LEDGER, known_text=told, knowledge=SECRET)
    assert find_problems("She sold the iron pins to a scrap dealer and painted dowels grey.", ledger) == ()


def test_words_that_stand_in_the_open_give_nothing_away() -> None:
    assert (
        find_problems(
            "The bridge stands on iron pins, as the warden knows.", replace(LEDGER, knowledge=SECRET)
        )
        == ()
    )


def test_whoever_tells_is_held_to_the_outcome_they_say_they_told() -> None:
    facts = {"ledger": {"present": ["Ismay"]}, "roll": {"outcome": "failure"}, "told": {"outcome": "success"}}
    (problem,) = find_problems("Ismay lifts the lantern.", ContinuityLedger.of(facts))
    assert problem.kind == "outcome"
    facts["told"] = {"outcome": "failure"}
    assert find_problems("Ismay lifts the lantern.", ContinuityLedger.of(facts)) == ()


async def test_the_engine_tells_the_gate_what_to_keep_and_a_skill_is_not_told() -> None:
    gate = StoryGate()
    gate.expect_scene(lambda: SECRET)
    facts = {"ledger": {"present": ["Ismay Corrie"]}, "text": "Ismay Corrie Easterby"}
    text = "Ismay Corrie sold the iron pins to a scrap dealer in Easterby and painted dowels grey."
    (problem,) = await gate.check(Caller("storyteller"), [text], facts)
    assert "keeps for later" in problem.message
    assert "dealer" not in problem.message


async def test_a_paragraph_that_says_the_last_one_again_is_refused() -> None:
    facts = {"ledger": {"present": ["Ismay"]}}
    paragraph = "Ismay lifts the lantern and looks along the planks."
    (problem,) = await StoryGate().check(Caller("storyteller"), [paragraph, paragraph], facts)
    assert problem.paragraph == 1


@pytest.mark.parametrize(("said", "is_refused"), [("success", True), ("failure", False), ("", False)])
def test_a_writer_is_held_to_how_it_says_that_the_attempt_ends(said: str, is_refused: bool) -> None:
    facts = {
        "roll": {"outcome": "failure"},
        "told": {"outcome": said},
        "action": {"text": "I force the door"},
    }
    problems = find_problems("You force the door, and the hinge speaks up.", ContinuityLedger.of(facts))
    assert ("outcome" in {one.kind for one in problems}) is is_refused


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("loop", "The wall is cold. The wall is cold to the touch. Cold is the wall to the touch."),
        ("form", "Chapter 4: The Silence"),
        ("form", "[Scene opens. Water drips.]"),
        ("form", "The camera pans across the bridge. FADE TO BLACK."),
        ("model", "Let me break this down step by step: the bridge, the coach, the snow."),
    ],
)
def test_what_a_weak_model_writes_instead_of_a_scene_is_refused(kind: str, text: str) -> None:
    assert kind in {problem.kind for problem in find_problems(text, LEDGER)}


@pytest.mark.parametrize(
    "text",
    [
        "“Let me see it,” says Ismay Corrie, and holds out her hand.",
        "The snow falls on the bridge. The bridge takes it, and says nothing. You wait.",
    ],
)
def test_speech_and_words_that_come_again_are_no_reason_to_refuse(text: str) -> None:
    assert not {problem.kind for problem in find_problems(text, LEDGER)} & {"loop", "form", "model"}
