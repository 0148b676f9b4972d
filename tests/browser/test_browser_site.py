"""The site of all pages: for everybody, in both themes, on a desk and a phone, with and without scripts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, expect
from tests.browser.pointer import click

REPOSITORY = Path(__file__).parents[2]
PAGES = ("index.html", "reference/commands.html")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, REPOSITORY / "docs" / "website", folder], check=True)
    return folder


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_on_a_page(chromium: Browser, site: Path, page: str, scheme: str) -> None:
    context = chromium.new_context(color_scheme=scheme)
    opened = context.new_page()
    opened.goto((site / page).as_uri())
    opened.evaluate(AXE_SCRIPT)
    found = opened.evaluate("rules => axe.run(document, rules)", RULES)["violations"]
    context.close()
    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []


def test_a_phone_shows_pages_without_scrolling_sideways_and_a_menu_of_them_all(
    chromium: Browser, site: Path
) -> None:
    context = chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    for name in (*PAGES, "screens.html", "reference/http-api.html", "benchmarks.html"):
        page.goto((site / name).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name
    click(page.get_by_role("button", name="Pages"))
    click(page.get_by_role("navigation", name="Pages").get_by_text("Tutorials"))
    click(page.get_by_role("link", name="Write a campaign"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Write a campaign")
    context.close()


def test_a_word_finds_the_section_it_stands_in(chromium: Browser, site: Path) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto((site / "how-to" / "export-a-story.html").as_uri())
    page.get_by_role("searchbox").fill("replan_exhausted")
    page.keyboard.press("Enter")
    expect(page).to_have_url((site / "reference" / "events.html").as_uri() + "#replan_exhausted")
    context.close()


def test_everything_can_be_read_without_scripts(chromium: Browser, site: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    expect(page.get_by_role("searchbox")).to_be_hidden()
    click(page.get_by_role("navigation", name="Pages").get_by_text("Explanation"))
    click(page.get_by_role("link", name="Never blank").first)
    expect(page.get_by_role("heading", level=1)).to_have_text("Never blank")
    context.close()
