"""Plays the evening by a finger: half of the turns picked and half typed, with looks at the other parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from playwright.sync_api import CDPSession, expect
from tests.browser.pointer import tap
from tests.browser.reader import Reader

from evals.browser_evening.checks import ATTACHED, SIDEWAYS, WATCH, list_faults
from evals.browser_evening.lines import TYPED_LINES

PARTS = ("Journal", "People", "Character", "Map")
SOME_NODES = 200  # that a browser may hold for a while
NODES_PER_TYPED_LINE = (
    25  # 18 were measured, all of them held by no script; a line only filled in leaves none
)
LOOK_EVERY = 6  # turns, after which another part of the story is looked at


@dataclass
class Evening:
    """Holds what was noticed; an empty list is an evening without a complaint."""

    turns: int = 0
    typed: int = 0
    asked_back: list[str] = field(default_factory=list)  # own words that were met with a question
    detached: list[int] = field(default_factory=list)  # nodes that are held and not shown, every few turns
    loaded_anew: int | None = None  # of them, where the same story has only just been opened
    listeners: list[int] = field(default_factory=list)
    shifts: list[str] = field(default_factory=list)
    vanished: list[str] = field(
        default_factory=list
    )  # own words that were out of sight while they were answered
    unseen_frames: int = 0  # in which the page was thinking and the reader did not see it
    sideways: list[int] = field(default_factory=list)  # scenes in which the page was wider than the screen
    misprints: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)  # whole paragraphs of two scenes in a row
    console: list[str] = field(default_factory=list)
    transcript: list[str] = field(default_factory=list)

    @property
    def has_leak(self) -> bool:
        """Return whether the page holds more than one that has only just shown the same scenes."""
        if self.loaded_anew is None or not self.detached:
            return False
        usual = self.loaded_anew + SOME_NODES + NODES_PER_TYPED_LINE * self.typed
        return self.detached[-1] > usual

    def complaints(self) -> Iterator[str]:
        yield from (f"layout shift: {one}" for one in self.shifts)
        yield from (f"own words out of sight: {one}" for one in self.vanished)
        yield from (f"console: {one}" for one in self.console)
        yield from (f"misprint: {one}" for one in self.misprints)
        yield from (f"told twice: {one}" for one in self.repeated)
        yield from (f"scene {number} is wider than the screen" for number in self.sideways)
        if self.unseen_frames:
            yield f"in {self.unseen_frames} frames it was thinking out of sight"
        if self.has_leak:
            yield f"nodes pile up: {self.detached}, and {self.loaded_anew} where it is opened anew"


def play_evening(reader: Reader, turns: int, campaign: str = "harrowmere") -> Evening:
    evening = Evening()
    reader.begin(campaign)
    page, counter = reader.page, reader.context.new_cdp_session(reader.page)
    page.evaluate(WATCH)
    _read(reader, evening, 1)
    for turn in range(1, turns + 1):
        words = TYPED_LINES[(turn // 2 - 1) % len(TYPED_LINES)] if turn % 2 == 0 else ""
        if not (words and _type(reader, evening, words)):
            _pick(reader, turn)
        evening.turns += 1
        _read(reader, evening, turn + 1)
        if turn % LOOK_EVERY == 0:
            _look_at_part(reader, PARTS[turn // LOOK_EVERY % len(PARTS)])
            evening.detached.append(_count_nodes(counter, evening, reader))
    seen = page.evaluate("[window.shifts, window.missing, window.unseen]")
    evening.shifts, evening.vanished, evening.unseen_frames = seen
    page.reload()
    expect(reader.choices.first).to_be_enabled()
    page.wait_for_load_state("networkidle")
    evening.loaded_anew = _count_nodes(counter, evening, reader)
    evening.console = list(reader.trouble)
    return evening


def _pick(reader: Reader, turn: int) -> None:
    """Tap a choice, another one from turn to turn; after an ending, whatever begins anew."""
    number, choices = reader.scenes, reader.choices
    again = choices.filter(has_text="Begin again")
    tap(again.first if again.count() else choices.nth(turn // 2 % choices.count()))
    reader.expect_scene(number + 1)


def _type(reader: Reader, evening: Evening, words: str) -> bool:
    """Type a line, and return whether a scene followed; after an ending there is no line to type in."""
    page, number = reader.page, reader.scenes
    line = page.locator("#own-words")
    if not line.count():
        return False
    tap(line)
    page.keyboard.type(words)
    page.evaluate("words => window.said = words", words)
    page.keyboard.press("Enter")
    question = page.get_by_role("button", name="Dismiss the question")
    scene = page.locator(f"article.scene[aria-labelledby=scene-{number + 1}]")
    expect(scene.or_(question).first).to_be_attached()
    page.evaluate("window.said = ''")
    if question.count():
        evening.asked_back.append(words)
        tap(question)
        line.fill("")
        return False
    reader.expect_scene(number + 1)
    evening.typed += 1
    return True


def _read(reader: Reader, evening: Evening, number: int) -> None:
    page = reader.page
    reader.expect_scene(number)
    scene = page.locator(f"article.scene[aria-labelledby=scene-{number}]")
    action = " ".join((scene.locator("h2").first.text_content() or "").split())
    paragraphs = reader.words(number).split("\n\n")
    evening.transcript.append(f"## {number}. {action}\n\n" + "\n\n".join(paragraphs))
    for paragraph in paragraphs:
        evening.misprints += [f"scene {number}: {one}" for one in list_faults(paragraph)]
    if number > 1:
        before = set(reader.words(number - 1).split("\n\n"))
        evening.repeated += [f"scene {number}: {one[:120]}" for one in paragraphs if one in before]
    if page.evaluate(SIDEWAYS):
        evening.sideways.append(number)


def _look_at_part(reader: Reader, name: str) -> None:
    page = reader.page
    parts = page.get_by_role("navigation", name="Parts of the story")
    page.mouse.wheel(0, -40)  # the bars come back
    tap(parts.get_by_role("link", name=name))
    expect(page.get_by_role("main", name=name, exact=True)).to_be_visible()
    if page.evaluate(SIDEWAYS):
        reader.trouble.append(f"{name} is wider than the screen")
    tap(parts.get_by_role("link", name="Story"))
    expect(reader.choices.first).to_be_enabled()


def _count_nodes(counter: CDPSession, evening: Evening, reader: Reader) -> int:
    """Return how many nodes the browser holds beside those of the tree."""
    counter.send("HeapProfiler.collectGarbage")
    counts = counter.send("Memory.getDOMCounters")
    evening.listeners.append(counts["jsEventListeners"])
    return int(counts["nodes"] - reader.page.evaluate(ATTACHED))
