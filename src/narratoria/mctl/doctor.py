"""Checks config, roots, manifests, runtimes and settings for `mctl doctor`."""

from __future__ import annotations

import difflib
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from narratoria.errors import ContractViolation, NotRunnable
from narratoria.files import is_folder
from narratoria.skills.mcontrol.config import Config, declared_values, load_config
from narratoria.skills.mcontrol.manifest import Runtime, ToolManifest, known_fields
from narratoria.skills.mcontrol.tools import (
    Catalog,
    command_line,
    discover,
    find_program,
    timeout_ms,
    tools_roots,
)

Verdict = Literal["ok", "note", "wrong"]


@dataclass(frozen=True, slots=True)
class MctlCheck:
    """One line of the report."""

    section: str
    verdict: Verdict
    text: str


def examine(folder: Path, env: Mapping[str, str] = os.environ) -> Iterator[MctlCheck]:
    """Yield every check of m-control in this folder, section by section."""
    try:
        config = load_config(folder, env)
    except ContractViolation as violation:
        for problem in violation.problems:
            yield MctlCheck("Config", "wrong", str(problem))
        yield MctlCheck("Config", "note", "The rest depends on the config: mend it, then ask again.")
        return
    yield from _config(config)
    catalog = discover(tools_roots(config, env))
    yield from _roots(catalog)
    yield from _tools(catalog, config)
    yield from _runtimes(catalog, config)


def _config(config: Config) -> Iterator[MctlCheck]:
    for settings in config.settings:
        yield MctlCheck("Config", "ok", str(settings.file))
        readable = os.name == "posix" and settings.file.stat().st_mode & 0o077
        if settings.values and readable:
            advice = f"others on this machine may read its settings: chmod 600 {settings.file}"
            yield MctlCheck("Config", "note", advice)
    if not config.settings:
        hint = (
            "no config file, which is fine until a tool needs settings: `mctl init`, or `mctl init --global`"
        )
        yield MctlCheck("Config", "note", hint)
    yield MctlCheck("Config", "ok", f"workspace root {config.workspace_root}")


def _roots(catalog: Catalog) -> Iterator[MctlCheck]:
    for root in catalog.roots:
        where = f"{root.path} ({root.origin})"
        if is_folder(root.path):
            yield MctlCheck("Tools roots", "ok", where)
        elif not root.expected:
            yield MctlCheck("Tools roots", "note", f"{where} does not exist; it is searched once it does")
    # An expected root that is missing is among the catalog's problems, below.
    if not catalog.tools and not catalog.problems:
        hint = "no tools yet: put a folder with a manifest.json under one of these"
        yield MctlCheck("Tools roots", "note", hint)


def _tools(catalog: Catalog, config: Config) -> Iterator[MctlCheck]:
    for problem in catalog.problems:
        yield MctlCheck("Tools", "wrong", str(problem))
    for tool in catalog.tools:
        faults = list(_faults(tool, config))
        yield from (MctlCheck("Tools", "wrong", fault) for fault in faults)
        if not faults:
            seconds = timeout_ms(tool, config) / 1000
            yield MctlCheck(
                "Tools", "ok", f"{tool.id} {tool.version} ({tool.runtime}, {seconds:g} s) {tool.path}"
            )
        for name in tool.unknown_fields:
            yield MctlCheck(
                "Tools", "note", f"{tool.path} /{name}: is not a field of a manifest{_suggestion(name)}"
            )


def _faults(tool: ToolManifest, config: Config) -> Iterator[str]:
    try:
        command_line(tool, config)
    except NotRunnable as reason:
        yield str(reason)
    try:
        declared_values(config, tool)
    except ContractViolation as violation:
        yield from map(str, violation.problems)


def _suggestion(name: str) -> str:
    near = difflib.get_close_matches(name, known_fields(), n=1)
    return f"; was {near[0]} meant?" if near else " and is ignored"


def _runtimes(catalog: Catalog, config: Config) -> Iterator[MctlCheck]:
    used = {tool.runtime for tool in catalog.tools}
    for runtime in get_args(Runtime):
        if runtime == "executable":
            continue
        try:
            program = find_program(runtime, config)
        except NotRunnable as reason:
            if runtime in config.runtimes or runtime in used:
                yield MctlCheck("Runtimes", "wrong", str(reason))
            else:
                yield MctlCheck("Runtimes", "note", f"{runtime}: not found, and no tool here needs it")
            continue
        yield MctlCheck("Runtimes", "ok", f"{runtime}: {program} ({_version(program)})")


def _version(program: str) -> str:
    try:
        asked = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "does not tell its version"
    lines = (asked.stdout or asked.stderr).decode(errors="replace").strip().splitlines()
    return lines[0] if lines else "does not tell its version"
