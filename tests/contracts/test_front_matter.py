"""Front matter: text and nothing but text, whatever a stranger wrote there."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.contracts.front_matter import (
    MAX_BYTES,
    MAX_DEPTH,
    FrontMatter,
    UnreadableFrontMatter,
    read_front_matter,
)


def test_fields_are_read_with_the_lines_of_their_keys_and_the_rest_is_the_body() -> None:
    text = "---\nname: dice\n\ntags:\n  - a\n  - b\nmeta: {x: y}\n---\n# Dice\n"
    matter = read_front_matter(text)
    assert matter.fields == {"name": "dice", "tags": ["a", "b"], "meta": {"x": "y"}}
    assert matter.lines == {"name": 2, "tags": 4, "meta": 7}
    assert text[matter.body :] == "\n# Dice\n"


def test_values_stay_the_text_that_was_written() -> None:
    matter = read_front_matter("---\na: 1.10\nb: yes\nc: 2026-01-31\nd: 0x1f\ne: true\n---\n")
    assert matter.fields == {"a": "1.10", "b": "yes", "c": "2026-01-31", "d": "0x1f", "e": "true"}


def test_nothing_is_none_and_quoted_it_is_text() -> None:
    matter = read_front_matter("---\na:\nb: ~\nc: null\nd: 'null'\ne: \"\"\n---\n")
    assert matter.fields == {"a": None, "b": None, "c": None, "d": "null", "e": ""}


@pytest.mark.parametrize("text", ["---\n---\n", "--- \t\r\n...\r\n", "---\n# only a comment\n---"])
def test_no_fields_are_no_fault(text: str) -> None:
    assert read_front_matter(text) == FrontMatter({}, {}, len(text.rstrip("\n")))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "must begin with a line ---"),
        ("name: dice\n", 1, "must begin with a line ---"),
        (" ---\nname: dice\n---\n", 1, "must begin with a line ---"),
        ("---\nname: dice\n", 1, "no second line ---"),
        ("---\n- a\n---\n", 2, "are not YAML fields"),
        ("---\njust words\n---\n", 2, "are not YAML fields"),
        ("---\nname: dice\nname: cards\n---\n", 3, "'name' stands there twice"),
        ("---\nmeta:\n  a: 1\n  a: 2\n---\n", 4, "'a' stands there twice"),
        ("---\nname: a: b\n---\n", 2, "needs quotes around it"),
        ("---\nname: [a\n---\n", 3, "are not YAML"),
        ("---\nname: \x07\n---\n", 2, "are not YAML"),
        ("---\n[a, b]: c\n---\n", 2, "name must be text"),
        ("---\nx: y\na: &b c\n---\n", 3, "anchor"),
        ("---\na: *b\n---\n", 2, "alias"),
        ("---\na: !!python/object/apply:os.system [id]\n---\n", 2, "uses the tag"),
        ("---\na: !!int '1'\n---\n", 2, "uses the tag"),
        ("---\na: " + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "\n---\n", 2, "nested deeper"),
        ("---\na: " + "[" * 50_000 + "\n---\n", 2, "nested deeper"),
        ("---\na: " + "x" * MAX_BYTES + "\n---\n", 2, "more than 64 KiB"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(UnreadableFrontMatter, match=words) as refused:
        read_front_matter(text)
    assert refused.value.problem.line == line


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(UnreadableFrontMatter):
        matter = read_front_matter(f"---\n{text}\n---\n")
        assert matter.fields.keys() == matter.lines.keys()


@pytest.mark.parametrize(
    "text",
    [
        "Reads papers. Use when: somebody asks.",
        "[Beta] draws maps",
        "`code` and @people",
        '"Quoted" and then not',
        "It's a: thing that's 'odd'",
        "*bold* words",
        "> three at once",
    ],
)
def test_a_lenient_reader_takes_a_text_without_quotes_for_what_it_is(text: str) -> None:
    source = f"---\nname: x\ndescription: {text}\nlicense: MIT\n---\nBody.\n"
    front = read_front_matter(source, is_lenient=True)
    assert front.fields == {"name": "x", "description": text, "license": "MIT"}
    assert front.lines == {"name": 2, "description": 3, "license": 4}
    assert front.unquoted == ("description",)


def test_a_lenient_reader_takes_lines_that_go_on_along() -> None:
    source = "---\ndescription: One: two\n  three: four\n\nlicense: MIT\n---\n"
    front = read_front_matter(source, is_lenient=True)
    assert front.fields == {"description": "One: two three: four", "license": "MIT"}
    assert front.lines["license"] == 5


def test_a_lenient_reader_obeys_no_tag_and_follows_no_alias() -> None:
    for trick in ("!!python/object:os.system ls", "&a x"):
        with pytest.raises(UnreadableFrontMatter):
            read_front_matter(f"---\nname: x\nother: {trick}\n---\n", is_lenient=True)


@pytest.mark.parametrize("is_lenient", [False, True])
@pytest.mark.parametrize("nested", ["[" * 60_000, "{a: " * 12_000, "- " * 30_000, "? " * 30_000])
def test_a_description_however_deep_is_refused_and_ends_no_process(nested: str, *, is_lenient: bool) -> None:
    """The reader of YAML calls itself for each level, in C: the levels are counted before it is asked."""
    text = f"---\nname: deep\ndescription:\n  {nested}\n---\nText.\n"
    with pytest.raises(UnreadableFrontMatter, match="nested deeper"):
        read_front_matter(text, is_lenient=is_lenient)
