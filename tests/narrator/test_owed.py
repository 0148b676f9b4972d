"""Whoever is talked or frightened into telling something tells what they know, or their secret."""

from __future__ import annotations

import msgspec
import pytest

from narratoria.narrator.answer_request import AnswerRequest, Listener
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.owed import find_owed

PELL = Listener("pell", "Pell Moth", "Pell")
FIRE = Evidence(id="pell/secret/0", text="Pell set the fire.", source="secret", owner="pell", secret=True)
MILL = Evidence(id="pell/background/0", text="Pell milled.", source="profile", owner="pell", relevance=0.5)
JUG = Evidence(id="pell/has/0", text="Pell has a jug.", source="thing", owner="pell", relevance=0.9)


def owed(words: str, outcome: str = "success", *evidence: Evidence, act: str = "threaten") -> str:
    request = AnswerRequest(act=act, person="pell", words=words, outcome=outcome, evidence=evidence)  # type: ignore[arg-type]
    passage = find_owed(request, PELL, evidence[0] if evidence else None)
    return passage.id if passage else ""


@pytest.mark.parametrize("words", ["tell me what you're hiding", "the truth, or else", "own up, or I shout"])
def test_who_gives_in_tells_what_they_hide(words: str) -> None:
    assert owed(words, "success", FIRE) == FIRE.id
    assert owed(words, "partial", FIRE) == ""


def test_what_is_surely_asked_for_comes_before_a_secret() -> None:
    sure = msgspec.structs.replace(MILL, relevance=0.9)
    assert owed("tell me the truth about the mill", "success", sure, FIRE) == MILL.id


def test_what_somebody_has_is_nothing_they_owe() -> None:
    assert owed("tell me where it is", "success", JUG) == ""
    assert owed("tell me where it is", "success", MILL) == MILL.id


def test_nothing_is_owed_where_nothing_was_to_be_told() -> None:
    assert owed("lend me your coat", "success", MILL, act="persuade") == ""
    assert owed("I am the new inspector", "success", MILL, act="lie") == ""
