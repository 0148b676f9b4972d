"""The whole campaign in the page: after a warning, and one's own with problems by line as one types."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import OFFLINE
from tests.browser.pointer import click, tap
from tests.browser.reader import Reader
from tests.browser.test_browser_access import SCREENS, complaints
from tests.web.serving import Server

from narratoria import paths


@pytest.fixture
def author(tmp_path: Path) -> Iterator[Server]:
    home = tmp_path / "home"
    shutil.copytree(paths.BUNDLED_CAMPAIGNS / "tomorrows-post", home / "campaigns" / "my-post")
    running = Server(home, env=OFFLINE).start()
    yield running
    running.stop()


@pytest.mark.parametrize("screen", SCREENS)
def test_an_author_mends_a_line_that_the_page_says_is_wrong(
    open_reader: Callable[..., Reader], author: Server, screen: str
) -> None:
    press = tap if screen == "phone" else click
    reader = open_reader(author, **SCREENS[screen])
    reader.unlock()
    reader.go("/campaign/my-post")
    page = reader.page
    press(page.get_by_role("tab", name="Read it all"))
    expect(page.get_by_text("its secrets and its endings")).to_be_visible()
    press(page.get_by_role("button", name="Show me everything"))
    area = page.get_by_role("textbox", name="Text of manifest.json")
    expect(area).not_to_have_value("")
    told = area.input_value()
    area.fill(told.replace("{", "{ oops", 1))
    problem = page.get_by_role("list", name="Problems").get_by_role("button").first
    expect(problem).to_contain_text("line 1")
    assert complaints(page) == []
    press(problem)
    expect(area).to_be_focused()
    area.fill(told.replace("Tomorrow", "Yesterday"))
    expect(page.get_by_text("No problems in this file.")).to_be_visible()
    press(page.get_by_role("button", name="Save"))
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert "Yesterday" in (author.home / "campaigns/my-post/manifest.json").read_text()


@pytest.mark.parametrize("screen", SCREENS)
def test_an_author_plays_from_the_beat_they_write_and_comes_back_to_it(
    open_reader: Callable[..., Reader], author: Server, screen: str
) -> None:
    press = tap if screen == "phone" else click
    reader = open_reader(author, **SCREENS[screen])
    reader.unlock()
    reader.go("/campaign/my-post#text")
    page = reader.page
    files = page.get_by_role("combobox", name="File")
    files.select_option("plot/beats.json")
    area = page.get_by_role("textbox", name="Text of plot/beats.json")
    told = area.input_value()
    area.fill(told.replace("Put the broken pin into", "Lay the broken pin into", 1))
    place_cursor = (
        "(node, word) => node.setSelectionRange(node.value.indexOf(word), node.value.indexOf(word))"
    )
    area.evaluate(place_cursor, "Lay the broken pin into")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("combobox", name="From")).to_have_value("beat/show-pin")
    assert complaints(page) == []
    press(page.get_by_role("button", name="Play from here"))
    reader.expect_scene(1)
    expect(page.get_by_text("This story is thrown away.")).to_be_visible()
    assert complaints(page) == []
    press(reader.choices.filter(has_text="Lay the broken pin into"))  # as it was just written
    reader.expect_scene(2)
    story = page.url.rpartition("/")[2]
    press(page.get_by_role("button", name="Back to the text"))
    expect(area).to_be_visible()  # the same file, and no warning
    assert author.ask("GET", f"/api/stories/{story}").status == 404
    reader.go("/")
    expect(page.get_by_text("The Pin")).to_have_count(0)


def test_a_place_or_a_person_is_played_from_where_they_are(
    open_reader: Callable[..., Reader], author: Server
) -> None:
    reader = open_reader(author)
    reader.unlock()
    reader.go("/campaign/my-post#text")
    files = reader.page.get_by_role("combobox", name="File")
    start = reader.page.get_by_role("combobox", name="From")
    files.select_option("lore/locations/gorge-stair.md")
    expect(start).to_have_value("place/gorge-stair")
    files.select_option("characters/npcs/ismay-corrie/profile.json")
    expect(start).to_have_value("place/bridge")
    click(reader.page.get_by_role("button", name="Play from here"))
    reader.expect_scene(1)
    expect(reader.page.locator("header.bar")).to_contain_text("Callow Bridge")
