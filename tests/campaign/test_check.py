"""The campaign compiler: what cannot be reached is said to be, with the reason, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.campaign.mill import build

from narratoria import paths
from narratoria.campaign.campaign import Beat, Campaign, Manifest, Place, Way
from narratoria.campaign.check import CheckReport, check_campaign
from narratoria.campaign.plot import Plot
from narratoria.campaign.reachability import ReachableState
from narratoria.engine.beats import is_open, tidy
from narratoria.engine.conditions import StorySituation, prose_conditions
from narratoria.engine.snapshot import Progress


def compiled(folder: Path, *beats: dict[str, Any], endings: tuple[str, ...] = ()) -> CheckReport:
    """A campaign with these beats, a hall, a yard behind it and a cellar to which no way leads."""
    files = {
        "manifest.json": '{"title": "T", "version": "1.0.0"}',
        "lore/locations/hall.md": "# Hall\n\n## Ways\n\n- [Yard](yard.md): out\n",
        "lore/locations/yard.md": "# Yard\n",
        "lore/locations/cellar.md": "# Cellar\n",
        "characters/player/template.json": '{"starting_location": "hall"}',
        "characters/npcs/ada/profile.json": '{"name": "Ada", "role": "Cook", "personality": {}}',
        "plot/beats.json": json.dumps(
            {"beats": [{"title": "T", "description": "D", **b} for b in beats]}, indent=1
        ),
        **{f"plot/endings/{name}.md": f"# {name}\n\nThe end.\n" for name in endings},
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return check_campaign(folder)


def verdicts(result: CheckReport) -> dict[str, str]:
    return {fate.id: fate.verdict for fate in (*result.beats, *result.endings)}


def reasons(result: CheckReport, beat: str) -> tuple[str, ...]:
    return next(fate.reasons for fate in result.beats if fate.id == beat)


@pytest.mark.parametrize("folder", sorted(paths.BUNDLED_CAMPAIGNS.iterdir()), ids=lambda folder: folder.name)
def test_every_beat_and_ending_of_a_bundled_campaign_can_be_reached(folder: Path) -> None:
    result = check_campaign(folder)
    assert result.ok
    assert {fate.verdict for fate in (*result.beats, *result.endings)} <= {"reachable"}


def test_a_campaign_in_order_has_nothing_but_notes(tmp_path: Path) -> None:
    result = check_campaign(build(tmp_path))
    assert {finding.severity for finding in result.problems} <= {"info"}
    assert verdicts(result) == dict.fromkeys(["arrive", "climb", "night", "end", "morning"], "reachable")


UNREACHABLE = {
    "a beat that requires itself": ({"requires_beat": "it"}, "it requires 'it', which can never happen"),
    "a beat that nobody wrote": ({"requires_beat": "no"}, "it requires 'no', and there is no such beat"),
    "one of several that cannot happen": (
        {"requires_any_beat": ["no", "it"]},
        "it requires one of no, it, and none can happen",
    ),
    "a window that closes before it opens": (
        {"scene_count": {"min": 5, "max": 3}},
        "its window closes before it opens",
    ),
    "a window that closes before its prerequisite": (
        {"requires_beat": "late", "scene_count": {"max": 9}},
        "its window closes after scene 9, and what it waits for cannot come before scene 10",
    ),
    "a flag that no beat sets": (
        {"custom": '"the moon is out" in flags'},
        "its expression can never be true: no beat that can happen brings “the moon is out” about",
    ),
    "a flag that its own prerequisite sets": (
        {"requires_beat": "first", "custom": '!("the door is open" in flags)'},
        "its expression can never be true: “the door is open” comes about in 'first', which must come before",
    ),
    "a beat that must and must not have come": (
        {"requires_beat": "first", "custom": '!("first" in told)'},
        "its expression can never be true: 'first' must come before",
    ),
    "a state that must be and must not be so": (
        {"player_state": "the door is open", "custom": '!("the door is open" in flags)'},
        "its expression can never be true: “the door is open” comes about in 'first', which must come before",
    ),
    "a scene outside of its window": (
        {"scene_count": {"max": 4}, "custom": "scene > 6"},
        "its expression can never be true: it asks for a scene outside of those from 0 to 4",
    ),
    "two ends of one roll": (
        {"player_state": ["it went well", "it went ill"]},
        "it needs 'roll' to end in 'success' and in 'failure' as well",
    ),
    "a dead person who must live": (
        {"requires_beat": "murder", "npc_state": {"ada": {"alive": True}}},
        "'ada' must live, and dies in 'murder', which must come before",
    ),
    "a place it does not happen at": (
        {"custom": 'place == "cellar"'},
        "its expression can never be true: one cannot be at 'cellar' then",
    ),
    "an expression that cannot be read": ({"custom": "scene >"}, "its expression cannot be read"),
}
OTHERS = (
    {"id": "first", "consequences": ["the door is open"]},
    {"id": "late", "conditions": {"scene_count": {"min": 10}}},
    {
        "id": "roll",
        "outcomes": [
            {"name": "success", "description": "d", "consequences": ["it went well"]},
            {"name": "partial success", "description": "d"},
            {"name": "failure", "description": "d", "consequences": ["it went ill"]},
        ],
    },
    {"id": "murder", "effects": {"dies": ["ada"]}},
)


@pytest.mark.parametrize(("conditions", "reason"), UNREACHABLE.values(), ids=UNREACHABLE)
def test_what_can_never_happen_is_told_with_its_reason_and_its_line(
    conditions: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    result = compiled(tmp_path, {"id": "it", "conditions": conditions, "priority": "critical"}, *OTHERS)
    assert verdicts(result) == {"it": "unreachable", **{other["id"]: "reachable" for other in OTHERS}}
    assert reason in reasons(result, "it")
    errors = [finding for finding in result.problems if finding.is_error]
    assert f"'it' can never happen: {reason}" in [finding.message for finding in errors]
    assert all(finding.line > 1 and finding.file == "plot/beats.json" for finding in errors)


def test_an_expression_that_goes_beyond_what_is_read_cannot_be_told(tmp_path: Path) -> None:
    result = compiled(tmp_path, {"id": "it", "conditions": {"custom": "flags.exists(f, f.size() > 40)"}})
    assert verdicts(result) == {"it": "unclear"}


def test_a_beat_that_another_calls_needs_no_conditions(tmp_path: Path) -> None:
    called = {"id": "called", "conditions": {"requires_beat": "never"}}
    by_end = {
        "id": "a",
        "outcomes": [{"name": "so", "description": "d", "probability": 1, "next_beat": "called"}],
    }
    by_time = {"id": "a", "timeout": {"scenes": 3, "fallback_beat": "called"}}
    assert verdicts(compiled(tmp_path / "a", called, by_end))["called"] == "reachable"
    result = compiled(tmp_path / "b", called, by_time)
    assert next(fate for fate in result.beats if fate.id == "called").earliest == 3
    dead = {"id": "a", "outcomes": [{"name": "luck", "description": "d", "next_beat": "called"}]}
    assert verdicts(compiled(tmp_path / "c", called, dead))["called"] == "unreachable"


def test_endings_without_a_beat_or_behind_one_that_cannot_happen_are_told(tmp_path: Path) -> None:
    result = compiled(
        tmp_path,
        {"id": "good", "ending": "good"},
        {"id": "bad", "ending": "bad", "conditions": {"requires_beat": "bad"}},
        {"id": "after", "conditions": {"requires_beat": "good"}},
        endings=("good", "bad", "lost"),
    )
    found = {(f.file, f.code, f.severity) for f in result.problems if f.code != "unreachable"}
    assert {("plot/endings/bad.md", "unreachable-ending", "error")} <= found
    assert {("plot/endings/lost.md", "ending-without-beat", "warning")} <= found
    assert {("plot/beats.json", "after-the-end", "warning")} <= found
    assert {name: verdicts(result)[name] for name in ("good", "lost")} == {
        "good": "reachable",
        "lost": "unreachable",
    }


def test_flags_that_nobody_sets_or_reads_and_branches_that_no_roll_takes_are_told(tmp_path: Path) -> None:
    ends = [{"name": "triumph", "description": "d"}, {"name": "failure", "description": "d"}]
    result = compiled(
        tmp_path,
        {"id": "a", "consequences": ["the bridge is down", "it rains"], "outcomes": ends},
        {
            "id": "b",
            "conditions": {"player_state": "the bridge was down", "custom": '!("it snows" in flags)'},
        },
    )
    told = {(f.code, f.pointer): f.message for f in result.problems}
    assert told["never-set", "/beats/1/conditions/player_state"].endswith(
        "did you mean “the bridge is down”?"
    )
    assert (
        told["never-set", "/beats/1/conditions/custom"] == "no beat brings “it snows” about: it is never so"
    )
    assert told["never-read", "/beats/0/consequences/1"] == "no condition asks for “it rains”"
    assert told["dead-branch", "/beats/0/outcomes/0"].startswith("'a' never ends in 'triumph': no roll ends")


def test_a_beat_that_waits_for_an_answer_can_be_reached_if_the_question_can(tmp_path: Path) -> None:
    topics = [
        {
            "id": "key",
            "ask": "where the key is",
            "answer": "“There.”",
            "consequences": ["you know of the key"],
        },
        {
            "id": "well",
            "ask": "who fell in",
            "answer": "“He.”",
            "consequences": ["you know of the well"],
            "conditions": {"requires_beat": "never"},
        },
    ]
    profile = {"name": "Ada", "role": "Cook", "personality": {}, "topics": topics}
    compiled(
        tmp_path,
        {"id": "unlock", "conditions": {"player_choice": "Unlock it", "player_state": "you know of the key"}},
        {
            "id": "climb",
            "conditions": {"player_choice": "Climb down", "player_state": "you know of the well"},
        },
        {"id": "never", "conditions": {"requires_beat": "never"}},
    )
    (tmp_path / "characters/npcs/ada/profile.json").write_text(json.dumps(profile), encoding="utf-8")
    assert verdicts(check_campaign(tmp_path)) == {
        "unlock": "reachable",
        "climb": "unreachable",
        "never": "unreachable",
    }


def test_what_a_topic_brings_about_or_asks_for_is_neither_unset_nor_unread(tmp_path: Path) -> None:
    topics = [
        {"id": "t", "ask": "why", "answer": "So.", "consequences": ["Ada has told"]},
        {"id": "u", "ask": "when", "answer": "Now.", "conditions": {"player_state": "it rains"}},
        {"id": "v", "ask": "how", "answer": "Thus.", "conditions": {"custom": '"it snows" in flags'}},
    ]
    profile = {"name": "Ada", "role": "Cook", "personality": {}, "topics": topics}
    compiled(
        tmp_path,
        {"id": "a", "consequences": ["it rains", "it snows"]},
        {"id": "b", "conditions": {"player_state": "Ada has told"}},
    )
    (tmp_path / "characters/npcs/ada/profile.json").write_text(json.dumps(profile), encoding="utf-8")

    codes = {problem.code for problem in check_campaign(tmp_path).problems}
    assert not codes & {"never-set", "never-read"}


# against the engine: whatever a story reaches by playing at random was never called unreachable

BEATS = [f"b{n}" for n in range(6)]
FLAGS = [f"flag {n}" for n in range(4)]
PLACES = ["p0", "p1", "p2"]
EXPRESSIONS = [
    '"flag 0" in flags',
    '!("flag 1" in flags)',
    '"b1" in told && !("b2" in told)',
    'scene > 2 && scene < 6 || place == "p2"',
    'told["b0"] == "success"',
    '!("flag 0" in flags || scene == 3)',
    'place != "p0"',
    "scene <= 1",
]
some_beat = st.sampled_from(["", *BEATS])
some_flags = st.lists(st.sampled_from(FLAGS), max_size=2)
some_effects = st.fixed_dictionaries(
    {},
    optional={
        "state": st.dictionaries(
            st.just("flags"), st.dictionaries(st.sampled_from(FLAGS), st.booleans()), max_size=1
        ),
        "dies": st.just(["ada"]),
        "move_to": st.sampled_from(PLACES),
    },
)
windows = st.tuples(st.integers(0, 5), st.one_of(st.none(), st.integers(2, 7)))
conditions = st.fixed_dictionaries(
    {},
    optional={
        "scene_count": windows.map(lambda w: {"min": w[0], "max": w[1]}),
        "requires_beat": some_beat,
        "requires_any_beat": st.lists(st.sampled_from(BEATS), max_size=2),
        "player_choice": st.just("Do it"),
        "player_state": st.one_of(st.sampled_from(FLAGS), some_flags),
        "npc_state": st.fixed_dictionaries({"ada": st.fixed_dictionaries({"alive": st.booleans()})}),
        "custom": st.sampled_from(EXPRESSIONS),
    },
)


@st.composite
def campaigns(draw: st.DrawFn) -> Campaign:
    beats = []
    for name in BEATS:
        ends = ("success", "partial success", "failure") if draw(st.booleans()) else ()
        outcomes = [
            {
                "name": end,
                "description": "d",
                "consequences": draw(some_flags),
                "effects": draw(some_effects),
                "next_beat": draw(some_beat) if draw(st.integers(0, 5)) == 0 else "",
            }
            for end in ends
        ]
        beat = {
            "id": name,
            "title": name,
            "description": "d",
            "conditions": draw(conditions),
            "location": draw(st.sampled_from(["", *PLACES])),
            "outcomes": outcomes,
            "consequences": draw(some_flags),
            "effects": draw(some_effects),
            "skippable": draw(st.integers(0, 3)) > 0,
        }
        if draw(st.integers(0, 4)) == 0:
            beat["timeout"] = {"scenes": draw(st.integers(1, 3)), "fallback_beat": draw(some_beat)}
        beats.append(msgspec.convert(beat, Beat))
    ways = {name: draw(st.lists(st.sampled_from(PLACES), max_size=2)) for name in PLACES}
    return Campaign(
        folder=Path("c"),
        manifest=Manifest("c", "1.0.0"),
        start="p0",
        places={name: Place(name, name, "", ways=tuple(Way(to, "") for to in ways[name])) for name in PLACES},
        beats=tuple(beats),
    )


def played(campaign: Campaign, draw: st.DataObject) -> dict[str, int]:
    """The beats of a story told at random by the engine's own rules, each with its scene."""
    progress, flags, told = Progress(place="p0"), frozenset[str](), dict[str, int]()
    recalled = frozenset(prose_conditions(campaign, progress, flags))  # a memory as good as can be
    for scene in range(1, 10):
        progress = msgspec.structs.replace(progress, scene=scene)
        for way in draw.draw(st.sampled_from([(), campaign.places[progress.place].ways])):
            progress = msgspec.structs.replace(progress, place=way.to)
        for _ in range(3):
            now = StorySituation(campaign, progress, flags, {}, recalled)
            due = [
                b for b in campaign.beats if is_open(b, now) and b.location in ("", progress.place)
            ]  # a story tells fewer than this at once
            if not due:
                break
            beat = draw.draw(st.sampled_from(due))
            outcome = draw.draw(st.sampled_from([end.name for end in beat.outcomes] or [""]))
            told[beat.id] = scene
            progress, flags = after(beat, outcome, progress, flags)
        progress = tidy(StorySituation(campaign, progress, flags, {}, recalled)).progress
    return told


