"""`traceability.toml` names every requirement, and what it names is there; nothing claims one unnamed."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
ENTRIES: dict[str, dict[str, Any]] = tomllib.loads((ROOT / "traceability.toml").read_text(encoding="utf-8"))
REQUIREMENTS = (
    {f"FR-{n:03}" for n in range(1, 68) if n != 29}
    | {f"SC-{n:03}" for n in range(1, 49)}
    | {f"P-{n:03}" for n in range(1, 23)}  # of the tool protocol
    | {f"D-{n:03}" for n in range(1, 9)}  # of its data model
    | {f"M-{n:03}" for n in range(1, 14)}  # of m-control
    | {"A-001"}  # of sections of the architecture that number nothing
)
PROOFS = ("tests", "benchmarks", "evals")
ID = re.compile(r"\b(?:FR|SC|P|D|M|A)-\d{3}\b")


@cache
def functions_of(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def test_every_requirement_is_listed_once_and_no_other() -> None:
    assert set(ENTRIES) == REQUIREMENTS


@pytest.mark.parametrize("requirement", sorted(ENTRIES))
def test_a_requirement_says_what_it_is_and_how_it_is_proven_or_what_is_unmet(requirement: str) -> None:
    entry = ENTRIES[requirement]
    assert set(entry) <= {"what", "by", "reading", "unmet"}
    assert all(entry[key].strip() for key in ("what", "reading", "unmet") if key in entry)
    assert entry.get("by") or "unmet" in entry
    assert not {"reading", "unmet"} <= set(entry), "what is not met holds by no reading"


@pytest.mark.parametrize("requirement", sorted(ENTRIES))
def test_the_proof_of_a_requirement_is_there(requirement: str) -> None:
    for proof in ENTRIES[requirement].get("by", []):
        name, _, test = proof.partition("::")
        file = ROOT / name
        assert name.split("/")[0] in PROOFS, proof
        assert file.is_file(), proof
        assert not test or test in functions_of(file), proof
        assert test or not name.startswith("tests/"), f"{proof}: name the test, not only its file"


def test_a_file_that_speaks_of_a_requirement_is_named_as_its_proof() -> None:
    claimed = {(proof.split("::")[0], key) for key, entry in ENTRIES.items() for proof in entry.get("by", [])}
    unnamed = [
        f"{file.relative_to(ROOT)} speaks of {key}"
        for folder in PROOFS
        for file in (ROOT / folder).rglob("*.py")
        if file != Path(__file__)
        for key in sorted(set(ID.findall(file.read_text(encoding="utf-8"))))
        if (file.relative_to(ROOT).as_posix(), key) not in claimed
    ]
    assert unnamed == []
