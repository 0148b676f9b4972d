"""Units are compared with what a player typed by their meaning."""

from __future__ import annotations

import numpy as np
import pytest

from narratoria.inference.installed_models import find_embedder
from narratoria.narrator.repertoire import Unit, load_repertoire
from narratoria.narrator.unit_matcher import (
    MOST_SUITED,
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
    opened = open_unit_matcher(folder)
    assert opened is not None
    return opened


def test_a_unit_is_described_by_what_happens_and_how_it_is_told_without_slots() -> None:
    for unit in load_repertoire()[:500]:
        text = describe_unit(unit)
        assert len(text) > len(unit.fact) // 2
        assert "{short}" not in text
        assert "{matter}" not in text


def test_the_weights_that_ship_hold_a_vector_for_every_unit_that_ships() -> None:
    vectors = _load_weights()[2]
    assert {unit.id for unit in load_repertoire()} == set(vectors)
    assert all(abs(float(np.linalg.norm(row)) - 1) < 1e-3 for row in vectors.values())


def test_the_units_of_the_acts_that_suit_best_come_with_how_well_they_do(matcher: UnitMatcher) -> None:
    suited = matcher.find_suited(WORDS, ("comfort",), load_repertoire())
    units = {unit.id: unit for unit in load_repertoire()}
    assert suited
    assert all("comfort" in units[name].acts for name in suited)
    assert max(suited.values()) == 1
    assert all(0 <= value <= 1 for value in suited.values())
    by_outcome = [units[name].outcome for name in suited]
    assert all(by_outcome.count(outcome) <= MOST_SUITED for outcome in set(by_outcome))


def test_other_words_are_answered_by_other_units(matcher: UnitMatcher) -> None:
    units = load_repertoire()
    kind = matcher.find_suited(WORDS, ("comfort",), units)
    pain = matcher.find_suited("hold the cold cloth to his burnt hand and hush him", ("comfort",), units)
    assert list(kind)[:3] != list(pain)[:3]


def test_a_campaigns_own_unit_is_compared_as_well(matcher: UnitMatcher) -> None:
    own = Unit(
        id="own",
        acts=("comfort",),
        outcome="none",
        text="{short} leans on you, and you stay like that, and {they} {are} not alone.",
        fact="The player put an arm round {name}, who was not alone any more.",
    )
    other = load_repertoire()[0]
    assert matcher.find_suited(WORDS, (*other.acts, "comfort"), (own, other))["own"] == 1


def test_an_act_without_units_has_none_that_suit(matcher: UnitMatcher) -> None:
    assert matcher.find_suited(WORDS, ("no such act",), load_repertoire()) == {}


def test_an_answer_about_oneself_suits_only_words_about_the_same_thing(matcher: UnitMatcher) -> None:
    own = [unit for unit in load_repertoire() if unit.evidence == "own" and not unit.kind][:12]
    units = {unit.id: unit for unit in own}
    suited = matcher.find_suited("What did you have for breakfast?", ("ask",), own)
    best = max(suited, key=lambda name: suited[name])
    assert (suited[best], "breakfast" in units[best].fact) == (1, True)

    suited = matcher.find_suited("Which of the two roads did the riders take?", ("ask",), own)
    assert max(suited.values()) < 1
