"""Sound: a scene is read aloud from any sentence, and music fades from place to place."""

from __future__ import annotations

import time

from playwright.sync_api import expect
from tests.browser.pointer import click
from tests.browser.reader import PATIENCE, Reader

# A headless browser has no voices: this one says nothing and ends no sentence until it is told to.
VOICE = """
    const queue = [];
    window.said = [];
    const voice = {
        getVoices: () => [], addEventListener: () => {},
        cancel: () => { queue.length = 0; },
        speak: words => { queue.push(words); if (queue.length === 1) voice.begin(); },
        begin: () => { window.said.push(queue[0].text.trim()); queue[0].onstart?.(); },
    };
    window.endSentence = () => { queue.shift().onend?.(); if (queue.length) voice.begin(); };
    Object.defineProperty(window, "speechSynthesis", { value: voice });
    window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
"""
TUNES = """
    window.tunes = [];
    const Original = window.Audio;
    window.Audio = class extends Original {
        constructor(...about) { super(...about); window.tunes.push(this); }
    };
"""


def said(reader: Reader) -> list[str]:
    words: list[str] = reader.page.evaluate("said")
    return words


def wait_for(reader: Reader, condition: str) -> None:
    """Wait until an expression holds in the page, whose policy lets nobody evaluate strings inside it."""
    until = time.monotonic() + PATIENCE / 1000
    while not reader.page.evaluate(condition):
        assert time.monotonic() < until, condition
        time.sleep(0.02)


def test_a_scene_is_read_aloud_from_the_sentence_that_is_picked(reader: Reader) -> None:
    reader.context.add_init_script(VOICE)
    reader.begin("harrowmere")
    page = reader.page
    page.keyboard.press("a")
    sentences = page.locator("article.scene .sentence")
    expect(sentences.first).to_have_attribute("aria-current", "true")
    assert said(reader) == [sentences.first.inner_text().strip()]
    page.evaluate("endSentence()")
    expect(sentences.nth(1)).to_have_attribute("aria-current", "true")
    # the middle of a sentence over two lines may lie in another one: its first line is pointed at
    beginning = "one => { const line = one.getClientRects()[0]; return [line.x + 6, line.y + 9]; }"
    page.mouse.click(*sentences.nth(3).evaluate(beginning))
    expect(sentences.nth(3)).to_have_attribute("aria-current", "true")
    page.keyboard.press("ArrowLeft")
    expect(sentences.nth(2)).to_have_attribute("aria-current", "true")
    sentences.nth(4).focus()
    page.keyboard.press("Enter")
    expect(sentences.nth(4)).to_have_attribute("aria-current", "true")
    expected = [sentences.nth(index).inner_text().strip() for index in (0, 1, 3, 2, 4)]
    assert said(reader) == expected
    page.keyboard.press("a")
    expect(sentences).to_have_count(0)


def test_music_fades_out_and_in_between_two_places(reader: Reader) -> None:
    reader.context.add_init_script(TUNES)
    reader.begin("harrowmere")
    page = reader.page
    wait_for(reader, "tunes.length === 1 && tunes[0].volume > 0.2")
    music = page.get_by_role("button", name="Music", exact=True)
    click(music)
    wait_for(reader, "tunes[0].volume < 0.2 && tunes[0].volume > 0")
    wait_for(reader, "tunes[0].volume === 0 && tunes[0].paused")
    click(music)
    wait_for(reader, "tunes.length === 2 && tunes[1].volume > 0 && tunes[1].volume < 0.2")
    wait_for(reader, "tunes[1].volume > 0.2")
