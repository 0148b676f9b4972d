"""Who says what is read off the page rightly, and the author's own lines are always recognized."""

from __future__ import annotations

import pytest
from evals.voices import notes
from evals.voices.__main__ import measure, report, sayings

NAMES = {"Pike": "pike", "Dr. Voke": "voke"}


@pytest.mark.parametrize(
    ("paragraph", "said"),
    [
        ("“I had a mum once,” says Pike.", [("pike", "I had a mum once,")]),
        ("“I am late,” Dr. Voke says. “It is different.”", [("voke", "I am late, It is different.")]),
        ("“Good day to you, sir,” says somebody.", []),
        ("“Well,” says Pike. He looks up. “Three more words here.”", []),
        (
            "“One two three four,” says Pike. “And on.” “Five six seven eight,” says Dr. Voke.",
            [("pike", "One two three four, And on."), ("voke", "Five six seven eight,")],
        ),
    ],
    ids=["after", "before", "nobody", "too-short", "two"],
)
def test_a_saying_belongs_to_the_name_beside_it(paragraph: str, said: list[tuple[str, str]]) -> None:
    assert list(sayings(paragraph, NAMES)) == said


def test_lines_of_a_profile_are_recognized_and_all_are_counted() -> None:
    said = measure(["tomorrows-post"], [1], 60)
    assert len(said) >= 5
    assert all(one.recognized for one in said if one.written)
    assert f"of {len(said)} sayings" in report(said)


def test_notes_are_said_in_the_first_person_as_somebody_would_say_them() -> None:
    results = notes.measure()
    wrong = [one.case.id for one in results if one.is_wrong]
    assert len(results) >= 190
    assert len(wrong) <= 15, notes.report(results)
    assert notes.report(results).endswith("not")
