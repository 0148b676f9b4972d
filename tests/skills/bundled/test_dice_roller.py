"""Dice: every way to write them, what is added and why, and how a roll ends."""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import sys
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.skills.bundled.calling import CATALOGUE, call, payloads

ROLL = "dice-roller/roll-dice"


def reader() -> Any:
    """The skill's own module that reads formulas."""
    file = CATALOGUE.find(ROLL)[1].path.with_name("_formula.py")
    spec = importlib.util.spec_from_file_location("dice_formula", file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["dice_formula"] = module
    spec.loader.exec_module(module)
    return module


FORMULA = reader()


async def roll(
    formula: object, *, seed: object = 5, config: dict[str, Any] | None = None, **given: Any
) -> Any:
    outcome, events = await call(ROLL, {"formula": formula, **given}, seed=seed, config=config or {})
    assert outcome.ok, outcome.failure
    (shown,) = payloads(events, "dice_roll")
    return {**outcome.output, "shown": shown}


async def test_dice_with_a_seed_fall_the_same_way_and_are_shown() -> None:
    first, second, other = await asyncio.gather(*(roll("6d6+1", seed=seed) for seed in ("7/1", "7/1", "7/2")))
    assert first == second
    assert first["rolls"] != other["rolls"]
    assert first["total"] == sum(first["rolls"]) + 1
    assert first["shown"] == {key: value for key, value in first.items() if key != "shown"}


async def test_two_rolls_of_one_turn_are_two_rolls() -> None:
    climb, jump = await asyncio.gather(roll("9d6", reason="climb"), roll("9d6", reason="jump"))
    assert climb["rolls"] != jump["rolls"]


async def test_dice_of_the_operating_system_cannot_be_repeated() -> None:
    crypto = {"randomSource": "crypto"}
    first, second = await asyncio.gather(roll("60d6", config=crypto), roll("60d6", config=crypto))
    assert first["rolls"] != second["rolls"]


async def test_single_dice_are_shown_only_where_the_player_wants_to_see_them() -> None:
    hidden = await roll("3d6", config={"showIndividualRolls": False})
    assert (hidden["shown"]["rolls"], hidden["shown"]["dice"]) == ([], [])
    assert hidden["shown"]["total"] == hidden["total"] == sum(hidden["rolls"])
    seen = await roll("3d6", config={"showIndividualRolls": True})
    assert [die["value"] for die in seen["shown"]["dice"]] == seen["shown"]["rolls"]


@pytest.mark.parametrize(
    ("formula", "written", "low", "high"),
    [
        ("2d6", "2d6", 2, 12),
        ("d20", "1d20", 1, 20),
        (" 3 D 8 - 2 ", "3d8-2", 1, 22),
        ("1d2+0", "1d2", 1, 2),
        ("100d1000+10000", "100d1000+10000", 10_100, 110_000),
        ("1d4−3", "1d4-3", -2, 1),
        ("2d6+1d4-2+5", "2d6+1d4+3", 6, 19),
        ("-1d4+10", "-1d4+10", 6, 9),
        ("4dF", "4dF", -4, 4),
        ("d%", "1d100", 1, 100),
        ("4d6kh3", "4d6kh3", 3, 18),
        ("4d6dl1", "4d6kh3", 3, 18),
        ("d20 adv", "2d20kh1", 1, 20),
        ("2d6disadvantage-1", "3d6kl2-1", 1, 11),
    ],
)
async def test_a_formula_is_rolled_within_its_bounds(formula: str, written: str, low: int, high: int) -> None:
    rolled = await roll(formula, seed=None)
    assert rolled["formula"] == written
    assert low <= rolled["total"] <= high
    assert rolled["total"] == sum(rolled["rolls"]) + rolled["modifier"]


async def test_the_highest_or_lowest_dice_stay_and_the_others_are_shown_as_dropped() -> None:
    best = await roll("6d10kh2")
    faces = sorted((die["value"] for die in best["dice"]), reverse=True)
    assert sorted(best["rolls"], reverse=True) == faces[:2]
    assert Counter(die["kept"] for die in best["dice"]) == {True: 2, False: 4}
    worst = await roll("6d10dh4")
    assert sorted(worst["rolls"]) == sorted(die["value"] for die in worst["dice"])[:2]


async def test_advantage_may_be_given_beside_the_formula() -> None:
    assert (await roll("2d6", advantage="advantage"))["formula"] == "3d6kh2"
    assert (await roll("2d6", advantage="disadvantage"))["formula"] == "3d6kl2"


async def test_a_die_that_explodes_is_rolled_again_and_never_for_ever() -> None:
    rolled = await roll("40d2!")
    faces = [(die["value"], die["exploded"]) for die in rolled["dice"]]
    assert sum(exploded for _, exploded in faces) == min(100, sum(value == 2 for value, _ in faces))
    for (value, _), (_, exploded) in itertools.pairwise(faces):
        assert exploded == (value == 2)


async def test_names_are_resolved_from_the_persona_with_the_reason() -> None:
    persona = {"stats": {"Stealth": 2, "Sleight of Hand": -1}, "traits": ["patient"]}
    rolled = await roll("2d6+stealth+sleight of hand+patient-luck", persona=persona)
    assert rolled["modifiers"] == [
        {"name": "stealth", "value": 2, "because": "your Stealth is 2"},
        {"name": "sleight of hand", "value": -1, "because": "your Sleight of Hand is -1"},
        {"name": "patient", "value": 1, "because": "you are patient"},
        {"name": "luck", "value": 0, "because": "you have no luck to speak of"},
    ]
    assert rolled["modifier"] == 2
    outcome, _ = await call(ROLL, {"formula": "1d20+stealth"}, state={"persona": persona})
    assert outcome.output["modifier"] == 2


async def test_what_the_engine_worked_out_and_what_somebody_thinks_is_added() -> None:
    rolled = await roll(
        "2d6",
        modifiers=[{"name": "callback", "value": 1, "because": "the rope held before"}],
        opinion={"npcs": [{"name": "Pell", "perception": 20}, {"name": "Hob", "perception": -80}]},
    )
    assert [(one["name"], one["value"]) for one in rolled["modifiers"]] == [
        ("callback", 1),
        ("perception", -3),
    ]
    assert rolled["modifiers"][1]["because"] == "Hob thinks ill of you (-80)"
    assert rolled["modifier"] == -2


@pytest.mark.parametrize(
    ("perception", "modifier"),
    [(100, 3), (77, 3), (54, 2), (31, 1), (30, 0), (0, 0), (-30, 0), (-31, -1), (-60, -2), (-100, -3)],
)
async def test_an_opinion_counts_one_to_three_beyond_thirty(perception: int, modifier: int) -> None:
    assert (await roll("2d6", opinion={"name": "Hob", "perception": perception}))["modifier"] == modifier


async def test_the_rules_of_a_campaign_say_what_is_rolled_how_it_ends_and_how_much_help_counts() -> None:
    rules = {
        "dice": "1d6",
        "bands": [{"name": "doom", "min": -99}, {"name": "glory", "min": 1}],
        "modifiers": {"most": 2, "stat": "half"},
    }
    outcome, _ = await call(ROLL, {"rules": rules, "modifiers": {"a": 9}}, seed=1)
    assert (outcome.output["formula"], outcome.output["outcome"]) == ("1d6", "glory")
    assert outcome.output["modifier"] == 2
    halved = await roll("1d6+nerve", rules=rules, persona={"stats": {"nerve": 5}})
    assert halved["modifiers"][0]["value"] == 2


async def test_two_dice_end_in_failure_partial_success_or_success_by_their_bands() -> None:
    rolled = await asyncio.gather(*(roll("2d6", seed=seed) for seed in range(20)))
    assert len({one["total"] for one in rolled}) > 4
    for one in rolled:
        total = one["total"]
        assert one["outcome"] == ("failure" if total <= 6 else "partial success" if total <= 9 else "success")


async def test_other_dice_end_as_well_as_badly_as_two_dice_do() -> None:
    endings = {(await roll(f"1d20{bonus}"))["outcome"] for bonus in ("-20", "+20")}
    assert endings == {"failure", "success"}
    assert (await roll("1d20", target=21))["outcome"] == "failure"
    assert (await roll("1d20", target=1))["outcome"] == "success"


@pytest.mark.parametrize(
    ("formula", "position"),
    [
        ("", 1),
        ("luck", 1),
        ("2x6", 2),
        ("2d", 3),
        ("2d6+", 4),
        ("2d6+stealth", 5),
        ("2d6 3", 5),
        ("0d6", 1),
        ("2d1", 3),
        ("101d6", 1),
        ("1d1001", 3),
        ("9" * 5000 + "d6", 1),
        ("1d6+10001", 5),
        ("2d6kh3", 6),
        ("2d6dl2", 6),
        ("3d6kh1 kl1", 8),
        ("4dF!", 4),
        ("5", 1),
        ("2d6++1", 5),
        ("2d6 % 2", 5),
        ("+".join(["1d6"] * 21), 80),
        (7, 1),
        (None, 1),
    ],
)
async def test_a_formula_that_makes_no_sense_is_refused_at_its_place(formula: object, position: int) -> None:
    outcome, events = await call(ROLL, {"formula": formula})
    assert outcome.failure is not None
    assert (outcome.failure.category, outcome.failure.code) == ("tool_failure", "INVALID_FORMULA")
    assert f"position {position}:" in outcome.failure.message
    assert outcome.failure.details == {"position": position - 1}
    assert payloads(events, "dice_roll") == []


@given(st.text(alphabet="0123456789dDkhl!F+-− advis%x", max_size=30))
def test_any_text_is_read_or_refused_inside_of_itself(text: str) -> None:
    try:
        terms = FORMULA.parse(text)
    except FORMULA.sdk.ToolFailure as failure:
        position = failure.details["position"]
    else:
        position = 0
        again = FORMULA.written(terms)
        assert FORMULA.written(FORMULA.parse(again)) == again
    assert 0 <= position <= len(text)


@pytest.mark.parametrize(
    "given",
    [
        {"advantage": "yes"},
        {"advantage": 1},
        {"target": "ten"},
        {"target": True},
        {"reason": {"a": 1}},
        {"rules": "two dice"},
        {"modifiers": "many"},
        {"modifiers": [{"name": "a", "value": "3"}]},
        {"modifiers": [{"name": "a", "value": 10**9}]},
        {"values": {"luck": None}},
    ],
)
async def test_what_cannot_be_meant_is_refused_by_the_name_of_its_field(given: dict[str, Any]) -> None:
    outcome, _ = await call(ROLL, {"formula": "2d6+luck", "persona": {"stats": {"ease": 1}}, **given})
    assert outcome.failure is not None
    (field,) = given
    assert outcome.failure.message.startswith(field)
