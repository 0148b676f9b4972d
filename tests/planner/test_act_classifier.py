"""The reader of typed words is opened on the model that scores acts and their kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.errors import ModelUnavailable
from narratoria.inference.installed_models import find_embedder
from narratoria.planner.act_classifier import open_reader


@pytest.mark.parametrize(
    ("typed", "act"),
    [
        ("oi captain how many days will this muck last", "ask"),
        ("belt him one", "attack"),
        ("tell her shes the best cook on the river", "praise"),
        ("swear il bring it back by friday", "promise"),
    ],
)
def test_words_as_players_type_them_are_read_by_what_they_mean(typed: str, act: str) -> None:
    folder = find_embedder()
    assert folder is not None
    scores = open_reader(folder).act_probabilities(typed)
    assert max(scores, key=lambda one: scores[one]) == act


def test_a_folder_without_an_embedder_has_no_reader(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable):
        open_reader(tmp_path)
