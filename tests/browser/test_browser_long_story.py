"""A long evening and a story of a thousand scenes weigh no more on the page than a short one."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from tests.browser.pointer import SCREENS
from tests.browser.reader import USUAL, Reader
from tests.web.serving import Server

TURNS = int(os.environ.get("READER_TURNS", "30"))  # 200 for a whole evening; some three seconds each
MOST_NODES_PER_SCENE = 110  # of its words, marks and menu, and Svelte's own
MOST_LEFT = 40  # nodes that are held on to and stand nowhere, beyond those after the first ten scenes
SCENES = 1000
FRAME_MS = 1000 / 60
MOST_SCRIPT_MS, MOST_LAYOUT_MS = 2.0, 1.0  # of a frame while one scrolls

DETACHED = """function () {
    const roots = new Set();
    for (const node of this) {
        try {
            if (!node.isConnected) roots.add(Node.prototype.getRootNode.call(node));
        } catch { /* the prototype itself is no node */ }
    }
    let count = 0;
    const walk = node => { count += 1; for (let n = node.firstChild; n; n = n.nextSibling) walk(n); };
    roots.forEach(walk);
    return count;
}"""
ATTACHED = """() => {
    let count = 0;
    const walk = node => { count += 1; for (let n = node.firstChild; n; n = n.nextSibling) walk(n); };
    walk(document);
    return count;
}"""


def count_nodes(page: Page) -> tuple[int, int]:
    """Return how many nodes stand in the page, and how many are held on to that do not."""
    session = page.context.new_cdp_session(page)
    try:
        prototype = session.send("Runtime.evaluate", {"expression": "Node.prototype"})["result"]["objectId"]
        # collects what nothing holds on to first
        nodes = session.send("Runtime.queryObjects", {"prototypeObjectId": prototype})["objects"]["objectId"]
        counted = session.send(
            "Runtime.callFunctionOn",
            {"objectId": nodes, "returnByValue": True, "functionDeclaration": DETACHED},
        )
        session.send("Runtime.releaseObject", {"objectId": nodes})
        return page.evaluate(ATTACHED), counted["result"]["value"]
    finally:
        session.detach()


def expect_still(page: Page) -> None:
    """All words have appeared."""
    page.wait_for_function("() => [...CSS.highlights.values()].every(layer => layer.size === 0)")


@pytest.mark.slow
@pytest.mark.timeout(max(600, TURNS * 15))
def test_an_evening_leaves_no_nodes_behind(open_reader: Callable[..., Reader], server: Server) -> None:
    server.ask("PUT", "/api/settings", USUAL)
    reader = open_reader(server, reduced_motion="no-preference")
    reader.unlock()
    reader.begin("harrowmere")
    page = reader.page
    counts = {}
    for number in range(1, TURNS + 1):
        line = page.get_by_label("Something else, in your own words")
        line.fill(("I look around", "I wait", "I listen", "I sit down")[number % 4])
        line.press("Enter")
        page.locator(f"#scene-{number + 1}").wait_for()
        reader.expect_scene(number + 1)
        if number in (10, TURNS):
            expect_still(page)
            counts[number] = count_nodes(page)
    (attached, detached), (attached_after, detached_after) = counts[10], counts[TURNS]
    print(counts)  # shown with -s
    assert (attached_after - attached) / (TURNS - 10) <= MOST_NODES_PER_SCENE, counts
    assert detached_after - detached <= MOST_LEFT, counts


@pytest.fixture(params=SCREENS)
def long_story(request: pytest.FixtureRequest, open_reader: Callable[..., Reader], server: Server) -> Page:
    """A story of a thousand scenes on the page: those of a real one, again and again."""
    server.ask("PUT", "/api/settings", USUAL)
    story = server.begin(campaign="harrowmere")
    for choice in (0, 0, 1):
        server.choose(story, choice)

    def lengthen(route: Route) -> None:
        answer = route.fetch()
        body: dict[str, Any] = answer.json()
        scenes = body["scenes"][1:]
        body["scenes"] = [
            {**scenes[index % len(scenes)], "number": number}
            for index, number in enumerate(range(1, SCENES + 1))
        ]
        route.fulfill(response=answer, json=body)

    reader = open_reader(server, reduced_motion="no-preference", **SCREENS[request.param][0])
    reader.unlock()
    reader.page.route(f"**/api/stories/{story}", lengthen)
    reader.go(f"/story/{story}")
    expect(reader.page.locator("article.scene")).to_have_count(SCENES)
    reader.page.wait_for_load_state("networkidle")
    return reader.page


@pytest.mark.slow
def test_a_thousand_scenes_leave_a_frame_to_whoever_scrolls(long_story: Page) -> None:
    page = long_story
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def read_metrics() -> dict[str, float]:
        return {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}

    page.evaluate(
        "() => { window.frames = 0; requestAnimationFrame(function count() {"
        " window.frames += 1; requestAnimationFrame(count); }); }"
    )
    start = page.evaluate("scrollY")
    page.mouse.move(200, 400)
    before = read_metrics()
    for _ in range(100):
        page.mouse.wheel(0, -400)
        page.wait_for_timeout(FRAME_MS)
    after = read_metrics()
    frames = page.evaluate("window.frames")
    session.detach()
    assert page.evaluate("scrollY") <= start - 20_000
    assert frames > 50
    spent = {
        name: (after[name] - before[name]) * 1000 / frames
        for name in ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
    }
    assert spent["ScriptDuration"] <= MOST_SCRIPT_MS, spent
    assert spent["LayoutDuration"] + spent["RecalcStyleDuration"] <= MOST_LAYOUT_MS, spent
