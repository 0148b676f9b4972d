"""What a model is given to read: never more than it can read, and what stays the same stands first."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from narratoria.contracts.scene_facts import SceneFacts
from narratoria.engine.context import Count, Prompt, build_prompt, estimate

FACTS: dict[str, Any] = {
    "campaign": {"title": "Tomorrow's Post", "tone": "quiet", "setting": "A village.\n\nA bridge."},
    "constraints": ["Nobody dies."],
    "persona": {"name": "Wren", "traits": ["patient"], "items": ["a key"]},
    "action": {"text": "Ask about the pin"},
    "place": {"name": "the bridge", "arrival": "It is roofed."},
    "people": [
        {
            "name": "Ismay",
            "role": "warden",
            "tone": "cold",
            "witnessed": [{"summary": "You took the lantern.", "relevance": 0.9}],
        }
    ],
    "memories": [
        {"summary": "You fell from the pole.", "relevance": 0.4, "episodic": True},
        {"summary": "You drank tea.", "relevance": 0.9},
    ],
    "lore": [{"id": "l1", "text": "The bridge is old.", "relevance": 0.5}],
    "recent": [{"scene": 1, "summary": "It began."}],
    "history": ["Scenes 1–12: Much happened."],
    "kept": [{"kind": "promise", "text": "You promised to bring the lantern back.", "scene": 3}],
}
TEXTS = st.text(max_size=300)


def build(facts: dict[str, Any], budget: int, count: Count = estimate) -> Prompt:
    return build_prompt(msgspec.convert(facts, SceneFacts), budget, count)


@settings(max_examples=80, deadline=None)
@given(
    budget=st.integers(0, 400),
    memories=st.lists(st.tuples(TEXTS, st.floats(0, 1)), max_size=12),
    lore=st.lists(TEXTS, max_size=6),
    setting=TEXTS,
    bytes_per_token=st.integers(1, 6),
)
def test_a_prompt_never_has_more_tokens_than_its_budget_however_they_are_counted(
    budget: int, memories: list[tuple[str, float]], lore: list[str], setting: str, bytes_per_token: int
) -> None:
    facts = {
        **FACTS,
        "campaign": {**FACTS["campaign"], "setting": setting},
        "memories": [{"summary": text, "relevance": relevance} for text, relevance in memories],
        "lore": [{"id": "l", "text": text, "relevance": 0.5} for text in lore],
    }

    def by_bytes(text: str) -> int:
        return -(-len(text.encode()) // bytes_per_token)

    for count in (estimate, by_bytes):
        prompt = build(facts, budget, count)
        assert count(prompt.text) <= budget or not prompt.text
        assert prompt.tokens <= budget


def test_with_room_for_everything_nothing_is_left_out_and_the_stable_part_stays_the_same() -> None:
    whole = build(FACTS, 10_000)
    assert whole.left_out == 0
    for text in (
        "Nobody dies.",
        "Wren",
        "Ask about the pin",
        "You took the lantern.",
        "bring the lantern back",
    ):
        assert text in whole.text
    later = build({**FACTS, "action": {"text": "Wait"}, "memories": [], "people": []}, 10_000)
    assert later.stable == whole.stable
    assert whole.text.startswith(whole.stable)


def test_what_matters_most_is_kept_when_there_is_little_room() -> None:
    little = build(FACTS, 60)
    assert "Ask about the pin" in little.text
    assert "Nobody dies." in little.text
    assert "Scenes 1–12" not in little.text
    assert little.left_out > 0


def test_a_triumph_or_a_failure_goes_before_a_memory_that_is_only_more_alike() -> None:
    for budget in range(60, 400, 10):
        text = build(FACTS, budget).text
        assert not ("You drank tea." in text and "You fell from the pole." not in text)
