"""Profiles in the page: made by the owner, asked for by every browser, and nothing of them without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect
from tests.browser.pointer import click
from tests.browser.reader import Reader
from tests.web.serving import CAMPAIGN, Server

PIN = "731942"


@pytest.fixture
def household(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "home", env={"NARRATORIA_HUB": "http://127.0.0.1:9"}).start()
    yield running
    running.stop()


def make_profiles(reader: Reader) -> None:
    page = reader.page
    reader.go("/settings")
    click(page.get_by_role("tab", name="Privacy"))
    click(page.get_by_role("button", name="Make profiles"))
    page.get_by_label("Name").fill("Olga")
    page.get_by_label("PIN, at least six characters").fill(PIN)
    click(page.get_by_role("button", name="Make", exact=True))
    click(page.get_by_role("button", name="Add", exact=True))
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("PIN, if you want one").fill("4711")
    click(page.get_by_role("button", name="Make", exact=True))
    expect(page.get_by_text("Ada", exact=False).first).to_be_visible()


def test_a_household_makes_profiles_and_everybody_says_who_they_are(
    household: Server, open_reader: Callable[..., Reader]
) -> None:
    owner = open_reader(household)
    owner.unlock()
    expect(owner.page.get_by_role("heading", name="Begin a new story")).to_be_visible()
    expect(owner.page.get_by_title("Switch player")).to_have_count(0)
    make_profiles(owner)
    owner.go("/")
    expect(owner.page.get_by_role("button", name="Olga")).to_be_visible()
    household.post("/api/stories", {"campaign": CAMPAIGN, "seed": 7, "title": "Olga's evening"}, 201)

    guest = open_reader(household)
    page = guest.page
    page.goto(f"{household.origin}/?token={household.token}")
    expect(page.get_by_role("heading", name="Who plays?")).to_be_visible()
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate("async () => (await axe.run(document)).violations.map(one => one.id)") == []
    click(page.get_by_role("button", name="Ada"))
    page.get_by_label("PIN of Ada").fill("0000")
    click(page.get_by_role("button", name="Enter"))
    expect(page.get_by_text("That is not the PIN.")).to_be_visible()
    page.get_by_label("PIN of Ada").fill("4711")
    click(page.get_by_role("button", name="Enter"))
    expect(page.get_by_role("heading", name="Begin a new story")).to_be_visible()
    expect(page.get_by_text("Olga's evening")).to_have_count(0)
    expect(page.get_by_role("button", name="Play on your phone")).to_have_count(0)
    guest.go("/settings")
    expect(page.get_by_role("tab", name="Reading")).to_be_visible()
    expect(page.get_by_role("tab", name="Models")).to_have_count(0)
