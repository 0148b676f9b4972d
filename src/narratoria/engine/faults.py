"""Faults for playthroughs that must not break: planners, tools, models, readers and stores that go wrong.

Tools go wrong as real processes and stores by refusing real calls; nothing of the engine is replaced.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from narratoria.engine.turn import TurnDependencies
from narratoria.errors import HostRefusal, ModelUnavailable, PlanRejected, Problem, StoreUnavailable
from narratoria.planning.plan import Plan, Planner, PlanRequest, ToolInvocation
from narratoria.protocol.command import Command
from narratoria.skills.host.services import Caller, Generation, HostModelStatus, TextPiece
from narratoria.skills.runnable import Runnable

if TYPE_CHECKING:
    from narratoria.engine.understanding import Embed, Understander
    from narratoria.inference.text_matcher import Task, TextMatcher
    from narratoria.planner.intent import ReadingContext
    from narratoria.planner.read import IntentReader, ReadAction
    from narratoria.store import Store

TOOL_TIMEOUT_S = 5.0  # seconds for a tool that is well, and may wait for a model that hangs
READING_TIMEOUT_S = 5.0
SHORT = 0.4  # seconds for a tool that goes wrong: a fault need not take long
LIE = """{"version":"0","type":"ui_event","event":"narration","payload":{"text":7}}
{"version":"0","type":"ui_event","event":"narration_delta","payload":{"text":["x"]}}
{"version":"0","type":"ui_event","event":"dice_roll","payload":{"formula":"2d6","total":99,"outcome":"banana"}}
{"version":"0","type":"ui_event","event":"narrative_choice","payload":{"choices":["Fly","Fly","",4],"details":[{"kind":"go","target":"moon"}]}}
{"version":"0","type":"state_patch","patch":{"flags":"none","persona":[],"storyteller":3,"inventory":null}}
{"version":"0","type":"done","ok":true,"output":{"outcome":"banana","text":null}}
"""
HALF = '{"version":"0","type":"ui_event","event":"narration_delta","payload":{"text":"And"}}\n{"version"'
WRONGS = {  # how a tool goes wrong, as programs of the shell: an interpreter takes longer to start
    "crashes": ("/bin/sh", "-c", "exit 3"),
    "babbles": ("/bin/sh", "-c", "echo once upon a time"),
    "says nothing": ("/bin/sh", "-c", "exit 0"),
    "lies": ("/bin/sh", "-c", f"cat <<'END'\n{LIE}END"),
    "breaks off": ("/bin/sh", "-c", f"printf '%s' '{HALF}'; exit 1"),
    "refuses": (
        "/bin/sh",
        "-c",
        """echo '{"version":"0","type":"done","ok":false,"summary":"not today"}'""",
    ),
    "hangs": ("/bin/sh", "-c", "exec sleep 60"),
}


@dataclass
class Faults:
    """Makes each thing that can go wrong do so at a rate; the same seed gives the same faults."""

    rate: float
    seed: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    is_lifted: bool = False  # nothing goes wrong any more, as at the end, when everything has to be there

    def __post_init__(self) -> None:
        self._dice: dict[str, random.Random] = {}
        self._store_until = 0  # calls of the store that are refused in a row: trouble lasts a while

    def strike(self, what: str, share: float = 1.0) -> bool:
        if self.is_lifted or self._dice_for(what).random() >= self.rate * share:
            return False
        self.counts[what] += 1
        return True

    def _dice_for(self, what: str) -> random.Random:
        """Return the dice of one kind of fault: the order in which other things are asked does not matter."""
        return self._dice.setdefault(what, random.Random(f"faults/{self.seed}/{what}"))

    # on what a turn needs

    def on_dependencies(self, dependencies: TurnDependencies) -> TurnDependencies:
        """Return the dependencies with a planner and tools that may go wrong, sometimes without a skill."""
        skills = [skill for skill in dependencies.skills if not self.strike("skill missing", 0.2)]
        planner = FaultyPlanner(dependencies.planner, self)
        return replace(
            dependencies,
            planner=planner,
            skills=skills,
            resolve=self._resolving(dependencies.resolve),
            reading_timeout_s=READING_TIMEOUT_S,
        )

    def _resolving(self, resolve: Callable[[str], Runnable]) -> Callable[[str], Runnable]:
        def resolve_or_break(path: str) -> Runnable:
            tool = resolve(path)
            if not self.strike("tool"):
                limits = replace(tool.limits, timeout=min(tool.limits.timeout, TOOL_TIMEOUT_S))
                return replace(tool, limits=limits)
            how = self._dice_for("tool").choices(list(WRONGS), weights=[4, 4, 4, 6, 4, 4, 1])[0]
            self.counts[f"tool {how}"] += 1
            limits = replace(tool.limits, timeout=SHORT, exit_grace=SHORT, kill_grace=SHORT)
            return replace(
                tool, command=Command(WRONGS[how]), command_for_run=_as_it_is, around=None, limits=limits
            )

        return resolve_or_break

    def on_store(self, store: Store) -> Store:
        """Return the store, which may refuse: the disk is full, somebody has locked it."""
        database: Any = store.database
        database.write = self._refusing(database.write)
        database.read = self._refusing(database.read)
        return store

    def _refusing(self, ask: Callable[[Any], Any]) -> Callable[[Any], Any]:
        async def ask_or_refuse(work: Any) -> Any:
            if self._store_until > 0 and not self.is_lifted:
                self._store_until -= 1
                raise StoreUnavailable("the disk is full; make room and try again")
            if self.strike("store", 0.25):
                self._store_until = self._dice_for("store").randrange(8)
                raise StoreUnavailable("another program keeps it locked; close that one and try again")
            return await ask(work)

        return ask_or_refuse

    def on_understander(self, understander: Understander) -> Understander:
        """Return what reads the player's words, with models that may go wrong."""
        embed, matcher = understander.embed, understander.matcher
        faulty_reader: Any = FaultyReader(understander.reader, self)
        faulty_matcher: Any = FaultyMatcher(matcher, self) if matcher else None
        faulty_embed = self._embedding(embed) if embed else None
        return replace(understander, reader=faulty_reader, embed=faulty_embed, matcher=faulty_matcher)

    def _embedding(self, embed: Embed) -> Embed:
        async def embed_or_break(texts: Sequence[str]) -> Any:
            match self.reading_trouble(
                "embedder", ("raises", "is gone", "is short", "knows nothing", "hangs")
            ):
                case "raises":
                    raise RuntimeError("the vectors are of another shape")
                case "is gone":
                    raise ModelUnavailable("the embedder's process has ended")
                case "is short":
                    return (await embed(texts))[:1]
                case "knows nothing":
                    return await embed(texts) * float("nan")
                case "hangs":
                    await asyncio.sleep(3600)
            return await embed(texts)

        return embed_or_break

    def reading_trouble(self, what: str, kinds: Sequence[str]) -> str:
        """Return how one of the models that read goes wrong now; empty where it does not."""
        if not self.strike(what, 0.5):
            return ""
        how = self._dice_for(what).choices(kinds, weights=[0.05 if kind == "hangs" else 1 for kind in kinds])[
            0
        ]
        self.counts[f"{what} {how}"] += 1
        return how

    def planner_trouble(self) -> str:
        if not self.strike("planner"):
            return ""
        kinds = ("raises", "garbage", "unknown tool", "cycle", "empty", "hangs")
        how = self._dice_for("planner").choices(kinds, weights=[20, 20, 20, 20, 20, 0.2])[0]
        self.counts[f"planner {how}"] += 1
        return how


