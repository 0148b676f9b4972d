"""An ink story is brought in and played on the page: its lines as they are written, its choices, its end."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect
from tests.browser.pointer import click
from tests.browser.reader import Reader
from tests.web.serving import Server

from narratoria.campaign.importers import import_into

STORY = """# title: The Drowned Bell
VAR coins = 2
-> quay

=== quay ===
The bell rang <i>twice</i> before it drowned.
{|Nobody has rung it since.}
Pike counts {coins} coins on the quay.
He looks up.
"Well?" he asks.
* [Pay him] You pay. <>
  ~ coins--
  -> paid
* "Where is it[?"]?" you ask.
  He points at the water.
  -> quay
+ {not paid} [Walk away] -> home

=== paid ===
He has {coins + 1} now, and smiles.
* * [Dive] -> dive
+ [Go home] -> home

= dive
It is cold. It is green. It is quiet.
The bell lies on its side, and a fish lives in it.
-> home

=== home ===
You go home{paid.dive: wet through}.
-> END
"""
MARKUP = re.compile(r"[{}<>\[\]~*]|->")


def offers(reader: Reader) -> list[str]:
    """Return the choices, without the numbers they can be picked by."""
    return [text.partition("\n")[2] or text for text in reader.choices.all_inner_texts()]


def test_an_ink_story_is_played_to_its_end_on_the_page(reader: Reader, server: Server, tmp_path: Path):
    (tmp_path / "bell.ink").write_text(STORY)
    import_into(tmp_path / "bell.ink", server.home / "campaigns/drowned-bell")
    reader.begin("drowned-bell")
    page = reader.page

    assert reader.words(1).split("\n\n") == [
        "The bell rang twice before it drowned.",
        "Pike counts 2 coins on the quay.",
        "He looks up.",
        '"Well?" he asks.',
    ]
    assert offers(reader) == ["Pay him", '"Where is it?"', "Walk away"]

    reader.choose(1)
    assert reader.words(2).startswith('"Where is it?" you ask.\n\nHe points at the water.\n\nThe bell rang')
    assert "Nobody has rung it since." in reader.words(2)
    assert offers(reader) == ["Pay him", "Walk away"], "what was asked is asked once"

    reader.choose(0)
    assert reader.words(3) == "You pay. He has 2 now, and smiles."
    reader.choose(0)
    assert reader.words(4).endswith("You go home wet through.")
    expect(reader.choices.filter(has_text="Begin again")).to_be_visible()

    told = "".join(reader.words(number) for number in range(1, 5))
    assert MARKUP.findall(told) == []
    page.reload()
    reader.expect_scene(4)
    assert "".join(reader.words(number) for number in range(1, 5)) == told
    click(reader.choices.filter(has_text="Begin again"))
    reader.expect_scene(5)
    assert reader.words(5).startswith("The bell rang twice before it drowned.\n\nPike counts 2 coins")
