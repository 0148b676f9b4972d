"""Looks through a skill's folder for slips that no contract forbids, for `narratoria skills validate`.

A misspelt key is passed over by every program that reads the manifest, a script without its executable bit is
no script, and a module that is not installed is missed only when the script runs.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from narratoria import contracts
from narratoria.contracts.messages import closest_match
from narratoria.errors import ContractViolation, NotRunnable, Problem
from narratoria.protocol.command import command_for
from narratoria.skills.config_schema import read_schema
from narratoria.skills.manifest import AGENT_SKILL_FILE, MANIFEST_FILE, read_front_fields
from narratoria.skills.skill import SCRIPTS_FOLDER, Skill, read_bytes

AGENT_SKILL_KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
LARGEST = 256 * 1024  # bytes of a script that is looked through
NODE_ENDINGS = (".js", ".mjs", ".cjs")
_NODE_IMPORT = re.compile(
    r"""^\s*(?:import\s[^"'\n]*["']([^"'\n]+)["']|(?:const|let|var)\s[^=\n]+=\s*require\(["']([^"'\n]+)["']\))""",
    re.MULTILINE,
)


def find_misspelt_keys(folder: Path) -> list[Problem]:
    """Return the keys of a skill's descriptions that are nearly a known one."""
    return [*_in_manifest(folder), *_in_agent_skill(folder)]


def find_script_problems(skill: Skill) -> tuple[list[Problem], list[Problem]]:
    """Return what keeps the scripts of a skill from running here, and what is merely odd."""
    problems: list[Problem] = []
    for script in skill.scripts:
        if script.protocol == "mcp":
            continue
        try:
            command_for(script.path)
        except NotRunnable as reason:
            problems.append(Problem(str(reason).partition(": ")[2], file=str(script.path)))
            continue
        problems += _missing_modules(script.path, skill.folder)
    problems += _server_problems(skill)
    return problems, [*_without_exec_bit(skill), *_undeclared_inputs(skill)]


def _server_problems(skill: Skill) -> Iterator[Problem]:
    """Yield what keeps an MCP server from running, but for what is said wherever the skill is listed."""
    server, file = skill.mcp, str(skill.folder / MANIFEST_FILE)
    if server is None:
        return
    if server.file is not None:
        yield from _missing_modules(server.file, skill.folder)
    try:
        known = [field.key for field in read_schema(skill.folder, skill.config_schema).fields]
    except ContractViolation:
        return
    for name in server.settings:
        if name not in known:
            near = closest_match(name, known)
            advice = f"did you mean '{near}'?" if near else f"describe it in {skill.config_schema}"
            yield Problem(f"takes the setting '{name}', which there is not; {advice}", "/mcp", file)


def _in_manifest(folder: Path) -> Iterator[Problem]:
    try:
        text = read_bytes(folder, MANIFEST_FILE)
        document = json.loads(text) if text else None
    except ValueError:
        return  # whoever reads the manifest says so
    if text is None or not isinstance(document, Mapping):
        return
    problems = list(_misspelt(document, contracts.load("skill-manifest"), ""))
    yield from contracts.add_locations(problems, text, file=str(folder / MANIFEST_FILE))


def _misspelt(document: Any, schema: Mapping[str, Any], pointer: str) -> Iterator[Problem]:
    """Yield the keys of a document that its schema does not know, but for a slip."""
    properties = schema.get("properties", {})
    if isinstance(document, Mapping) and properties:
        unused = [name for name in properties if name not in document]
        for key, value in document.items():
            if key in properties:
                yield from _misspelt(value, properties[key], f"{pointer}/{key}")
            elif near := closest_match(key, unused):
                yield Problem(f"'{key}' is not a known key; did you mean '{near}'?", f"{pointer}/{key}")
    elif isinstance(document, list):
        for index, item in enumerate(document):
            yield from _misspelt(item, schema.get("items", {}), f"{pointer}/{index}")


def _in_agent_skill(folder: Path) -> Iterator[Problem]:
    file = folder / AGENT_SKILL_FILE
    if not file.is_file():
        return
    try:
        lines = read_front_fields(folder)
    except ContractViolation:
        return
    for key, line in lines.items():
        unused = [name for name in AGENT_SKILL_KEYS if name not in lines]
        if key not in AGENT_SKILL_KEYS and (near := closest_match(key, unused)):
            message = f"'{key}' is not a known key; did you mean '{near}'?"
            yield Problem(message, f"/{key}", str(file), line)


