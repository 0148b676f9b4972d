"""Word pieces are counted as the model counts them, and windows on a long text leave nothing out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.inference.word_pieces import MAX_PIECES, WordPieces

# Counted by the published tokenizer
COUNTS = {
    "The wardens kept their oath.": 7,
    "Naïve façades — 'quoted', and punctuated!": 11,
    "antidisestablishmentarianism's 12,345.67%": 16,
    "日本語のテキスト and more": 10,
    "don't stop-believing snake_case_name": 11,
    "e-mail: a.b@c.org/path?x=1&y=2": 21,
    "🜂 alchemist’s “mark”": 8,
    "x" * 150 + " end": 2,
    "ßtraße ÅNGSTRÖM Ελλάδα": 11,
    "...": 3,
    "   ": 0,
    "tabs\tand\nnewlines": 5,
    "Здравствуй мир": 13,
    "A1b2C3 0xDEADBEEF": 11,
}


@pytest.fixture(scope="module")
def pieces(model_folder: Path) -> WordPieces:
    return WordPieces(frozenset((model_folder / "vocab.txt").read_text(encoding="utf-8").split("\n")))


@pytest.mark.parametrize("text", COUNTS)
def test_pieces_are_counted_as_the_model_counts_them(pieces: WordPieces, text: str) -> None:
    assert pieces.count(text) == COUNTS[text]


def test_a_short_text_is_its_own_window(pieces: WordPieces) -> None:
    assert pieces.windows("The gate is shut.") == ["The gate is shut."]


@given(
    words=st.lists(
        st.sampled_from(["oath", "warden", "antidisestablishmentarianism", ",", "Wächter"]), max_size=900
    )
)
def test_windows_can_be_read_whole_and_together_hold_every_word(pieces: WordPieces, words: list[str]) -> None:
    text = " ".join(f"{word}{number}" for number, word in enumerate(words))
    windows = pieces.windows(text)
    assert all(pieces.count(window) <= MAX_PIECES for window in windows)
    assert all(window in text for window in windows)
    covered = " ".join(windows)
    assert all(f"{word}{number}" in covered for number, word in enumerate(words))


@pytest.mark.parametrize("letters", [80, 90, 254, 255])
def test_a_script_whose_letters_are_several_pieces_is_read_in_windows_too(
    pieces: WordPieces, letters: int
) -> None:
    text = ("한국어 " * 64)[:letters]
    assert all(pieces.count(window) <= MAX_PIECES for window in pieces.windows(text))


def test_neighbouring_windows_overlap(pieces: WordPieces) -> None:
    words = [f"word{n}" for n in range(400)]
    first, second, *_ = pieces.windows(" ".join(words))
    assert first.split()[-1] in second.split()
