"""The slots of a unit are filled with who, what, the deed and what is quoted."""

from __future__ import annotations

import pytest

from narratoria.narrator.answer_request import AnswerContext, AnswerRequest, Listener
from narratoria.narrator.answer_slots import as_quotation, build_slots, find_lead, thing_kind
from narratoria.narrator.evidence import Evidence

PELL = Listener("pell", "Pell Ward", "Pell", "she")
CONTEXT = AnswerContext(
    "the mill",
    (),
    people={"pell": PELL},
    names={"pell": "Pell Ward", "ada": "The Miller"},
    last_seen={"ada": "the ferry"},
    ways=("the inn", "the ferry"),
    items=("packet of biscuits",),
)


def test_a_deed_the_ways_and_the_speech_have_slots() -> None:
    mill = Evidence(id="m", text="It burned. Nobody slept.", source="lore", relevance=0.9)
    request = AnswerRequest(act="ask", person="pell", topic="the mill", words="I knock on the wall")
    slots = build_slots(request, CONTEXT, PELL, mill, None)
    assert slots["deed"] == "You knock on the wall."
    assert slots["ways"] == "the inn or the ferry"
    assert slots["said"] == "“It burned. Nobody slept,” says Pell." or slots["said"].count("says Pell") == 1
    assert slots["short"] == "Pell"


@pytest.mark.parametrize(
    ("act", "thing", "kind"),
    [
        ("eat", "biscuits", "carried"),
        ("take", "moon", "unknown"),
        ("take", "", ""),
    ],
)
def test_a_thing_is_carried_known_or_not_there(act: str, thing: str, kind: str) -> None:
    assert thing_kind(AnswerRequest(act=act, thing=thing), CONTEXT) == kind


def test_what_one_shows_is_in_ones_hand_where_it_is_known() -> None:
    assert thing_kind(AnswerRequest(act="show", thing="letter", is_thing_known=True), CONTEXT) == "carried"
    assert thing_kind(AnswerRequest(act="take", thing="letter", is_thing_known=True), CONTEXT) == "known"


def test_somebody_who_may_know_is_named_with_where_to_find_them() -> None:
    own = Evidence(id="ada/secret/0", text="Ada hid it.", source="secret", owner="ada", relevance=0.5)
    lead = find_lead(AnswerRequest(act="ask", person="pell", evidence=(own,)), CONTEXT, PELL)
    assert lead is not None
    assert (lead.name, lead.reason) == ("the Miller", "Look at the ferry")


def test_a_quotation_inside_speech_has_single_marks() -> None:
    assert as_quotation('They say, "Left, right." Always.') == "They say, ‘Left, right.’ Always."


@pytest.mark.parametrize(
    ("topic", "slot"),
    [
        ("what about the trust has changed", "the trust"),
        ("why the ninth bell is cracked", "the ninth bell"),
        ("what happened to the trust", "it"),
        ("the old mill by the river", "the old mill by the river"),
        ("whether it rains", "it"),
    ],
)
def test_what_stands_after_about_is_no_sentence(topic: str, slot: str) -> None:
    request = AnswerRequest(act="ask", person="pell", topic=topic)
    assert build_slots(request, CONTEXT, PELL, None, None)["topic"] == slot
