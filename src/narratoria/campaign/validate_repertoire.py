"""Validates the units of a campaign's own repertoire, line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from narratoria.campaign import references
from narratoria.campaign.campaign import Campaign
from narratoria.campaign.load import LoadResult
from narratoria.campaign.problems import CampaignProblem, error, from_problem, warning
from narratoria.contracts import check, load
from narratoria.contracts.messages import closest_match

REPERTOIRE = "repertoire"
UNIT = "unit"
OPENING = 6  # words by which two units are told apart
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
FIRST_PERSON = re.compile(r"(?<!\w)(?:I|I'm|I've|my|mine)(?!\w)")
QUOTED = re.compile(r"“[^”]*”?|\*[^*]+\*")


def check_repertoire(reading: LoadResult, campaign: Campaign) -> Iterator[CampaignProblem]:
    """Check every unit: its form, whom it is for, its slots, and that no two begin alike."""
    openings: dict[str, str] = {}
    flags = _flags_of(campaign)
    for file in sorted(reading.folder.under(REPERTOIRE, ".jsonl")):
        try:
            lines = (reading.folder.root / file).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            yield error("unreadable", "cannot be read as UTF-8 text", file)
            continue
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            for problem in _check_line(line, file, campaign, flags):
                yield replace(problem, line=number)
            for problem in _check_opening(line, file, openings, f"{file}:{number}"):
                yield replace(problem, line=number)
    for file in sorted(reading.folder.under(REPERTOIRE)):
        if not file.endswith(".jsonl"):
            yield warning("unread", "is not read; units are in files that end in .jsonl", file)


def _check_line(line: str, file: str, campaign: Campaign, flags: frozenset[str]) -> Iterator[CampaignProblem]:
    problems = check(UNIT, line, file=file)
    yield from (from_problem(problem, "error", "unit") for problem in problems)
    if problems:
        return
    unit = json.loads(line)
    yield from _check_person(unit, file, frozenset(campaign.people))
    for part in ("when", "unless"):
        for flag in unit.get(part, ()):
            yield from references.check_name("flag", flag, flags, file, f"/{part}")
    yield from _check_text(unit, file)


def _check_opening(line: str, file: str, openings: dict[str, str], at: str) -> Iterator[CampaignProblem]:
    """Warn about a unit whose first words are those of another with the same outcome."""
    if check(UNIT, line):
        return
    unit = json.loads(line)
    words = re.findall(r"\w+", PLACEHOLDER.sub("", unit["text"]).casefold())[:OPENING]
    first = openings.setdefault(f"{unit['outcome']} {' '.join(words)}", at)
    if first != at:
        yield warning(
            "same-opening", f"begins like the unit at {first}; a player would notice", file, "/text"
        )


def _flags_of(campaign: Campaign) -> frozenset[str]:
    """Return every flag that a beat, one of its outcomes or a topic sets."""
    people = campaign.people.values()
    return frozenset(
        flag
        for flags in (
            *(beat.consequences for beat in campaign.beats),
            *(outcome.consequences for beat in campaign.beats for outcome in beat.outcomes),
            *(topic.consequences for profile in people for topic in profile.topics),
        )
        for flag in flags
    )


def _check_person(unit: Mapping[str, Any], file: str, names: frozenset[str]) -> Iterator[CampaignProblem]:
    who = unit.get("who")
    if isinstance(who, dict) and "person" in who:
        yield from references.check_name("person", who["person"], names, file, "/who/person")
    acts = [unit["act"]] if isinstance(unit["act"], str) else unit["act"]
    kind = unit.get("kind", "")
    if kind and kind.partition("/")[0] not in acts:
        message = f"'{kind}' is no kind of {' or '.join(acts)}, so that it never answers"
        yield error("unit-kind", message, file, "/kind")


def _check_text(unit: Mapping[str, Any], file: str) -> Iterator[CampaignProblem]:
    for part in ("text", "fact"):
        for slot in PLACEHOLDER.findall(unit[part]):
            if slot not in _slots():
                near = closest_match(slot, _slots())
                hint = f"; did you mean {{{near}}}?" if near else ""
                yield error("unit-slot", f"nothing fills {{{slot}}}{hint}", file, f"/{part}")
    narration = QUOTED.sub("", unit["text"])
    if FIRST_PERSON.search(narration):
        yield warning("unit-person", "speaks of “I” outside speech; the player is “you”", file, "/text")


@cache
def _slots() -> frozenset[str]:
    return frozenset(load(UNIT)["$defs"]["slot"]["enum"])
