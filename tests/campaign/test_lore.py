"""Lore is divided by its paragraphs, under its headings, and never into more than 512 tokens."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narratoria.campaign.lore import MAX_TOKENS, METHOD, SHORT, chunk_lore, count_tokens, sentences

PARAGRAPH = "The mill stands below the weir, and nobody has seen the wheel begin to turn. " * 5


def test_a_paragraph_is_a_chunk_with_its_place_and_its_headings():
    page = f"# The Mill\n\n{PARAGRAPH}\n\n## The wheel\n\n{PARAGRAPH}\n\n### By night\n\n{PARAGRAPH}\n"
    chunks = chunk_lore("lore/mill.md", page)

    assert [chunk.heading for chunk in chunks] == [
        "The Mill",
        "The Mill › The wheel",
        "The Mill › The wheel › By night",
    ]
    assert [(chunk.index, chunk.paragraph) for chunk in chunks] == [(0, 0), (1, 1), (2, 2)]
    assert chunks[1].identifier == "lore/mill.md#1"
    record = chunks[1].as_record()
    assert record["filePath"] == "lore/mill.md"
    assert record["chunkMethod"] == METHOD == "paragraph"
    assert record["tokenCount"] == count_tokens(PARAGRAPH.strip())


def test_a_long_paragraph_is_divided_between_sentences():
    long = " ".join(
        f"Sentence number {n} says that the wheel turned again, and by itself!" for n in range(120)
    )
    chunks = chunk_lore("a.md", long)

    assert len(chunks) > 2
    assert {chunk.paragraph for chunk in chunks} == {0}
    assert all(chunk.content.endswith("itself!") for chunk in chunks)
    assert " ".join(chunk.content for chunk in chunks) == long


def test_short_neighbours_under_one_heading_go_together_and_others_do_not():
    chunks = chunk_lore("a.md", "# A\n\nOne line.\n\nAnother.\n\n# B\n\nA third.\n")

    assert [(chunk.heading, chunk.content) for chunk in chunks] == [
        ("A", "One line.\n\nAnother."),
        ("B", "A third."),
    ]
    assert all(chunk.tokens < SHORT for chunk in chunks)


def test_front_matter_and_comments_are_not_lore_and_links_keep_their_words():
    chunks = chunk_lore("a.md", "---\nart: x.png\n---\n\n<!-- a note -->\nGo to [the weir](weir.md).\n")

    assert [chunk.content for chunk in chunks] == ["Go to the weir."]


def test_a_heading_inside_a_fence_is_no_heading():
    (chunk,) = chunk_lore("a.md", "```\n# not a title\n```\n")

    assert chunk.heading == ""
    assert "# not a title" in chunk.content


def test_sentences_end_at_their_marks_and_keep_their_quotes():
    assert sentences("“Is it?” It is! He said so.") == ["“Is it?”", "It is!", "He said so."]


@pytest.mark.parametrize("text", ["x" * 60_000, "é" * 9_000, "🦊" * 4_000, "a.b" * 10_000])
def test_what_has_no_place_to_divide_it_is_divided_all_the_same(text):
    chunks = chunk_lore("a.md", text)

    assert "".join(chunk.content for chunk in chunks).replace(" ", "") == text
    assert max(chunk.tokens for chunk in chunks) <= MAX_TOKENS


WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters="`~#<>[]!-\r", exclude_categories=["Cs", "Cc"])
)
PAGES = st.lists(WORDS.map(lambda words: words * 3), max_size=12).map("\n\n".join)


@settings(max_examples=60)
@given(PAGES)
def test_whatever_is_written_every_word_is_in_a_chunk_once_and_in_order(page):
    chunks = chunk_lore("a.md", page)

    assert "".join(re.sub(r"\s", "", chunk.content) for chunk in chunks) == re.sub(r"\s", "", page)
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert all(0 < chunk.tokens <= MAX_TOKENS for chunk in chunks)
    assert all(chunk.tokens == count_tokens(chunk.content) for chunk in chunks)
    assert [chunk.paragraph for chunk in chunks] == sorted(chunk.paragraph for chunk in chunks)


def test_closer_looks_of_a_place_are_no_lore():
    page = f"# The Mill\n\n{PARAGRAPH}\n\n## Things\n\n- wheel: Oak.\n\n## Senses\n\n- smell: Flour.\n"
    page += "\n## Deeds\n\n- dance: Hardly.\n"
    assert [chunk.heading for chunk in chunk_lore("lore/locations/mill.md", page)] == ["The Mill"]
    assert len(chunk_lore("lore/customs/mill.md", page)) > 1
