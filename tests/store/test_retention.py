"""What a policy takes away is reported first; pinned memories and what a branch still needs are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from narratoria.store import Playthrough, RetentionPolicy, RetentionReport, Scope, Store
from narratoria.store.engines.sqlite import find_damage
from narratoria.store.retention import plan_removals


def days_ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


@pytest.fixture
async def told(store: Store, scope: Scope) -> Scope:
    """Memories from nine days ago to today, the oldest pinned."""
    await scope.store_all(
        [
            (
                "memory",
                {"summary": f"Day {day}.", "timestamp": days_ago(9 - day), "episodic": day == 0},
                str(day),
            )
            for day in range(10)
        ]
    )
    return scope


async def left(scope: Scope) -> str:
    return "".join(entry.identifier for entry in await scope.exact_match("memory"))


def named(report: RetentionReport) -> str:
    return "".join(removal.identifier for removal in report.removals)


@pytest.mark.parametrize(
    ("policy", "goes", "reason"),
    [
        (RetentionPolicy(max_age_days=4.5), "1234", "age"),
        (RetentionPolicy(max_records=3), "123456", "count"),
        (RetentionPolicy(), "", ""),
    ],
)
async def test_what_goes_is_told_first_and_then_goes(
    store: Store, told: Scope, policy: RetentionPolicy, goes: str, reason: str
) -> None:
    report = await store.plan_retention(policy)
    assert named(report) == goes
    assert {removal.reason for removal in report.removals} == ({reason} if reason else set())
    assert report.kept_count == 10 - len(goes)
    assert await left(told) == "0123456789"  # nothing has changed yet
    gone = await store.remove_planned(report)
    assert [removal.identifier for removal in gone] == list(goes)
    await store.compact()
    assert await left(told) == "".join(day for day in "0123456789" if day not in goes)
    assert store.database.file is None or find_damage(store.database.file) == []


async def test_a_limit_of_size_keeps_the_newest_that_fit(store: Store, told: Scope) -> None:
    whole = await store.plan_retention(RetentionPolicy(max_bytes=0))
    assert named(whole) == "123456789"
    half = await store.plan_retention(RetentionPolicy(max_bytes=4 * 500))
    assert named(half) == "123456789"[: len(half.removals)]
    assert 0 < len(half.removals) < 9
    assert {removal.reason for removal in half.removals} == {"size"}


async def test_what_a_branch_would_keep_stays_for_all(store: Store, story: Playthrough, told: Scope) -> None:
    branch = await store.playthroughs.branch(story.id, 0)
    await told.store_all([("memory", {"summary": f"New {number}."}) for number in range(5)])
    report = await store.plan_retention(RetentionPolicy(max_records=5))
    assert named(report) == "1234"  # the branch keeps 5 to 9
    await store.remove_planned(report)
    assert await left(store.at(branch.id)) == "056789"


async def test_a_memory_goes_with_all_its_versions_and_does_not_come_back(
    store: Store, story: Playthrough, told: Scope
) -> None:
    begun = await store.turns.begin(story.id, {})
    await told.update("memory", "1", {"summary": "Day one."})
    await store.turns.finish(begun, {}, {}, game_time=0)
    report = await store.plan_retention(RetentionPolicy(max_records=8))
    assert [(r.identifier, len(r.rows), r.text) for r in report.removals] == [("1", 2, "Day one.")]
    await store.remove_planned(report)
    assert await left(told) == "023456789"
    assert await left(store.at(story.id, turn=0)) == "023456789"


async def test_a_deleted_memory_can_be_gone_back_to_for_a_while(
    store: Store, story: Playthrough, told: Scope
) -> None:
    begun = await store.turns.begin(story.id, {})
    await told.delete("memory", "5")
    await store.turns.finish(begun, {}, {}, game_time=0)
    assert named(await store.plan_retention(RetentionPolicy())) == ""
    assert "5" in await left(store.at(story.id, turn=0))
    later = datetime.now(UTC) + timedelta(days=31)
    report = await store.database.read(lambda link: plan_removals(link, RetentionPolicy(), at=later))
    assert [(removal.identifier, removal.reason) for removal in report.removals] == [("5", "deleted")]


async def test_without_a_limit_what_was_undone_is_kept_for_ever_and_what_was_deleted_is_not(
    store: Store, story: Playthrough, told: Scope
) -> None:
    begun = await store.turns.begin(story.id, {})
    await told.store("memory", {"summary": "The bridge fell."}, "bridge")
    await store.turns.finish(begun, {}, {}, game_time=0)
    line = await store.playthroughs.undo(story.id)
    later = datetime.now(UTC) + timedelta(days=400)
    report = await store.database.read(lambda link: plan_removals(link, RetentionPolicy(), at=later))
    assert (named(report), report.kept_count) == ("", 11)
    await store.at(line.id).delete("memory", "1")  # on one of two lines
    await told.delete("memory", "bridge")
    report = await store.database.read(lambda link: plan_removals(link, RetentionPolicy(), at=later))
    assert (named(report), report.kept_count) == ("bridge", 10)


async def test_what_happened_since_the_report_is_heeded(store: Store, told: Scope) -> None:
    report = await store.plan_retention(RetentionPolicy(max_records=3))
    await told.update("memory", "4", {"episodic": True})
    gone = await store.remove_planned(report)
    assert "4" not in [removal.identifier for removal in gone]
    assert await left(told) == "04789"
