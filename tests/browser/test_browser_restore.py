"""A damaged file of stories is told on the first page, and one click puts the backup in its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect
from tests.browser.pointer import click
from tests.browser.reader import Reader
from tests.web.serving import Server
from tests.web.test_store import FILE, damage


def test_one_click_restores_the_backup_and_the_story_goes_on(
    tmp_path: Path, open_reader: Callable[..., Reader]
) -> None:
    home = tmp_path / "home"
    first = Server(home).start()
    story = first.begin()
    first.stop()
    damage(home / FILE)
    server = Server(home).start()
    try:
        reader = open_reader(server)
        page = reader.page
        reader.unlock()
        expect(page.get_by_role("heading", name="The file with your stories is damaged")).to_be_visible()
        click(page.get_by_role("button", name="Restore the backup"))
        expect(page.get_by_text("Your stories are back")).to_be_visible()
        expect(page.get_by_role("heading", name="The file with your stories is damaged")).to_have_count(0)
        reader.go(f"/story/{story}")
        reader.choose(0)
        assert reader.scenes == 2
    finally:
        server.stop()
