"""Tells a tool's author in plain words what is right and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from narratoria.protocol.command import Command
from narratoria.protocol.conformance.check import CHECK_LIMITS, check
from narratoria.protocol.conformance.mctl import MctlKit
from narratoria.protocol.conformance.rules import ConformanceReport, RuleFinding
from narratoria.protocol.conformance.v0 import V0Kit
from narratoria.protocol.dialect import Limits

__all__ = ["CHECK_LIMITS", "ConformanceReport", "RuleFinding", "check_mctl_tool", "check_tool"]


async def check_tool(
    command: Command,
    *,
    tool: str,
    samples: Sequence[Mapping[str, Any]] = (),
    operation: str = "",
    limits: Limits = CHECK_LIMITS,
) -> ConformanceReport:
    """Check a tool against Tool Protocol version "0"; NotRunnable when it cannot be started."""
    return await check(tool, command, V0Kit(Path(tool).stem, samples, operation), limits)


async def check_mctl_tool(
    command: Command,
    *,
    tool: str,
    tool_id: str,
    config: Mapping[str, Any],
    workspace_root: Path,
    samples: Sequence[Mapping[str, Any]] = (),
    limits: Limits = CHECK_LIMITS,
) -> ConformanceReport:
    """Check a tool against m-control's Tool Protocol v1; NotRunnable when it cannot be started."""
    return await check(tool, command, MctlKit(tool_id, config, workspace_root, samples), limits)
