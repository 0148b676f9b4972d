"""Compresses the story so far to a fixed size: recent scenes whole, older ones in chapters.

Names, promises, debts, triumphs and failures are taken out of a scene before it is folded, and are never
folded themselves: after a thousand scenes they still say what they said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

KeepsakeKind: TypeAlias = Literal["promise", "debt", "triumph", "failure", "name"]

RECENT = 8  # scenes that stay as they are
CHAPTER = 12  # scenes that make a chapter
CHAPTERS = 16  # before the two oldest become one
LONGEST_CHAPTER = 420  # characters
MAX_KEEPSAKES: dict[KeepsakeKind, int] = {
    "promise": 120,
    "debt": 120,
    "triumph": 60,
    "failure": 60,
    "name": 150,
}

PROMISE = re.compile(
    r"\b(?:promis\w*|swor\w+|swear\w*|vow\w*|pledg\w*|oath|"
    r"(?:give|gave|given)(?: \w+){0,3} (?:your|my|his|her|their) word|(?:have|has) (?:your|my) word)\b",
    re.IGNORECASE,
)
DEBT = re.compile(
    r"\b(?:ow(?:e|es|ed|ing)|debts?|indebted|borrow\w*|lent|lend\w*|loan\w*|repay\w*|pay (?:\w+ )?back|"
    r"in (?:your|his|her|their|my) debt)\b",
    re.IGNORECASE,
)


class Summary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Holds a scene in one line, and what there is to keep of it."""

    scene: int
    text: str
    weight: float = 0.0  # its significance, 0 … 1
    people: tuple[str, ...] = ()  # names
    recap: str = ""  # the same without what is so since, where that is more than was done

    @property
    def told_to_player(self) -> str:
        """Return the line as the player is reminded of it: consequences are not read out."""
        return self.recap or self.text


class Keepsake(msgspec.Struct, frozen=True, omit_defaults=True):
    kind: KeepsakeKind
    text: str
    scene: int


class Chapter(msgspec.Struct, frozen=True, omit_defaults=True):
    first: int
    last: int
    text: str


class History(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    recent: tuple[Summary, ...] = ()
    chapters: tuple[Chapter, ...] = ()
    keepsakes: tuple[Keepsake, ...] = msgspec.field(default=(), name="kept")


def add(history: History, summary: Summary, *, outcome: KeepsakeKind | None = None) -> History:
    """Return the history with one more scene, with old scenes compressed into chapters."""
    keepsakes = _add_keepsakes(history.keepsakes, _keepsakes(summary, outcome))
    recent = (*history.recent, summary)
    chapters = history.chapters
    if len(recent) >= RECENT + CHAPTER:
        chapters = _merge_chapters((*chapters, _chapter(recent[:CHAPTER])))
        recent = recent[CHAPTER:]
    return History(recent=recent, chapters=chapters, keepsakes=keepsakes)


def revise(history: History, scene: int, text: str, before: str) -> History:
    """Return the history with another line for a scene than the one before, wherever that one went."""
    if before == text:
        return history
    recent = tuple(
        msgspec.structs.replace(one, text=text, recap="") if one.scene == scene else one
        for one in history.recent
    )
    keepsakes_left = tuple(
        msgspec.structs.replace(one, text=text)
        if one.scene == scene and one.kind in ("triumph", "failure")
        else one
        for one in history.keepsakes
        if one.scene != scene or one.kind not in ("promise", "debt")
    )
    keepsakes_left = _add_keepsakes(keepsakes_left, _keepsakes(Summary(scene=scene, text=text), None))
    history = msgspec.structs.replace(history, recent=recent, keepsakes=keepsakes_left)
    return _without_sentences(history, scene, _sentences(before), _sentences(text))


def strike_out(history: History, scene: int, text: str) -> History:
    """Return the history without what a memory of a scene says."""
    gone = _sentences(text)
    recent = tuple(one for one in history.recent if one.scene != scene or one.text != text)
    keepsakes_left = tuple(
        one
        for one in history.keepsakes
        if one.scene != scene or one.kind == "name" or not (one.text == text or one.text in gone)
    )
    history = msgspec.structs.replace(history, recent=recent, keepsakes=keepsakes_left)
    return _without_sentences(history, scene, gone, [])


def put_back(history: History, scene: int, text: str) -> History:
    """Return the history with the line of a scene that was struck out, if it is not folded yet."""
    folded = history.chapters[-1].last if history.chapters else 0
    if scene <= folded or any(one.scene == scene for one in history.recent):
        return history
    line = Summary(scene=scene, text=text)
    recent = tuple(sorted((*history.recent, line), key=lambda one: one.scene))
    keepsakes_left = _add_keepsakes(history.keepsakes, _keepsakes(line, None))
    return msgspec.structs.replace(history, recent=recent, keepsakes=keepsakes_left)


def _without_sentences(history: History, scene: int, gone: list[str], still: list[str]) -> History:
    chapters = history.chapters
    for sentence in gone:
        if sentence not in still:
            chapters = tuple(
                msgspec.structs.replace(one, text=" ".join(one.text.replace(sentence, "").split()))
                if one.first <= scene <= one.last
                else one
                for one in chapters
            )
    return msgspec.structs.replace(history, chapters=chapters)


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in re.split(r"(?<=[.!?;])\s+", text) if sentence]


