"""What share of the choices does what it should."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evals.choices.ask import THRESHOLD, Asked
from evals.choices.cases import Case

PAST = ("memory", "beat")
IN_TIME = 3.0  # seconds


@dataclass(frozen=True, slots=True)
class Share:
    name: str
    criterion: str
    hits: int
    of: int
    target: float | None = None

    @property
    def value(self) -> float:
        return self.hits / self.of if self.of else 0.0

    @property
    def passes(self) -> bool:
        return self.target is None or self.value >= self.target


def measure(asked: Sequence[Asked]) -> list[Share]:
    rows = [
        (one.case, detail, alike)
        for one in asked
        for detail, alike in zip(one.details, one.alike, strict=True)
    ]
    past = [(case, detail, receipt) for case, detail, _ in rows for receipt in _past(detail)]
    major = [
        (one, memory) for one in asked for memory in one.case.history.memories if _applies(memory, one.case)
    ]
    return [
        _share(
            "refer to the past, by receipts a reader accepts",
            "SC-034",
            (_grounded(c, d) for c, d, _ in rows),
            0.8,
        ),
        _share("the same by similarity: relevance ≥ 0.7", "", (a.relevance >= THRESHOLD for _, _, a in rows)),
        _share("the same by similarity: raw cosine ≥ 0.7", "", (a.cosine >= THRESHOLD for _, _, a in rows)),
        _share("receipts of the past that a reader accepts", "", (accepts(c, d, r) for c, d, r in past)),
        _share("choices with any receipt", "", (bool(d.get("because")) for _, d, _ in rows)),
        _share(
            "mention what one of the stats is for",
            "SC-014",
            (_mentions(c, d, c.setting.keywords) for c, d, _ in rows),
            0.7,
        ),
        _share(
            "mention what a stat that stands out is for",
            "",
            (_mentions(c, d, c.variant.salient) for c, d, _ in rows),
        ),
        _share("three or four within 3 s", "SC-013", (_in_time(one) for one in asked), 0.95),
        _share(
            "major events behind a choice where they apply",
            "SC-038",
            (_surfaces(o, m.id) for o, m in major),
            1.0,
        ),
        _share(
            "about somebody or something that is there", "", (_can_be_done(c, d) for c, d, _ in rows), 1.0
        ),
        _share(
            "sets of choices that differ in what they are about",
            "",
            (_differ(one.details) for one in asked),
            1.0,
        ),
    ]


def accepts(case: Case, detail: dict[str, Any], receipt: dict[str, Any]) -> bool:
    """Whether whoever wrote the history finds that this receipt belongs to this choice."""
    if receipt["kind"] == "beat":
        known = {one["id"] for opening in case.scene.openings for one in opening.receipts}
        return detail.get("kind") == "beat" and receipt["id"] in known
    memory = next((one for one in case.history.memories if one.id == receipt["id"]), None)
    if memory is None:
        return False
    about = {detail.get("target") or case.scene.place}
    about |= {who for who, person in case.setting.people.items() if person["name"] in detail["text"]}
    return bool(about & set(memory.fits))


def _share(name: str, criterion: str, values: Iterable[bool], target: float | None = None) -> Share:
    found = list(values)
    return Share(name, criterion, sum(found), len(found), target)


def _past(detail: dict[str, Any]) -> list[dict[str, Any]]:
    return [receipt for receipt in detail.get("because", ()) if receipt["kind"] in PAST]


def _grounded(case: Case, detail: dict[str, Any]) -> bool:
    return any(accepts(case, detail, receipt) for receipt in _past(detail))


def _mentions(case: Case, detail: dict[str, Any], stats: Iterable[str]) -> bool:
    words = [word for stat in stats for word in case.setting.keywords[stat]]
    return any(re.search(rf"\b{re.escape(word)}", detail["text"], re.IGNORECASE) for word in words)


def _in_time(one: Asked) -> bool:
    return one.seconds <= IN_TIME and 3 <= len(one.details) <= 4


def _applies(memory: Any, case: Case) -> bool:
    here = memory.location == case.scene.place
    return bool(memory.major and (here or set(memory.characters) & set(case.scene.present)))


def _surfaces(one: Asked, memory: str) -> bool:
    return any(receipt["id"] == memory for detail in one.details for receipt in _past(detail))


def _can_be_done(case: Case, detail: dict[str, Any]) -> bool:
    return not detail.get("target") or detail["target"] in (*case.scene.present, *case.scene.ways)


def _differ(details: Sequence[dict[str, Any]]) -> bool:
    """Return whether no two do the same to the same: somebody may be told news and asked something else."""
    about = [
        (detail.get("kind"), detail.get("target") or detail["text"], detail["text"].partition(" ")[0])
        for detail in details
    ]
    return len(set(about)) == len(about)
