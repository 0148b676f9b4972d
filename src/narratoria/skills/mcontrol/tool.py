"""An m-control tool as a step of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects import mctl_v1
from narratoria.protocol.events import ErrorEvent, Event, LogEvent
from narratoria.skills.mcontrol.config import Config, declared_values
from narratoria.skills.mcontrol.launch import command_line, timeout_ms
from narratoria.skills.mcontrol.manifest import Manifest
from narratoria.skills.runnable import Request, Runnable


def as_runnable(manifest: Manifest, config: Config) -> Runnable:
    """ContractViolation for a missing config key, NotRunnable for a missing file or program."""
    values = declared_values(config, manifest)

    def encode(request: Request) -> bytes:
        return mctl_v1.encode_request(
            tool_id=manifest.id,
            config=values,
            workspace_root=config.workspace_root,
            input=dict(request.input),
        )

    return Runnable(
        name=manifest.id,
        command=Command(command_line(manifest, config), cwd=config.workspace_root),
        encode=encode,
        dialect=mctl_v1.mctl_v1(manifest.id),
        events=_in_our_terms,
        limits=Limits(timeout=timeout_ms(manifest, config) / 1000),
        skill=manifest.id,
    )


def _in_our_terms(events: Iterable[mctl_v1.MctlEvent]) -> Iterator[Event]:
    """Logs and errors; a result is the tool's output and the start is no news."""
    for event in events:
        match event:
            case mctl_v1.Log(payload=payload) if payload.message:
                yield LogEvent(version="0", timestamp=event.ts, level=payload.level, message=payload.message)
            case mctl_v1.Error(payload=payload):
                yield ErrorEvent(
                    version="0",
                    timestamp=event.ts,
                    error_code=payload.code or "TOOL_FAILED",
                    error_message=payload.message or "no message",
                    details=payload.details(),
                )
