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
