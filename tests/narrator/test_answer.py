"""An act is answered by evidence, by a unit of the repertoire, or by what the player knows."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.narrator.answer import (
    Answer,
    AnswerContext,
    AnswerRequest,
    Listener,
    answer_request,
    join_answers,
    manners_of,
    outcome_of,
)
from narratoria.narrator.evidence import Evidence

PELL = Listener("pell", "Pell Ward", "Pell", "she")
MILL = Evidence(id="mill", text="The mill burned. Nobody slept.", source="lore", relevance=0.9)


def context(**more: Any) -> AnswerContext:
    return AnswerContext(place="the landing", units=(), people={"pell": PELL}, **more)


def answer(request: AnswerRequest, **more: Any) -> Answer:
    given_answer = answer_request(request, context(**more))
    assert given_answer is not None
    return given_answer


def test_a_question_is_answered_with_evidence_in_somebodys_mouth() -> None:
    given_answer = answer(AnswerRequest(act="ask", person="pell", topic="the mill", evidence=(MILL,)))
    assert given_answer.text == "“The mill burned,” says Pell. “Nobody slept.”"
    assert given_answer.source == "evidence:mill"
    assert given_answer.fact.startswith("Pell Ward told the player:")


def test_a_look_is_answered_with_what_is_seen() -> None:
    assert answer(AnswerRequest(act="look", topic="the mill", evidence=(MILL,))).text == MILL.text


def test_a_secret_is_kept_from_who_is_not_trusted() -> None:
    secret = Evidence(
        id="s", text="Pell set the fire.", source="secret", owner="pell", secret=True, relevance=0.9
    )
    request = AnswerRequest(act="ask", person="pell", topic="the fire", evidence=(secret,))
    assert answer_request(request, context()) is None
    persuaded = AnswerRequest(
        act="ask", person="pell", topic="the fire", evidence=(secret,), outcome="success"
    )
    assert "set the fire" in answer(persuaded).text


def test_thinking_back_on_ones_pockets_lists_what_is_in_them() -> None:
    request = AnswerRequest(act="think_back", topic="what is in my pockets")
    text = answer(request, items=("a key", "a map", "bread"), journal=("You came.",)).text
    assert text == "You carry a key, a map and bread."


def test_who_asks_the_narrator_hears_what_could_be_done() -> None:
    text = answer(AnswerRequest(act="ask_narrator"), offers=("wait", "go to the mill")).text
    assert text == "You take stock. You could wait or go to the mill."


def test_answers_in_a_row_are_one_answer() -> None:
    one = Answer(text="A.", fact="a.", source="unit:1", units=("1",))
    two = Answer(text="B.", fact="b.", source="unit:2", units=("2",), is_attempt=True)
    both = join_answers([one, two])
    assert (both.text, both.fact, both.units, both.is_attempt) == ("A.\n\nB.", "a. b.", ("1", "2"), True)


def test_manners_are_read_off_an_authors_notes() -> None:
    assert manners_of([]) == frozenset()
    assert manners_of(["a proud man"]) >= {"proud"}


@pytest.mark.parametrize(
    ("band", "outcome"),
    [("success", "success"), ("failure", "failure"), ("", "none"), ("partial success", "partial")],
)
def test_a_band_is_the_outcome_units_are_written_for(band: str, outcome: str) -> None:
    assert outcome_of(band) == outcome


def test_the_first_and_last_of_other_bands_are_failure_and_success() -> None:
    bands = ("fumble", "graze", "triumph")
    assert [outcome_of(band, bands) for band in bands] == ["failure", "partial", "success"]
