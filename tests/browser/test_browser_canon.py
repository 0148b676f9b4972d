"""What the model added is marked in the panel, can be shown alone, and is struck out with one button."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import OFFLINE
from tests.browser.pointer import click
from tests.browser.reader import Reader
from tests.web import telling_server
from tests.web.serving import Server


@pytest.fixture
def telling(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "home", program=(telling_server.__file__,), env=OFFLINE).start()
    yield running
    running.stop()


def test_a_reader_strikes_out_what_the_model_added(
    open_reader: Callable[..., Reader], telling: Server
) -> None:
    reader = open_reader(telling)
    reader.unlock()
    reader.begin()
    reader.choose(0)
    panel = reader.open_panel("Journal")
    click(panel.get_by_role("tab", name="Memory"))
    panel.get_by_label("Show").select_option("only what a model has added")
    expect(panel.get_by_text("added by heron-3b")).to_be_visible()
    expect(panel.get_by_text(telling_server.ADDED)).to_be_visible()
    click(panel.get_by_role("button", name="Strike out"))
    expect(panel.get_by_text("No model has added anything.")).to_be_visible()
    expect(panel.get_by_text(telling_server.ADDED)).to_have_count(0)