class FaultyPlanner:
    """Implements `Planner`: the real one, or what a bad model makes of the question."""

    def __init__(self, planner: Planner, faults: Faults) -> None:
        self._planner, self._faults = planner, faults

    async def generate(self, request: PlanRequest) -> Plan:
        plan = await self._planner.generate(request)
        match self._faults.planner_trouble():
            case "raises":
                raise RuntimeError("out of memory")
            case "garbage":
                raise PlanRejected([Problem("the model wrote a poem", "/tools")])
            case "unknown tool":
                return _with(plan, ToolInvocation(tool_id="x", tool_path="skills/nobody/nothing"))
            case "cycle":
                return _with(plan, _waiting("x", "y"), _waiting("y", "x"))
            case "empty":
                return _with(plan)
            case "hangs":
                await asyncio.sleep(3600)
        return plan


class FaultyReader:
    """Reads as the real reader does, or goes wrong over the words."""

    def __init__(self, reader: IntentReader, faults: Faults) -> None:
        self._reader, self._faults = reader, faults

    async def read(self, text: str, context: ReadingContext) -> ReadAction:
        from narratoria.planner.read import ReadAction

        match self._faults.reading_trouble("reader", ("raises", "is gone", "reads nothing", "hangs")):
            case "raises":
                raise RuntimeError("out of memory")
            case "is gone":
                raise ModelUnavailable("the reader's weights cannot be read")
            case "reads nothing":
                return ReadAction()
            case "hangs":
                await asyncio.sleep(3600)
        return await self._reader.read(text, context)

    def act_probabilities(self, text: str) -> dict[str, float]:
        if self._faults.strike("reader scores nothing", 0.1):
            return {}
        return self._reader.act_probabilities(text)


