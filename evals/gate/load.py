"""Loads cases for the gate: each a text, and the ledger that the engine builds for where it is told.

A case says where the player is, what they do, how the dice ended and what has happened before; everything
else is the engine's own, so that whoever writes cases writes prose.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from evals.answers.secrecy import open_named
from narratoria.campaign.campaign import Campaign
from narratoria.engine.action import choose, prepare_answers, situation_of
from narratoria.engine.facts import build_facts
from narratoria.engine.kept_texts import build_story_knowledge
from narratoria.engine.memory.recall import RecallResult
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.engine.understanding import understand_by_words
from narratoria.narrator.gate import ContinuityLedger
from narratoria.narrator.story_knowledge import StoryKnowledge
from narratoria.planner.plan_scripts import NARRATE
from narratoria.planner.script_inputs import SCENE_FIELDS
from narratoria.state import SessionState

CASES = Path(__file__).parent / "cases"
SCENE = 3


class StoryState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What has happened before."""

    dead: tuple[str, ...] = ()
    moved: dict[str, str] = {}
    items: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text that a model might send; `class` is what is wrong with it, or `good`."""

    campaign: str
    place: str
    action: str
    text: str
    kind: str = msgspec.field(name="class")
    outcome: str = ""
    state: StoryState = StoryState()
    why: str = ""


def read_cases(name: str) -> list[Case]:
    path = CASES / f"{name}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [msgspec.json.decode(line, type=Case) for line in lines if line.strip()]


def build_case_ledger(case: Case) -> ContinuityLedger:
    """Return the ledger of a case, as a storyteller's check builds it from the engine's facts."""
    facts, knowledge = build_case_facts(case)
    return ContinuityLedger.of(facts, knowledge)


def build_case_facts(case: Case) -> tuple[dict[str, Any], StoryKnowledge]:
    """Return what a storyteller is given for a case, and what the engine tells the gate besides."""
    key = json.dumps(
        [case.campaign, case.place, case.action, case.outcome, msgspec.to_builtins(case.state)],
        ensure_ascii=False,
    )
    return _build(key)


@cache
def _open(name: str) -> Campaign:
    return open_named(name)


@cache
def _build(key: str) -> tuple[dict[str, Any], StoryKnowledge]:
    name, place, words, outcome, raw_state = json.loads(key)
    campaign, state = _open(name), msgspec.convert(raw_state, StoryState)
    assert place in campaign.places, f"{name} has no place {place}"
    presets = campaign.template.presets
    items = dict.fromkeys(
        (*campaign.template.starting_items, *(presets[0].items if presets else ()), *state.items)
    )
    story = StorySnapshot(
        id="eval",
        campaign=campaign.name,
        seed=1,
        progress=Progress(
            place=place,
            scene=SCENE + len(state.told),
            beat_outcomes=dict.fromkeys(state.told, "success"),
            dead=state.dead,
            moved_people=state.moved,
        ),
        state=SessionState({"persona": {"items": list(items)}, "flags": dict.fromkeys(state.flags, True)}),
    )
    campaign = campaign.apply_changes(story.flags)
    choice = Choice(text=words)
    meaning = understand_by_words(choice, story, campaign, RecallResult())
    recalled = RecallResult(understanding=meaning)
    action = prepare_answers(choose(choice, story, campaign, recalled), story, campaign, recalled)
    facts = build_facts(action, story, campaign, recalled).to_json_values()
    given = {field: facts[field] for field in SCENE_FIELDS[NARRATE] if field in facts}
    given["draft"] = facts["drafts"].get(outcome) or facts["draft"]
    del given["drafts"]
    if outcome:
        given["roll"] = {"outcome": outcome}
    return given, build_story_knowledge(action, situation_of(story, campaign, recalled))


def read_examples(path: Path) -> list[tuple[str, ContinuityLedger]]:
    """Return hand-written answers of other worlds, each with a ledger made from the brief beside it.

    What the other answers of its world tell is known to everybody there.
    """
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    worlds: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        worlds.setdefault(row["setting"], []).append(row)
    return [(row["answer"], _ledger_of_example(row, worlds[row["setting"]])) for row in rows]


def _ledger_of_example(row: dict[str, Any], world: list[dict[str, Any]]) -> ContinuityLedger:
    name = row["place"].partition(":")[0]
    outcome = {"none": "", "partial": "partial success"}.get(row["outcome"], row["outcome"])
    people = [person["name"] for person in row["people"]]
    facts = {
        "ledger": {"present": people, "place": name, "places": [name]},
        "action": {"text": row["action"]},
        "roll": {"outcome": outcome},
        "brief": {field: row[field] for field in ("setting", "place", "people", "evidence", "before")},
    }
    others = [
        text for one in world if one is not row for text in (one["answer"], one["place"], one["before"])
    ]
    open_texts = [*others, *(text for one in world for text in one["evidence"])]
    open_texts += [person["name"] for one in world for person in one["people"]]
    return ContinuityLedger.of(facts, StoryKnowledge(open_texts=tuple(open_texts)))
