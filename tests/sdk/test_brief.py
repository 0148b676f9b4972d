"""What a model is given to read: never more than it can read, and what stays the same stands first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from narratoria.sdk import brief
from narratoria.sdk.brief import Brief, estimate

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


def build(facts: dict[str, Any], budget: int, count: Callable[[str], int] = estimate) -> Brief:
    return brief.write(facts, budget=budget, count=count)


def text_of(built: Brief) -> str:
    return "\n\n".join(part for part in (built.stable, built.past, built.here, built.now) if part)


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
        assert count(text_of(prompt)) <= budget or not text_of(prompt)
        assert prompt.tokens <= budget


def test_with_room_for_everything_nothing_is_left_out_and_the_stable_part_stays_the_same() -> None:
    whole = build(FACTS, 10_000)
    assert whole.left_out == ()
    for text in (
        "Nobody dies.",
        "Wren",
        "Ask about the pin",
        "You took the lantern.",
        "bring the lantern back",
    ):
        assert text in text_of(whole)
    later = build({**FACTS, "action": {"text": "Wait"}, "memories": [], "people": []}, 10_000)
    assert later.stable == whole.stable
    assert text_of(whole).startswith(whole.stable)


def test_what_matters_most_is_kept_when_there_is_little_room() -> None:
    little = build(FACTS, 60)
    assert "Ask about the pin" in text_of(little)
    assert "Nobody dies." in text_of(little)
    assert "Scenes 1–12" not in text_of(little)
    assert "Long ago" in little.left_out


def test_a_triumph_or_a_failure_goes_before_a_memory_that_is_only_more_alike() -> None:
    for budget in range(60, 400, 10):
        text = text_of(build(FACTS, budget))
        assert not ("You drank tea." in text and "You fell from the pole." not in text)


TOLD = [
    {"action": f"Step {n}", "paragraphs": [f"You take step {n}.", "It is a long stair. " * 5]}
    for n in range(12)
]


def test_the_latest_scenes_are_told_word_for_word_and_leave_several_at_a_time() -> None:
    """What a model's cache holds is lost when the beginning changes: it must not change every turn."""
    starts = []
    for count in range(6, 12):
        facts = {**FACTS, "brief": {"scenes": TOLD[:count]}, "action": {"text": "On", "number": count + 1}}
        past = build(facts, 800).past
        assert f"You take step {count - 1}." in past
        starts.append(past[past.index("> Step") :].split("\n")[0])
    assert len(set(starts)) <= 3
    assert starts == sorted(starts, key=lambda one: int(one.split()[-1]))


def test_what_was_decided_and_what_is_known_are_read_for_the_outcome_that_came() -> None:
    decided = {
        "success": {
            "effects": ["You have the lamp"],
            "evidence": [{"id": "a", "source": "lore", "text": "It burns."}],
        },
        "failure": {"effects": ["The lamp is broken"], "keptBack": ["Ismay"]},
    }
    facts = {**FACTS, "brief": {"decided": decided}}
    won = build({**facts, "roll": {"outcome": "success"}}, 2000).now
    lost = build({**facts, "roll": {"outcome": "failure"}}, 2000).now
    assert "It succeeds." in won
    assert "You have the lamp" in won
    assert "It burns." in won
    assert "It fails" in lost
    assert "The lamp is broken" in lost
    assert "Ismay knows more about this, and keeps it back." in lost
    assert "You have the lamp" not in lost


def test_what_the_author_wrote_and_what_can_be_done_next_stand_at_the_end() -> None:
    decided = {"": {"before": ["You ring the bell."], "options": ["Ask Ismay", "Go home"]}}
    now = build({**FACTS, "brief": {"decided": decided}}, 2000).now
    assert now.index("Ask about the pin") < now.index("You ring the bell.") < now.index("2: Go home")


def test_people_are_known_by_voice_wish_and_feeling() -> None:
    person = {
        "name": "Ismay",
        "role": "warden",
        "traits": ["dry"],
        "voice": "in half sentences",
        "sayings": ["Mind the step."],
        "motivations": ["to be left alone"],
        "tone": "warm",
        "appearance": "Ismay is tall.",
        "met": False,
    }
    here = build({**FACTS, "people": [person]}, 2000).here
    for text in (
        "dry",
        "in half sentences",
        "Mind the step",
        "to be left alone",
        "fond of the player",
        "is tall",
    ):
        assert text in here
    assert "is tall" not in build({**FACTS, "people": [{**person, "met": True}]}, 2000).here


def test_what_a_place_has_not_shown_yet_is_not_told_to_the_model() -> None:
    place = {"name": "the mill", "arrival": "It turns.", "details": ["A rope.", "A trapdoor."], "unseen": 1}
    here = build({**FACTS, "place": place}, 2000).here
    assert "A rope." in here
    assert "A trapdoor." not in here


def test_notes_of_the_player_and_words_of_skills_reach_the_narrator() -> None:
    facts = {**FACTS, "notes": ["More rain, please"], "findings": {"omens": {"tell": "A crow calls twice."}}}
    now = brief.write(facts, budget=2000, advice=["Crows never lie."]).now
    for text in ("More rain, please", "A crow calls twice", "Crows never lie."):
        assert text in now
