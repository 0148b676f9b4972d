"""The first minute: what this is, where it runs, who tells the stories, and one click to the first scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import OFFLINE
from tests.browser.pointer import click, tap
from tests.browser.reader import Reader
from tests.browser.test_browser_access import SCREENS, complaints
from tests.web.serving import Server


@pytest.fixture
def new_home(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "home", env=OFFLINE).start()
    yield running
    running.stop()


@pytest.mark.parametrize("screen", SCREENS)
def test_a_newcomer_reads_what_this_is_and_begins_with_one_click(
    open_reader: Callable[..., Reader], new_home: Server, screen: str
) -> None:
    press = tap if screen == "phone" else click
    reader = open_reader(new_home, **SCREENS[screen])
    reader.unlock()
    welcome = reader.page.get_by_role("region", name="New here?")
    expect(welcome).to_contain_text("runs on your machine")
    expect(welcome).to_contain_text("told in the campaign's own words")  # who tells, and who could
    expect(welcome).to_contain_text("A larger model would write each scene as you play")
    press(reader.page.get_by_role("button", name="Play on your phone"))
    dialog = reader.page.get_by_role("dialog", name="Play on your phone")
    expect(dialog).to_contain_text("narratoria play --host 0.0.0.0")
    assert complaints(reader.page) == []
    press(dialog.get_by_role("button", name="Close"))
    press(welcome.get_by_role("button", name="Start"))
    reader.expect_scene(1)
    reader.go("/")
    expect(reader.page.get_by_role("link", name="Continue")).to_be_visible()
    expect(welcome).to_have_count(0)
