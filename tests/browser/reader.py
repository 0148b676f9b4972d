"""Somebody who reads in a browser: what they do, and what their page asked for and complained about."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, Request, expect
from tests.browser.pointer import click
from tests.web.serving import Server

PATIENCE = 90_000  # ms; nothing here is about speed
EXPECTED = (  # what a browser itself writes down when an answer is a refusal, or the server is gone
    "Failed to load resource",
    "WebSocket connection to",
    "protocol violation",
)

BEHIND = "Behind the scenes"
BEHIND_THE_SCENES = ("Plan and tools", "Pictures and sounds", "State")

USUAL = {
    "freeText": True,
    "textSize": 1,
    "spacing": 1,
    "theme": "dark",
    "font": "serif",
    "lineWidth": "normal",
    "music": {"volume": 0.5, "on": True},
    "motion": "system",
    "contentLimits": {"violence": "full", "fear": "full", "romance": "full", "children": False},
}


class Reader:
    """One browser context, and its first page."""

    def __init__(self, server: Server, context: BrowserContext) -> None:
        self.server, self.context = server, context
        self.trouble: list[str] = []
        self.asked: list[str] = []  # addresses of all requests
        context.on("request", self._on_request)
        context.on("console", self._on_console)
        context.on("weberror", lambda error: self.trouble.append(f"error: {error.error}"))
        self.page: Page = context.new_page()

    def _on_request(self, request: Request) -> None:
        self.asked.append(request.url)
        own = (f"http://127.0.0.1:{self.server.port}/", f"blob:http://127.0.0.1:{self.server.port}/", "data:")
        if not request.url.startswith(own):
            self.trouble.append(f"a request beyond the server: {request.url}")

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(known in message.text for known in EXPECTED):
            self.trouble.append(f"{message.type}: {message.text}")

    def close(self) -> None:
        self.context.close()

    # going somewhere

    def unlock(self) -> None:
        """With the address that the server printed."""
        self.page.goto(f"{self.server.origin}/?token={self.server.token}")
        expect(self.page.get_by_role("heading", name="Narratoria", level=1)).to_be_visible()

    def go(self, path: str) -> None:
        self.page.goto(self.server.origin + path)

    def another_tab(self, path: str) -> Page:
        page = self.context.new_page()
        page.goto(self.server.origin + path)
        return page

    # reading

    def begin(self, campaign: str = "tomorrows-post", **fields: Any) -> str:
        """Opens a story that stands at its first scene."""
        body = {"campaign": campaign, "seed": 7, **fields}
        story = str(self.server.post("/api/stories", body, 201)["id"])
        self.server.wait(story, 1)
        self.go(f"/story/{story}")
        self.expect_scene(1)
        return story

    @property
    def choices(self) -> Locator:
        return choices(self.page)

    def choose(self, index: int = 0) -> None:
        """Clicks a choice, and reads the scene that follows."""
        number = self.scenes
        click(self.choices.nth(index))
        self.expect_scene(number + 1)

    @property
    def scenes(self) -> int:
        return self.page.locator("article.scene").count()

    def expect_scene(self, number: int) -> Locator:
        return expect_scene(self.page, number)

    def words(self, number: int) -> str:
        return words(self.page, number)

    def open_panel(self, name: str) -> Locator:
        """Opens a part of the story, or of what is behind the scenes."""
        part = BEHIND if name in BEHIND_THE_SCENES else name
        click(self.page.get_by_role("navigation", name="Parts of the story").get_by_role("link", name=part))
        panel = self.page.get_by_role("main", name=part, exact=True)
        expect(panel).to_be_visible()
        if part == BEHIND:
            click(panel.get_by_role("link", name=name, exact=True))
        return panel


def choices(page: Page) -> Locator:
    return page.get_by_role("region", name="What do you do?").locator("button.choice")


def expect_scene(page: Page, number: int) -> Locator:
    """The scene, told to its end: it can be gone on from."""
    scene = page.locator(f"article.scene[aria-labelledby=scene-{number}]")
    expect(scene).to_be_attached()
    expect(page.get_by_role("region", name="What do you do?")).to_have_attribute("aria-busy", "false")
    expect(choices(page).first).to_be_enabled()
    return scene


def words(page: Page, number: int) -> str:
    """What is to be read of a scene, without its marks."""
    told = page.locator(f"article.scene[aria-labelledby=scene-{number}] .prose p").all_text_contents()
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in told)
