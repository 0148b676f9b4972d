"""Plain personal questions find the sentence about the matter, and who gives in has a secret to tell."""

from __future__ import annotations

import pytest

from narratoria.engine.own_facts import raise_own_fact, with_own_secret
from narratoria.narrator.evidence import Evidence
from narratoria.planner.intent import Intent, Mention

LIFE = (
    "Ada had a sister, Embla, who went south. She keeps goats. She buried her husband at sea. She was born."
)
SPOKEN = "I had a sister, Embla, who went south. I keep goats. I buried my husband at sea. I was born."


def own(name: str, text: str, spoken: str = "", **more: object) -> Evidence:
    values = {"source": "profile", "owner": "ada", "about": "Ada", **more}
    return Evidence(id=f"ada/{name}", text=text, spoken=spoken or text, **values)  # type: ignore[arg-type]


CANDIDATES = [
    own("background/0", LIFE, SPOKEN),
    own("age", "Ada is forty.", "Forty."),
    own("secret/0", "She sank the boat. Her brother saw it.", source="secret", secret=True),
]


def ask(text: str, kind: str, act: str = "ask") -> Intent:
    return Intent(act=act, text=text, kind=kind, person=Mention("", "ada", "Ada"))


@pytest.mark.parametrize(
    ("words", "kind", "spoken"),
    [
        ("did you have any brothers or sisters?", "ask/family", "I had a sister, Embla, who went south."),
        ("were you ever married?", "ask/love", "I buried my husband at sea."),
        ("where were you born?", "ask/origin", "I was born."),
        ("how old are you?", "ask/age", "Forty."),
    ],
)
def test_a_plain_question_is_answered_by_the_sentence_that_speaks_of_it(
    words: str, kind: str, spoken: str
) -> None:
    best = raise_own_fact(ask(words, kind), [], CANDIDATES)[0]
    assert (best.spoken, best.relevance >= 0.5) == (spoken, True)


def test_what_nobody_wrote_is_not_answered_by_something_near() -> None:
    assert raise_own_fact(ask("do you have children?", "ask/family"), [], CANDIDATES) == ()
    assert raise_own_fact(ask("has Bo a sister?", "ask/family"), [], CANDIDATES) == ()


def test_what_surely_answers_stays_first_and_no_secret_is_given_away() -> None:
    sure = own("background/1", "Ada never married.", relevance=0.9)
    assert raise_own_fact(ask("were you ever married?", "ask/love"), [sure], CANDIDATES)[0] == sure
    family = raise_own_fact(ask("do you have a brother?", "ask/family"), [], CANDIDATES[1:])
    assert all(not one.secret for one in family)


def test_whoever_is_to_give_in_has_their_secret_among_what_they_may_tell() -> None:
    threat = ask("tell me the truth or else", "", "threaten")
    assert [one.id for one in with_own_secret(threat, [], CANDIDATES)] == ["ada/secret/0"]
    listed = [CANDIDATES[2]]
    assert with_own_secret(threat, listed, CANDIDATES) == tuple(listed)