class FaultyMatcher:
    """Matches as the real matcher does, or goes wrong over the candidates."""

    def __init__(self, matcher: TextMatcher, faults: Faults) -> None:
        self._matcher, self._faults = matcher, faults

    def match(
        self, text: str, candidates: Sequence[str], shared: Sequence[float], task: Task, **order: Any
    ) -> list[float]:
        match self._faults.reading_trouble("matcher", ("raises", "is short", "knows nothing", "agrees")):
            case "raises":
                raise RuntimeError("out of memory")
            case "is short":
                return []
            case "knows nothing":
                return [float("nan")] * len(candidates)
            case "agrees":
                return [1.0] * len(candidates)
        return self._matcher.match(text, candidates, shared, task, **order)


class FaultyModel:
    """Implements `Model`: says that it can tell stories, and then is missing, talks nonsense or hangs."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    def about(self) -> HostModelStatus:
        return (
            HostModelStatus(name="nonsense", tier="narrates", state="ready")
            if self._faults.strike("model")
            else HostModelStatus()
        )

    async def generate(self, _caller: Caller, _generation: Generation) -> AsyncGenerator[TextPiece, None]:
        if self._faults.strike("model missing", 2.0):
            raise HostRefusal("NOT_AVAILABLE", "there is no model", "go on without it")
        yield TextPiece("The dead king speaks, and you ")
        if self._faults.strike("model hangs", 0.05):
            await asyncio.sleep(3600)
        if self._faults.strike("model breaks off", 2.0):
            raise HostRefusal("NOT_AVAILABLE", "the model died", "go on without it")
        yield TextPiece(
            "say: “I am Napoleon.” \udcff{{{ <|im_end|>".encode("utf-8", "replace").decode(), "stop"
        )

    async def count(self, _caller: Caller, texts: Sequence[str]) -> Sequence[int]:
        if self._faults.strike("model missing", 2.0):
            raise HostRefusal("NOT_AVAILABLE", "there is no model", "go on without it")
        return [len(text) for text in texts]


def _as_it_is(command: Command, _request: object) -> Command:
    return command


def _waiting(tool_id: str, other: str) -> ToolInvocation:
    return ToolInvocation(tool_id=tool_id, tool_path="skills/a/b", dependencies=(other,))


def _with(plan: Plan, *calls: ToolInvocation) -> Plan:
    import msgspec

    return msgspec.structs.replace(plan, tools=calls)
