"""`narratoria plan`: what would be done about an action, and why."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from narratoria.planner.planner import Explained
    from narratoria.planner.scores import Score
    from narratoria.planning.plan_request import PlanRequest

PLANNERS = ("model", "scorer", "patterns")


@click.command()
@click.argument("action")
@click.option("--campaign", metavar="C", help="Plan it in the first scene of this campaign.")
@click.option(
    "--planner",
    type=click.Choice(PLANNERS),
    help="Who plans; without this as in a story: the scorer, with a model that was trained to choose.",
)
@click.option("--explain", is_flag=True, help="Say in plain words what was thought of each script.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON; with --explain the scores as well.")
def plan(*, action: str, campaign: str | None, planner: str | None, explain: bool, as_json: bool) -> None:
    """Print the plan for an ACTION, typed as a player would say it.

    \b
    Examples:
      narratoria plan "I pick the lock"
      narratoria plan "I ask Maud for a room" --explain
      narratoria plan "I pick the lock" --planner patterns --json
    """
    from narratoria import app

    request = app.plan_request(action, campaign)
    explained = asyncio.run(app.explain_plan(request, planner))
    if as_json:
        document: dict[str, Any] = explained.plan.to_dict()
        print(json.dumps(_with_scores(document, explained) if explain else document, ensure_ascii=False))
        return
    if explain:
        print("\n".join(in_words(explained, request)), end="\n\n")
    json.dump(explained.plan.to_dict(), sys.stdout, indent=2, ensure_ascii=False)
    print()


def in_words(explained: Explained, request: PlanRequest) -> list[str]:
    """What was thought of each script, the likeliest first."""
    lines = [f"Planned by: {explained.by}."]
    lines += [f"Not by a better one, because {reason}." for reason in explained.steps_down]
    for score in sorted(explained.scores, key=lambda score: -score.needed):
        verdict = "yes" if score.chosen else "no "
        numbers = f"needed {score.needed:4.0%}, harmless {score.harmless:4.0%}"
        lines.append(f"  {verdict}  {score.label:<41} {numbers}  ({score.why})")
    if not explained.scores:
        lines.append("  Nothing beyond prose and choices is needed.")
    if not request.skills:
        lines.append("  No skill is offered here; see `narratoria skills list`.")
    return lines


def _with_scores(document: dict[str, Any], explained: Explained) -> dict[str, Any]:
    return {
        "plan": document,
        "by": explained.by,
        "stepsDown": list(explained.steps_down),
        "scores": [_as_json(score) for score in explained.scores],
    }


def _as_json(score: Score) -> dict[str, Any]:
    return {
        "script": score.label,
        "chosen": score.chosen,
        "needed": round(score.needed, 3),
        "harmless": round(score.harmless, 3),
        "why": score.why,
    }
