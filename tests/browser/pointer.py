"""Clicks and taps where a pointer would: an element that is clipped or covered cannot be clicked.

Playwright's own click scrolls an element into view even inside `overflow: hidden`, which no reader can do.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, expect

POINTER_TIMEOUT_S = 30.0  # of a busy machine
POLL_INTERVAL_S = 0.05
SETTLE_S = 0.15  # how long a page takes to follow the wheel

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}

Press = Callable[[Locator], None]

# Returns where the element can be hit; else why not, and how far the wheel would have to turn, and over what.
AIM = """target => {
    const describe = node => node.outerHTML.slice(0, 120);
    const crop = (a, b) => ({
        left: Math.max(a.left, b.left), right: Math.min(a.right, b.right),
        top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom),
    });
    const isEmpty = box => box.right - box.left < 1 || box.bottom - box.top < 1;
    const page = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    let box = crop(target.getBoundingClientRect(), { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 });
    let scroller = page, { position } = getComputedStyle(target);
    for (let node = target.parentElement; node && node !== document.body; node = node.parentElement) {
        const style = getComputedStyle(node);
        if (position === "fixed" || position === "absolute") {  // only what it is placed in clips it
            const isPlaced = position === "absolute" && style.position !== "static";
            if (style.transform === "none" && !isPlaced) continue;
        }
        position = style.position;
        if (style.overflowX === "visible" && style.overflowY === "visible") continue;
        const scrolls = /auto|scroll/.test(style.overflowY) && node.scrollHeight > node.clientHeight;
        if (!scrolls && scroller === page) box = crop(box, node.getBoundingClientRect());
        else if (!scrolls) scroller = crop(scroller, node.getBoundingClientRect());
        else if (scroller === page) scroller = crop(node.getBoundingClientRect(), page);
    }
    if (isEmpty(box)) return { problem: `is clipped: ${describe(target)}` };
    const middle = (scroller.top + scroller.bottom) / 2;
    const over = [(scroller.left + scroller.right) / 2, middle];
    const wheel = { by: Math.round((box.top + box.bottom) / 2 - middle), over };
    const seen = crop(box, scroller);
    if (isEmpty(seen)) return { problem: `is out of view: ${describe(target)}`, wheel };
    const at = [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2];
    const hit = document.elementFromPoint(...at);
    const isHandled = hit && (target.contains(hit)
        || [...(target.labels ?? [])].some(label => label.contains(hit))
        || hit === target.closest("a, button, label, summary"));
    if (isHandled) return { at };
    return { problem: `lies under ${hit ? describe(hit) : "nothing"}: ${describe(target)}`, wheel };
}"""


def click(locator: Locator) -> None:
    """Click the element with the mouse where it can be seen; AssertionError if a pointer cannot reach it."""
    x, y = find_point(locator)
    locator.page.mouse.click(x, y)


def tap(locator: Locator) -> None:
    """Touch the element with a finger where it can be seen; AssertionError if a finger cannot reach it."""
    x, y = find_point(locator)
    locator.page.touchscreen.tap(x, y)


SCREENS: dict[str, tuple[dict[str, Any], Press]] = {"desktop": (DESKTOP, click), "phone": (PHONE, tap)}


def find_point(locator: Locator, timeout_s: float = POINTER_TIMEOUT_S) -> tuple[float, float]:
    """Return the point at which the element is hit, turning the wheel towards it as a person would."""
    expect(locator).to_be_visible()
    expect(locator).to_be_enabled()
    deadline = time.monotonic() + timeout_s
    aim, before = _aim(locator), None
    while aim != before or "at" not in aim:  # an element that still moves is not clicked
        assert time.monotonic() < deadline, f"the element {aim.get('problem', 'does not stand still')}"
        if before == aim and "wheel" in aim:
            locator.page.mouse.move(*aim["wheel"]["over"])
            locator.page.mouse.wheel(0, aim["wheel"]["by"])
            time.sleep(SETTLE_S)
        time.sleep(POLL_INTERVAL_S)
        before, aim = aim, _aim(locator)
    x, y = aim["at"]
    return x, y


def _aim(locator: Locator) -> dict[str, Any]:
    aim: dict[str, Any] = locator.evaluate(AIM)
    return aim
