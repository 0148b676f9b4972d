"""Pages that an author writes: a place, an ending, a faction."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.campaign.test_load import MANIFEST, write

from narratoria.campaign.campaign import Aftermath, CloserLook, PlaceDeed, Rules, Way
from narratoria.campaign.load import load_campaign
from narratoria.campaign.pages import (
    aftermath,
    places_of,
    read_constraints,
    read_ending,
    read_faction,
    read_page,
    read_place,
    read_rules,
    things_of,
    ways_of,
)


def test_a_place_is_read_from_its_page(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{
            "manifest.json": MANIFEST,
            "lore__locations__mill.md": "# The mill\n\nIt stands\nby the weir.\n\nA second look.\n\n"
            "## Moments\n\n- The wheel\n  turns.\n- Dust.\n\n## Ways\n\n- [Weir](weir.md): down the steps\n"
            "- [Gone](gone.md): nowhere\n- no link\n",
            "lore__locations__weir.md": "# Long Weir\n",
        },
    )
    house, weir = load_campaign(tmp_path).places.values()
    assert (house.id, house.in_a_sentence, house.arrival) == ("mill", "the mill", "It stands by the weir.")
    assert house.details == ("A second look.",)
    assert house.moments == ("The wheel turns.", "Dust.")
    assert house.ways == (Way("weir", "down the steps"),)
    assert weir.in_a_sentence == "Long Weir"
    assert weir.arrival


def test_the_things_and_senses_of_a_place_are_read_from_its_lists() -> None:
    page = read_page(
        "# Mill\n\nIt turns.\n\n## Things\n\n- Wheel, **mill wheel**: Oak: and wet.\n- no text\n\n"
        "## Senses\n\n- smell: Flour.\n- dance: Hardly.\n"
    )
    place = read_place("mill", page)
    assert place.things == (CloserLook(("wheel", "mill wheel"), "Oak: and wet."),)
    assert place.senses == {"smell": "Flour."}
    assert [(block.line, look is None) for block, look in things_of(page)] == [(7, False), (8, True)]


def test_the_deeds_of_a_place_are_read_with_all_their_wordings() -> None:
    page = read_page(
        "# Mill\n\nIt turns.\n\n## Deeds\n\n- Stop wheel, **do wheel**: It stops: you do not.\n- dance\n"
    )
    place = read_place("mill", page)
    assert place.deeds == (PlaceDeed(("stop wheel", "do wheel"), "It stops: you do not."),)


def test_a_page_is_blocks_with_their_lines() -> None:
    page = read_page("# Mill\n\nIt turns\nby night.\n\n- one\n  more\n* two\n\n```yaml rules\na: 1\n```\n")
    assert [(block.kind, block.text, block.line) for block in page.blocks] == [
        ("heading", "Mill", 1),
        ("paragraph", "It turns by night.", 3),
        ("item", "one more", 6),
        ("item", "two", 8),
        ("code", "a: 1", 10),
    ]
    assert page.blocks[-1].info == "yaml rules"
    assert page.text() == "# Mill\n\nIt turns by night.\n- one more\n- two"


def test_a_section_ends_at_the_next_heading_of_its_level() -> None:
    page = read_page("# A\n\n## ways\n\n- x\n\n### Deeper\n\n- y\n\n## Other\n\n- z\n")
    assert [block.text for block in page.section("Ways")] == ["x", "Deeper", "y"]
    assert page.section("None") == ()


def test_front_matter_and_comments_move_no_line() -> None:
    page = read_page("---\r\nart: a.png\r\n---\r\n<!-- not\r\nyet -->\r\nText.\r\n")
    assert (page.fields, [(block.text, block.line) for block in page.blocks]) == (
        {"art": "a.png"},
        [("Text.", 6)],
    )


def test_front_matter_that_cannot_be_read_is_left_for_whoever_reports_it() -> None:
    page = read_page("---\nname: [a\n---\nText.\n")
    assert page.unreadable is not None
    assert page.fields == {}


def test_a_line_of_an_epilogue_may_have_a_condition_or_a_mere_colon() -> None:
    assert aftermath("`burnt`: The mill is gone.", {"burnt"}) == Aftermath("burnt", "The mill is gone.")
    assert aftermath("saved: The mill stands.", ()) == Aftermath("saved", "The mill stands.")
    assert aftermath("One thing is left: the wheel.", ()) == Aftermath("", "One thing is left: the wheel.")


def test_an_ending_and_a_faction_without_a_title_are_called_by_their_file() -> None:
    ending = read_ending("last-light", read_page("It ends.\n\n## Epilogue\n\n- All slept.\n"), ())
    assert (ending.title, ending.paragraphs) == ("Last light", ("It ends.",))
    assert ending.epilogue == (Aftermath("", "All slept."),)
    faction = read_faction("night-watch", read_page(""))
    assert (faction.name, faction.description) == ("Night watch", "")


def test_a_way_without_a_link_leads_nowhere() -> None:
    page = read_page("# A\n\n## Ways\n\n- [Weir](weir.md): along the bank\n- somewhere\n")
    assert [way and (way.to, way.route) for _, way in ways_of(page)] == [("weir", "along the bank"), None]


def test_constraints_are_the_items_or_the_paragraphs() -> None:
    assert read_constraints(read_page("# A\n\nText.\n\n- One.\n- Two.\n")) == ("One.", "Two.")
    assert read_constraints(read_page("Only this.")) == ("Only this.",)


@given(st.text(alphabet="#-*`~<!> \n\ra1.[]()", max_size=80))
def test_any_text_is_a_page(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert all(1 <= block.line <= lines for block in read_page(text).blocks)


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
