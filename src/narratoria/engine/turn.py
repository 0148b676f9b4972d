"""Plays one turn of a story. Read this first: a turn is six stops, each in a module of its own.

    stop        module              what comes out of it
    choose      engine/action       a ResolvedAction: what the choice means here, and what comes by itself
    plan        planning/replan     a Plan: which skills run, in which order, with which input (planner/)
    execute     planning/execute    what every skill said, each in its sandbox and within its time
    aggregate   planning/aggregate  one state, one set of pictures, words and choices out of all of that
    render      engine/render       a Scene for the player: never blank, true, with something to do
    remember    engine/advance      the story one scene further, and memories for the store

Every stop takes frozen values and gives a new one; nothing reaches back. A skill or a plan that fails is part
of the result, so whatever goes wrong the player gets a scene. The one way out on the side is `on_progress`,
which tells an interface what is being done meanwhile.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.contracts.content_limits import NO_LIMITS, ContentLimits
from narratoria.contracts.scene_facts import SceneFacts
from narratoria.engine.action import ResolvedAction, choose, prepare_answers, situation_of
from narratoria.engine.advance import advance_story, outcome_of
from narratoria.engine.facts import build_facts, redraft
from narratoria.engine.kept_texts import build_story_knowledge
from narratoria.engine.memory.recall import NOTHING, RecallResult
from narratoria.engine.persistence.turn_record import TurnTrace
from narratoria.engine.played_story import stage_campaign, tell_as_written
from narratoria.engine.reading import Understanding
from narratoria.engine.receipts import add_receipts, locate_offers
from narratoria.engine.render import render
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.skill_results import add_skill_answers, list_findings, read_skill_results
from narratoria.engine.skill_warnings import StoryWarning
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.understanding import understand_by_words
from narratoria.narrator.story_knowledge import StoryKnowledge
from narratoria.planner.intent import Question
from narratoria.planner.patterns import is_picked_choice
from narratoria.planning.aggregate import aggregate_results
from narratoria.planning.execute import Bounds, execute
from narratoria.planning.plan import LoadingPlanner, OnProgress, Planner, PlanRequest, ReadAheadPlanner
from narratoria.planning.plan_log import PlanLog
from narratoria.planning.prepare import Resolve
from narratoria.planning.replan import Fallback, PlanOutcome, run_replan_loop
from narratoria.planning.result import ToolResult
from narratoria.protocol.waiting_time import wait_for_work
from narratoria.skills.skill import Skill

T = TypeVar("T")
READING_TIMEOUT_S = 30.0  # for a player's words; what takes longer is taken by the words alone
_log = logging.getLogger(__name__)

# looks up what the store remembers that has to do with a choice; gives up, and says so, rather than fail
RecallMemories: TypeAlias = Callable[[Choice, StorySnapshot], Awaitable[RecallResult]]
# reads what a choice means here and now
Understand: TypeAlias = Callable[[Choice, StorySnapshot, RecallResult], Awaitable[Understanding | None]]
# returns the question that words which cannot be made out are met with
AskBack: TypeAlias = Callable[[str, StorySnapshot], Awaitable[Question | None]]
# lets a model that tells read what the next brief begins with
ReadBrief: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[None]]
# starts, in the background, the tools that are likely to run in the next turn; they are told this context
ExpectTools: TypeAlias = Callable[[Mapping[str, Any]], object]
# gives the store what is worth remembering of a scene
SaveMemories: TypeAlias = Callable[[Scene, ResolvedAction, StorySnapshot], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class TurnDependencies:
    """Holds everything a turn needs besides the story; made anew for every turn by `app`."""

    campaign: Campaign
    planner: Planner
    skills: Sequence[Skill]
    resolve: Resolve  # from the path of a tool in a plan to the tool
    plan_log: PlanLog
    assets: Path  # each story has a folder in there for the files its tools make
    bounds: Bounds = Bounds()
    recall: RecallMemories | None = None
    understand: Understand | None = None
    ask_back: AskBack | None = None
    save: SaveMemories | None = None
    read_brief: ReadBrief | None = None
    expect_tools: ExpectTools | None = None
    reading_timeout_s: float = READING_TIMEOUT_S
    # told what the story keeps, so that a skill's text can be checked for it; skills never see it
    expect_scene: Callable[[Callable[[], StoryKnowledge]], None] | None = None
    session_id: str = ""  # of this session of play, as records name it
    warnings: tuple[StoryWarning, ...] = ()  # about the skills; none of it stops a story


async def play_turn(
    story: StorySnapshot,
    choice: Choice,
    dependencies: TurnDependencies,
    *,
    take: int = 0,
    luck: int = 0,
    limits: ContentLimits = NO_LIMITS,
    on_progress: OnProgress | None = None,
) -> tuple[StorySnapshot, TurnTrace]:
    """Return the story one scene further, and the record of how the turn was played.

    `take` counts how often the player has asked for this turn in other words, and `luck` is the take whose
    dice count: a roll that was seen stays as it fell.
    """
    story = msgspec.structs.replace(story, limits=limits)
    campaign = stage_campaign(dependencies.campaign, story)

    # choose: what the player does, and everything that is known about the scene
    recall_result = await dependencies.recall(choice, story) if dependencies.recall else NOTHING
    if dependencies.understand:
        reading = dependencies.understand(choice, story, recall_result)
        understanding = await read_or_give_up(reading, dependencies.reading_timeout_s)
        if understanding and understanding.question:
            understanding = (
                None  # it was not asked back before the turn, and costs a turn now: it is answered
            )
        recall_result = msgspec.structs.replace(recall_result, understanding=understanding)
    action, facts = _choose(choice, story, campaign, recall_result, take)
    context = facts.to_json_values()
    if dependencies.expect_scene:
        dependencies.expect_scene(_make_knowledge(action, story, campaign, recall_result))
    await _wait_for_planner(dependencies, context)

    # plan, execute: until a plan succeeds, each time without the skills that failed
    outcome = await run_replan_loop(
        action.text,
        story.state,
        planner=dependencies.planner,
        skills=dependencies.skills,
        resolve=dependencies.resolve,
        execute=partial(
            execute,
            bounds=dependencies.bounds,
            context=_tool_context(story, dependencies, take, luck),
            on_progress=on_progress,
        ),
        plan_log=dependencies.plan_log,
        health=story.health,
        context=context,
    )

    # aggregate, render, remember
    record = TurnTrace.of(outcome, recall_result)
    after, action = _finish_turn(story, action, facts, campaign, record, take=take)
    if dependencies.save:
        await dependencies.save(after.scenes[-1], action, story)
    return after, record


async def read_or_give_up(reading: Awaitable[T | None], timeout_s: float) -> T | None:
    """Return what was read of a player's words; None where the reader fails or takes too long."""
    try:
        return await wait_for_work(reading, timeout_s)
    except Exception as error:  # noqa: BLE001  whatever a reader does, the player gets a scene; it is logged
        reason = f"{type(error).__name__}: {error}".rstrip(": ")
        _log.warning("what the player typed is taken by its words alone: %s", reason)
        return None


