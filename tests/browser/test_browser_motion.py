"""The page as most people have it, with motion: words and dice come once, and nothing jumps."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.browser.pointer import PHONE, SCREENS, Press, tap
from tests.browser.reader import USUAL, Reader
from tests.web.serving import Server

TURNS = int(os.environ.get("READER_TURNS", "20"))  # 60 for an evening
FADE_TIMEOUT = 30_000  # ms, for the last word of a scene to appear on a busy machine
MARGIN = 190  # px below the top of the window within which a scene that begins is seen to begin

WATCH = """() => {
    window.shifts = []; window.moved = []; window.again = []; window.thrown = [];
    new PerformanceObserver(list => {
        for (const entry of list.getEntries()) for (const one of entry.sources) {
            const [a, b] = [one.previousRect, one.currentRect];
            if (Math.abs(a.top - b.top) < 1 && Math.abs(a.left - b.left) < 1) continue;
            const words = one.node?.parentElement?.textContent ?? one.node?.textContent;
            window.shifts.push([one.node?.nodeName, words?.slice(0, 90), a.left, a.top, b.left, b.top]);
        }
    }).observe({ type: "layout-shift" });
    const numberOf = node => node.closest?.("article.scene")?.getAttribute("aria-labelledby") ?? "";
    for (const layer of CSS.highlights.values()) {  // where words appear
        const add = layer.add;
        layer.add = range => {
            if (!range.collapsed) window.again.push(numberOf(range.startContainer.parentElement));
            return add.call(layer, range);
        };
    }
    const seen = {};
    const look = () => {
        for (const scene of document.querySelectorAll("article.scene")) {
            if (!scene.checkVisibility({ contentVisibilityAuto: true })) continue;
            const name = scene.getAttribute("aria-labelledby");
            const top = Math.round(scene.getBoundingClientRect().top + scrollY);
            if (name in seen && Math.abs(seen[name] - top) > 1) window.moved.push([name, seen[name], top]);
            seen[name] = top;
        }
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    document.addEventListener("animationstart", event => {
        if (event.animationName.endsWith("tumble")) window.thrown.push(numberOf(event.target));
    }, true);
}"""


@pytest.fixture(params=SCREENS)
def moving(
    request: pytest.FixtureRequest, open_reader: Callable[..., Reader], server: Server
) -> tuple[Reader, Press]:
    """Somebody who has not asked for less motion, at a desktop or with a phone."""
    server.ask("PUT", "/api/settings", USUAL)
    about, press = SCREENS[request.param]
    reader = open_reader(server, reduced_motion="no-preference", **about)
    reader.unlock()
    return reader, press


def expect_settled(page: Page) -> None:
    """All words of the newest scene have appeared."""
    page.wait_for_function(
        "() => [...CSS.highlights].every(([name, layer]) => !name.startsWith('unseen') || layer.size === 0)",
        timeout=FADE_TIMEOUT,
    )


def taken(page: Page, name: str) -> list[Any]:
    found: list[Any] = page.evaluate(f"window.{name}.splice(0)")
    return found


def play_on(reader: Reader, press: Press, number: int) -> None:
    """Says something in every other scene, and picks what is risky or comes first in the others."""
    page = reader.page
    if number % 2:
        press(page.get_by_label("Something else, in your own words"))
        page.keyboard.type(("I look around", "I wait", "I listen")[number // 2 % 3])
        page.keyboard.press("Enter")
    else:
        risky = reader.choices.filter(has=page.locator(".chip"))
        press(risky.first if risky.count() else reader.choices.nth(number // 2 % reader.choices.count()))
    reader.expect_scene(number + 1)


@pytest.mark.slow
@pytest.mark.timeout(max(600, TURNS * 20))
def test_scenes_are_told_without_a_jump_a_shift_or_dice_thrown_twice(
    moving: tuple[Reader, Press],
) -> None:
    reader, press = moving
    page = reader.page
    reader.begin("harrowmere")
    page.evaluate(WATCH)
    thrown: list[str] = []
    for number in range(1, TURNS + 1):
        play_on(reader, press, number)
        expect_settled(page)
        assert set(taken(page, "again")) == {f"scene-{number + 1}"}
        assert (number, taken(page, "moved")) == (number, [])
        assert (number, taken(page, "shifts")) == (number, [])
        page.wait_for_function(
            "([n, most]) => { const top = document.getElementById(`scene-${n}`).getBoundingClientRect().top;"
            " return top >= -1 && top < most; }",
            arg=[number + 1, MARGIN],
        )
        thrown += taken(page, "thrown")
        if page.locator(".ending").count():
            break
    assert thrown, "no dice were thrown"
    dice = page.locator("article.scene:has(.dice)")
    shown = dice.evaluate_all(
        "all => all.flatMap(one => [...one.querySelectorAll('.dice svg')]"
        ".map(() => one.getAttribute('aria-labelledby')))"
    )
    assert sorted(thrown) == sorted(shown)


def test_whoever_comes_back_from_a_panel_sees_nothing_appear_again(
    open_reader: Callable[..., Reader], server: Server
) -> None:
    server.ask("PUT", "/api/settings", USUAL)
    phone = open_reader(server, reduced_motion="no-preference", **PHONE)
    phone.unlock()
    phone.begin("harrowmere")
    page = phone.page
    tap(phone.choices.first)
    phone.expect_scene(2)
    expect_settled(page)
    page.evaluate(
        "() => { window.begun = []; document.querySelector('.story').addEventListener('animationstart',"
        " event => window.begun.push(event.target.outerHTML.slice(0, 80)), true); }"
    )
    before = page.evaluate("scrollY")
    page.evaluate("scrollBy(0, -40)")  # the bars come back for whoever looks back
    parts = page.get_by_role("navigation", name="Parts of the story")
    tap(parts.get_by_role("link", name="Journal"))
    expect(page.locator("article.scene").first).to_be_hidden()
    tap(page.get_by_role("link", name="Close Journal"))
    expect(page.locator("article.scene").last).to_be_visible()
    page.wait_for_function("before => Math.abs(scrollY - before) < 60", arg=before)
    assert page.evaluate("window.begun") == []


def test_a_scene_that_is_told_anew_takes_the_place_of_what_it_replaces(
    moving: tuple[Reader, Press],
) -> None:
    reader, press = moving
    page = reader.page
    reader.begin("harrowmere")
    press(reader.choices.first)
    reader.expect_scene(2)
    expect_settled(page)
    before = reader.words(2)
    page.evaluate(
        "() => { window.most = 0; new MutationObserver(() => { window.most = Math.max(window.most,"
        " document.querySelectorAll('article.scene').length); })"
        ".observe(document.body, { childList: true, subtree: true }); }"
    )
    press(page.get_by_role("button", name="More about scene 2"))
    press(page.get_by_role("menuitem", name="Retell"))
    expect(page.get_by_text("2 of 2")).to_be_visible()
    reader.expect_scene(2)
    expect_settled(page)
    assert page.evaluate("window.most") == 2
    press(page.get_by_role("button", name="Earlier telling"))
    expect(page.get_by_text("1 of 2")).to_be_visible()
    reader.expect_scene(2)
    assert reader.words(2) == before


def test_a_picture_that_comes_after_the_words_lies_over_none_of_them(moving: tuple[Reader, Press]) -> None:
    reader, press = moving
    page = reader.page
    reader.begin()
    press(page.get_by_label("Something else, in your own words"))
    page.keyboard.type("I go to the Last Fire")  # where it leads is known when the scene is told
    page.keyboard.press("Enter")
    scene = reader.expect_scene(2)
    picture = scene.locator(".prose ~ figure.art")
    expect(picture).to_be_visible()
    top = picture.bounding_box()
    words = scene.locator(".prose").bounding_box()
    assert top
    assert words
    assert top["y"] >= words["y"] + words["height"]