def _without_exec_bit(skill: Skill) -> Iterator[Problem]:
    """Yield the files in scripts/ that begin like a program and are none, for want of the executable bit."""
    known = {script.path.resolve() for script in skill.scripts}
    for file in sorted((skill.folder / SCRIPTS_FOLDER).rglob("*")) if os.name == "posix" else ():
        is_program = file.is_file() and file.name[0] not in "._" and not os.access(file, os.X_OK)
        if is_program and file.resolve() not in known and _head(file).startswith(b"#!"):
            message = (
                f"is not executable, so no plan can use it; try: chmod +x {file}, or list it in skill.json"
            )
            yield Problem(message, file=str(file))


def _undeclared_inputs(skill: Skill) -> Iterator[Problem]:
    """Yield the scripts with a typed function whose input the manifest does not declare."""
    for script in skill.scripts:
        names = _typed_parameters(script.path) if script.input_schema is None else []
        if names:
            message = f"takes {', '.join(names)}, and no input is declared for it; "
            advice = f"try: narratoria skills inputs {skill.name} --write"
            yield Problem(message + advice, file=str(script.path))


def _typed_parameters(script: Path) -> list[str]:
    """Return what the function takes that a script gives to `sdk.run`, but for the request."""
    if script.suffix != ".py":
        return []
    try:
        tree = ast.parse(script.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return []
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="run"), args=[ast.Name(id=name)]) if name in functions:
                arguments = functions[name].args
                parameters = [*arguments.args, *arguments.kwonlyargs]
                typed = [one.arg for one in parameters if one.annotation is not None]
                return [one for one in typed if one != "request"] if len(typed) == len(parameters) else []
    return []


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(2)
    except OSError:
        return b""


def _missing_modules(script: Path, folder: Path) -> Iterator[Problem]:
    try:
        text = script.read_text(encoding="utf-8") if script.stat().st_size <= LARGEST else ""
    except (OSError, UnicodeDecodeError):
        return
    if script.suffix == ".py":
        yield from _missing_in_python(script, text)
    elif script.suffix in NODE_ENDINGS:
        yield from _missing_in_node(script, text, folder)


def _missing_in_python(script: Path, text: str) -> Iterator[Problem]:
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        yield Problem(f"is not Python: {error.msg}", file=str(script), line=error.lineno or 0)
        return
    for name, line in _imports(tree):
        beside = script.parent / name
        if name in sys.stdlib_module_names or beside.is_dir() or beside.with_suffix(".py").is_file():
            continue
        if importlib.util.find_spec(name) is None:
            near = closest_match(name, sys.stdlib_module_names)
            advice = f"did you mean '{near}'?" if near else "bring it along in scripts/"
            yield Problem(
                f"imports '{name}', which is not installed here; {advice}", file=str(script), line=line
            )


def _imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the modules a script cannot do without: what stands in a `try` it can."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0], node.lineno


def _missing_in_node(script: Path, text: str, folder: Path) -> Iterator[Problem]:
    for match in _NODE_IMPORT.finditer(text):
        name = match[1] or match[2]
        if name.startswith((".", "/", "node:", "#")):
            continue
        package = "/".join(name.split("/")[: 2 if name.startswith("@") else 1])
        places = [parent / "node_modules" / package for parent in (script.parent, *script.parents)]
        if package in NODE_BUILTINS or any(place.is_dir() for place in places if folder in place.parents):
            continue
        line = text.count("\n", 0, match.start(1) if match[1] else match.start(2)) + 1
        near = closest_match(package, NODE_BUILTINS)
        advice = f"did you mean 'node:{near}'?" if near else "bring it along in node_modules/"
        yield Problem(
            f"imports '{name}', which the skill does not hold; {advice}", file=str(script), line=line
        )


NODE_BUILTINS = frozenset(
    [
        "assert",
        "async_hooks",
        "buffer",
        "child_process",
        "cluster",
        "console",
        "constants",
        "crypto",
        "dgram",
        "diagnostics_channel",
        "dns",
        "domain",
        "events",
        "fs",
        "http",
        "http2",
        "https",
        "inspector",
        "module",
        "net",
        "os",
        "path",
        "perf_hooks",
        "process",
        "punycode",
        "querystring",
        "readline",
        "repl",
        "stream",
        "string_decoder",
        "sys",
        "timers",
        "tls",
        "trace_events",
        "tty",
        "url",
        "util",
        "v8",
        "vm",
        "wasi",
        "worker_threads",
        "zlib",
    ]
)
