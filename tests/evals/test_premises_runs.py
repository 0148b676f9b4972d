"""Of the premises for fitting, each is filled up whole, and no two share anything that was made up."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from evals.premises.__main__ import CASES, Case, Made, compare, make_campaign


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Made]:
    patch = pytest.MonkeyPatch()
    patch.setenv("NARRATORIA_HOME", str(tmp_path_factory.mktemp("home")))
    folder = tmp_path_factory.mktemp("premises")
    lines = CASES.read_text(encoding="utf-8").splitlines()
    campaigns = [make_campaign(msgspec.json.decode(line, type=Case), folder) for line in lines]
    patch.undo()
    return campaigns


def test_each_has_people_with_wants_places_and_an_ending_that_can_be_reached(made: list[Made]) -> None:
    for one in made:
        wanting = [person for person in one.campaign.people.values() if person.goals]
        assert len(wanting) >= 4, one.name
        assert len(one.campaign.places) >= 5, one.name
        assert one.endings >= 1, one.name
        assert one.excluded == (), one.name


def test_no_two_share_a_person_a_place_a_plot_or_a_sentence(made: list[Made]) -> None:
    for one, other in combinations(made, 2):
        assert not any(compare(one, other).values()), f"{one.name} and {other.name}"


def test_what_is_shared_is_found(made: list[Made]) -> None:
    assert all(compare(made[0], made[0]).values())


def test_each_is_of_the_kind_of_world_that_its_premise_is_of(made: list[Made]) -> None:
    kinds = {one.name: one.premise.kind for one in made}
    assert kinds == {
        "sourdough": "counter",
        "haulers-cat": "space",
        "north-wind": "tale",
        "after-power": "after",
        "ice-cream-van": "road",
        "understudy": "stage",
        "night-porter": "ward",
        "lighthouse-ghost": "sea",
    }


def test_premises_of_people_groups_and_odd_players_get_stories_of_their_own_that_share_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    lines = CASES.with_name("fit-people.jsonl").read_text(encoding="utf-8").splitlines()
    campaigns = [make_campaign(msgspec.json.decode(line, type=Case), tmp_path) for line in lines]
    assert len(campaigns) == 12
    for one in campaigns:
        assert one.plot.endswith("/own"), one.name
        assert one.excluded == (), one.name
        met = {person.name for person in one.campaign.people.values()}
        assert {person.name for person in one.premise.people if not person.fate} <= met, one.name
        assert not met & {person.name for person in one.premise.people if person.fate}, one.name
        assert len(one.campaign.places) >= 5, one.name
        assert one.endings == 3, one.name
    for one, other in combinations(campaigns, 2):
        assert not any(compare(one, other).values()), f"{one.name} and {other.name}"


def test_further_premises_are_of_their_kinds_though_two_of_a_kind_may_share_a_plot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    lines = CASES.with_name("fit-kinds.jsonl").read_text(encoding="utf-8").splitlines()
    campaigns = [make_campaign(msgspec.json.decode(line, type=Case), tmp_path) for line in lines]
    assert {one.name: one.premise.kind for one in campaigns} == {
        "map-guild": "scribes",
        "orchard-trust": "council",
        "jury": "council",
        "hotel-thirteen": "haunting",
        "attic-flat": "haunting",
        "night-heron": "capes",
        "well-digger": "caravan",
        "wedding-ring": "hands",
        "typewriter": "hands",
        "under-nines": "club",
        "choir": "club",
        "ice-core": "post",
    }
