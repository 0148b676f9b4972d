"""Whether something that happened makes a statement true."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.errors import ModelUnavailable
from narratoria.inference.installed_models import find_embedder
from narratoria.inference.statement_model import StatementModel, open_statement_model


@pytest.fixture(scope="module")
def model() -> StatementModel:
    folder = find_embedder()
    assert folder is not None
    return open_statement_model(folder)


@pytest.mark.parametrize(
    ("statement", "event"),
    [
        ("the lamp is lit", "You lit the lamp."),
        (
            "you have the ferryman's trust",
            "The ferryman gave you the key to his boat and said that he trusts you.",
        ),
        ("the player has sold the mare", "You sold the mare to the knacker for two crowns."),
    ],
)
def test_what_brings_a_state_about_makes_it_true(model: StatementModel, statement: str, event: str) -> None:
    assert model.probability(statement, event) > 0.5


@pytest.mark.parametrize(
    ("statement", "event"),
    [
        ("the lamp is lit", "You asked the keeper about the lamp."),
        ("the lamp is lit", "You tried to light the lamp. It went wrong."),
        ("the player has sold the mare", "You were offered two crowns for the mare and refused."),
        ("the mare is sold", "You walked to the harbour and looked at the boats."),
    ],
)
def test_what_only_speaks_of_it_does_not(model: StatementModel, statement: str, event: str) -> None:
    assert model.probability(statement, event) < 0.5


@pytest.mark.parametrize("text", ["", "?", "word " * 2000, "null\x00byte"])
def test_whatever_is_compared_gets_a_probability(model: StatementModel, text: str) -> None:
    assert 0 <= model.probability(text, text) <= 1


def test_a_folder_without_an_embedder_has_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable):
        open_statement_model(tmp_path)
