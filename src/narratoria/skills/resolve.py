"""Resolves the `toolPath` of a plan to a tool: only what was discovered, never an arbitrary path."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from narratoria import paths
from narratoria.errors import ContractViolation, NotRunnable, Problem, SkillScriptNotFoundError
from narratoria.protocol.command import command_for
from narratoria.protocol.dialect import Limits
from narratoria.protocol.process import run
from narratoria.skills.config import EffectiveConfig
from narratoria.skills.decisions import granted_permissions, load_decisions
from narratoria.skills.discovery import Catalogue
from narratoria.skills.health import check_readiness
from narratoria.skills.host.services import Host
from narratoria.skills.launch import ScriptLauncher
from narratoria.skills.manifest import read_instructions
from narratoria.skills.mcontrol.config import Config
from narratoria.skills.mcontrol.manifest import FILE_NAME as MANIFEST
from narratoria.skills.mcontrol.manifest import ToolManifest, read_manifest
from narratoria.skills.mcontrol.tools import Catalog, tool_as_runnable
from narratoria.skills.mcp.launch import build_bridge_tool
from narratoria.skills.mcp.listed_tools import read_listed_tools
from narratoria.skills.permissions import Permissions
from narratoria.skills.runnable import InvocationRequest, Runnable, text_tool, v0_tool
from narratoria.skills.sandbox import run_confined
from narratoria.skills.skill import InvalidSkillName, Skill, SkillScript, data_dir
from narratoria.skills.warm_pool import WarmPool

LISTING_TIMEOUT_S = 30.0
NO_HOST = Host()  # skills that ask for shared things are told that there are none


@dataclass(frozen=True, slots=True)
class Tools:
    """Everything a plan may run: the scripts of skills, and m-control's tools where there are some."""

    catalogue: Catalogue
    mcontrol: Catalog | None = None
    mcontrol_config: Config | None = None
    host: Host = NO_HOST
    pool: WarmPool | None = None  # of processes that were started ahead
    allow_path: bool = False  # for people at a terminal, who may run what they name

    def offered(self) -> tuple[Skill, ...]:
        """Return the skills that a planner may choose from: those that are on and whose settings will do."""
        return self.survey()[0]

    def warnings(self) -> tuple[Problem, ...]:
        """Return what the user should know about the skills and their settings; none of it stops a story."""
        return self.survey()[1]

    def survey(self) -> tuple[tuple[Skill, ...], tuple[Problem, ...]]:
        """Return the skills on offer and what the user should know, by the settings as they are now."""
        home = paths.shared_home()
        settings = load_decisions(home)
        states = [check_readiness(skill, home, settings) for skill in self.catalogue.skills]
        problems = [p for ready in states if ready.enabled for p in (*ready.problems, *ready.warnings)]
        offered = tuple(ready.skill for ready in states if ready.condition == "ready")
        return offered, (*self.catalogue.problems, *settings.problems, *problems)

    def resolve(self, tool_path: str) -> Runnable:
        """SkillScriptNotFoundError for a path nobody owns, NotRunnable for one that cannot be started."""
        try:
            skill, script = self.catalogue.find(tool_path)
        except SkillScriptNotFoundError:
            if manifest := self._manifest(tool_path):
                return self._mcontrol_tool(manifest)
            if self.allow_path and self.mcontrol_config and Path(tool_path).name == MANIFEST:
                return self._stray_mcontrol_tool(Path(tool_path))
            if self.allow_path:
                return v0_tool(Path(tool_path).stem, command_for(Path(tool_path)))
            raise
        ready = _ready(skill)
        if script.protocol == "m-control-1":
            # what lies among the skills is boxed like one, whatever it speaks
            box = run_confined(skill.name, skill.folder, effective_permissions(skill))
            return replace(self._stray_mcontrol_tool(skill.folder / MANIFEST), around=box)
        return _script_tool(skill, script, ready, self.host, self.pool)

    def _manifest(self, tool_path: str) -> ToolManifest | None:
        if self.mcontrol is None:
            return None
        path = Path(os.path.abspath(tool_path))  # noqa: PTH100  Path.absolute() keeps the `..`
        return next((tool for tool in self.mcontrol.tools if tool_path == tool.id or path == tool.path), None)

    def _stray_mcontrol_tool(self, path: Path) -> Runnable:
        try:
            return self._mcontrol_tool(read_manifest(path))
        except ContractViolation as violation:
            raise NotRunnable(str(violation)) from None

    def _mcontrol_tool(self, manifest: ToolManifest) -> Runnable:
        if self.mcontrol_config is None:
            raise NotRunnable(f"{manifest.path}: m-control's config was not read, and its tools need it")
        try:
            return tool_as_runnable(manifest, self.mcontrol_config)
        except ContractViolation as violation:
            raise NotRunnable(str(violation)) from None


