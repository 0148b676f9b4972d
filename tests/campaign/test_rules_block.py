"""The block of rules on a page: values as YAML has them, and every fault with its line."""

from __future__ import annotations

import pytest

from narratoria.campaign.campaign import Rules
from narratoria.campaign.pages import places_of, read_page, read_rules


def rules(text: str, before: str = "# Rules\n\nBe kind.\n\n") -> tuple[Rules, list[tuple[str, int, str]]]:
    read, problems = read_rules(read_page(f"{before}```yaml rules\n{text}\n```\n"), "world/rules.md")
    return read, [(problem.code, problem.line, problem.message) for problem in problems]


def test_a_page_without_a_block_has_the_usual_rules_and_its_prose() -> None:
    read, problems = read_rules(read_page("# Rules\n\nBe kind.\n\n```python\nx = 1\n```\n"), "rules.md")
    assert (read, problems) == (Rules(prose="# Rules\n\nBe kind."), ())


def test_an_empty_block_changes_nothing() -> None:
    assert rules("") == (Rules(prose="# Rules\n\nBe kind."), [])


@pytest.mark.parametrize(
    ("text", "code", "line", "words"),
    [
        ("a: [", "yaml", 7, "not YAML"),
        ("x: &a 1", "yaml", 6, "anchor"),
        ("x: *a", "yaml", 6, "alias"),
        ("dice: !!python/object:os.system x", "yaml", 6, "tag"),
        ("dice: d6\ndice: d8", "yaml", 7, "'dice' stands there twice"),
        ("[a]: b", "yaml", 6, "key must be text"),
        ("a: " + "[" * 11 + "]" * 11, "yaml", 6, "nested deeper"),
        ("a: " + "x" * 70_000, "yaml", 6, "longer than 64 KiB"),
        ("a: \x07", "yaml", 6, "not YAML"),
        ("- a", "schema", 6, "an object is expected"),
        ("\nnonsense: 1", "unknown-key", 7, "'nonsense' is not a known key"),
    ],
)
def test_a_fault_is_told_with_its_line_in_the_page(text: str, code: str, line: int, words: str) -> None:
    _, ((found, at, message),) = rules(text)
    assert (found, at) == (code, line)
    assert words in message


def test_of_two_blocks_the_first_counts_and_the_second_is_told() -> None:
    block = "```yaml rules\n\n```\n"
    _, problems = read_rules(read_page(f"{block}\n{block}"), "rules.md")
    assert [(problem.code, problem.line) for problem in problems] == [("two-rules", 5)]


def test_every_fault_is_told_once() -> None:
    _, problems = rules("nonsense: 1\nfolly: 2")
    assert [code for code, _, _ in problems] == ["unknown-key", "unknown-key"]


def test_the_parts_of_a_block_are_found_in_the_page() -> None:
    (block,) = read_page("```yaml rules\na:\n  - b\n  - c\n```\n").blocks
    assert places_of(block) == {"": (2, 1), "/a": (3, 3), "/a/0": (3, 5), "/a/1": (4, 5)}
