"""Reports who may use the network, who tried, and what confines skills."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from narratoria import paths
from narratoria.app import open_skills, store_location, stories_folder
from narratoria.contracts.read import UNDECODABLE
from narratoria.planning.plan_log import read_plan_log as read_journal
from narratoria.planning.plan_log_record import PlanLogRecord
from narratoria.skills.decisions import granted_permissions, load_decisions
from narratoria.skills.health import NETWORK
from narratoria.skills.sandbox.probe import probe
from narratoria.web.app_state import AppState
from narratoria.web.operation import Operations

privacy = Operations("Privacy", "What ran, who may use the network, and who was refused it.", role="owner")

NETWORK_LOG = "network.jsonl"
SHOWN = 200


class NetworkAttempt(msgspec.Struct, frozen=True, rename="camel"):
    when: str
    who: str
    what: str
    allowed: bool


class Guarantee(msgspec.Struct, frozen=True, rename="camel"):
    what: str
    held: bool
    note: str


class Sandbox(msgspec.Struct, frozen=True, rename="camel"):
    kind: str
    isolates: bool
    enforced: tuple[str, ...]
    guarantees: tuple[Guarantee, ...]
    advice: str


class Ran(msgspec.Struct, frozen=True, rename="camel"):
    """How often a skill's scripts ran, as far as the journal goes back."""

    skill: str
    runs: int
    network: bool  # whether it may use the network now


class PrivacyReport(msgspec.Struct, frozen=True, rename="camel"):
    network_attempts: tuple[NetworkAttempt, ...]  # the newest first
    skills_with_network: tuple[str, ...]
    ran: tuple[Ran, ...]
    sandbox: Sandbox
    places: dict[str, str]  # where everything is kept


@privacy.get("/privacy")
async def show_privacy(app_state: AppState) -> PrivacyReport:
    """What ran here, who may use the network, who tried and was refused, and where everything is kept."""
    decided = load_decisions(app_state.shared)
    granted = {skill.name: granted_permissions(skill, decided) for skill in open_skills().skills}
    networked = {name for name, allowed in granted.items() if allowed.allows("network") or allowed.hosts}
    runs: dict[str, int] = {}
    attempts: list[NetworkAttempt] = list(_noted(app_state.home))
    for entry in read_journal(app_state.home / "logs"):
        if entry.kind == "execution":
            attempts += _of_tools(entry, networked, runs)
    attempts.sort(key=lambda attempt: attempt.when, reverse=True)
    return PrivacyReport(
        network_attempts=tuple(attempts[:SHOWN]),
        skills_with_network=tuple(sorted(networked)),
        ran=tuple(Ran(name, count, name in networked) for name, count in sorted(runs.items())),
        sandbox=_sandbox(),
        places={
            "home": str(app_state.home),
            "stories": str(stories_folder()),
            "memory": _without_password(str(store_location())),
            "models": str(app_state.home / "models"),
            "skills": str(app_state.shared / "skills"),
            "logs": str(app_state.home / "logs"),
            "program": str(paths.PACKAGE),
        },
    )


def note_network(home: Path, *, who: str, what: str, allowed: bool) -> None:
    """Write down that somebody is about to use the network, or was refused it."""
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    line = msgspec.json.encode(NetworkAttempt(now, who, what, allowed)) + b"\n"
    with contextlib.suppress(OSError):  # a report that cannot be written stops nothing
        paths.make_private(home / "logs")
        descriptor = os.open(home / "logs" / NETWORK_LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)


def _noted(home: Path) -> Iterator[NetworkAttempt]:
    try:
        with (home / "logs" / NETWORK_LOG).open("rb") as file:
            lines = deque(file, maxlen=SHOWN)
    except OSError:
        return
    for line in lines:
        with contextlib.suppress(*UNDECODABLE):
            yield msgspec.json.decode(line, type=NetworkAttempt)


def _of_tools(entry: PlanLogRecord, networked: set[str], runs: dict[str, int]) -> Iterator[NetworkAttempt]:
    """Tools that spoke of the network, or that ran with a way to it."""
    result = entry.result()
    for tool in result.tool_results if result else ():
        skill = tool.skill or tool.tool_path
        runs[skill] = runs.get(skill, 0) + max(len(tool.attempts), 1)
        failed = tool.error is not None and tool.error.code.startswith(NETWORK)
        if failed and tool.error is not None:
            yield NetworkAttempt(entry.at, skill, tool.error.message, skill in networked)
        elif skill in networked:
            yield NetworkAttempt(entry.at, skill, f"ran {tool.tool_id} with the network open", True)


def _sandbox() -> Sandbox:
    probed = probe()
    held = tuple(Guarantee(one.what, one.held, one.note) for one in probed.guarantees())
    enforced = tuple(one.what for one in held if one.held)
    return Sandbox(probed.best, probed.isolates, enforced, held, probed.advice())


def _without_password(place: str) -> str:
    """An address of a server may hold one."""
    scheme, mark, rest = place.partition("://")
    if not mark or "@" not in rest:
        return place
    return f"{scheme}://…@{rest.rpartition('@')[2]}"
