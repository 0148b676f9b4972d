"""The page in a real browser, against a real server with a home of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium"),
]
PATIENCE = 120_000  # ms


class Served:
    """A server that can be killed and started again on the same home and port."""

    def __init__(self, home: Path) -> None:
        self.home, self.port = home, 0
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "narratoria.cli", "play", "--no-browser", "--port", str(self.port)]
        environment = {**os.environ, "NARRATORIA_HOME": str(self.home)}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout
        line = next(line for line in self.process.stdout if "http://" in line)
        found = re.search(r"(http://[^/]+:(\d+))/\S*", line)
        assert found
        self.opening, self.base, self.port = found[0], found[1], int(found[2])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout
        self.process.stdout.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    server = Served(tmp_path)
    yield server
    server.kill()


@pytest.fixture
def page(served: Served) -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(
            viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
        ).new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(served.opening)
        yield page
        browser.close()


def _begin(page: Any, served: Served, campaign: str = "comet-tea-room") -> str:
    page.goto(f"{served.base}/new/{campaign}")
    page.locator("#name").fill("Edda")
    page.get_by_role("button", name="Begin the story").click()
    page.wait_for_selector(".choice:enabled")
    return str(page.url).rpartition("/")[2]


def _until_scene(page: Any, number: int) -> None:
    page.wait_for_selector(f"#scene-{number}", state="attached")
    page.wait_for_selector(".choice:enabled")


def _told_and_shown(page: Any, story: str) -> tuple[list[str], list[str]]:
    told = page.evaluate(
        "async id => (await (await fetch(`/api/stories/${id}`)).json()).scenes.at(-1).paragraphs", story
    )
    shown = page.locator("article.scene").last.locator(".prose p").all_inner_texts()
    return [_plain(text) for text in told], [_plain(text) for text in shown]


def _plain(text: str) -> str:
    return " ".join(text.replace("*", "").split())


def test_a_story_is_begun_and_played_with_the_keyboard_alone_and_asks_nobody_else(
    page: Any, served: Served
) -> None:
    asked: set[str] = set()
    wrong: list[str] = []
    page.on("request", lambda request: asked.add(request.url.split("/")[2]))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{served.base}/new/comet-tea-room")
    page.locator("#name").focus()
    page.keyboard.type("Edda")
    page.keyboard.press("Enter")
    _until_scene(page, 1)
    for number in range(2, 6):
        page.keyboard.press("1" if number % 2 else "2")
        _until_scene(page, number)
        assert page.evaluate("document.activeElement.id") == f"scene-{number}"
    told, shown = _told_and_shown(page, str(page.url).rpartition("/")[2])
    assert told == shown
    assert asked == {served.base.removeprefix("http://")}
    assert wrong == []


def test_a_server_killed_in_mid_scene_and_started_again_costs_no_word(page: Any, served: Served) -> None:
    story = _begin(page, served)
    page.keyboard.press("1")
    page.wait_for_selector(".choices[aria-busy=true], .writing")
    served.kill()
    page.wait_for_selector(".lost")
    served.start()
    _until_scene(page, 2)
    page.wait_for_selector(".lost", state="detached")
    told, shown = _told_and_shown(page, story)
    assert told == shown
    assert page.locator("article.scene").count() == 2


def test_two_tabs_on_one_story_show_the_same_scene(page: Any, served: Served) -> None:
    story = _begin(page, served)
    other = page.context.new_page()
    other.goto(f"{served.base}/story/{story}")
    other.wait_for_selector(".choice:enabled")
    page.keyboard.press("1")
    _until_scene(page, 2)
    other.wait_for_selector("#scene-2", state="attached")
    assert _told_and_shown(page, story) == _told_and_shown(other, story)


def test_a_wrong_setting_is_refused_beside_its_field_and_a_right_one_is_kept_over_a_restart(
    page: Any, served: Served
) -> None:
    page.goto(f"{served.base}/settings")
    page.get_by_role("button", name="Storyteller").first.click()
    form = page.get_by_role("form", name="Settings of Storyteller")
    temperature = form.locator("#storyteller-temperature")
    temperature.fill("99")
    form.get_by_role("button", name="Save").click()
    page.wait_for_selector("#storyteller-temperature[aria-invalid=true]")
    assert "99" in page.locator("#storyteller-temperature-wrong").inner_text()
    temperature.fill("0.3")
    form.get_by_role("button", name="Save").click()
    form.get_by_text("Saved.").wait_for()
    served.kill()
    served.start()
    page.reload()
    page.get_by_role("button", name="Storyteller").first.click()
    assert page.locator("#storyteller-temperature").input_value() == "0.3"
    assert page.locator("#storyteller-apiKey").get_attribute("type") == "password"


def test_a_phone_shows_the_prose_without_scrolling_sideways(page: Any, served: Served) -> None:
    story = _begin(page, served)
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("", "/tools", "/assets", "/state", "/settings"):
        page.goto(f"{served.base}/story/{story}{path}")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
