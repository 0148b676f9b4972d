"""The campaigns and cases that answers are measured by are whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate_campaign
from narratoria.planner.intent import load_acts

ANSWERS = Path(__file__).resolve().parents[2] / "evals" / "answers"
CAMPAIGNS = sorted(folder for folder in (ANSWERS / "campaigns").iterdir() if folder.is_dir())


@pytest.mark.parametrize("folder", CAMPAIGNS, ids=lambda folder: folder.name)
def test_a_campaign_that_answers_are_measured_in_has_nothing_wrong(folder: Path) -> None:
    assert validate_campaign(folder).ok


@pytest.mark.parametrize(("name", "count"), [("own-words-strangers", 96), ("own-words-unseen", 120)])
def test_every_case_names_a_place_a_person_a_beat_and_an_act_that_exist(name: str, count: int) -> None:
    campaigns = {folder.name: load_campaign(folder) for folder in CAMPAIGNS}
    lines = (ANSWERS / "cases" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    assert len(cases) == count
    for case in cases:
        campaign = campaigns[case["campaign"]]
        assert case["place"] in campaign.places
        assert not case["person"] or case["person"] in campaign.people
        assert not case["beat"] or campaign.beat(case["beat"])
        if name == "own-words-strangers":  # elsewhere it is a plain verb
            assert case["act"] in (*load_acts(), "nonsense")