async def _wait_for_planner(dependencies: TurnDependencies, context: Mapping[str, Any]) -> None:
    """Wait for what typed words are planned with, so that no plan depends on how quickly it was loaded."""
    planner = dependencies.planner
    if isinstance(planner, LoadingPlanner) and not is_picked_choice(context["action"]):
        await read_or_give_up(planner.wait_until_loaded(), dependencies.reading_timeout_s)


def replay_turn(
    story: StorySnapshot,
    choice: Choice,
    campaign: Campaign,
    record: TurnTrace,
    *,
    take: int = 0,
    limits: ContentLimits = NO_LIMITS,
) -> StorySnapshot:
    """Return the story one scene further from the record of the turn; no plan is made and no skill runs."""
    story = msgspec.structs.replace(story, limits=limits)
    campaign = stage_campaign(campaign, story)
    action, facts = _choose(choice, story, campaign, record.recall_result, take)
    return _finish_turn(story, action, facts, campaign, record, take=take)[0]


async def read_ahead(story: StorySnapshot, dependencies: TurnDependencies) -> None:
    """Prepare the next turn while the player reads: what runs in it, and what planner and narrator read."""
    planner, disabled = dependencies.planner, story.health.disabled
    does_planner_read = isinstance(planner, ReadAheadPlanner) and planner.reads_ahead
    if story.progress.ending:
        return
    if dependencies.expect_tools:
        dependencies.expect_tools(_tool_context(story, dependencies, 0, 0))
    if not (does_planner_read or dependencies.read_brief):
        return
    campaign = stage_campaign(dependencies.campaign, story)
    context = build_facts(choose(Choice(text=""), story, campaign), story, campaign).to_json_values()
    if dependencies.read_brief:
        await dependencies.read_brief(context)
    if isinstance(planner, ReadAheadPlanner) and planner.reads_ahead:
        skills = [skill for skill in dependencies.skills if skill.name not in disabled]
        await planner.expect(PlanRequest("", skills, disabled, context=context))


