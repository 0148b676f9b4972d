"""Makes sheets on which people grade how well units of the repertoire reply to what players typed.

`python -m evals.answers.suit LINES OUT [FIRST LAST]`: LINES are labelled actions (`cases/typed-fit.jsonl`);
OUT gets one JSON line an action with the units that could be told, filled in as a player would read them. A
grade is 0 (beside the point, or false), 1 (reacts, and nothing follows), 2 (answers), 3 (answers just this).
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from narratoria.narrator.answer import situation_for_units
from narratoria.narrator.answer_request import AnswerContext, AnswerRequest, Listener
from narratoria.narrator.evidence import shared_words
from narratoria.narrator.repertoire import (
    Unit,
    UnitSituation,
    fill_slots,
    load_repertoire,
    measure_fit,
    pick_unit,
)
from narratoria.narrator.unit_matcher import describe_unit
from narratoria.planner.intent import KnownPerson, KnownThing, ReadingContext, load_acts
from narratoria.planner.matter import find_matter
from narratoria.planner.mentions import find_thing, noun_phrases
from narratoria.planner.read import topic_of
from narratoria.planner.word_lists import WORDS

HERE = Path(__file__).parent
LIKE, KIN, OTHER = 3, 4, 2  # units that share words, that are for the same kind of act, and others
ANSWERED_OTHERWISE = {"go", "look", "think_back", "ask_narrator", "examine", "search", "read"}
NAMES = ("Marit", "Osk", "Denise", "Tomasz", "Hanne", "Corin")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One typed action, the situation it is answered in, and the units that could answer it."""

    number: int
    text: str
    situation: UnitSituation
    listener: Listener | None
    units: tuple[Unit, ...]


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def reading_context(line: dict[str, Any]) -> tuple[ReadingContext, Listener]:
    """Return whom and what the words of a line may point at: its own world, or somebody who is there."""
    people = [one for one in line.get("people", ()) if one.get("present", True)]
    dice = random.Random(line["text"])
    called = str(line.get("person") or "")
    if not people:
        is_name = re.fullmatch(r"[A-Za-z]{3,12}", called) and called.casefold() not in (
            "him",
            "her",
            "them",
            "you",
        )
        people = [
            {"name": called.title() if is_name else dice.choice(NAMES), "pronoun": dice.choice(("he", "she"))}
        ]
    addressed = next(
        (one for one in people if called and called.casefold() in one["name"].casefold()), people[0]
    )
    short = addressed["name"].split()[0]
    known = tuple(
        KnownPerson(
            one["name"].casefold(),
            one["name"],
            one["name"].split()[0],
            pronoun=one.get("pronoun", "they"),
            descriptions=(one.get("role", ""),),
        )
        for one in people
    )
    things = tuple(
        KnownThing(name, name) for name in dict.fromkeys(noun_phrases(" ".join(line.get("passages", ()))))
    )
    listener = Listener(
        addressed["name"].casefold(), addressed["name"], short, addressed.get("pronoun", "they")
    )
    return ReadingContext(people=known, things=things, place_name=line.get("place", "the yard")), listener


def make_sheets(lines: Sequence[dict[str, Any]]) -> Iterator[Sheet]:
    """Yield a sheet for every line that a unit would answer."""
    units = [
        unit
        for unit in load_repertoire()
        if unit.tone != "light" and unit.evidence in ("", "none", "withheld", "own")
    ]
    described = {unit.id: describe_unit(unit) for unit in units}

    for number, line in enumerate(lines):
        act, _, kind = line["label"].partition("/")
        if act in ANSWERED_OTHERWISE or line.get("answers") or act not in load_acts():
            continue
        context, listener = reading_context(line)
        thing = find_thing(line["text"], context, [listener.name])
        is_person = load_acts()[act].needs == "person" or bool(line.get("person"))
        dice = random.Random(f"{number}/{line['text']}")
        risk = load_acts()[act].risk
        outcome: Any = (
            "none" if risk == "never" else dice.choices(("success", "partial", "failure"), (4, 3, 3))[0]
        )
        request = AnswerRequest(
            act=act,
            kind=f"{act}/{kind}" if kind else "",
            matter=find_matter(line["text"], context, listener.id) if is_person else "",
            person=listener.id if is_person else "",
            bystander="" if is_person else listener.id,
            thing=(thing.name or thing.text) if thing and act not in WORDS.spoken_acts else "",
            is_thing_known=True,
            is_thing_likely=True,
            topic=topic_of(line["text"]),
            words=line["text"],
            outcome=outcome,
        )
        answer_context = AnswerContext(
            place=line.get("place", "the yard"),
            units=units,
            people={listener.id: listener},
            names={listener.id: listener.name},
            world=frozenset(("indoors", "outdoors")),
            ways=("the gate", "the mill"),
        )
        situation = situation_for_units(request, answer_context)
        fitting = [one for one in units if measure_fit(one, replace(situation, kind=one.kind)) is not None]
        if len(fitting) < 3:
            continue
        usual = pick_unit(units, situation, {}, 1, number)
        kin = [one for one in fitting if one.kind and one.kind == situation.kind]
        shared = shared_words(line["text"], [described[one.id] for one in fitting])
        order = sorted(range(len(fitting)), key=lambda at: -shared[at])
        nearest = [fitting[at] for at in order[:LIKE]]
        others = (*dice.sample(kin, min(KIN, len(kin))), *dice.sample(fitting, min(OTHER, len(fitting))))
        chosen = {one.id: one for one in (*([usual] if usual else []), *nearest, *others)}
        yield Sheet(number, line["text"], situation, listener, tuple(chosen.values()))


def write_sheets(lines: Path, target: Path, first: int, last: int) -> None:
    with target.open("w", encoding="utf-8") as file:
        for sheet in make_sheets(read_lines(lines)[first:last]):
            row = {
                "id": sheet.number + first,
                "typed": sheet.text,
                "act": sheet.situation.act,
                "kind": sheet.situation.kind,
                "outcome": sheet.situation.outcome,
                "to": f"{sheet.listener.short} ({sheet.listener.pronoun})" if sheet.listener else "",
                "units": [
                    {"u": one.id, "text": fill_slots(one.text, sheet.situation.slots)} for one in sheet.units
                ],
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    given = sys.argv[1:]
    span = (int(given[2]), int(given[3])) if len(given) > 2 else (0, 10**9)
    write_sheets(Path(given[0]), Path(given[1]), *span)
