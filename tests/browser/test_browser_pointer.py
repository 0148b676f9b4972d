"""A click of these tests counts only where a pointer can go, and every menu of a story can be used by one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.browser.pointer import SCREENS, click, find_point
from tests.browser.reader import USUAL, Reader
from tests.web.serving import Server

PAGE = """<!doctype html><body style="margin:0; height:3000px">
<div style="height:20px; overflow:hidden; position:relative">
  <button id=clipped style="position:absolute; top:40px">Clipped</button></div>
<div style="position:relative; height:60px"><button id=covered>Covered</button>
  <div style="position:absolute; inset:0">A cover</div></div>
<button id=named><b style="pointer-events:none">Named</b></button>
<div style="height:100px; overflow:auto"><div style="height:500px"></div>
  <button id=inside>Inside</button></div>
<button id=below style="position:absolute; top:2500px">Below</button>
<script>addEventListener("click", event => (document.title += " " + event.target.id))</script>"""


@pytest.fixture
def page(chromium: Browser) -> Page:
    page = chromium.new_page(viewport={"width": 800, "height": 600})
    page.set_content(PAGE)
    return page


@pytest.mark.parametrize(("name", "why"), [("clipped", "is clipped"), ("covered", "lies under")])
def test_an_element_that_no_pointer_reaches_is_not_clicked(page: Page, name: str, why: str) -> None:
    with pytest.raises(AssertionError, match=why):
        find_point(page.locator(f"#{name}"), timeout_s=1)
    assert page.locator(f"#{name}").evaluate("node => node.parentElement.scrollTop") == 0


def test_an_element_is_brought_into_view_by_the_wheel_and_clicked(page: Page) -> None:
    for name in ("named", "inside", "below"):
        click(page.locator(f"#{name}"))
    assert page.title().split() == ["named", "inside", "below"]


def test_every_click_of_these_tests_is_one_that_a_pointer_can_make() -> None:
    folder = Path(__file__).parent
    around = re.compile(r"(?<!mouse)\.(?:click|dblclick|check|uncheck)\(|(?<!touchscreen)\.tap\(")
    assert [path.name for path in folder.glob("*.py") if around.search(path.read_text())] == []


@pytest.fixture(params=SCREENS)
def story(
    request: pytest.FixtureRequest, open_reader: Callable[..., Reader], server: Server
) -> tuple[Reader, Callable[[Locator], None]]:
    """A story at its second scene, on a desktop or a phone, and how one presses things there."""
    server.ask("PUT", "/api/settings", USUAL)
    screen, press = SCREENS[request.param]
    reader = open_reader(server, **screen)
    reader.unlock()
    reader.begin()
    press(reader.choices.first)
    reader.expect_scene(2)
    reader.page.mouse.wheel(0, -200)  # on a phone the bars step aside while one reads on
    return reader, press


def test_words_that_are_not_made_out_are_asked_about_and_a_reading_is_pressed(
    story: tuple[Reader, Callable[[Locator], None]],
) -> None:
    reader, press = story
    page = reader.page
    line = page.get_by_label("Something else, in your own words")
    readings = page.get_by_role("group", name="What did you mean?")

    def say_nonsense() -> None:
        press(line)
        line.fill("")
        page.keyboard.type("flurb the gronk xyzzy")
        press(page.get_by_role("button", name="Do it"))
        expect(readings).to_be_visible()
        expect(line).to_have_value("flurb the gronk xyzzy")
        expect(page.locator(".own").get_by_role("status")).to_contain_text("say it in other words")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    say_nonsense()
    assert reader.scenes == 2, "asking costs no turn"
    press(page.get_by_role("button", name="Dismiss the question"))
    expect(readings).to_have_count(0)
    expect(line).to_be_focused()
    say_nonsense()
    assert 2 <= readings.locator(".button").count() <= 3
    reading = readings.locator(".button").first
    picked = reading.inner_text()
    press(reading)
    scene = reader.expect_scene(3)
    expect(scene.get_by_role("heading")).to_contain_text(picked)
    expect(readings).to_have_count(0)
    expect(line).to_have_value("")


def test_every_item_of_the_story_s_menu_can_be_pressed(
    story: tuple[Reader, Callable[[Locator], None]],
) -> None:
    reader, press = story
    page = reader.page
    more = page.get_by_role("button", name="More", exact=True)
    press(more)
    assert page.get_by_role("menuitem").count() == 7
    press(page.get_by_role("menuitem", name="Retell"))
    reader.expect_scene(2)
    press(more)
    press(page.get_by_role("menuitem", name="Undo"))
    expect(page.locator("article.scene")).to_have_count(1)
    reader.expect_scene(1)
    press(more)
    press(page.get_by_role("menuitem", name="Branches and export"))
    page.wait_for_url("**/library/*")


def test_everything_under_text_and_sound_can_be_pressed(
    story: tuple[Reader, Callable[[Locator], None]],
) -> None:
    reader, press = story
    page = reader.page
    press(page.get_by_role("button", name="Text and sound"))
    sheet = page.get_by_role("group", name="Text and sound")
    expect(sheet).to_be_visible()
    controls = sheet.locator("button, input, select, label")
    expect(controls.nth(5)).to_be_attached()  # they are loaded when the sheet is opened
    for control in controls.all():
        if control.is_visible():
            find_point(control)
    with page.expect_response("**/api/settings"):
        press(page.get_by_text("Paper", exact=True))
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_the_buttons_of_the_header_can_be_pressed(story: tuple[Reader, Callable[[Locator], None]]) -> None:
    reader, press = story
    music = reader.page.get_by_role("button", name="Music", exact=True)
    was = music.get_attribute("aria-pressed")
    with reader.page.expect_response("**/api/settings"):
        press(music)
    expect(music).not_to_have_attribute("aria-pressed", str(was))
    press(music)
    expect(music).to_have_attribute("aria-pressed", str(was))
