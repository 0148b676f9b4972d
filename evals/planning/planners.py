"""The planners that can be scored by name; any other by `module:factory`."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from evals.planning.cases import EVERY_PLAN, LABELS, PORTRAITS
from narratoria.app import open_router
from narratoria.inference.model import LocalModel
from narratoria.inference.models import find_embedder
from narratoria.narrator.patterns import PatternPlanner
from narratoria.narrator.planner import RoutePlanner
from narratoria.narrator.router import Router
from narratoria.planning.plan import Plan, ToolInvocation
from narratoria.planning.planner import Planner, PlanRequest

LOADING = 60.0  # seconds: the figures are of a router that is there
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

    def __init__(self, planner: RoutePlanner) -> None:
        self._planner = planner

    async def generate(self, request: PlanRequest) -> Plan:
        return (await self._planner.explain(request)).plan


PLANNERS: Mapping[str, Callable[[], Planner]] = {
    "patterns": PatternPlanner,
    "scorer": lambda: PatientPlanner(RoutePlanner(open_router, deadline=LOADING)),
    "nothing": SamePlanner,
    "everything": lambda: SamePlanner(LABELS),
}


def with_model(file: Path) -> Planner:
    """The scorer, with a language model's word on what is in doubt."""
    model = LocalModel(file)

    async def opened() -> Router | None:
        folder = find_embedder()
        return None if folder is None else Router.open(folder, model)

    return PatientPlanner(RoutePlanner(opened, deadline=LOADING))


def open_planner(name: str) -> Planner:
    """LookupError with what there is for a name that leads nowhere."""
    if name.startswith("scorer+") and Path(name.removeprefix("scorer+")).is_file():
        return with_model(Path(name.removeprefix("scorer+")))
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
