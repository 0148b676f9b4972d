"""Plays a story in a real browser and takes the pictures of docs/images: `make screenshots`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs/images"
DESKTOP, PHONE = (1280, 800), (390, 844)
PATIENCE = 120_000  # ms, for a scene on a slow machine
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)


@contextmanager
def served() -> Iterator[str]:
    """The address that opens a server with a home of its own."""
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "narratoria.cli", "play", "--no-browser", "--port", "0"]
        environment = {**os.environ, "NARRATORIA_HOME": home}
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        try:
            assert server.stdout
            for line in server.stdout:
                if found := re.search(r"http://\S+", line):
                    yield found[0]
                    break
        finally:
            server.terminate()
            server.wait(30)


def play(page: Page, base: str, scenes: int) -> str:
    """Begins a story and goes on with it; the story's id."""
    page.goto(f"{base}/new/harrowmere")
    page.get_by_text("Ready-made").click()
    page.get_by_text("Isak Ven").first.click()
    page.get_by_role("button", name="Begin the story").click()
    page.wait_for_url("**/story/**")
    page.wait_for_selector(".choice:enabled", timeout=PATIENCE)
    for scene in range(2, scenes + 1):
        risky = page.locator(".choice:enabled:has(.chip)")
        (risky if risky.count() else page.locator(".choice:enabled")).first.click()
        page.wait_for_selector(f"#scene-{scene}", state="attached", timeout=PATIENCE)
        page.wait_for_selector(".choice:enabled", timeout=PATIENCE)
    return page.url.rpartition("/")[2]


def set_theme(page: Page, theme: str) -> None:
    change = """theme => fetch("/api/settings", {
        method: "PUT", headers: {"content-type": "application/json"}, body: JSON.stringify({theme})
    })"""
    page.evaluate(change, theme)


def on_tab(name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("tab", name=name).click()


def to_the_choices(page: Page) -> None:
    page.locator(".choices").last.scroll_into_view_if_needed()


def to_the_top(page: Page) -> None:
    page.evaluate("scrollTo(0, 0)")


def open_first_person(page: Page) -> None:
    page.locator(".person button").first.click()


def open_storyteller(page: Page) -> None:
    page.get_by_role("tab", name="Skills").click()
    page.get_by_role("button", name="Storyteller").first.click()
    page.locator(".skill", has_text="Storyteller").last.evaluate("card => card.scrollIntoView()")


def pages(story: str) -> list[tuple[str, str, Callable[[Page], None] | None]]:
    at = f"/story/{story}"
    return [
        ("home", "/", None),
        ("create", "/new/harrowmere", None),
        ("campaign", "/campaign/harrowmere", None),
        ("library", f"/library/{story}", None),
        ("story", at, to_the_top),
        ("scene", at, None),
        ("choices", at, to_the_choices),
        ("journal", f"{at}/journal", None),
        ("people", f"{at}/people", open_first_person),
        ("character", f"{at}/character", None),
        ("map", f"{at}/map", None),
        ("tools", f"{at}/tools", None),
        ("assets", f"{at}/assets", None),
        ("state", f"{at}/state", None),
        ("memory", f"{at}/journal", on_tab("Memory")),
        ("settings", f"{at}/settings", open_storyteller),
        ("models", "/settings", on_tab("Models")),
        ("reading", "/settings", on_tab("Reading")),
        ("privacy", "/settings", on_tab("Privacy")),
    ]


def take(browser: Browser, opening: str) -> None:
    base = opening.partition("/?")[0]
    story = ""
    for device, (width, height) in (("desktop", DESKTOP), ("phone", PHONE)):
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
        page = context.new_page()
        page.goto(opening)
        story = story or play(page, base, scenes=6)
        for theme in ("dark", "light"):
            set_theme(page, theme)
            for name, path, act in pages(story):
                page.goto(base + path)
                page.wait_for_load_state("networkidle")
                page.wait_for_timeout(700)
                if act:
                    act(page)
                    page.wait_for_timeout(700)
                raw = page.screenshot()
                save(raw, IMAGES / f"{name}-{device}-{theme}.webp")
        context.close()


def save(png: bytes, path: Path) -> None:
    """Small enough to keep in the repository."""
    from io import BytesIO

    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.open(BytesIO(png)).convert("RGB").save(path, "WEBP", quality=68, method=6)


def main() -> None:
    if not CHROMIUM:
        sys.exit("No Chromium was found. Debian, Ubuntu: sudo apt-get install chromium")
    with served() as opening, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        take(browser, opening)
        browser.close()
    print(f"{len(list(IMAGES.glob('*.webp')))} pictures in {IMAGES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
