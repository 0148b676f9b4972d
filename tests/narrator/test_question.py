"""What a question is answered out of: evidence, a secret, one's own head, or nothing."""

from __future__ import annotations

import msgspec
import pytest

from narratoria.narrator.answer_request import AnswerRequest
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.question import find_basis, is_beside_the_point


@pytest.mark.parametrize(
    ("words", "kind", "evidence"),
    [
        ("What did you have for breakfast?", "", "own"),
        ("When did you last sleep?", "ask/feeling-today", "own"),
        ("Everything all right?", "ask/feeling-today", "own"),
        ("May I sit down?", "ask/permission", "own"),
        ("What do you think of me?", "ask/opinion-of-me", "own"),
        ("Do you remember me?", "ask/remember-me", "own"),
        ("Will it rain tomorrow?", "ask/future", "none"),
        ("ask Pell how she slept", "", "own"),
        ("ask her about her work", "", "own"),
        ("ask her about the mill", "", "none"),
        ("ask Pell what she knows about the mill", "", "none"),
        ("How old is the mill?", "ask/age", "none"),
        ("Do you know who built the mill?", "ask/who-did-it", "none"),
        ("Where is the well?", "ask/where-is", "none"),
    ],
)
def test_a_question_about_whoever_is_asked_is_answered_out_of_their_own_head(
    words: str, kind: str, evidence: str
) -> None:
    request = AnswerRequest(act="ask", kind=kind, person="pell", words=words)
    assert find_basis(request, None, is_withheld=False) == evidence


def test_what_is_known_or_kept_comes_before_what_one_would_say_of_oneself() -> None:
    request = AnswerRequest(act="ask", person="pell", words="Did you sleep well?")
    known = Evidence(id="s", text="Pell never sleeps.", source="profile", owner="pell")
    assert find_basis(request, known, is_withheld=False) == "given"
    assert find_basis(request, None, is_withheld=True) == "withheld"


def test_only_questions_are_answered_out_of_something() -> None:
    request = AnswerRequest(act="praise", person="pell", words="You are kind.")
    assert find_basis(request, None, is_withheld=False) == ""


@pytest.mark.parametrize(
    ("words", "kind", "text", "is_beside"),
    [
        ("How old are you?", "ask/age", "A queen bee lives four years.", True),
        ("How old are you?", "ask/age", "Pell was born in the year of the flood.", False),
        ("How old is the mill?", "ask/age", "The mill has stood a hundred years.", False),
        ("What are you afraid of?", "ask/fears", "The south wind blows for a night.", True),
        ("Where are you from?", "ask/origin", "The hill people came down in spring.", False),
    ],
)
def test_lore_about_something_else_is_no_answer_to_a_question_about_oneself(
    words: str, kind: str, text: str, *, is_beside: bool
) -> None:
    request = AnswerRequest(act="ask", kind=kind, person="pell", words=words)
    lore = Evidence(id="lore", text=text, source="lore", relevance=0.97)
    assert is_beside_the_point(request, lore, "Pell") is is_beside
    own = msgspec.structs.replace(lore, source="background", owner="pell")
    assert not is_beside_the_point(request, own, "Pell")
