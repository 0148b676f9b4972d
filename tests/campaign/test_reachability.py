"""What a story can reach: places, beats and flags, and the reasons why not."""

from __future__ import annotations

from pathlib import Path

from tests.campaign.test_check import OTHERS, compiled, reasons, verdicts


def test_beats_that_wait_for_each_other_never_happen(tmp_path: Path) -> None:
    result = compiled(
        tmp_path,
        {"id": "a", "conditions": {"requires_beat": "b"}},
        {"id": "b", "conditions": {"requires_beat": "a"}},
        {"id": "c", "conditions": {"requires_any_beat": ["a", "d"]}},
        {"id": "d"},
    )
    assert verdicts(result) == {"a": "unreachable", "b": "unreachable", "c": "reachable", "d": "reachable"}
    assert result.ok, "what is not critical and may be skipped is only warned about"


def test_a_place_without_a_way_keeps_its_beats_from_happening_until_a_beat_leads_there(
    tmp_path: Path,
) -> None:
    below = {"id": "below", "location": "cellar"}
    assert reasons(compiled(tmp_path / "a", below), "below") == (
        "it happens at 'cellar', and no way leads there",
    )
    fall = {"id": "fall", "effects": {"move_to": "cellar"}}
    assert verdicts(compiled(tmp_path / "b", below, fall))["below"] == "reachable"


def test_what_memory_may_bear_out_cannot_be_told(tmp_path: Path) -> None:
    result = compiled(tmp_path, {"id": "it", "conditions": {"player_state": "established in the town"}})
    assert verdicts(result) == {"it": "unclear"}
    assert reasons(result, "it") == ("“established in the town” must be so, and no beat brings it about",)


def test_what_a_beat_brings_about_is_not_left_to_memory(tmp_path: Path) -> None:
    never = {"id": "never", "conditions": {"requires_beat": "never"}, "consequences": ["it snows"]}
    result = compiled(tmp_path, never, {"id": "it", "conditions": {"world_state": "it snows"}})
    assert verdicts(result)["it"] == "unreachable"


def test_a_beat_that_must_not_be_skipped_outlives_its_window(tmp_path: Path) -> None:
    it = {"id": "it", "skippable": False, "conditions": {"requires_beat": "late", "scene_count": {"max": 3}}}
    assert verdicts(compiled(tmp_path, it, OTHERS[1]))["it"] == "reachable"
