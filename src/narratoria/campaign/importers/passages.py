"""Turns stories of passages and links into premise, beats, endings and lore."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from narratoria.campaign.importers.card import page
from narratoria.campaign.importers.draft import (
    ImportDraft,
    MappedPart,
    escape_markup,
    import_error,
    single_line,
    unique_file_name,
)
from narratoria.campaign.load import BEATS, ENDINGS, PREMISE
from narratoria.campaign.lore import sentences
from narratoria.campaign.provenance import IMPORTED_KEY

MOST_PASSAGES = 2_000
LEFT_LINKS = "a link to a passage that is not there"


@dataclass(frozen=True, slots=True)
class Link:
    """Leads to a passage; `text` is what the player chooses, and without one the story goes on by itself."""

    text: str
    to: str


@dataclass(frozen=True, slots=True)
class ImportedPassage:
    name: str
    text: str
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()


def write_story(
    passages: Sequence[ImportedPassage], start: str, draft: ImportDraft, source: str, used_names: set[str]
) -> None:
    """Write reachable passages as beats, final ones as endings, and unreachable ones as lore."""
    if not passages:
        raise import_error(source, "holds no passage")
    if len(passages) > MOST_PASSAGES:
        draft.skip(f"{len(passages) - MOST_PASSAGES} passages", f"at most {MOST_PASSAGES} are brought in")
    by_name = {passage.name: passage for passage in passages[:MOST_PASSAGES]}
    first = by_name.get(start) or passages[0]
    story = _Story(by_name, first, draft, source, used_names)
    if first.text:
        draft.add_file(f"passage “{first.name}”", PREMISE, page(escape_markup(first.text), source))
    beats = story.beats()
    if beats:
        draft.files[BEATS] = {"beats": beats, IMPORTED_KEY: source}
    for name, passage in by_name.items():
        if name not in story.reached and passage.text:
            stem = unique_file_name(name, used_names, "passage")
            text = f"# {single_line(name, 80)}\n\n{escape_markup(passage.text)}"
            draft.add_file(
                f"passage “{name}” (nothing leads to it)", f"lore/imported/{stem}.md", page(text, source)
            )


class _Story:
    def __init__(
        self,
        by_name: Mapping[str, ImportedPassage],
        first: ImportedPassage,
        draft: ImportDraft,
        source: str,
        used_names: set[str],
    ) -> None:
        self._passages, self._first, self._draft, self._source = by_name, first, draft, source
        self.reached = self._reach(first.name)
        self._order = list(self.reached)
        self._ids = {
            name: unique_file_name(name, used_names, "passage") for name in self._order if name != first.name
        }
        self._leading: dict[str, list[tuple[str, Link]]] = {name: [] for name in self._order}
        for name in self._order:
            for link in by_name[name].links:
                if link.to in self._leading:
                    self._leading[link.to].append((name, link))
                else:
                    draft.skip(f"link “{single_line(link.text or link.to, 60)}”", LEFT_LINKS)
        self._beyond = {name: self._reach(name) for name in self._order} if len(self._order) <= 300 else {}

    def beats(self) -> list[dict[str, Any]]:
        if self._leading[self._first.name]:
            self._draft.skip("links back to the beginning", "the first scene is told once")
        return [self._beat(name) for name in self._order if name != self._first.name]

    def _reach(self, start: str) -> dict[str, None]:
        reached = {start: None}
        waiting = deque([start])
        while waiting:
            for link in self._passages[waiting.popleft()].links:
                if link.to in self._passages and link.to not in reached:
                    reached[link.to] = None
                    waiting.append(link.to)
        return reached

    def _beat(self, name: str) -> dict[str, Any]:
        passage, beat_id = self._passages[name], self._ids[name]
        offers = list(dict.fromkeys(link.text for _, link in self._leading[name] if link.text))
        text = passage.text or (f"You choose: {offers[0]}." if offers else "And so it goes on.")
        beat: dict[str, Any] = {
            "id": beat_id,
            "title": single_line(name, 100) or beat_id,
            "description": text,
            "conditions": self._conditions(name, offers),
            "priority": "high",
            "effects": {"state": {"flags": {beat_id: True}}},
        }
        self._draft.mapped.append(MappedPart(f"passage “{name}”", f"{BEATS} beat {beat_id}"))
        if not any(link.to in self._passages for link in passage.links):
            whole = sentences(text.replace("\n\n", " "))
            beat |= {"description": whole[0] if whole else text, "ending": beat_id, "priority": "medium"}
            ending = f"# {single_line(name, 80)}\n\n{escape_markup(text)}"
            self._draft.add_file(
                f"passage “{name}” (an end)", f"{ENDINGS}/{beat_id}.md", page(ending, self._source)
            )
        if len(self._leading[name]) > 1:
            self._draft.skip("coming to a passage a second time", "a beat is told once")
        return beat

    def _conditions(self, name: str, offers: Sequence[str]) -> dict[str, Any]:
        before = list(dict.fromkeys(source for source, _ in self._leading[name]))
        conditions: dict[str, Any] = {}
        if offers:
            conditions["player_choice"] = offers[0]
            if len(offers) > 1:
                conditions["player_choices"] = list(offers)
        if self._first.name not in before:
            ids = [self._ids[one] for one in before]
            conditions |= {"requires_beat": ids[0]} if len(ids) == 1 else {"requires_any_beat": ids}
        if rivals := self._rivals(name, before):
            conditions["custom"] = " && ".join(f"!({json.dumps(rival)} in flags)" for rival in rivals)
        return conditions

    def _rivals(self, name: str, before: Sequence[str]) -> list[str]:
        """Return the alternatives from which nothing leads back to this passage."""
        if len(before) != 1 or not self._beyond:
            return []
        (source,) = before
        return [
            self._ids[link.to]
            for link in self._passages[source].links
            if link.to in self._ids
            and link.to != name
            and source not in self._beyond[link.to]
            and name not in self._beyond[link.to]
        ]
