"""Every filter finds what it names and nothing else; one that cannot be meant is refused."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio

from narratoria.errors import ContractViolation
from narratoria.store import Scope, Store

EVENTS: dict[str, dict[str, Any]] = {
    "coat": {
        "summary": "The miller lent her his coat.",
        "timestamp": "2026-03-01T10:00:00Z",
        "characterIds": ["player", "miller"],
        "semanticTags": ["kindness", "winter"],
        "location": "mill",
        "significance": "high",
        "actionType": "gift",
    },
    "theft": {
        "summary": "She took the silver spoon.",
        "timestamp": "2026-03-02T22:30:00+02:00",
        "characterIds": ["player"],
        "witnesses": ["player", "crow"],
        "semanticTags": ["theft"],
        "location": "manor",
        "significance": "critical",
        "episodic": True,
        "outcome": "failure",
        "gameTime": 600,
    },
    "rain": {"summary": "It rained.", "timestamp": "2026-03-05T00:00:00Z", "gameTime": 1200.5},
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def told(shared_store: Store) -> Scope:
    """A story with three events, for all who only look for them."""
    return await tell_events(shared_store)


async def tell_events(store: Store) -> Scope:
    story = await store.playthroughs.create("mill", title="The Mill")
    for session, (name, event) in zip(("one", "two", "two"), EVENTS.items(), strict=True):
        await store.turns.begin(story.id, {}, session_id=session)
        await store.at(story.id, session).store("memory", event, name)
        begun = await store.turns.unfinished(story.id)
        assert begun is not None
        await store.turns.finish(begun, {}, {}, game_time=0)
    return store.at(story.id)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, "coat theft rain"),
        ({"identifier": "rain"}, "rain"),
        ({"identifier": ["rain", "coat"]}, "coat rain"),
        ({"sessionId": "two"}, "theft rain"),
        ({"character": "miller"}, "coat"),
        ({"characterIds": ["miller", "player"]}, "coat theft"),
        ({"location": "mill"}, "coat"),
        ({"location": ["mill", "manor"]}, "coat theft"),
        ({"location": None}, "rain"),
        ({"location": [None, "mill"]}, "coat rain"),
        ({"tags": "winter"}, "coat"),
        ({"semanticTags": ["winter", "theft"]}, "coat theft"),
        ({"knownBy": "crow"}, "theft"),
        ({"knownBy": "miller"}, "coat"),
        ({"episodic": True}, "theft"),
        ({"episodic": False}, "coat rain"),
        ({"significance": "medium"}, "rain"),
        ({"significance": {"from": "high"}}, "coat theft"),
        ({"significance": {"to": "high"}}, "coat rain"),
        ({"outcome": "failure"}, "theft"),
        ({"outcome": None}, "coat rain"),
        ({"actionType": "gift"}, "coat"),
        ({"turn": 2}, "theft"),
        ({"turn": {"from": 2}}, "theft rain"),
        ({"turn": {"from": 1, "to": 2}}, "coat theft"),
        ({"gameTime": {"from": 1, "to": 600}}, "theft"),
        ({"timestamp": {"from": "2026-03-02"}}, "theft rain"),
        ({"timestamp": {"to": "2026-03-02"}}, "coat theft"),
        ({"timestamp": "2026-03-02"}, "theft"),
        ({"timestamp": {"from": "2026-03-02T20:30:00Z", "to": "2026-03-02T20:30:00Z"}}, "theft"),
        ({"timestamp": {"from": "2026-03-02T20:30:01Z"}}, "rain"),
        ({"location": "mill", "tags": "theft"}, ""),
        ({"location": ["mill", "manor"], "knownBy": "crow"}, "theft"),
    ],
    ids=str,
)
async def test_a_filter_finds_what_it_names(told: Scope, filters: dict[str, Any], found: str) -> None:
    entries = await told.exact_match("memory", filters)
    assert [entry.identifier for entry in entries] == found.split()
    searched = await told.semantic_search("she", "memory", filters=filters, min_relevance=0)
    assert {entry.identifier for entry in searched} <= set(found.split())


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("filters", "problem"),
    [
        (
            {"sesionId": "one"},
            "/filters/sesionId: memory records have no such field; did you mean 'sessionId'?",
        ),
        ({"filePath": "a.md"}, "memory records have no such field; there are identifier"),
        ({"playthroughId": "another"}, "/filters/playthroughId: only one playthrough can be seen from here"),
        ({"location": {"from": "a"}}, "/filters/location: has no order"),
        ({"turn": "two"}, "/filters/turn: 'two' is not a number"),
        ({"turn": {"after": 2}}, "a range has `from`, `to` or both, not 'after'"),
        ({"timestamp": {"from": "spring"}}, "'spring' is not a date and time"),
        ({"significance": {"from": "huge"}}, "'huge' is not a significance (low, medium, high, critical)"),
        ({"tags": []}, "/filters/tags: an empty list asks for nothing"),
        ({"tags": [["a"]]}, "is not a value"),
    ],
    ids=str,
)
async def test_a_filter_that_cannot_be_meant_is_refused(
    told: Scope, filters: dict[str, Any], problem: str
) -> None:
    for ask in (told.exact_match("memory", filters), told.semantic_search("a", "memory", filters=filters)):
        with pytest.raises(ContractViolation) as refused:
            await ask
        assert problem in str(refused.value)


@pytest.mark.asyncio(loop_scope="module")
async def test_all_that_is_wrong_with_filters_is_told_at_once(told: Scope) -> None:
    with pytest.raises(ContractViolation) as refused:
        await told.exact_match("memory", {"colour": "red", "turn": "two"})
    assert len(refused.value.problems) == 2


async def test_opinions_are_found_by_whom_they_are_and_by_how_strong_they_are(scope: Scope) -> None:
    await scope.store_all(
        [
            ("reputation", {"factionId": "guild", "change": 40}),
            ("reputation", {"factionId": "thieves", "change": -40}),
            ("perception", {"npcId": "ada", "change": 10, "reason": "a smile"}),
        ]
    )

    async def who(data_type: str, filters: dict[str, Any]) -> list[str]:
        return [entry.identifier for entry in await scope.exact_match(data_type, filters)]

    assert await who("reputation", {}) == ["guild", "thieves"]
    assert await who("reputation", {"faction": "guild"}) == ["guild"]
    assert await who("reputation", {"factionId": ["guild", "nobody"]}) == ["guild"]
    assert await who("reputation", {"currentScore": {"to": 0}}) == ["thieves"]
    assert await who("perception", {"npc": "ada"}) == ["ada"]
    assert await who("perception", {"npcId": "bea"}) == []
