"""Turns stories of passages and links into premise, beats, endings and lore."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from narratoria.campaign.expressions import LONGEST
from narratoria.campaign.importers.card import page
from narratoria.campaign.importers.draft import (
    ImportDraft,
    MappedPart,
    escape_markup,
    import_error,
    single_line,
    unique_file_name,
)
from narratoria.campaign.importers.logic import Constant, StoryVariables, UnsupportedLogic, state_key
from narratoria.campaign.load import BEATS, ENDINGS, PREMISE
from narratoria.campaign.lore import sentences
from narratoria.campaign.provenance import IMPORTED_KEY

MOST_PASSAGES = 2_000
PLACE = "passage"  # where the story stands, in the state
LEFT_LINKS = "a link to a passage that is not there"


@dataclass(frozen=True, slots=True)
class Link:
    """Leads to a passage; `text` is what the player chooses, and without one the story goes on by itself."""

    text: str
    to: str
    condition: str = ""  # as its author wrote it
    line: int = 0


@dataclass(frozen=True, slots=True)
class ImportedPassage:
    name: str
    text: str
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    sets: Mapping[str, Constant] = field(default_factory=dict)  # variables
    is_told_once: bool = False
    told: tuple[str, ...] = ()  # the passages whose text it tells, where the story flows on into others


def write_story(  # noqa: PLR0917 - what both kinds of story have
    passages: Sequence[ImportedPassage],
    start: str,
    draft: ImportDraft,
    source: str,
    used_names: set[str],
    initial: Mapping[str, Constant] | None = None,
) -> None:
    """Write reachable passages as beats, final ones as endings, and unreachable ones as lore."""
    if not passages:
        raise import_error(source, "holds no passage")
    if len(passages) > MOST_PASSAGES:
        draft.skip(f"{len(passages) - MOST_PASSAGES} passages", f"at most {MOST_PASSAGES} are brought in")
    by_name = {passage.name: passage for passage in passages[:MOST_PASSAGES]}
    by_name = {name: _flow_on(passage, by_name) for name, passage in by_name.items()}
    first = by_name.get(start) or by_name[passages[0].name]
    story = _Story(by_name, first, draft, source, used_names, initial or {})
    if first.text:
        draft.add_file(f"passage “{first.name}”", PREMISE, page(escape_markup(first.text), source))
    beats = story.beats()
    if beats:
        draft.files[BEATS] = {"beats": beats, IMPORTED_KEY: source}
    for name, passage in by_name.items():
        if name not in story.told and passage.text:
            stem = unique_file_name(name, used_names, "passage")
            text = f"# {single_line(name, 80)}\n\n{escape_markup(passage.text)}"
            draft.add_file(
                f"passage “{name}” (nothing leads to it)", f"lore/imported/{stem}.md", page(text, source)
            )


def _flow_on(passage: ImportedPassage, by_name: Mapping[str, ImportedPassage]) -> ImportedPassage:
    """Return a passage with the texts into which it leads without a choice."""
    told: list[str] = []
    while len(passage.links) == 1 and not passage.links[0].text and not passage.links[0].condition:
        following = by_name.get(passage.links[0].to)
        if following is None or following.name in (passage.name, *told):
            break
        told.append(following.name)
        passage = replace(
            passage,
            text="\n\n".join(filter(None, (passage.text, following.text))),
            links=following.links,
            sets={**passage.sets, **following.sets},
            told=tuple(told),
        )
    return passage


class _Story:
    """Writes a beat for each passage and each wording of a link to it; one is where the story stands."""

    def __init__(  # noqa: PLR0917 - all that a story is written of
        self,
        by_name: Mapping[str, ImportedPassage],
        first: ImportedPassage,
        draft: ImportDraft,
        source: str,
        used_names: set[str],
        initial: Mapping[str, Constant],
    ) -> None:
        self._passages, self._first, self._draft, self._source = by_name, first, draft, source
        self.reached = self._reach(first.name)
        self.told = {one for name in self.reached for one in (name, *by_name[name].told)}
        self._leading: dict[str, list[tuple[str, Link]]] = {name: [] for name in self.reached}
        for name in self.reached:
            for link in by_name[name].links:
                if link.to in self._leading:
                    self._leading[link.to].append((name, link))
                else:
                    draft.skip(f"link “{single_line(link.text or link.to, 60)}”", LEFT_LINKS)
        # the beginning is a beat only where something leads back to it
        self._ids = {
            name: unique_file_name(name, used_names, "passage")
            for name in self.reached
            if name != first.name or self._leading[name]
        }
        wordings = {
            name: list(dict.fromkeys(link.text for _, link in self._leading[name])) for name in self._ids
        }
        self._beat_ids = {
            name: {
                text: self._ids[name]
                if not at
                else unique_file_name(f"{name} {at + 1}", used_names, "passage")
                for at, text in enumerate(texts)
            }
            for name, texts in wordings.items()
        }
        self._variables = StoryVariables({**initial, **first.sets}, self._find_visit)

    def beats(self) -> list[dict[str, Any]]:
        return [
            self._beat(name, text, beat_id)
            for name, ids in self._beat_ids.items()
            for text, beat_id in ids.items()
        ]

    def _reach(self, start: str) -> dict[str, None]:
        reached = {start: None}
        waiting = deque([start])
        while waiting:
            for link in self._passages[waiting.popleft()].links:
                if link.to in self._passages and link.to not in reached:
                    reached[link.to] = None
                    waiting.append(link.to)
        return reached

    def _find_visit(self, name: str) -> str:
        """Return an expression that is true once a passage was told; "" where there is none of that name."""
        if name in (self._first.name, *self._first.told):
            return "true"
        ids = [
            beat_id
            for other, of_other in self._beat_ids.items()
            if name in (other, *self._passages[other].told)
            for beat_id in of_other.values()
        ]
        return f"({' || '.join(f'{json.dumps(one)} in told' for one in ids)})" if ids else ""

    def _beat(self, name: str, offer: str, beat_id: str) -> dict[str, Any]:
        passage, home = self._passages[name], self._ids[name]
        text = passage.text or (f"You choose: {offer}." if offer else "And so it goes on.")
        beat: dict[str, Any] = {
            "id": beat_id,
            "title": single_line(name, 100) or beat_id,
            "description": text,
            "conditions": self._conditions(name, offer),
            "priority": "high",
            "effects": {
                "state": {PLACE: home, **{state_key(key): value for key, value in passage.sets.items()}}
            },
        }
        if not passage.is_told_once and self._comes_back(name):
            beat["repeats"] = True
        self._draft.mapped.append(MappedPart(f"passage “{name}”", f"{BEATS} beat {beat_id}"))
        if not any(link.to in self._passages for link in passage.links):
            whole = sentences(text.replace("\n\n", " "))
            beat |= {"description": whole[0] if whole else text, "ending": home, "priority": "medium"}
            if beat_id == home:
                ending = f"# {single_line(name, 80)}\n\n{escape_markup(text)}"
                self._draft.add_file(
                    f"passage “{name}” (an end)", f"{ENDINGS}/{home}.md", page(ending, self._source)
                )
        return beat

    def _comes_back(self, name: str) -> bool:
        return any(
            name in self._reach(link.to) for link in self._passages[name].links if link.to in self._ids
        )

    def _conditions(self, name: str, offer: str) -> dict[str, Any]:
        """Return where the story must stand, and what must be so, for a link of this wording."""
        leading = [(source, link) for source, link in self._leading[name] if link.text == offer]
        conditions: dict[str, Any] = {"player_choice": offer} if offer else {}
        before = list(dict.fromkeys(source for source, _ in leading))
        if self._first.name not in before:
            ids = [beat_id for source in before for beat_id in self._beat_ids[source].values()]
            conditions |= {"requires_beat": ids[0]} if len(ids) == 1 else {"requires_any_beat": ids}
        clauses = [
            f"{self._stands_at(source)}{f' && {condition}' if condition else ''}"
            for source, link in leading
            for condition in (self._condition(link),)
        ]
        joined = " || ".join(
            f"({clause})" if len(clauses) > 1 else clause for clause in dict.fromkeys(clauses)
        )
        if len(joined) <= LONGEST:
            conditions["custom"] = joined
        else:
            self._draft.skip(f"conditions of “{single_line(name, 60)}”", "too many links lead there")
        return conditions

    def _stands_at(self, source: str) -> str:
        here = f"state.{PLACE} == {json.dumps(self._ids[source])}" if source in self._ids else ""
        if source != self._first.name:
            return here
        at_first = f'!("{PLACE}" in state)'
        return f"({at_first} || {here})" if here else at_first

    def _condition(self, link: Link) -> str:
        if not link.condition:
            return ""
        try:
            return self._variables.translate(link.condition)
        except UnsupportedLogic:
            what = f"line {link.line}: the condition “{single_line(link.condition, 60)}”"
            self._draft.skip(what, "it is not understood; the choice is always offered")
            return ""