def _ready(skill: Skill) -> EffectiveConfig:
    # read anew each time: what the user changed holds from the next plan on
    ready = check_readiness(skill, paths.shared_home(), load_decisions(paths.shared_home()))
    if ready.reason or ready.effective is None:
        raise NotRunnable(ready.reason)
    return ready.effective


def _script_tool(
    skill: Skill, script: SkillScript, config: EffectiveConfig, host: Host, pool: WarmPool | None
) -> Runnable:
    """Return the script in a box, with a channel to the host, both open to what was granted and no more."""
    allowed = effective_permissions(skill)
    if script.protocol == "mcp":
        return _server_tool(skill, script, config, allowed)
    speaks = text_tool if script.protocol == "text" else v0_tool
    tool = speaks(
        script.name,
        command_for(script.path),
        limits=Limits(timeout=script.timeout),
        skill=skill.name,
        context={
            "config": config.values,
            "dataDir": _data_dir(skill),
            "permissions": list(allowed),
            **_instructions(skill),
        },
    )
    launcher = ScriptLauncher(
        f"{skill.name}/{script.name}",
        skill,
        allowed,
        host,
        script.timeout,
        config.values,
        # a plain script was written to be started in its skill's folder
        starts_among_assets=script.protocol != "text",
        pool=pool if script.warm_start else None,
    )
    return replace(
        tool,
        redact=config.redact,
        around=launcher,
        launcher=launcher if script.warm_start else None,
        input_schema=script.input_schema,
    )


def _server_tool(
    skill: Skill, script: SkillScript, config: EffectiveConfig, allowed: Permissions
) -> Runnable:
    """Return a tool of the skill's MCP server, as the bridge calls it; it needs no channel to the host."""
    tool = build_bridge_tool(
        skill, script.name, operation="call", permissions=allowed, timeout=script.timeout, tool=script.tool
    )
    context = {**tool.context, "config": config.values, "dataDir": _data_dir(skill)}
    return replace(tool, context=context, redact=config.redact, input_schema=script.input_schema)


async def list_server_tools(skill: Skill, *, permissions: Permissions) -> list[dict[str, Any]]:
    """Return the tools that a skill's MCP server lists now; NotRunnable with the reason where it does not."""
    config = check_readiness(skill, paths.shared_home(), load_decisions(paths.shared_home())).effective
    tool = build_bridge_tool(
        skill, "list", operation="list", permissions=permissions, timeout=LISTING_TIMEOUT_S
    )
    context = {**tool.context, "config": config.values if config else {}, "dataDir": _data_dir(skill)}
    request = InvocationRequest("list", {}, context)
    async with tool.launch(request) as command:
        outcome = await run(command, tool.encode(request), tool.dialect, limits=tool.limits)
    if outcome.failure:
        reason = config.redact(outcome.failure.message) if config else outcome.failure.message
        raise NotRunnable(f"{skill.name}: {reason}")
    return read_listed_tools(outcome.output.get("tools"))


def effective_permissions(skill: Skill) -> Permissions:
    """Return the permissions that are in force now."""
    return granted_permissions(skill, load_decisions(paths.shared_home()))


def _instructions(skill: Skill) -> dict[str, str]:
    """Return the text of an Agent Skill, which nobody reads before a plan has chosen it."""
    try:
        text = read_instructions(skill)
    except ContractViolation:
        return {}  # it went away since; the scripts are there, and may do without
    return {"instructions": text} if text else {}


def _data_dir(skill: Skill) -> str:
    try:
        return str(data_dir(skill.name))
    except (OSError, InvalidSkillName) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise NotRunnable(f"the data folder of '{skill.name}' cannot be used: {reason}") from None
