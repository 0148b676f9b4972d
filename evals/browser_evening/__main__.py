"""`python -m evals.browser_evening [--turns N] [--transcript FILE]`: an evening on a phone, half typed."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import expect, sync_playwright
from tests.browser.conftest import CHROMIUM, OFFLINE
from tests.browser.pointer import PHONE
from tests.browser.reader import PATIENCE, Reader
from tests.web.serving import Server

from evals.browser_evening.play import Evening, play_evening

TURNS = 60


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.browser_evening", description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--campaign", default="harrowmere")
    parser.add_argument("--transcript", type=Path, help="where to write what was read")
    given = parser.parse_args(arguments)
    if CHROMIUM is None:
        sys.exit("No Chromium was found. Debian, Ubuntu: sudo apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        evening = _play(Path(folder) / "home", given.turns, given.campaign)
    if given.transcript:
        given.transcript.write_text("\n\n".join(evening.transcript) + "\n", "utf-8")
    print(report(evening))
    sys.exit(any(True for _ in evening.complaints()))


def _play(home: Path, turns: int, campaign: str) -> Evening:
    server = Server(home, env=OFFLINE).start()
    expect.set_options(timeout=PATIENCE)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            context = browser.new_context(reduced_motion="no-preference", **PHONE)
            context.set_default_timeout(PATIENCE)
            reader = Reader(server, context)
            reader.unlock()
            evening = play_evening(reader, turns, campaign)
            browser.close()
            return evening
    finally:
        server.stop()


def report(evening: Evening) -> str:
    lines = [
        f"## {evening.turns} turns on a phone, {evening.typed} of them typed",
        "",
        f"Asked back: {len(evening.asked_back)}. Nodes that are held and not shown, every few turns: "
        f"{evening.detached}, and {evening.loaded_anew} where it is opened anew; "
        f"listeners: {evening.listeners}.",
        "",
        *(f"- {one}" for one in evening.complaints()),
    ]
    return "\n".join(lines if lines[-1] else [*lines, "No complaint."])


if __name__ == "__main__":
    main()
