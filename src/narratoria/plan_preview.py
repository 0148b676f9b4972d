"""Plans an action outside a story, as `narratoria plan` shows it, with the reasons."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from narratoria import app
from narratoria.engine.action import choose
from narratoria.engine.facts import build_facts
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.errors import ModelUnavailable
from narratoria.planner.model_adviser import FILLING_TIERS, Adviser, FindAdviser, no_adviser
from narratoria.planner.plan_scripts import find_offers
from narratoria.planner.planner import PlanExplanation, TurnPlanner
from narratoria.planning.plan import PlanRequest
from narratoria.skills.resolve import Tools

LOADING_TIMEOUT_S = 20.0  # how long `narratoria plan` waits for the scorer or the model


def build_plan_request(action: str, campaign: str | None = None) -> PlanRequest:
    """Build the request for a typed action, in a campaign's first scene if one is given."""
    context: dict[str, Any] = {"action": {"kind": "free", "text": action}}
    if campaign is not None:
        story = app.open_campaign(campaign)
        session = StorySnapshot(id="plan", campaign=story.name, seed=0)
        resolved = choose(Choice(text=action), session, story)
        context = build_facts(resolved, session, story).to_json_values()
    return PlanRequest(action, Tools(app.open_skills()).offered(), context=context)


async def explain_plan(request: PlanRequest, planner: str | None = None) -> PlanExplanation:
    """Plan a request with the named planner, or the best one there is, and give its reasons."""
    if planner == "patterns":
        explained = await TurnPlanner(_no_scorer).explain(request)
        asked = ("the patterns were asked for",)  # and not for want of a scorer
        signed = msgspec.structs.replace(explained.plan.metadata, reasons=asked)
        plan = msgspec.structs.replace(explained.plan, metadata=signed)
        return replace(explained, plan=plan, fallback_reasons=asked)
    if planner == "scorer":
        return await TurnPlanner(app.open_scorer, load_timeout_s=LOADING_TIMEOUT_S).explain(request)
    return await _explain_with_model(request, named=planner is not None)


async def _explain_with_model(request: PlanRequest, *, named: bool) -> PlanExplanation:
    """Plan with the installed language model, or say why not.

    Unless the model was asked for by name, only one trained to choose is used: others read for minutes first.
    """
    from narratoria.inference.exam import load_exam
    from narratoria.inference.installed_models import chosen_model, find_adapters
    from narratoria.inference.model import LocalModel

    missing = "no language model is installed"
    try:
        model_file = chosen_model()
    except (ModelUnavailable, OSError) as error:
        model_file, missing = None, str(error)
    if model_file is None or not (named or find_adapters(model_file.path, model_file.sha256)):
        advise: FindAdviser = (lambda _: missing) if named else no_adviser
        return await TurnPlanner(app.open_scorer, advise=advise, load_timeout_s=LOADING_TIMEOUT_S).explain(
            request
        )
    model = LocalModel(model_file.path, sha256=model_file.sha256)
    report = load_exam(model_file)
    adviser = Adviser(model, fills=report is not None and report.tier in FILLING_TIERS)
    try:
        await adviser.read_instructions(find_offers(request))
        planner = TurnPlanner(
            app.open_scorer,
            advise=lambda offered: adviser.why_unavailable(offered) or adviser,
            load_timeout_s=LOADING_TIMEOUT_S,
        )
        await planner.expect(request)  # as in a story, where it is done while the player reads
        return await planner.explain(request)
    finally:
        await adviser.close()
        await model.close()


async def _no_scorer() -> None:
    return None
