"""What is asked: the rows of the card, the probes that answer them, and the tests that prove them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

ROOT = Path(__file__).parents[2]
ROWS = Path(__file__).with_name("rows.toml")
TRACES = ROOT / "traceability.toml"
Group: TypeAlias = Literal["seeds", "beyond", "speed"]
GROUPS: dict[Group, str] = {
    "seeds": "The 48 success criteria",
    "beyond": "Beyond the criteria",
    "speed": "Speed, as ratios",
}


class Probe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A function that measures, in a process of its own."""

    call: str  # module:function
    command: str  # what prints the same figures
    minutes: float  # that it may take on a slow machine
    asked: bool = False  # too long to be run unless its row is asked for by name


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One figure, and where it must lie; without a bound it stands beside the others."""

    figure: str  # probe/name
    at_least: float | None = None
    at_most: float | None = None
    below: float | None = None
    label: str = ""

    @property
    def probe(self) -> str:
        return self.figure.partition("/")[0]

    @property
    def name(self) -> str:
        return self.figure.partition("/")[2]

    def holds(self, value: float) -> bool:
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
        )


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    target: str
    group: Group = "seeds"
    what: str = ""
    checks: tuple[Check, ...] = ()
    tests: tuple[str, ...] = ()  # as pytest names them; a file stands for all its tests
    unmeasured: str = ""  # why it cannot be measured here
    reading: str = ""  # what holds in place of the specification's words; such a row is no pass
    unmet: str = ""  # what does not hold in play, whatever was measured; such a row is a miss

    @property
    def probes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(check.probe for check in self.checks))


class Sheet(msgspec.Struct, frozen=True):
    probes: dict[str, Probe]
    rows: tuple[Row, ...]


def read_sheet(file: Path = ROWS, traces: Path = TRACES) -> Sheet:
    """Return the rows in their order, with what traceability.toml says of each.

    What a criterion is, by which reading it holds and what of it does not hold stand there alone, as do the
    tests of a row with `tests = true`.
    """
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    traced = tomllib.loads(traces.read_text(encoding="utf-8"))
    rows = [_row(written, traced.get(written["id"], {})) for written in document["row"]]
    probes = msgspec.convert(document["probe"], dict[str, Probe])
    if unknown := {name for row in rows for name in row.probes} - set(probes):
        raise ValueError(f"{file}: no such probe: {', '.join(sorted(unknown))}")
    return Sheet(probes, tuple(rows))


def _row(written: dict[str, object], trace: dict[str, object]) -> Row:
    filled = {key: trace[key] for key in ("what", "reading", "unmet") if key in trace} | written
    if written.get("tests") is True:
        proofs = trace.get("by", [])
        assert isinstance(proofs, list)
        filled["tests"] = [proof for proof in proofs if proof.startswith("tests/")]
    return msgspec.convert(filled, Row)