def chapter_lines(history: History) -> list[str]:
    """Return the chapters as lines, the oldest first."""
    return [_span(chapter.first, chapter.last) + chapter.text for chapter in history.chapters]


def keepsakes(history: History, *kinds: KeepsakeKind) -> list[Keepsake]:
    return [keepsake for keepsake in history.keepsakes if not kinds or keepsake.kind in kinds]


def _keepsakes(summary: Summary, outcome: KeepsakeKind | None) -> Iterable[Keepsake]:
    for sentence in re.split(r"(?<=[.!?;])\s+", summary.text):
        if PROMISE.search(sentence):
            yield Keepsake("promise", sentence, summary.scene)
        elif DEBT.search(sentence):
            yield Keepsake("debt", sentence, summary.scene)
    if outcome in ("triumph", "failure"):
        yield Keepsake(outcome, summary.text, summary.scene)
    for name in summary.people:
        yield Keepsake("name", name, summary.scene)


def _add_keepsakes(earlier: tuple[Keepsake, ...], new: Iterable[Keepsake]) -> tuple[Keepsake, ...]:
    """Add keepsakes, none twice; the first of each stays, as a name is known from where it first came up."""
    keys = {(keepsake.kind, keepsake.text) for keepsake in earlier}
    result = list(earlier)
    for keepsake in new:
        same = [old for old in result if old.kind == keepsake.kind]
        if (keepsake.kind, keepsake.text) in keys:
            continue
        keys.add((keepsake.kind, keepsake.text))
        if len(same) >= MAX_KEEPSAKES[keepsake.kind]:
            # the oldest stay, they cannot be looked up elsewhere; the middle gives way
            result.remove(same[len(same) // 2])
        result.append(keepsake)
    return tuple(result)


def _chapter(scenes: tuple[Summary, ...]) -> Chapter:
    """Return a chapter of the scenes that mattered most, in their order, as far as there is room."""
    by_weight = sorted(scenes, key=lambda summary: -summary.weight)
    selection: list[Summary] = []
    room = LONGEST_CHAPTER
    for summary in by_weight:
        if len(summary.text) + 1 <= room:
            selection.append(summary)
            room -= len(summary.text) + 1
    selection.sort(key=lambda summary: summary.scene)
    text = " ".join(dict.fromkeys(summary.text for summary in selection))
    return Chapter(scenes[0].scene, scenes[-1].scene, text or scenes[0].text[: LONGEST_CHAPTER - 1] + "…")


def _merge_chapters(chapters: tuple[Chapter, ...]) -> tuple[Chapter, ...]:
    if len(chapters) <= CHAPTERS:
        return chapters
    # the pair that covers the fewest scenes, so that no part of the story is squeezed again and again
    at = min(range(len(chapters) - 1), key=lambda i: chapters[i + 1].last - chapters[i].first)
    one, two = chapters[at], chapters[at + 1]
    half = LONGEST_CHAPTER // 2
    merger = Chapter(one.first, two.last, f"{_cut(one.text, half)} {_cut(two.text, half)}")
    return (*chapters[:at], merger, *chapters[at + 2 :])


def _cut(text: str, room: int) -> str:
    """Return as many whole sentences as fit, or at least the beginning of the first."""
    if len(text) <= room:
        return text
    sentences, short = re.split(r"(?<=[.!?])\s+", text), ""
    for sentence in sentences:
        if len(short) + len(sentence) + 1 > room:
            break
        short = f"{short} {sentence}".strip()
    return short or text[: room - 1] + "…"


def _span(first: int, last: int) -> str:
    return f"Scenes {first}–{last}: "
