"""A few rounds of every fuzz target, the same ones each time; `make fuzz` runs as many as one likes."""

from __future__ import annotations

import pytest
from tests.fuzz.fuzz import run
from tests.fuzz.targets import TARGETS

ROUNDS = {
    "events": 500,
    "plans": 500,
    "expressions": 1000,
    "cards": 100,
    "campaigns": 20,
    "manifests": 80,
    "packs": 60,
}


@pytest.mark.parametrize("target", TARGETS)
def test_damaged_files_of_strangers_are_read_or_refused_and_nothing_else(target: str) -> None:
    run(target, ROUNDS.get(target, 30), seed=7)


def test_a_round_that_fails_says_how_to_have_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise KeyError("x")

    monkeypatch.setitem(TARGETS, "plans", broken)
    with pytest.raises(KeyError) as failure:
        run("plans", 1, seed=3, first=40)
    assert "fuzz.py plans --seed 3 --first 40 --rounds 1" in failure.value.__notes__[0]
