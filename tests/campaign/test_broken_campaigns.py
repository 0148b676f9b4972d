"""Every broken campaign gets exactly the problems it deserves, and nothing crashes over it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.campaign.broken_campaigns import ZOO, Animal, found_in
from tests.campaign.mill import build

from narratoria.campaign.check import check_campaign
from narratoria.campaign.load import load_campaign, read_campaign
from narratoria.errors import ContractViolation

PAGE = Path(__file__).with_name("broken_campaigns.txt")


def told_of() -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            told[name].append(line.strip())  # noqa: F821  a name comes first
        else:
            name = line
            told[name] = []
    return told


EXPECTED = told_of()


def test_the_zoo_and_its_page_name_the_same_campaigns() -> None:
    assert [animal.name for animal in ZOO] == list(EXPECTED)
    assert len(ZOO) >= 90


@pytest.mark.parametrize("animal", ZOO, ids=lambda animal: animal.name)
def test_a_broken_campaign_gets_exactly_the_findings_it_deserves(animal: Animal, tmp_path: Path) -> None:
    assert found_in(animal, tmp_path) == EXPECTED[animal.name]


@pytest.mark.parametrize("animal", ZOO, ids=lambda animal: animal.name)
def test_a_campaign_loads_whole_or_is_refused_with_every_error(animal: Animal, tmp_path: Path) -> None:
    folder = build(tmp_path, *animal.changes)
    errors = [finding for finding in read_campaign(folder).problems() if finding.is_error]
    if errors:
        with pytest.raises(ContractViolation) as refused:
            load_campaign(folder)
        assert len(refused.value.problems) == len(errors)
        assert all(problem.file.startswith(str(folder)) for problem in refused.value.problems)
    else:
        assert load_campaign(folder).title
    compiled = check_campaign(folder)
    assert errors == [] or compiled.beats == ()
