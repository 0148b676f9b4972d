"""Turns stories of passages and links into premise, beats, endings and lore."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeAlias

from narratoria.campaign.expressions import LONGEST, compile_expression
from narratoria.campaign.importers.card import page
from narratoria.campaign.importers.draft import (
    ImportDraft,
    MappedPart,
    clean_text,
    escape_markup,
    import_error,
    single_line,
    unique_file_name,
)
from narratoria.campaign.importers.logic import (
    Change,
    Constant,
    StoryVariables,
    UnsupportedLogic,
    is_number,
)
from narratoria.campaign.load import BEATS, ENDINGS, PREMISE
from narratoria.campaign.lore import sentences
from narratoria.campaign.provenance import IMPORTED_KEY

MOST_PASSAGES = 2_000
PLACE = "passage"  # where the story stands, in the state
LEFT_LINKS = "a link to a passage that is not there"
AGAIN = "\0again "  # and the name of a passage: the condition of what is told whoever was there before
MOST_CONDITIONS = 3  # that decide the text of one passage: each of them doubles its beats
Variant: TypeAlias = tuple[tuple[str, bool], ...]  # conditions, and whether each is so
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Link:
    """Leads to a passage; `text` is what the player chooses, and without one the story goes on by itself."""

    text: str
    to: str
    condition: str = ""  # as its author wrote it
    line: int = 0


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of a passage's text, told where its condition is so, or where it is not."""

    text: str
    condition: str = ""  # as its author wrote it, or AGAIN
    is_so: bool = True
    line: int = 0


