"""The card itself: what every row came to, when, on what machine; kept as JSON, and merged row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import msgspec

from evals.scorecard.figures import Figure
from evals.scorecard.rows import ROOT, Group, Row

FILE = ROOT / "docs" / "scorecard.json"
State: TypeAlias = Literal["pass", "other reading", "miss", "not measured"]
STATES: tuple[State, ...] = get_args(State)


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a row came to."""

    id: str
    group: Group
    what: str
    target: str
    state: State
    measured: str
    why: str = ""  # it is a miss, or was not measured
    reading: str = ""  # what holds in place of the specification's words
    figures: dict[str, Figure] = {}
    commands: tuple[str, ...] = ()
    run: int | None = None  # the number of the run among those of the card


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """When and where rows were measured."""

    machine: dict[str, str]
    load_before: float
    load_after: float
    seconds: float
    rows: int


class Card(msgspec.Struct, frozen=True):
    runs: tuple[Run, ...] = ()
    rows: tuple[Result, ...] = ()

    def counts(self, group: Group | None = None) -> dict[State, int]:
        found = Counter(row.state for row in self.rows if group in (None, row.group))
        return {state: found[state] for state in STATES}

    def figure(self, name: str) -> Figure | None:
        """A figure that some row has."""
        return next((row.figures[name] for row in self.rows if name in row.figures), None)


def merge(card: Card, run: Run, fresh: Iterable[Result], rows: Iterable[Row]) -> Card:
    """The fresh results in place of the old; every row has one, and runs that nothing is left of go."""
    runs = (*card.runs, run)
    found = {result.id: result for result in card.rows}
    found |= {result.id: msgspec.structs.replace(result, run=len(card.runs)) for result in fresh}
    kept = [found.get(row.id) or not_run(row) for row in rows]
    used = sorted({result.run for result in kept if result.run is not None})
    renumbered = tuple(
        msgspec.structs.replace(result, run=None if result.run is None else used.index(result.run))
        for result in kept
    )
    return Card(tuple(runs[old] for old in used), renumbered)


def not_run(row: Row) -> Result:
    return Result(
        id=row.id,
        group=row.group,
        what=row.what,
        target=row.target,
        state="not measured",
        measured="",
        why="it has not been run yet",
    )


def read_card(file: Path = FILE) -> Card:
    return msgspec.json.decode(file.read_bytes(), type=Card) if file.is_file() else Card()


def write_card(card: Card, file: Path = FILE) -> None:
    file.write_bytes(msgspec.json.format(msgspec.json.encode(card), indent=1) + b"\n")
