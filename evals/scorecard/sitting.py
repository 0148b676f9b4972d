"""Half an hour before a browser: a real Chromium, a real server, and somebody who reads and picks."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import expect, sync_playwright
from tests.browser.reader import PATIENCE, Reader
from tests.web.serving import Server

from evals.scorecard.figures import Figure, Figures, Size
from evals.scorecard.play import CAMPAIGNS
from narratoria.engine.scene import ENDED_CHOICES

MINUTES = {"whole": 30.0, "quick": 0.5}
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
READING = 1.0  # seconds before the next choice
STORY = 60  # scenes at most, then another one
ENDED = {choice.text for choice in ENDED_CHOICES}


def sitting(size: Size) -> Figures:
    found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if found is None:
        raise LookupError("no Chromium was found; Debian, Ubuntu: sudo apt-get install chromium")
    expect.set_options(timeout=PATIENCE)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "home", env={"NARRATORIA_HUB": "http://127.0.0.1:9"}).start()
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            context = browser.new_context()
            context.set_default_timeout(PATIENCE)
            reader = Reader(server, context)
            reader.unlock()
            begun = time.monotonic()
            scenes = _read(reader, begun + 60 * MINUTES[size])
            sat = (time.monotonic() - begun) / 60
            trouble = [*reader.trouble, *([] if server.process.poll() is None else ["the server is gone"])]
        finally:
            browser.close()
            server.stop()
    told = f": {'; '.join(trouble[:3])}" if trouble else ""
    return {
        "minutes": Figure(sat, f"{sat:.0f}"),
        "scenes": Figure(scenes, f"{scenes:,}"),
        "crashes": Figure(len(trouble), f"{len(trouble)} complaints of the page or the server{told}"),
    }


def _read(reader: Reader, until: float) -> int:
    """Scenes that were read; whatever does not come is an error, and ends the sitting."""
    dice, stories, scenes = random.Random(1), 0, 0
    while time.monotonic() < until:
        reader.begin(CAMPAIGNS[stories % len(CAMPAIGNS)], seed=stories)
        stories, scenes = stories + 1, scenes + 1
        for _ in range(STORY):
            offered = [text.strip() for text in reader.choices.locator(".text").all_text_contents()]
            if time.monotonic() >= until or ENDED & set(offered):
                break
            time.sleep(READING)
            reader.choose(dice.randrange(len(offered)))
            scenes += 1
    return scenes
