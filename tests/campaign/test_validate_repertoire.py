"""What validation says about a campaign's own units."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.mill import added, build

from narratoria.campaign.problems import CampaignProblem
from narratoria.campaign.validate import validate_campaign
from narratoria.contracts import load
from narratoria.narrator.repertoire import load_repertoire
from narratoria.planner.intent import load_act_kinds, load_acts

UNIT: dict[str, Any] = {
    "act": "praise",
    "outcome": "none",
    "who": {"person": "miller"},
    "text": "“The wheel does it,” says the miller, and shows you the one tooth that he cut himself.",
    "fact": "The miller showed you the tooth of the wheel that he had cut.",
}
FILE = "repertoire/miller.jsonl"


def problems_of(folder: Path, *units: dict[str, Any] | str) -> list[CampaignProblem]:
    text = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in units)
    campaign = build(folder, added(FILE, text.encode()))
    return [one for one in validate_campaign(campaign).problems if one.file.startswith("repertoire/")]


def test_a_unit_for_somebody_of_the_campaign_has_no_problems(tmp_path: Path) -> None:
    assert problems_of(tmp_path, UNIT) == []


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"act": "prase"}, "unit", "praise"),
        ({"who": {"person": "milller"}}, "unknown-person", "did you mean 'miller'?"),
        ({"unless": ["the weel turns"]}, "unknown-flag", "did you mean 'the wheel turns'?"),
        ({"kind": "insult/work"}, "unit-kind", "no kind of praise"),
        ({"text": "{shrt} looks at the wheel for a good while, and then at you."}, "unit-slot", "{short}"),
        ({"text": "The miller laughs. I laugh too, and the wheel goes on."}, "unit-person", "“I” outside"),
        ({"effects": [{"explodes": "person"}]}, "unit", "explodes"),
        ({"text": "Too short."}, "unit", "20"),
    ],
)
def test_what_is_wrong_with_a_unit_is_said_with_its_line(
    tmp_path: Path, change: dict[str, Any], code: str, said: str
) -> None:
    (problem,) = problems_of(tmp_path, UNIT, "", {**UNIT, "text": f"Then: {UNIT['text']}", **change})
    assert (problem.code, problem.line) == (code, 3)
    assert said in problem.message


def test_a_line_that_is_no_json_is_said(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, UNIT, '{"act": "praise",')
    assert (problem.code, problem.line, problem.severity) == ("unit", 2, "error")


def test_two_units_that_begin_alike_are_pointed_out(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, UNIT, {**UNIT, "act": "thank"})
    assert (problem.code, problem.line) == ("same-opening", 2)
    assert f"{FILE}:1" in problem.message


def test_a_file_of_another_kind_in_the_folder_is_pointed_out(tmp_path: Path) -> None:
    campaign = build(tmp_path, added("repertoire/miller.txt", b"The miller laughs."))
    (problem,) = [one for one in validate_campaign(campaign).problems if one.file == "repertoire/miller.txt"]
    assert "read" in problem.message


def test_the_contract_lists_the_acts_kinds_and_slots_that_there_are() -> None:
    definitions = load("unit")["$defs"]
    units = load_repertoire()
    assert set(definitions["act"]["enum"]) == {*load_acts(), *(act for unit in units for act in unit.acts)}
    assert set(definitions["kind"]["enum"]) == set(load_act_kinds())
    assert {slot for unit in units for slot in unit.slots} <= set(definitions["slot"]["enum"])
