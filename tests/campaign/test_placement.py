"""The sentence about where somebody is."""

from __future__ import annotations

import pytest

from narratoria.campaign.placement import Placement, describe_placement


@pytest.mark.parametrize(
    ("placement", "sentence"),
    [
        (Placement("landing", "written"), "Pike is placed at landing (first_appearance)"),
        (
            Placement("inn", "beat", "the beat 'x' names them there"),
            "Pike is placed at inn, because the beat 'x' names them there",
        ),
        (Placement(), "Pike is placed nowhere: say where with metadata.first_appearance"),
        (
            Placement("", "away", "tagged 'villain'"),
            "Pike is placed nowhere until a beat brings them: tagged 'villain'",
        ),
    ],
)
def test_a_placement_says_where_and_why(placement: Placement, sentence: str) -> None:
    assert describe_placement("Pike", placement) == sentence