@dataclass(frozen=True, slots=True)
class ImportedPassage:
    name: str
    parts: tuple[TextPart, ...]
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()  # of variables, in their order
    is_told_once: bool = False
    told: tuple[str, ...] = ()  # the passages whose text it tells, where the story flows on into others

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what decides its text."""
        return tuple(dict.fromkeys(part.condition for part in self.parts if part.condition))

    @property
    def has_text(self) -> bool:
        return any(part.text.strip() for part in self.parts)

    def text_where(self, answers: Mapping[str, bool]) -> str:
        """Return the text where each of its conditions is so or not so."""
        return clean_text(
            "".join(
                part.text
                for part in self.parts
                if not part.condition or answers.get(part.condition, False) is part.is_so
            )
        )


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
        draft.lose(0, f"{len(passages) - MOST_PASSAGES} passages", f"at most {MOST_PASSAGES} are brought in")
    by_name = {passage.name: passage for passage in passages[:MOST_PASSAGES]}
    by_name = {name: _flow_on(passage, by_name) for name, passage in by_name.items()}
    first = by_name.get(start) or by_name[passages[0].name]
    story = _Story(by_name, first, draft, source, used_names, initial or {})
    if premise := story.premise():
        draft.add_file(f"passage “{first.name}”", PREMISE, page(escape_markup(premise), source))
    beats = story.beats()
    if beats:
        draft.files[BEATS] = {"beats": beats, IMPORTED_KEY: source}
    for name, passage in by_name.items():
        if name not in story.told and (lore := passage.text_where({})):
            stem = unique_file_name(name, used_names, "passage")
            text = f"# {single_line(name, 80)}\n\n{escape_markup(lore)}"
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
            parts=(*passage.parts, TextPart("\n\n"), *following.parts),
            links=following.links,
            changes=(*passage.changes, *following.changes),
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
        self._endings: dict[tuple[str, str], str] = {}  # by passage and text
        self.reached = self._reach(first.name)
        self.told = {one for name in self.reached for one in (name, *by_name[name].told)}
        self._leading: dict[str, list[tuple[str, Link]]] = {name: [] for name in self.reached}
        for name in self.reached:
            for link in by_name[name].links:
                if link.to in self._leading:
                    self._leading[link.to].append((name, link))
                else:
                    draft.lose(link.line, f"link “{single_line(link.text or link.to, 60)}”", LEFT_LINKS)
        # the beginning is a beat only where something leads back to it
        self._ids = {
            name: unique_file_name(name, used_names, "passage")
            for name in self.reached
            if name != first.name or self._leading[name]
        }
        wordings = {
            name: list(dict.fromkeys(link.text for _, link in self._leading[name])) for name in self._ids
        }
        self._variables = StoryVariables(
            _apply({**initial}, first.changes),
            self._find_visit,
            frozenset(initial) | {one.name for passage in by_name.values() for one in passage.changes},
        )
        self._beat_ids: dict[str, dict[tuple[str, Variant], str]] = {}
        for name, texts in wordings.items():
            ids = [self._ids[name]]
            versions = [(text, variant) for text in texts for variant in self._variants(name)]
            ids += [
                unique_file_name(f"{name} {at + 1}", used_names, "passage") for at in range(1, len(versions))
            ]
            self._beat_ids[name] = dict(zip(versions, ids, strict=True))

    def premise(self) -> str:
        """Return the text of the first passage as it is before anything has happened."""
        answers = {}
        for condition in self._first.conditions:
            if not condition.startswith(AGAIN):
                expression = self._text_condition(self._first, condition)
                answers[condition] = bool(expression) and bool(
                    compile_expression(expression).execute({"state": {}, "told": {}})
                )
        return self._first.text_where(answers)

    def beats(self) -> list[dict[str, Any]]:
        return [
            self._beat(name, text, variant, beat_id)
            for name, ids in self._beat_ids.items()
            for (text, variant), beat_id in ids.items()
        ]

    def _variants(self, name: str) -> list[Variant]:
        """Return every way in which the conditions of a passage's text can turn out."""
        passage = self._passages[name]
        conditions = passage.conditions
        if len(conditions) > MOST_CONDITIONS:
            line = next(part.line for part in passage.parts if part.condition)
            self._draft.lose(
                line,
                f"the text of “{single_line(name, 60)}”",
                f"more than {MOST_CONDITIONS} conditions decide it",
            )
            conditions = ()
        return [
            tuple(zip(conditions, answers, strict=True))
            for answers in product((True, False), repeat=len(conditions))
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

    def _beat(self, name: str, offer: str, variant: Variant, beat_id: str) -> dict[str, Any]:
        passage, home = self._passages[name], self._ids[name]
        text = passage.text_where(dict(variant)) or (
            f"You choose: {offer}." if offer else "And so it goes on."
        )
        sets, adds = self._fold(passage)
        beat: dict[str, Any] = {
            "id": beat_id,
            "title": single_line(name, 100) or beat_id,
            "description": text,
            "conditions": self._conditions(name, offer, variant),
            "priority": "high",
            "effects": {"state": {PLACE: home, **sets}, **({"add": adds} if adds else {})},
        }
        if not passage.is_told_once and self._comes_back(name):
            beat["repeats"] = True
        self._draft.mapped.append(MappedPart(f"passage “{name}”", f"{BEATS} beat {beat_id}"))
        if not any(link.to in self._passages for link in passage.links):
            whole = sentences(text.replace("\n\n", " "))
            ending = self._endings.setdefault((name, text), beat_id)
            beat |= {"description": whole[0] if whole else text, "ending": ending, "priority": "medium"}
            if ending == beat_id:
                ending_text = f"# {single_line(name, 80)}\n\n{escape_markup(text)}"
                self._draft.add_file(
                    f"passage “{name}” (an end)", f"{ENDINGS}/{ending}.md", page(ending_text, self._source)
                )
        return beat

    def _comes_back(self, name: str) -> bool:
        return any(
            name in self._reach(link.to) for link in self._passages[name].links if link.to in self._ids
        )

    def _fold(self, passage: ImportedPassage) -> tuple[dict[str, Constant], dict[str, int | float]]:
        kept: list[Change] = []
        for change in passage.changes:
            try:
                self._variables.fold([change])
            except UnsupportedLogic:
                self._draft.lose(
                    change.line, f"“{change.name}”", "it is now a number and now none, or is nothing at first"
                )
            else:
                kept.append(change)
        return self._variables.fold(kept)

    def _conditions(self, name: str, offer: str, variant: Variant) -> dict[str, Any]:
        """Return where the story must stand, and what must be so, for a link of this wording."""
        passage = self._passages[name]
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
        needs = [
            expression if is_so else f"!({expression})"
            for condition, is_so in variant
            if (expression := self._text_condition(passage, condition))
        ]
        if passage.is_told_once and len(variant) > 0:
            needs.append(f"!{self._find_visit(name)}")
        joined = " && ".join((f"({joined})", *needs)) if needs else joined
        if len(joined) <= LONGEST:
            conditions["custom"] = joined
        else:
            self._draft.lose(0, f"conditions of “{single_line(name, 60)}”", "too many links lead there")
        return conditions

    def _text_condition(self, passage: ImportedPassage, condition: str) -> str:
        """Return the expression that decides a piece of a passage's text; empty where it cannot be kept."""
        if condition.startswith(AGAIN):
            return self._find_visit(condition.removeprefix(AGAIN))
        line = next(part.line for part in passage.parts if part.condition == condition)
        changed = {change.name for change in passage.changes}
        what = f"the text under “{single_line(condition, 60)}”"
        if changed & set(_NAME.findall(condition)):
            self._draft.lose(line, what, "what decides it is changed in the same passage")
            return ""
        here = (passage.name, *passage.told)  # whoever is told this is in it already
        variables = replace(
            self._variables, find_visit=lambda name: "true" if name in here else self._find_visit(name)
        )
        try:
            return variables.translate(condition)
        except UnsupportedLogic:
            self._draft.lose(line, what, "the condition is not understood")
            return ""

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
            what = f"the condition “{single_line(link.condition, 60)}”"
            self._draft.lose(link.line, what, "it is not understood; the choice would always be offered")
            return ""


def _apply(values: dict[str, Constant], changes: Sequence[Change]) -> dict[str, Constant]:
    """Return the values of variables after changes."""
    for change in changes:
        before = values.get(change.name)
        if not change.is_added:
            values[change.name] = change.value
        elif is_number(before) and is_number(change.value):
            values[change.name] = before + change.value
    return values