def _choose(
    choice: Choice, story: StorySnapshot, campaign: Campaign, recall_result: RecallResult, take: int
) -> tuple[ResolvedAction, SceneFacts]:
    campaign = campaign.apply_changes(story.flags)
    if recall_result.understanding is None:
        understanding = understand_by_words(choice, story, campaign, recall_result)
        recall_result = msgspec.structs.replace(recall_result, understanding=understanding)
    variant = _vary_seed(story, take)
    action = prepare_answers(choose(choice, story, campaign, recall_result), variant, campaign, recall_result)
    return action, build_facts(action, variant, campaign, recall_result)


def _finish_turn(
    story: StorySnapshot,
    action: ResolvedAction,
    facts: SceneFacts,
    campaign: Campaign,
    record: TurnTrace,
    *,
    take: int,
) -> tuple[StorySnapshot, ResolvedAction]:
    """Return the story one scene further, and the action as it was answered in the end."""
    number, results = story.progress.scene + 1, _tool_results(record.outcome)
    aggregate = aggregate_results(results, story.state)
    knowledge = _make_knowledge(action, story, campaign, record.recall_result)
    skill_results = read_skill_results(results, facts, knowledge)
    action = add_skill_answers(action, skill_results, is_rolled=action.is_risky)
    facts = redraft(facts, action, _vary_seed(story, take), skill_results)
    scene = render(
        number, action, record.outcome, aggregate, facts, skill_results=skill_results, knowledge=knowledge
    )
    outcome = outcome_of(scene, action, campaign)
    scene = locate_offers(add_receipts(scene, action, outcome, campaign), action, outcome, campaign)
    scene = tell_as_written(scene, action.choice, action.beat, campaign, story)
    findings = list_findings(skill_results, number, action.place.id)
    after = advance_story(
        scene,
        action,
        story,
        campaign,
        state=aggregate.state,
        health=record.outcome.health,
        findings=findings,
    )
    return after, action


def _make_knowledge(
    action: ResolvedAction, story: StorySnapshot, campaign: Campaign, recall_result: RecallResult
) -> Callable[[], StoryKnowledge]:
    """Return a function that lists what the story keeps, once: most scenes are told without a model."""
    return cache(lambda: build_story_knowledge(action, situation_of(story, campaign, recall_result)))


def _tool_results(outcome: PlanOutcome | Fallback) -> tuple[ToolResult, ...]:
    """Return what the skills said: those of the plan that succeeded, or of the last one that ran at all."""
    result = outcome.result if isinstance(outcome, PlanOutcome) else outcome.partial
    return result.tool_results if result else ()


def _vary_seed(story: StorySnapshot, take: int) -> StorySnapshot:
    """Return the story with another seed for another take: what was said once is said otherwise."""
    return msgspec.structs.replace(story, seed=_hash(f"{story.seed}/{take}")) if take else story


def _tool_context(
    story: StorySnapshot, dependencies: TurnDependencies, take: int, luck: int
) -> dict[str, Any]:
    """Return what every tool of this turn is told; the seed makes a replay roll the same dice."""
    turn = f"{story.seed}/{story.progress.scene + 1}{f'/{luck}' if luck else ''}"
    return {
        "campaignDir": str(dependencies.campaign.folder),
        "assetDir": str(dependencies.assets / story.id / "assets"),
        "playthroughId": story.id,
        **({"sessionId": dependencies.session_id} if dependencies.session_id else {}),
        "seed": _hash(turn),
        **({"take": take} if take else {}),
    }


def _hash(text: str) -> int:
    """Return 48 bits of a text: a whole number in every language a skill may be written in."""
    return int.from_bytes(sha256(text.encode()).digest()[:6])
