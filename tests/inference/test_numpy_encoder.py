"""The adapted embedder's own reader: what it reads of a text has bounds, whatever the text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from narratoria.inference.numpy_encoder import LONGEST, Encoder
from narratoria.inference.word_pieces import LONGEST_WORD


@pytest.fixture(scope="module")
def encoder(model_folder: Path) -> Encoder:
    return Encoder(model_folder)


class Counted(dict[str, int]):
    """Counts how often it is looked into."""

    looks = 0

    def __contains__(self, key: object) -> bool:
        self.looks += 1
        return super().__contains__(key)


@pytest.fixture
def counted(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> Counted:
    words = Counted(encoder.words)
    monkeypatch.setattr(encoder, "_ids", words)
    return words


@pytest.mark.parametrize("letters", ["a", "zq", "abcdefghij", "é", "7"])
def test_a_scream_is_one_unknown_word_and_is_not_looked_up(
    letters: str, encoder: Encoder, counted: Counted
) -> None:
    scream = letters * (20_000 // len(letters))
    assert encoder.pieces(f"I shout {scream}!") == encoder.pieces(
        "I shout [UNK]!".replace("[UNK]", "x" * 101)
    )
    counted.looks = 0
    encoder.pieces(scream)
    assert counted.looks == 0


def test_of_many_words_no_more_are_looked_up_than_are_read(encoder: Encoder, counted: Counted) -> None:
    words = [f"{'abcdefghi'[number % 9]}{number}" for number in range(20_000)]
    assert len(encoder.pieces(" ".join(words))) == LONGEST
    assert counted.looks < LONGEST * LONGEST_WORD


def test_a_word_that_is_just_short_enough_is_read_in_pieces(encoder: Encoder) -> None:
    assert len(encoder.pieces("a" * LONGEST_WORD)) > len(encoder.pieces("a" * (LONGEST_WORD + 1))) == 3


def test_an_ideograph_is_a_word_of_its_own_as_to_the_published_tokenizer(encoder: Encoder) -> None:
    assert encoder.pieces("漢字 word") == encoder.pieces("漢 字 word")
    assert len(encoder.pieces("漢" * 20_000)) == LONGEST


def test_texts_are_encoded_together_as_each_is_alone(encoder: Encoder) -> None:
    texts = ["a bell", "the tide clock of the harbour " * 30, "nobody rings it at night", "a bell"]
    together = encoder.encode_texts(texts, 256)
    for text, row in zip(texts, together, strict=True):
        assert np.allclose(row, encoder.encode_texts([text], 256)[0], atol=1e-4)
