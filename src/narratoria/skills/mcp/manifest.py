"""Reads the `mcp` of a skill's manifest, and writes down there what tools its server lists."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from narratoria.errors import NarratoriaException, Problem
from narratoria.files import replace_file
from narratoria.skills.input_schema import FROM, find_schema_problem
from narratoria.skills.mcp.server import McpServer, find_server_problems
from narratoria.skills.skill import SkillScript, find_listed_file

NO_TOOLS = "no tools of its MCP server are written down yet, so nothing can be used of it; "


def read_server(
    folder: Path, manifest: str, document: Mapping[str, Any]
) -> tuple[McpServer, tuple[SkillScript, ...], list[Problem]]:
    """Return the server that a manifest's `mcp` describes, its tools, and what is wrong with it."""
    problems = find_server_problems(document)
    file, command = None, document.get("command", "")
    try:
        file = find_listed_file(folder, command) if command else None
    except ValueError as error:
        if "/" in command:  # else it may be the name of a program
            problems.append(Problem(str(error), "/mcp/command"))
    server = McpServer(
        command=command,
        args=tuple(document.get("args", ())),
        env=document.get("env", {}),
        file=file,
        url=document.get("url", ""),
        headers=document.get("headers", {}),
    )
    scripts, unusable = _read_tools(document.get("tools", ()), file or (folder / manifest).resolve())
    return server, scripts, [*problems, *unusable]


def _read_tools(
    entries: Sequence[Mapping[str, Any]], path: Path
) -> tuple[tuple[SkillScript, ...], list[Problem]]:
    scripts: dict[str, SkillScript] = {}
    problems: list[Problem] = []
    for index, entry in enumerate(entries):
        pointer, name = f"/mcp/tools/{index}", script_name(entry["name"])
        where, reason = find_schema_problem(entry["input"]) if "input" in entry else ("", "")
        if reason:
            problems.append(Problem(reason, f"{pointer}/input{where}"))
        elif name in scripts:
            problems.append(Problem(f"a tool is called '{name}' already", f"{pointer}/name"))
        else:
            scripts[name] = SkillScript(
                name=name,
                path=path,
                description=entry.get("description", ""),
                timeout=entry.get("timeout", 30_000) / 1000,
                required=entry.get("required", False),
                protocol="mcp",
                input_schema=entry.get("input", {"type": "object"}),
                tool=entry["name"],
            )
    return tuple(scripts.values()), problems


def script_name(tool: str) -> str:
    """Return the name of a server's tool as plans call it."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", tool).strip("-._") or "tool"


def write_tools(file: Path, tools: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Write the tools of a server into its manifest; return the names of those that are new or gone.

    What the author has set for a tool stays: its time, whether a plan needs it, and what fills its input.
    """
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NarratoriaException(f"{file}: cannot be read: {error}") from None
    section = document.setdefault("mcp", {})
    before = {entry["name"]: entry for entry in section.get("tools", [])}
    section["tools"] = [_keep_settings(tool, before.get(tool["name"], {})) for tool in tools]
    replace_file(file, (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode(), private=False)
    names = [tool["name"] for tool in tools]
    return [name for name in names if name not in before], [name for name in before if name not in names]


def _keep_settings(tool: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: before[key] for key in ("timeout", "required") if key in before}
    fills = {
        name: part[FROM]
        for name, part in before.get("input", {}).get("properties", {}).items()
        if isinstance(part, Mapping) and FROM in part
    }
    schema = dict(tool.get("input", {}))
    properties = {
        name: {**part, FROM: fills[name]} if name in fills and isinstance(part, Mapping) else part
        for name, part in schema.get("properties", {}).items()
    }
    return {**tool, **kept, "input": {**schema, "properties": properties} if properties else schema}
