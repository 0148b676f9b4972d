"""A short evening in a browser of a phone's size, and what a whole one would complain about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from evals.browser_evening.__main__ import report
from evals.browser_evening.checks import list_faults
from evals.browser_evening.play import Evening, play_evening
from playwright.sync_api import Browser, expect, sync_playwright
from tests.browser.conftest import CHROMIUM, OFFLINE
from tests.browser.pointer import PHONE
from tests.browser.reader import PATIENCE, Reader
from tests.web.serving import Server

TURNS = 12


@pytest.fixture
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium was found")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.timeout(600)
def test_nothing_is_to_be_complained_about_in_the_first_turns(chromium: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path / "home", env=OFFLINE).start()
    context = chromium.new_context(reduced_motion="no-preference", **PHONE)
    context.set_default_timeout(PATIENCE)
    try:
        reader = Reader(server, context)
        reader.unlock()
        evening = play_evening(reader, TURNS)
    finally:
        server.stop()
    assert list(evening.complaints()) == []
    assert (evening.turns, evening.typed) == (TURNS, TURNS // 2)
    assert report(evening).endswith("No complaint.")


@pytest.mark.parametrize(
    ("paragraph", "fault"),
    [
        ("You go to {place}.", "an unfilled slot"),
        ("You have undefined coins.", "a value that is none"),
        ("She looks at the the lamp.", "a doubled word"),
        ("“Yes,,” she says.", "doubled punctuation"),
        ("You talk to lisk-amory-warden about it.", "an id"),
        ("You wait. nothing comes.", "a sentence in small letters"),
        ("You wait, and", "an unfinished sentence"),
        ("You say: “yes.", "quotation marks"),
    ],
)
def test_what_a_proof_reader_would_mark_is_found(paragraph: str, fault: str) -> None:
    assert [one for one in list_faults(paragraph) if one.startswith(fault)]


@pytest.mark.parametrize(
    "paragraph",
    [
        "“They do not ——,” says the Quiet. “I hold them up. I say, ——?”",
        "“Nah, have one…” A good half-minute passes; a shut-up-for-the-winter house.",
        "He had had enough. “No, no. It is only a boat.”",
    ],
)
def test_what_reads_well_is_left_alone(paragraph: str) -> None:
    assert list(list_faults(paragraph)) == []


def test_nodes_that_pile_up_are_a_complaint() -> None:
    assert Evening(detached=[400, 420, 2000, 2400], loaded_anew=900).has_leak
    assert not Evening(detached=[400, 500, 600, 970], loaded_anew=900).has_leak
    assert not Evening(typed=20, detached=[456, 567, 815], loaded_anew=418).has_leak
    assert Evening(typed=2, detached=[456, 567, 815], loaded_anew=418).has_leak
