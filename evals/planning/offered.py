"""The skills that a planner chooses from, and what its plans' paths mean."""

from __future__ import annotations

from narratoria import paths
from narratoria.protocol.command import Command
from narratoria.skills.discovery import Catalogue, discover
from narratoria.skills.runnable import Runnable, v0_tool


def open_catalogue() -> Catalogue:
    """Every bundled skill, and nobody else's."""
    return discover([paths.BUNDLED_SKILLS])


def resolve_in(catalogue: Catalogue, tool_path: str) -> Runnable:
    """Return the tool a plan's path names; it says whose script it is, and is not meant to be started."""
    skill, script = catalogue.find(tool_path)
    return v0_tool(script.name, Command((str(script.path),)), skill=skill.name)
