"""Units are compared with what a player typed by their meaning."""

from __future__ import annotations

import numpy as np
import pytest

from narratoria.inference.installed_models import find_embedder
from narratoria.inference.text_matcher import open_matcher
from narratoria.narrator.repertoire import Unit, load_repertoire
from narratoria.narrator.unit_matcher import (
    MOST_READ,
    UnitMatcher,
    _load_weights,
    describe_unit,
    open_unit_matcher,
)

WORDS = "i put my arm round her and tell her she is not alone in this"


@pytest.fixture(scope="module")
def matcher() -> UnitMatcher:
    folder = find_embedder()
    if folder is None:
        pytest.skip("the embedding model is not installed")
    return open_unit_matcher(folder, open_matcher(folder))


def units_of(*acts: str) -> list[Unit]:
    return [unit for unit in load_repertoire() if set(acts) & set(unit.acts)]


def test_a_unit_is_described_by_what_happens_and_how_it_is_told_without_slots() -> None:
    for unit in load_repertoire()[:500]:
        text = describe_unit(unit)
        assert len(text) > len(unit.fact) // 2
        assert "{short}" not in text
        assert "{matter}" not in text


def test_the_weights_that_ship_hold_a_vector_for_every_unit_that_ships() -> None:
    vectors = _load_weights()[1]
    assert {unit.id for unit in load_repertoire()} == set(vectors)
    assert all(abs(float(np.linalg.norm(row)) - 1) < 1e-3 for row in vectors.values())


def test_the_likeliest_units_come_with_how_probably_they_answer(matcher: UnitMatcher) -> None:
    suited = matcher.find_suited(WORDS, units_of("comfort"))
    units = {unit.id: unit for unit in load_repertoire()}
    assert suited
    assert all(0 <= value <= 1 for value in suited.values())
    by_outcome = [units[name].outcome for name in suited]
    assert all(by_outcome.count(outcome) <= MOST_READ for outcome in set(by_outcome))


def test_a_unit_that_answers_is_told_from_one_that_does_not(matcher: UnitMatcher) -> None:
    comfort = matcher.find_suited(WORDS, units_of("comfort"))
    threat = matcher.find_suited(WORDS, units_of("threaten"))
    assert max(comfort.values()) > max(threat.values())


def test_other_words_are_answered_by_other_units(matcher: UnitMatcher) -> None:
    units = units_of("comfort")
    kind = matcher.find_suited(WORDS, units)
    pain = matcher.find_suited("hold the cold cloth to his burnt hand and hush him", units)
    assert set(kind) != set(pain)


def test_a_campaigns_own_unit_is_compared_as_well(matcher: UnitMatcher) -> None:
    own = Unit(
        id="own",
        acts=("comfort",),
        outcome="none",
        text="{short} leans on you, and you stay like that, and {they} {are} not alone.",
        fact="The player put an arm round {name}, who was not alone any more.",
    )
    assert "own" in matcher.find_suited(WORDS, [*units_of("steal")[:40], own])


def test_no_units_are_suited_where_there_are_none(matcher: UnitMatcher) -> None:
    assert matcher.find_suited(WORDS, []) == {}
