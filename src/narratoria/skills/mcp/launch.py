"""Makes a tool of an MCP server a tool that plans can run: the bridge, in the skill's box."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias

from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.skills.permissions import NETWORK, Permissions
from narratoria.skills.runnable import Runnable, v0_tool
from narratoria.skills.sandbox import probe, run_confined
from narratoria.skills.skill import Skill

BRIDGE = Path(__file__).parent / "bridge.py"
Operation: TypeAlias = Literal["call", "list"]


def build_bridge_tool(
    skill: Skill,
    name: str,
    *,
    operation: Operation,
    permissions: Permissions,
    timeout: float,
    tool: str = "",
) -> Runnable:
    """Return the bridge to a skill's server as a tool; NotRunnable for a server that cannot be started.

    A server that is started here is in the box with the bridge, and has what its skill was granted. For one
    at an address the box holds our own program alone; where a box can have no proxy, its network is open.
    """
    server = skill.mcp
    assert server is not None
    request = {**server.as_request(skill.folder), "tool": tool, "timeout": timeout}
    # isolated: nothing in a folder or a variable takes the place of a module
    command = Command((sys.executable, "-I", str(BRIDGE)), cwd=skill.folder)
    bridge = v0_tool(
        name,
        command,
        operation=operation,
        limits=Limits(timeout=timeout),
        skill=skill.name,
        context={"mcp": request},
    )
    way = server.permission if probe().keeps_to_hosts else NETWORK
    boxed = permissions | Permissions(frozenset((way,))) if server.url else permissions
    programs = () if server.url else (request["command"][0],)
    return replace(bridge, around=run_confined(skill.name, skill.folder, boxed, programs=programs))
