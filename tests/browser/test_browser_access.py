"""For everybody: contrast, names and structure by axe-core, a page to be listened to that fits a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect
from tests.browser.pointer import click, tap
from tests.browser.reader import USUAL, Reader
from tests.web.serving import Server

ONLY_WRONG = {"resultTypes": ["violations"]}  # what is right is not described in full
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], **ONLY_WRONG}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}, **ONLY_WRONG}

SCREENS = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}

VIOLATIONS = "async rules => (await axe.run(document, rules)).violations"
ASKS = {  # what a tab has to ask for before it shows anything
    "Problems": "/validation",
    "Credits": "/provenance",
    "Memory": "/memories",
    "Models": "/models",
    "Privacy": "/privacy",
}
# Nothing is waited for: a browser on a busy machine may draw no frame for minutes.
SET_THEME = "theme => { document.documentElement.dataset.theme = theme; }"
STOP_ANIMATIONS = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*, *::before, *::after { transition: none !important; animation: none !important; }");
    document.adoptedStyleSheets = [sheet];
}"""


@pytest.fixture(scope="module")
def story(server: Server) -> str:
    """A story with a past, for all to look at."""
    story = server.begin(campaign="harrowmere", persona={"name": "Nell", "stats": {"craft": 4}})
    for choice in (0, 0, 1, 2):
        server.choose(story, choice)
    return story


def panels(story: str) -> Iterator[tuple[str, str]]:
    """Every page and panel: its address, and the tab to open there."""
    yield "/", ""
    yield "/new/harrowmere", ""
    yield from (("/campaign/harrowmere", tab) for tab in ("About", "Problems", "Credits", "Read it all"))
    yield f"/library/{story}", ""
    yield f"/story/{story}", ""
    yield from (
        (f"/story/{story}/journal", tab) for tab in ("What happened", "Still open", "What you know", "Memory")
    )
    yield from ((f"/story/{story}/{part}", "") for part in ("people", "character", "map"))
    yield from ((f"/story/{story}/tools", tab) for tab in ("This turn", "Past turns", "Console"))
    yield f"/story/{story}/assets", ""
    yield from ((f"/story/{story}/state", tab) for tab in ("World", "JSON"))
    yield from (("/settings", tab) for tab in ("Reading", "Models", "Skills", "Privacy"))


def opened(reader: Reader, path: str, tab: str) -> Page:
    """With everything on it; the tab is the only thing that is switched where the page is open already."""
    page = reader.page
    if page.url != reader.server.origin + path:
        reader.go(path)
    page.wait_for_load_state("networkidle")
    if tab in ASKS:
        with page.expect_response(lambda answer: urlsplit(answer.url).path.endswith(ASKS[tab])) as answer:
            click(page.get_by_role("tab", name=tab))
        answer.value.finished()
    elif tab:
        click(page.get_by_role("tab", name=tab))
    page.evaluate(SET_THEME, "dark")
    return page


def in_theme(page: Page, theme: str) -> list[Any]:
    """What axe finds of the colours of a theme, once the page has set no other while they were looked at."""
    while True:
        page.evaluate(SET_THEME, theme)
        found: list[Any] = page.evaluate(VIOLATIONS, COLOURS)
        if page.evaluate("document.documentElement.dataset.theme") == theme:
            return found


def complaints(page: Page) -> list[str]:
    """What axe finds, the colours of both themes included."""
    if page.evaluate("window.axe === undefined"):
        page.evaluate(f"(() => {{ {AXE_SCRIPT} }})()")
        page.evaluate(STOP_ANIMATIONS)
    found = page.evaluate(VIOLATIONS, RULES) + in_theme(page, "light")
    page.evaluate(SET_THEME, "dark")
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:160]} {node['failureSummary'][:300]}"
        for one in found
        for node in one["nodes"][:3]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing_on_any_page_dark_or_light(
    open_reader: Callable[..., Reader], server: Server, story: str, screen: str
) -> None:
    server.ask("PUT", "/api/settings", USUAL)
    reader = open_reader(server, **SCREENS[screen])
    reader.unlock()
    found = {f"{path} {tab}": complaints(opened(reader, path, tab)) for path, tab in panels(story)}
    page = opened(reader, "/settings", "Skills")
    click(page.locator("article.skill").get_by_role("button", name="Storyteller").first)
    found["a skill's form"] = complaints(page)
    page = opened(reader, f"/story/{story}", "")
    click(page.get_by_role("button", name="Why is").first)
    found["why?"] = complaints(page)
    page.keyboard.press("Escape")
    click(page.get_by_role("button", name="Text and sound"))
    found["text and sound"] = complaints(page)
    assert {where: wrong for where, wrong in found.items() if wrong} == {}


