"""Rows of records: what was handed in comes back, with where it belongs."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from narratoria.store import Playthrough, Scope, Store


async def test_a_memory_carries_where_it_belongs(scope: Scope, story: Playthrough, store: Store) -> None:
    await store.turns.begin(story.id, {"text": "look"})
    kept = await scope.store("memory", {"summary": "Rain."})
    assert (kept.record.playthrough_id, kept.record.session_id) == (story.id, "evening")
    assert (kept.record.turn, kept.turn) == (1, 1)
    assert kept.record.timestamp == kept.stored_at


async def test_who_took_part_knows_of_it_unless_it_is_said_who_does(scope: Scope) -> None:
    plain = await scope.store("memory", {"summary": "A secret.", "characterIds": ["ada"]})
    kept = await scope.store("memory", {"summary": "A secret.", "characterIds": ["ada"], "witnesses": []})
    assert plain.record.witnesses == ("ada",)
    assert kept.record.witnesses == ()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1), tags=st.lists(st.text(min_size=1, max_size=20), unique=True, max_size=4))
async def test_any_text_and_any_tags_come_back_and_are_found(
    scope: Scope, text: str, tags: list[str]
) -> None:
    kept = await scope.store("memory", {"summary": text, "semanticTags": tags})
    assert kept.record.summary == text
    for tag in tags:
        assert kept in await scope.exact_match("memory", {"tags": tag})