def after(
    beat: Beat, outcome: str, progress: Progress, flags: frozenset[str]
) -> tuple[Progress, frozenset[str]]:
    end = beat.outcome(outcome)
    for consequences, effects in (
        (beat.consequences, beat.effects),
        *(((end.consequences, end.effects),) if end else ()),
    ):
        changed = effects.state.get("flags", {})
        flags = (flags | {*consequences, *(f for f, on in changed.items() if on)}) - {
            f for f, on in changed.items() if not on
        }
        progress = msgspec.structs.replace(
            progress, dead=(*progress.dead, *effects.dies), place=effects.move_to or progress.place
        )
    called = (*progress.called_beats, end.next_beat) if end and end.next_beat else progress.called_beats
    return msgspec.structs.replace(
        progress, beat_outcomes={**progress.beat_outcomes, beat.id: outcome}, called_beats=called
    ), flags


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(campaigns(), st.data())
def test_nothing_that_a_story_reaches_is_called_unreachable_or_comes_too_early(
    campaign: Campaign, data: st.DataObject
) -> None:
    state = ReachableState(Plot(campaign), optimistic=True).explore()
    for beat, scene in played(campaign, data).items():
        assert beat in state.beats, list(state.blockers(campaign.beat(beat)))
        assert state.beats[beat] <= scene


def test_the_ending_for_everything_else_needs_no_beat(tmp_path: Path) -> None:
    folder = build(tmp_path)
    (folder / "plot/endings/otherwise.md").write_text("# Otherwise\n\nThe wheel stands.\n")
    report = check_campaign(folder)

    assert "otherwise" not in " ".join(problem.message + problem.file for problem in report.problems)
    assert next(one for one in report.endings if one.id == "otherwise").verdict == "reachable"
