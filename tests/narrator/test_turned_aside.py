"""What turns an act aside: something for every barrier, without harm, with a line about the limit."""

from __future__ import annotations

from typing import get_args

import pytest

from narratoria.contracts.content_limits import CONTENT_KINDS, ContentKind, ContentLimits
from narratoria.narrator.answer_request import AnswerContext, Listener
from narratoria.narrator.content import rate_text
from narratoria.narrator.repertoire import SLOT
from narratoria.narrator.turned_aside import describe_limit, load_turned_aside, turn_aside

ADA = Listener("ada", "Ada Finch", "Ada", "she")
CHILDREN = ContentLimits(children=True)


@pytest.mark.parametrize("kind", get_args(ContentKind))
@pytest.mark.parametrize("person", ["ada", ""])
def test_something_turns_every_kind_aside_with_and_without_somebody(kind: ContentKind, person: str) -> None:
    context = AnswerContext("the mill", (), people={"ada": ADA})
    answer = turn_aside(kind, person, context, CHILDREN)
    assert not SLOT.search(answer.text + answer.fact)
    assert answer.effects == ()
    assert answer.is_attempt
    assert answer.limit_note == "Content limits are set for children."


def test_what_turns_aside_is_itself_within_every_limit() -> None:
    units = load_turned_aside()
    assert {act for unit in units for act in unit.acts} == {*CONTENT_KINDS, "child"}
    assert [unit.source for unit in units if not CHILDREN.allows(rate_text(unit.text))] == []
    assert [unit.source for unit in units if unit.effects] == []


def test_the_same_is_not_told_twice_running() -> None:
    first = turn_aside("violence", "ada", AnswerContext("the mill", (), people={"ada": ADA}), CHILDREN)
    used = dict.fromkeys(first.units, 1)
    context = AnswerContext("the mill", (), people={"ada": ADA}, used=used, turn=2)
    assert turn_aside("violence", "ada", context, CHILDREN).text != first.text


def test_the_line_names_the_limit_and_says_nothing_of_what_no_setting_changes() -> None:
    limits = ContentLimits(violence="mild")
    assert describe_limit("violence", limits) == "Violence is set to mild in your content limits."
    assert describe_limit("child", limits) == ""
