"""Content limits: what each setting allows, and what the profile for children adds."""

from __future__ import annotations

import pytest

from narratoria.contracts.content_limits import (
    CONTENT_KINDS,
    NO_LIMITS,
    Content,
    ContentLimits,
    join_content,
)


@pytest.mark.parametrize(
    ("content", "limits", "beyond"),
    [
        ({"violence": "full"}, NO_LIMITS, None),
        ({"violence": "mild"}, ContentLimits(violence="mild"), None),
        ({"violence": "full"}, ContentLimits(violence="mild"), "violence"),
        ({"fear": "mild"}, ContentLimits(violence="none"), None),
        ({"fear": "mild"}, ContentLimits(fear="none"), "fear"),
        ({"drink": "mild"}, ContentLimits(violence="none", fear="none", romance="none"), None),
        ({"drink": "mild"}, ContentLimits(children=True), "drink"),
        ({}, ContentLimits(children=True), None),
    ],
)
def test_a_limit_allows_as_much_as_it_says(
    content: Content, limits: ContentLimits, beyond: str | None
) -> None:
    assert limits.find_beyond(content) == beyond
    assert limits.allows(content) is (beyond is None)


def test_the_profile_for_children_is_the_strictest_whatever_else_is_set() -> None:
    limits = ContentLimits(violence="full", children=True)
    assert {limits.limit_of(kind) for kind in CONTENT_KINDS} == {"none"}
    assert limits.is_set
    assert not NO_LIMITS.is_set


def test_the_most_of_several_contents_counts() -> None:
    assert join_content({"fear": "mild"}, {"fear": "full", "drink": "mild"}, {"fear": "none"}) == {
        "fear": "full",
        "drink": "mild",
    }
