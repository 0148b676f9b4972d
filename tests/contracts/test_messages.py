"""What is said of a broken rule: where it is, what it is, and what to do."""

from __future__ import annotations

import pytest
from tests.contracts.beats import BEATS

from narratoria.contracts import Contract
from narratoria.errors import Problem


@pytest.mark.parametrize(
    ("member", "pointer", "sentence"),
    [
        (
            '"priority": "urgent"',
            "/priority",
            "'urgent' is not a priority (critical, high, medium, low, optional)",
        ),
        (
            '"priority": "hgih"',
            "/priority",
            "'hgih' is not a priority (critical, high, medium, low, optional); did you mean 'high'?",
        ),
        ('"weight": 11', "/weight", "11 is too large; it must be at least 0 and at most 10"),
        ('"weight": -1', "/weight", "-1 is too small; it must be at least 0 and at most 10"),
        ('"weight": "3"', "/weight", "a whole number is expected, not a string ('3'); remove the quotes"),
        ('"weight": 1.5', "/weight", "a whole number is expected, not a number (1.5)"),
        ('"ratio": 0', "/ratio", "0 is too small; it must be more than 0"),
        ('"ratio": null', "/ratio", "a number is expected, not null"),
        ('"step": 3', "/step", "3 is not a multiple of 5"),
        (
            '"secret": "true"',
            "/secret",
            "true or false is expected, not a string ('true'); remove the quotes",
        ),
        ('"note": []', "/note", "a string or null is expected, not an array"),
        ('"note": "too long"', "/note", "too many characters: 8, where at most 5 are allowed"),
        ('"id": "A B"', "/id", "'A B' is not made of small letters"),
        ('"code": "abc"', "/code", "'abc' does not match the pattern ^[A-Z]+$, such as 'ABC'"),
        ('"when": "now"', "/when", "'now' is not a date and time such as 2026-01-31T18:30:00Z"),
        ('"tags": []', "/tags", "this must not be empty"),
        ('"tags": [1, 2, 1]', "/tags/2", "1 is already listed as item 0; remove one of the two"),
        ('"tags": [1, 1.0]', "/tags", "the same item is listed twice"),
        ('"tags": [1, 2, 3, 4]', "/tags", "too many items: 4, where at most 3 are allowed"),
        ('"kind": "bead"', "/kind", "'beat' is expected, not 'bead'"),
        ('"never": 1', "/never", "1 is not allowed here; remove it"),
        (
            '"names": {"long": 1}',
            "/names/long",
            "as a key, too many characters: 4, where at most 3 are allowed",
        ),
        ('"size": []', "/size", "a whole number or a string is expected, not an array"),
        ('"size": {}', "/size", "a whole number or a string is expected, not an object"),
        ('"effect": {"type": "heal"}', "/effect", "'target' is missing; add it"),
        ('"effect": {"type": "hael", "target": "x"}', "/effect/type", "'hael' is not a type (damage, heal)"),
        (
            '"effect": {"type": "damage", "amount": "1"}',
            "/effect/amount",
            "a whole number is expected, not a string ('1'); remove the quotes",
        ),
        ('"pair": {"from": 1}', "/pair", "'to' is missing; 'from' needs it"),
        ('"free": {"x-a": 1, "y-b": 2}', "/free/y-b", "'y-b' is not a known key; remove it"),
        (
            '"tree": {"left": {"left": {"n": "1"}}}',
            "/tree/left/left/n",
            "a whole number is expected, not a string",
        ),
        ('"Priority": "high"', "/Priority", "'Priority' is not a known key; did you mean 'priority'?"),
    ],
)
def test_a_refusal_says_where_what_and_what_next(member: str, pointer: str, sentence: str) -> None:
    problems = BEATS.check('{"title": "x",\n  ' + member + "}", file="plot/beats.json")
    assert len(problems) == 1
    assert problems[0].message.startswith(sentence)
    assert (problems[0].pointer, problems[0].file, problems[0].line) == (pointer, "plot/beats.json", 2)


def test_a_missing_key_is_named_with_its_purpose_at_the_object_that_lacks_it() -> None:
    (problem,) = BEATS.check("{}")
    assert problem == Problem("'title' is missing; add it: What players see", "", "", 1, 1)


def test_an_unknown_key_that_resembles_none_is_answered_with_the_known_ones() -> None:
    (problem,) = Contract({"properties": {"title": {}, "tags": {}}, "additionalProperties": False}).check(
        '{"zzz": 1}'
    )
    assert problem.message == "'zzz' is not a known key; known are tags, title"
