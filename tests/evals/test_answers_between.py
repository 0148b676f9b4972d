"""The same choice is made before and after an event, and the reader is not told which event it was."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from evals.answers.between import EVENTS, Pair, collect_pairs, describe_event, pick_events, write_pairs

from narratoria import app
from narratoria.narrator.grammar import call_name


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))


async def test_a_pair_has_two_answers_and_the_event_between_them() -> None:
    pairs = await collect_pairs(2, ["comet-tea-room"])
    assert len(pairs) == 2
    campaign = app.open_campaign("comet-tea-room")
    events = {describe_event(beat) for beat in campaign.beats} | {
        f"You asked {call_name(profile.name)} {topic.ask}."
        for profile in campaign.people.values()
        for topic in profile.topics
    }
    for pair in pairs:
        assert pair.before
        assert pair.after
        assert len(set(pair.events)) == EVENTS
        assert set(pair.events) <= events


def test_events_to_pick_from_have_not_happened_but_for_one() -> None:
    campaign = app.open_campaign("harrowmere")
    offered = [beat for beat in campaign.beats if describe_event(beat)]
    events = pick_events(offered[0], campaign, [offered[1].id], random.Random(1))
    assert describe_event(offered[0]) in events
    assert describe_event(offered[1]) not in events


def test_the_key_is_written_apart(tmp_path: Path) -> None:
    pair = Pair("c", "Talk to Bo", "Yes.", "No.", ("You ran.", "You hid.", "You sang.", "You ate."), 2)
    out, key = tmp_path / "pairs.jsonl", tmp_path / "key.jsonl"
    write_pairs([pair], out, key)
    row = json.loads(out.read_text(encoding="utf-8"))
    assert row == {
        "n": 0,
        "campaign": "c",
        "choice": "Talk to Bo",
        "a": "Yes.",
        "b": "No.",
        "events": list(pair.events),
    }
    assert json.loads(key.read_text(encoding="utf-8")) == {"n": 0, "event": 2}
