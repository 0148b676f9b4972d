"""The planners that can be scored by name; any other by `module:factory`."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from evals.planning.cases import EVERY_PLAN, LABELS, PORTRAITS
from narratoria.app import open_scorer
from narratoria.inference.catalogue import CATALOGUE, EMBEDDED
from narratoria.inference.installed_models import find_model
from narratoria.inference.model import LocalModel
from narratoria.planner.model_adviser import Adviser
from narratoria.planner.patterns import PatternPlanner
from narratoria.planner.plan_scripts import ScriptOffer, find_offers
from narratoria.planner.planner import TurnPlanner
from narratoria.planning.plan import Plan, Planner, PlanRequest, ToolInvocation

SHIPPED = "shipped"  # the scorer and the embedded model
LOADING = 60.0  # seconds: the figures are of a scorer that is there
PORTRAIT_SCRIPT = f"{PORTRAITS}/generate-portrait"


@dataclass(frozen=True, slots=True)
class SamePlanner:
    """The same scripts whatever is asked: what a planner that understands nothing would score."""

    labels: tuple[str, ...] = ()

    async def generate(self, request: PlanRequest) -> Plan:
        scripts = (PORTRAIT_SCRIPT if label == PORTRAITS else label for label in self.labels)
        ids = (*scripts, *EVERY_PLAN)
        tools = tuple(ToolInvocation(tool_id=name, tool_path=f"skills/{name}") for name in ids)
        return Plan(request_id=str(uuid.uuid4()), tools=tools)


class PatientPlanner:
    """A planner of the application, given the time to load before it is asked."""

    def __init__(self, planner: TurnPlanner) -> None:
        self._planner = planner

    async def generate(self, request: PlanRequest) -> Plan:
        return (await self._planner.explain(request)).plan


class AdvisedPlanner:
    """The scorer and a language model, which has read its instructions before it is first asked."""

    reads_ahead = True

    def __init__(self, file: Path) -> None:
        size = file.stat().st_size
        sha256 = next((entry.sha256 for entry in CATALOGUE if entry.size == size), "")
        model = LocalModel(file, sha256=sha256)
        self._adviser = Adviser(model, fills=False)  # choosing is scored, and takes no forms
        self._planner = TurnPlanner(open_scorer, advise=self._advise, load_timeout_s=LOADING)

    async def expect(self, request: PlanRequest) -> None:
        offered = find_offers(request)
        if self._adviser.why_unavailable(offered):
            await self._adviser.read_instructions(offered)
        await self._planner.expect(request)

    async def generate(self, request: PlanRequest) -> Plan:
        return (await self._planner.explain(request)).plan

    def _advise(self, offered: Mapping[str, ScriptOffer]) -> Adviser | str:
        return self._adviser.why_unavailable(offered) or self._adviser


PLANNERS: Mapping[str, Callable[[], Planner]] = {
    SHIPPED: lambda: AdvisedPlanner(find_model(EMBEDDED.name).path),
    "patterns": PatternPlanner,
    "scorer": lambda: PatientPlanner(TurnPlanner(open_scorer, load_timeout_s=LOADING)),
    "nothing": SamePlanner,
    "everything": lambda: SamePlanner(LABELS),
}


def open_planner(name: str) -> Planner:
    """LookupError with what there is for a name that leads nowhere."""
    if name.startswith("scorer+") and Path(name.removeprefix("scorer+")).is_file():
        return AdvisedPlanner(Path(name.removeprefix("scorer+")))
    if factory := PLANNERS.get(name):
        return factory()
    module, _, attribute = name.partition(":")
    try:
        found: Callable[[], Planner] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError):
        known = ", ".join((*PLANNERS, "scorer+FILE.gguf"))
        message = f"no such planner: '{name}'; name one of {known}, or module:factory"
        raise LookupError(message) from None
    return found()
