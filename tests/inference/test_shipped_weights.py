"""Weights that ship: read by the hash that is their name, and refused when a byte of them has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria import paths
from narratoria.errors import ModelUnavailable
from narratoria.inference import shipped_vectors, shipped_weights, statement_model
from narratoria.inference.shipped_weights import read_shipped_weights

WEIGHTS = paths.PACKAGE / "weights"
FILES = sorted(file.name for file in WEIGHTS.iterdir() if file.suffix in (".npz", ".onnx", ".gguf"))


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_what_its_name_says(name: str) -> None:
    assert read_shipped_weights(name) == (WEIGHTS / name).read_bytes()


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package in which one byte of all weights but the largest has changed."""
    (tmp_path / "weights").mkdir()
    for name in FILES:
        content = bytearray((WEIGHTS / name).read_bytes()[:100_000])
        content[len(content) // 2] ^= 1
        (tmp_path / "weights" / name).write_bytes(content)
    monkeypatch.setattr(shipped_weights, "files", lambda _: tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_a_changed_byte_is_noticed(damaged: Path, name: str) -> None:
    with pytest.raises(ModelUnavailable, match="damaged; install Narratoria again"):
        read_shipped_weights(name)


def test_what_uses_damaged_weights_says_so_or_does_without(damaged: Path, tmp_path: Path) -> None:
    statement_model.open_statement_model.cache_clear()
    shipped_vectors._load_file.cache_clear()
    try:
        with pytest.raises(ModelUnavailable, match="damaged"):
            statement_model.open_statement_model(tmp_path)
        assert shipped_vectors._load_file() is None
    finally:
        statement_model.open_statement_model.cache_clear()
        shipped_vectors._load_file.cache_clear()


def test_a_file_that_is_not_there_is_named(damaged: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"0000\.npz cannot be read"):
        read_shipped_weights("0000.npz")
