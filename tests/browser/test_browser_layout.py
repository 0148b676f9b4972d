"""What stands on the page stays where it is and as it was, on a desktop and on a phone."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from tests.browser.pointer import PHONE, Press, tap
from tests.browser.reader import Reader
from tests.web.serving import Server

WATCH_SHIFTS = """() => {
    window.shifts = [];
    new PerformanceObserver(list => {
        for (const entry of list.getEntries()) window.shifts.push([entry.value, ...entry.sources.map(
            source => source.node?.outerHTML?.slice(0, 100) ?? source.node?.textContent?.slice(0, 60))]);
    }).observe({ type: "layout-shift" });
}"""
WATCH_WORDS = """words => {
    window.missing = [];
    const look = () => {
        const line = document.getElementById("own-words");
        const headings = [...document.querySelectorAll("article.scene h2")];
        const isThere = line?.value === words || headings.some(one => one.textContent.includes(words));
        if (!isThere) window.missing.push(document.querySelector(".story").innerText.slice(-200));
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
SMALL_TARGETS = """() => [...document.querySelectorAll(
        "a[href], button, input, select, textarea, summary, [role=tab], [role=menuitem]")].flatMap(node => {
    if (node.matches(":disabled, .skip") || node.closest("[inert], [aria-hidden=true]")) return [];
    const target = node.matches("[type=radio], [type=checkbox]") ? node.labels[0] ?? node : node;
    const box = target?.getBoundingClientRect();
    if (!box || box.width < 2 || !target.checkVisibility({ visibilityProperty: true })) return [];
    if (getComputedStyle(node).display === "inline" && node.matches("p a")) return [];  // within a sentence
    return box.height < 43.5 || box.width < 43.5
        ? [`${Math.round(box.width)} × ${Math.round(box.height)}: ${node.outerHTML.slice(0, 120)}`] : [];
})"""
OVERLAPS = """nodes => nodes.flatMap((node, index) => nodes.slice(index + 1).filter(other => {
    const [a, b] = [node.getBoundingClientRect(), other.getBoundingClientRect()];
    return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
}).map(other => `${node.textContent} / ${other.textContent}`))"""


def test_nothing_that_stands_there_moves_while_scenes_are_told(
    screen: tuple[Reader, Press],
) -> None:
    reader, press = screen
    page = reader.page
    reader.begin("harrowmere")
    page.evaluate(WATCH_SHIFTS)
    press(reader.choices.filter(has_text="Go to").first)
    reader.expect_scene(2)
    press(reader.choices.first)
    reader.expect_scene(3)
    own = page.get_by_label("Something else, in your own words")
    press(own)
    page.keyboard.type("I go back to the landing")  # where it leads is known when the scene is told
    page.keyboard.press("Enter")
    reader.expect_scene(4)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.shifts") == []


def test_one_s_own_words_are_seen_all_the_time_that_they_are_answered(
    screen: tuple[Reader, Press],
) -> None:
    reader, press = screen
    page = reader.page
    reader.begin()
    words = "I look under the counter"
    press(page.get_by_label("Something else, in your own words"))
    page.keyboard.type(words)
    page.evaluate(WATCH_WORDS, words)
    page.keyboard.press("Enter")
    reader.expect_scene(2)
    assert page.evaluate("window.missing") == []


def test_a_place_that_nobody_has_drawn_is_named_and_not_invented(
    screen: tuple[Reader, Press],
) -> None:
    reader, _ = screen
    reader.begin("comet-tea-room")
    scene = reader.expect_scene(1)
    expect(scene.locator("figure").first).to_contain_text("The Tea Room")
    expect(scene.locator("figure").first.locator("img, svg")).to_have_count(0)
    reader.go("/")
    tile = reader.page.get_by_role("article").filter(has_text="The Tea Room on the Comet")
    expect(tile.first.locator(".art svg, .art img")).to_have_count(0)


def test_the_names_of_branches_do_not_lie_over_each_other(
    screen: tuple[Reader, Press],
) -> None:
    reader, _ = screen
    server = reader.server
    story = server.begin(campaign="tomorrows-post")
    for _ in range(2):
        server.choose(story, 0)
    long_title = "Tomorrow's Post, the time that everything was told to Hob at once"
    for turn in (1, 2):
        server.post(f"/api/stories/{story}/branch", {"turn": turn, "title": long_title}, 201)
    reader.go(f"/library/{story}")
    names = reader.page.locator(".tree li span")
    expect(names).to_have_count(6)
    assert names.evaluate_all(OVERLAPS) == []
    assert reader.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_everything_on_a_phone_is_large_enough_for_a_finger(
    open_reader: Callable[..., Reader], server: Server
) -> None:
    story = server.begin(campaign="harrowmere", persona={"name": "Nell", "stats": {"craft": 4}})
    for choice in (0, 0, 1):
        server.choose(story, choice)
    phone = open_reader(server, **PHONE)
    phone.unlock()
    parts = ("", "/journal", "/people", "/character", "/map", "/tools", "/assets", "/state", "/settings")
    pages = ("/", "/settings", "/new/harrowmere", "/campaign/harrowmere", f"/library/{story}")
    small = {}
    for path in (*pages, *(f"/story/{story}{part}" for part in parts)):
        phone.go(path)
        phone.page.wait_for_load_state("networkidle")
        if found := phone.page.evaluate(SMALL_TARGETS):
            small[path] = found
    assert small == {}


def test_the_choices_come_first_after_the_words_for_whoever_uses_the_tab_key(reader: Reader) -> None:
    reader.begin("harrowmere")
    reader.choose(0)
    page = reader.page
    expect(page.get_by_role("button", name="Why does the story say this?").first).to_be_visible()
    page.wait_for_function("document.activeElement.id === 'scene-2'")
    page.keyboard.press("Tab")
    expect(reader.choices.first).to_be_focused()
    page.reload()
    reader.expect_scene(2)
    skip = page.get_by_role("link", name="Skip to the choices")
    skip.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(reader.choices.first).to_be_focused()


def test_settings_open_with_how_one_reads(reader: Reader) -> None:
    reader.go("/settings")
    expect(reader.page.get_by_role("tab", name="Reading")).to_have_attribute("aria-selected", "true")
    expect(reader.page.get_by_label("Text size")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_that_nobody_has_set_is_as_light_as_the_system(
    open_reader: Callable[..., Reader], server: Server, scheme: str
) -> None:
    (server.home / "settings.json").unlink(missing_ok=True)
    reader = open_reader(server, color_scheme=scheme)
    reader.unlock()
    expect(reader.page.locator("html")).to_have_attribute("data-theme", scheme)


def test_a_skill_that_does_not_work_says_so_on_a_phone(
    open_reader: Callable[..., Reader], own_server: Server
) -> None:
    (own_server.home / "skills/broken/scripts").mkdir(parents=True)
    (own_server.home / "skills/broken/scripts/look.py").write_text("print()")
    (own_server.home / "skills/broken/config-schema.json").write_text(
        '{"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}'
    )
    (own_server.home / "skills/broken/skill.json").write_text(
        '{"name": "broken", "displayName": "Broken", "version": "1.0.0", "description": "Lacks a city.",'
        ' "scripts": [{"name": "look", "path": "look.py"}]}'
    )
    phone = open_reader(own_server, **PHONE)
    phone.unlock()
    phone.go("/settings")
    tap(phone.page.get_by_role("tab", name="Skills"))
    card = phone.page.locator("article.skill", has_text="Lacks a city.")
    expect(card.get_by_text("needs settings")).to_be_visible()


WATCH_THINKING = """() => {
    window.thinking = []; window.unseen = [];
    const look = () => {
        const box = document.querySelector(".writing")?.getBoundingClientRect();
        const bars = [...document.querySelectorAll(".rail, .bar")].map(one => one.getBoundingClientRect());
        if (box) window.thinking.push(box.top);
        const isCovered = box && bars.some(one => one.left < box.right && one.right > box.left + 100
            && one.top < box.bottom - 1 && one.bottom > box.top + 1);
        if (box && (isCovered || box.top < 0 || box.bottom > innerHeight)) window.unseen.push(box.top);
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""


def test_one_sees_that_it_thinks_wherever_the_choice_stood_that_was_picked(
    open_reader: Callable[..., Reader], server: Server
) -> None:
    phone = open_reader(server, **{**PHONE, "viewport": {"width": 390, "height": 500}})
    phone.unlock()
    phone.begin("harrowmere")
    phone.page.evaluate(WATCH_THINKING)
    tap(phone.choices.first)  # what follows it is out of view
    phone.expect_scene(2)
    assert phone.page.evaluate("window.thinking") != []
    assert phone.page.evaluate("window.unseen") == []


WATCH_QUICK = """() => {
    window.quick = []; window.beside = [];
    const look = () => {
        const button = document.querySelector(".writing .quick");
        if (button) window.quick.push(button.getBoundingClientRect().width);
        const box = button?.closest(".beside");
        if (box) window.beside.push(box.getBoundingClientRect().width);
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""


def test_the_way_to_a_quick_answer_has_its_place_before_it_is_seen(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    reader.begin("harrowmere")
    page = reader.page
    page.evaluate(WATCH_QUICK)
    for _ in range(2):
        press(reader.choices.first)
        reader.expect_scene(reader.scenes)
    page.wait_for_function("window.quick.length > 0")
    assert page.evaluate("Math.min(...window.quick)") > 60, "else what stands there moves when it comes"
    assert page.evaluate("new Set(window.beside.map(Math.round)).size") <= 1


def test_what_is_scrolled_under_the_bar_is_not_seen_through_it(screen: tuple[Reader, Press]) -> None:
    reader, _ = screen
    page = reader.page
    reader.begin("harrowmere")
    page.wait_for_load_state("networkidle")
    bar = page.locator("header.bar")
    pictures = []
    for scrolled_to in (260, 220, 150):  # upwards: so the bar stays
        page.evaluate("y => scrollTo(0, y)", scrolled_to)
        page.wait_for_timeout(500)
        box = bar.bounding_box()
        assert box is not None
        assert box["y"] == 0
        pictures.append(page.screenshot(clip=box))
    assert len(set(pictures)) == 1


WATCH_STORY_SHIFTS = """() => {
    window.shifts = [];
    new PerformanceObserver(list => {
        if (!location.pathname.startsWith("/story/")) return;
        for (const entry of list.getEntries()) window.shifts.push(...entry.sources.map(
            one => `${one.node?.outerHTML?.slice(0, 80)} ${one.previousRect.top} ${one.currentRect.top}`));
    }).observe({ type: "layout-shift" });
}"""


def test_the_first_scene_is_not_pushed_down_by_its_picture(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    page = reader.page
    reader.go("/new/tomorrows-post")
    page.wait_for_load_state("networkidle")
    page.evaluate(WATCH_STORY_SHIFTS)
    press(page.get_by_role("button", name="Begin the story"))
    scene = reader.expect_scene(1)
    expect(scene.locator("figure.art").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.shifts") == []


def test_the_line_for_own_words_grows_with_what_is_typed(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    page = reader.page
    reader.begin()
    line = page.get_by_label("Something else, in your own words")
    press(line)
    empty = line.bounding_box()
    words = "I take the lantern down from its hook, hold it up to the grating and ask who is there to answer"
    page.keyboard.type(f"{words} before the post comes")
    typed = line.bounding_box()
    assert empty
    assert typed
    assert typed["height"] > empty["height"] + 15
    assert line.evaluate("line => line.scrollHeight <= line.clientHeight + 1"), "all of it is seen"
    bottom = page.locator(".rail").bounding_box()
    assert bottom
    if bottom["y"] > 0:  # a phone's bar at the lower edge
        assert typed["y"] + typed["height"] <= bottom["y"]
    page.keyboard.press("Enter")
    scene = reader.expect_scene(2)
    expect(scene.get_by_role("heading").first).to_contain_text(words)


EDGE_OF_BAR = """async picture => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const { naturalWidth: wide, naturalHeight: high } = image;
    const canvas = new OffscreenCanvas(wide, high).getContext("2d", { willReadFrequently: true });
    canvas.drawImage(image, 0, 0);
    const [above, below] = [0, high - 1].map(y => canvas.getImageData(2, y, 1, 1).data);
    return Math.max(...[0, 1, 2].map(channel => Math.abs(above[channel] - below[channel])));
}"""


@pytest.mark.parametrize("part", ["", "/journal", "/map"])
def test_a_bar_has_no_edge_against_what_lies_under_it(screen: tuple[Reader, Press], part: str) -> None:
    reader, _ = screen
    story = reader.begin("harrowmere")
    reader.choose(0)
    reader.go(f"/story/{story}{part}")
    page = reader.page
    page.wait_for_load_state("networkidle")
    is_wide = page.viewport_size is not None and page.viewport_size["width"] > 1080
    bar = page.locator("header.bar" if is_wide or not part else ".panel-head")
    box = bar.bounding_box()
    assert box
    clip = {"x": box["x"], "y": box["y"] + box["height"] - 2, "width": 12, "height": 4}
    shot = base64.b64encode(page.screenshot(clip=clip)).decode()
    assert page.evaluate(EDGE_OF_BAR, shot) <= 2


LONE_MARKS = """width => [...document.querySelectorAll(".prose p:has(.why)")].filter(paragraph => {
    paragraph.style.width = `${width}px`;
    const words = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
    let last;
    while (words.nextNode()) if (words.currentNode.data.trim()) last = words.currentNode;
    const range = document.createRange();
    range.setStart(last, last.data.trimEnd().length - 1);
    range.setEnd(last, last.data.trimEnd().length);
    const [word, mark] = [range, paragraph.querySelector(".why")].map(one => one.getBoundingClientRect());
    paragraph.style.width = "";
    return mark.top > word.bottom - 4;
}).length"""


def test_no_line_is_begun_for_the_mark_after_the_words_alone(screen: tuple[Reader, Press]) -> None:
    reader, _ = screen
    reader.begin("harrowmere")
    reader.choose(0)
    page = reader.page
    expect(page.get_by_role("button", name="Why does the story say this?").first).to_be_visible()
    lone = {width: page.evaluate(LONE_MARKS, width) for width in range(240, 359, 2)}
    assert {width: marks for width, marks in lone.items() if marks} == {}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_message_does_not_lie_over_the_words_that_are_typed(screen: tuple[Reader, Press]) -> None:
    reader, press = screen
    page = reader.page
    reader.begin()
    reader.choose(0)
    page.mouse.wheel(0, -200)
    press(page.get_by_role("button", name="More", exact=True))
    press(page.get_by_role("menuitem", name="Undo"))
    toast = page.locator(".toast")
    expect(toast).to_contain_text("Undone.")
    press(page.get_by_label("Something else, in your own words"))
    page.keyboard.type("I look")
    expect(toast).to_be_visible()
    boxes = page.locator(".toast, .own").evaluate_all(OVERLAPS)
    assert boxes == []


def test_a_name_that_is_stressed_stays_so_when_it_becomes_a_link(reader: Reader) -> None:
    story = reader.begin("harrowmere")
    reader.choose(0)
    edited = reader.server.ask(
        "PUT", f"/api/stories/{story}/scenes/2/paragraphs/0", {"text": "*Pike* says nothing to that."}
    )
    assert edited.status == 200, edited
    assert edited.json["paragraphs"][0].startswith("*Pike*")
    reader.go(f"/story/{story}")
    name = reader.page.locator(".term", has_text="Pike").last
    expect(name).to_have_css("font-style", "italic")