def test_a_phone_shows_every_page_without_scrolling_sideways(
    open_reader: Callable[..., Reader], server: Server, story: str
) -> None:
    phone = open_reader(server, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.unlock()
    wide = """() => [...document.querySelectorAll("main *, aside *")].filter(node => {
        const box = node.getBoundingClientRect();
        if (!box.width || box.right <= innerWidth + 1) return false;
        for (let at = node; at; at = at.parentElement)
            if (getComputedStyle(at).overflowX !== "visible" && at !== document.body) return false;
        return true;
    }).map(node => node.outerHTML.slice(0, 120))"""
    found = {}
    for path, tab in panels(story):
        page = opened(phone, path, tab)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        if beyond := page.evaluate(wide):
            found[f"{path} {tab}"] = beyond
    assert found == {}


def test_a_story_is_played_on_a_phone(open_reader: Callable[..., Reader], server: Server) -> None:
    phone = open_reader(server, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.unlock()
    phone.begin()
    tap(phone.choices.nth(1))
    phone.expect_scene(2)
    phone.page.mouse.wheel(0, -200)  # the bars step aside while one reads on
    parts = phone.page.get_by_role("navigation", name="Parts of the story")
    for name in ("Journal", "People", "Character", "Map"):
        tap(parts.get_by_role("link", name=name))
        expect(phone.page.get_by_role("main", name=name)).to_be_visible()
        expect(phone.page.get_by_role("heading", name=name, level=1)).to_be_visible()
        expect(phone.page.locator("article.scene").first).to_be_hidden()
    tap(phone.page.get_by_role("link", name="Close Map"))
    expect(phone.page.locator("article.scene").last).to_be_visible()
    for button in phone.choices.all():
        box = button.bounding_box()
        assert box
        assert box["height"] >= 44


def test_a_screen_reader_is_told_the_story_in_order(reader: Reader) -> None:
    reader.begin()
    reader.choose(0)
    snapshot = reader.page.get_by_role("main").aria_snapshot()
    order = ['heading "Scene 1"', 'heading "You chose:', 'region "What do you do?"', "Why is “"]
    places = [snapshot.index(part) for part in order]
    assert places == sorted(places)
    live = reader.page.locator("[aria-live=polite].unseen")
    expect(live).to_contain_text(reader.words(2).partition("\n")[0])
    expect(live).to_contain_text("choices.")


@pytest.mark.slow
@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing_in_what_opens_over_a_page(
    open_reader: Callable[..., Reader], server: Server, story: str, screen: str
) -> None:
    server.ask("PUT", "/api/settings", USUAL)
    press = tap if screen == "phone" else click
    reader = open_reader(server, **SCREENS[screen])
    reader.unlock()
    page, found = reader.page, {}
    for name in ("More", "More about scene 5"):
        opened(reader, f"/story/{story}", "")
        press(page.get_by_role("button", name=name, exact=True))
        expect(page.get_by_role("menu")).to_be_visible()
        found[name] = complaints(page)
    for key in ("?", "n", "l", "e"):  # keys, notes, cards, the editor
        reader.go(f"/story/{story}")
        reader.expect_scene(5)
        page.keyboard.press(key)
        expect(
            page.get_by_role("dialog").or_(page.get_by_role("button", name="Cancel")).first
        ).to_be_visible()
        found[key] = complaints(page)
    opened(reader, f"/story/{story}/people", "")
    press(page.locator(".person button").first)
    found["a person"] = complaints(page)
    opened(reader, "/", "")
    press(page.get_by_role("button", name="Play on your phone"))
    expect(page.get_by_role("dialog")).to_be_visible()
    found["a phone"] = complaints(page)
    assert {where: wrong for where, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("theme", ["light", "sepia", "black", "contrast"])
def test_every_theme_has_enough_contrast(
    open_reader: Callable[..., Reader], server: Server, story: str, theme: str
) -> None:
    server.ask("PUT", "/api/settings", {**USUAL, "theme": theme})
    reader = open_reader(server)
    reader.unlock()
    found = {}
    for part in ("", "/journal", "/people", "/map", "/settings"):
        reader.go(f"/story/{story}{part}")
        reader.page.wait_for_load_state("networkidle")
        reader.page.evaluate(f"(() => {{ {AXE_SCRIPT} }})()")
        reader.page.evaluate(STOP_ANIMATIONS)
        found[part] = [
            node["html"] for one in reader.page.evaluate(VIOLATIONS, COLOURS) for node in one["nodes"]
        ]
    server.ask("PUT", "/api/settings", USUAL)
    assert {where: wrong for where, wrong in found.items() if wrong} == {}
