"""What people think of the player: changes read from an input, and kept where the user wants them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.sdk.conftest import Tell

from narratoria.sdk.emit import InvalidInput
from narratoria.sdk.opinions import Opinions, in_state, is_number, read_changes
from narratoria.sdk.request import Request, parse_request


def spell(value: Any, field: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(field, "expected a name")
    return value.title()


def read(given: dict[str, Any]) -> list[dict[str, Any]]:
    return read_changes(given, "faction", spell, most=3, reach=100)


def request(folder: Path, state: dict[str, Any] | None = None, **given: Any) -> Request:
    context = {
        "config": {"storageBackend": "files"},
        "dataDir": str(folder),
        "playthroughId": "p-1",
        "state": state or {},
    }
    return parse_request(json.dumps({"input": given, "context": context}).encode())


def test_one_change_need_not_stand_in_a_list() -> None:
    given = {"faction": "watch", "change": -5, "reason": "  stole\n a purse "}
    assert read(given) == [{"subject": "Watch", "change": -5.0, "reason": "stole a purse"}]


def test_each_change_has_its_own_reason_or_that_of_all() -> None:
    listed = [{"faction": "watch", "score": 5, "reason": "saved one"}, {"faction": "guild", "change": 1}]
    assert read({"changes": listed, "reason": "the fire"}) == [
        {"subject": "Watch", "score": 5.0, "reason": "saved one"},
        {"subject": "Guild", "change": 1.0, "reason": "the fire"},
    ]


def test_who_tries_to_help_and_fails_is_thanked_for_the_trying() -> None:
    failed = {"roll": {"outcome": "failure"}}
    assert read({"faction": "watch", "change": 10, **failed})[0]["change"] == 5.0
    assert read({"faction": "watch", "change": -10, **failed})[0]["change"] == -10.0
    assert read({"faction": "watch", "score": 10, **failed})[0]["score"] == 10.0


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "changes"),
        ({"changes": "many"}, "changes"),
        ({"changes": [{}] * 4}, "changes"),
        ({"changes": ["watch"]}, "changes/0"),
        ({"faction": "watch"}, "changes/0"),
        ({"faction": "watch", "change": 1, "score": 1}, "changes/0"),
        ({"faction": "watch", "change": True}, "changes/0/change"),
        ({"faction": "watch", "change": "5"}, "changes/0/change"),
        ({"faction": "watch", "change": float("nan")}, "changes/0/change"),
        ({"faction": "watch", "change": 201}, "changes/0/change"),
        ({"faction": "watch", "score": 101}, "changes/0/score"),
        ({"faction": 7, "change": 1}, "changes/0/faction"),
        ({"changes": [{"faction": "watch", "change": 1, "reason": 3}]}, "changes/0/reason"),
    ],
)
def test_a_change_that_makes_no_sense_is_named_and_none_happens(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read(given)
    assert refused.value.details == {"field": field}


@pytest.mark.parametrize(
    ("value", "is_one"), [(1, True), (-2.5, True), (True, False), ("1", False), (1e7, False)]
)
def test_a_number_of_points_is_a_number_within_reason(value: object, is_one: bool) -> None:
    assert is_number(value) is is_one


def test_the_state_mirrors_scores_and_what_is_none_is_left_out(tmp_path: Path) -> None:
    mirrored = {"Watch": {"score": 3}, "Guild": 4.5, "Mob": {"score": "x"}, "Crown": None}
    assert in_state(request(tmp_path, {"reputation": mirrored}), "reputation") == {"Watch": 3.0, "Guild": 4.5}
    assert in_state(request(tmp_path, {"reputation": ["Watch"]}), "reputation") == {}


def test_opinions_in_files_outlive_the_tool(tmp_path: Path) -> None:
    first = Opinions(request(tmp_path), "reputation", rate=0.1)
    first.add("theft", [{"subject": "Watch", "change": -20.0, "reason": "stole a purse"}])
    first.add("gift", [{"subject": "Watch", "change": 5.04, "reason": ""}])
    second = Opinions(request(tmp_path), "reputation", rate=0.1)
    assert second.scores(["Watch", "Guild"])["Watch"]["score"] == pytest.approx(-14.96)
    (told,) = second.reasons(["Watch"])["Watch"]
    assert (told["change"], told["reason"]) == (-20.0, "stole a purse")
    assert second.reasons(["Guild"]) == {"Guild": []}
    assert second.scores(["Guild"]) == {}


def test_only_the_latest_reasons_are_told_the_newest_first(tmp_path: Path) -> None:
    held = Opinions(request(tmp_path), "reputation", rate=0.1)
    for number in range(7):
        held.add(f"n{number}", [{"subject": "Watch", "change": 1.0, "reason": f"reason {number}"}])
    told = [one["reason"] for one in held.reasons(["Watch"])["Watch"]]
    assert told == [f"reason {number}" for number in (6, 5, 4, 3, 2)]


def test_a_rate_that_the_user_changed_is_in_force_from_then_on(tmp_path: Path) -> None:
    Opinions(request(tmp_path), "reputation", rate=0.1).add(
        "a", [{"subject": "Watch", "change": 10.0, "reason": ""}]
    )
    assert Opinions(request(tmp_path), "reputation", rate=0.5).scores()["Watch"]["rate"] == 0.1
    assert Opinions(request(tmp_path), "reputation", rate=0.5).scores()["Watch"]["rate"] == 0.5


def test_a_score_stays_within_the_scale_of_the_skill(tmp_path: Path) -> None:
    held = Opinions(request(tmp_path), "perception", rate=0.1, scale=(-10.0, 10.0))
    held.add("a", [{"subject": "Hob", "change": 30.0, "reason": ""}])
    assert held.scores()["Hob"]["score"] == 10.0


def test_without_a_database_opinions_last_as_long_as_the_sitting(tell: Tell) -> None:
    said = tell(
        """
        from narratoria.sdk.opinions import Opinions

        def main(request):
            held = Opinions(request, "reputation", rate=0.1, scale=(-10.0, 10.0))
            before = held.scores()["Watch"]["score"]
            held.add("a", [{"subject": "Watch", "change": 30.0, "reason": "saved one"}])
            return {"before": before, "after": held.scores(["Watch"])["Watch"]["score"],
                    "why": held.reasons(["Watch"])}
        """,
        {"context": {"state": {"reputation": {"Watch": 3}}}},
    )
    assert said.last["output"] == {"before": 3.0, "after": 10.0, "why": {"Watch": []}}
    assert "as long as this sitting" in said.events[0]["message"]
