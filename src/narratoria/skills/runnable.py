"""Defines a tool that a plan may run: how to start it and how to speak with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Dialect, Limits
from narratoria.protocol.dialects import narratoria_v0, plain_text
from narratoria.protocol.events import Event
from narratoria.skills.redact import Redactor

if TYPE_CHECKING:
    from narratoria.skills.launch import ScriptLauncher


@dataclass(frozen=True, slots=True)
class InvocationRequest:
    """Holds the request of one invocation, whatever dialect the tool speaks."""

    request_id: str
    input: Mapping[str, Any]
    context: Mapping[str, Any] = field(default_factory=dict)
    # asked when its time is up: whether the scene waits for others anyway, so that it may go on
    has_more_time: Callable[[], bool] = field(default=lambda: False, compare=False, repr=False)


# What stands around each single run, such as a sandbox or an open channel to the host
RunContext: TypeAlias = Callable[[Command, InvocationRequest], AbstractAsyncContextManager[Command]]


def nest_contexts(*arounds: RunContext) -> RunContext:
    """All of them around one run; each is given the command that the one before it made."""

    @asynccontextmanager
    async def around(command: Command, request: InvocationRequest) -> AsyncIterator[Command]:
        async with AsyncExitStack() as stack:
            for one in arounds:
                command = await stack.enter_async_context(one(command, request))
            yield command

    return around


@dataclass(frozen=True, slots=True)
class Runnable:
    name: str
    command: Command
    encode: Callable[[InvocationRequest], bytes]
    dialect: Dialect[Any] = narratoria_v0.NARRATORIA_V0
    events: Callable[[Sequence[Any]], Iterable[Event]] = lambda events: events  # in Narratoria's own terms
    limits: Limits = Limits()
    skill: str | None = None
    context: Mapping[str, Any] = field(default_factory=dict)  # what this tool alone is told
    # the command of one run, for tools that are told something on their command line as well
    command_for_run: Callable[[Command, InvocationRequest], Command] = lambda command, _request: command
    around: RunContext | None = None
    launcher: ScriptLauncher | None = None  # of a script that may be started ahead of its request
    input_schema: Mapping[str, Any] | None = None  # of its input; what does not fit is not launched
    redact: Redactor = field(default_factory=Redactor)  # hides this tool's secrets in everything it says

    def launch(self, request: InvocationRequest) -> AbstractAsyncContextManager[Command]:
        """Return the command of one run, with what must be there while it runs."""
        command = self.command_for_run(self.command, request)
        return self.around(command, request) if self.around else nullcontext(command)


def v0_tool(
    name: str,
    command: Command,
    *,
    operation: str = "",
    limits: Limits = Limits(),
    skill: str | None = None,
    context: Mapping[str, Any] | None = None,
) -> Runnable:
    """Return a tool that speaks Narratoria's own protocol."""

    def encode(request: InvocationRequest) -> bytes:
        return narratoria_v0.encode_request(
            request_id=request.request_id,
            tool=name,
            operation=operation or name,
            input=dict(request.input),
            context=dict(request.context),
        )

    return Runnable(name, command, encode, limits=limits, skill=skill, context=context or {})


def text_tool(
    name: str,
    command: Command,
    *,
    limits: Limits = Limits(),
    skill: str | None = None,
    context: Mapping[str, Any] | None = None,
) -> Runnable:
    """Return a tool that speaks no protocol: it gets the same request, and what it prints is logged."""
    tool = v0_tool(name, command, limits=limits, skill=skill, context=context)
    return replace(
        tool,
        dialect=plain_text.PLAIN_TEXT,
        command_for_run=lambda command, request: plain_text.add_input(command, request.input),
    )
