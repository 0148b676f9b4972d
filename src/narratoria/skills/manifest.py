"""Reads the manifests of skills: `skill.json`, and the `SKILL.md` of the Agent Skills standard.

Told but put up with: a name that breaks the standard's rules or is not its folder's, texts that are too long.
Refused: no description, fields that are not YAML, and a name that cannot be the name of a folder.
"""

from __future__ import annotations

import os
import re
import shlex
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from narratoria import contracts
from narratoria.errors import ContractViolation, Problem
from narratoria.skills import permissions
from narratoria.skills.mcp.manifest import NO_TOOLS, read_server
from narratoria.skills.permissions import Permissions
from narratoria.skills.skill import (
    ScriptProtocol,
    Skill,
    SkillScript,
    find_scripts,
    read_bytes,
    read_listed_scripts,
    read_text,
)

if TYPE_CHECKING:
    from narratoria.contracts.front_matter import FrontMatter, Value
    from narratoria.skills.mcp.server import McpServer


MANIFEST_FILE = "skill.json"
PROMPT = "prompt.md"


def read_manifest(folder: Path) -> Skill:
    """Return the skill in this folder; raise ContractViolation with every problem of its manifest."""
    manifest = str(folder / MANIFEST_FILE)
    try:
        text = read_bytes(folder, MANIFEST_FILE)
    except ValueError as reason:
        raise ContractViolation([Problem(str(reason), file=manifest)]) from None
    if text is None:
        raise ContractViolation([Problem("is not there", file=manifest)])
    document = contracts.parse("skill-manifest", text, file=manifest)
    scripts, problems = read_listed_scripts(folder, document.get("scripts", []))
    prompt = ""
    try:
        prompt = read_text(folder, document.get("prompt", PROMPT)) or ""
    except ValueError as reason:
        problems.append(Problem(str(reason), "/prompt", manifest))
    problems += permissions.check_permissions(document.get("permissions", ()))
    server: McpServer | None = None
    tools: tuple[SkillScript, ...] = ()
    if "mcp" in document:
        server, tools, unusable = read_server(folder, MANIFEST_FILE, document["mcp"])
        problems += unusable
    if problems:
        raise ContractViolation(contracts.add_locations(problems, text, file=manifest))
    unlisted_scripts, passed_over = find_scripts(
        folder, protocol="narratoria-0", by_ending=False, listed=(*scripts, *tools, *_server_file(server))
    )
    retry = document.get("retryPolicy", {})
    skill = Skill(
        name=document["name"],
        version=document["version"],
        description=document["description"],
        folder=folder,
        display_name=document.get("displayName", document["name"]),
        author=document.get("author", ""),
        license=document.get("license", ""),
        prompt=prompt,
        config_schema=document.get("configSchema", "config-schema.json"),
        scripts=(*scripts, *unlisted_scripts, *tools),
        mcp=server,
        capabilities=tuple(document.get("capabilities", ())),
        examples=tuple(document.get("examples", ())),
        permissions=Permissions.parse(document.get("permissions", ())),
        priority=document.get("priority", 50),
        max_retries=retry.get("maxRetries", 3),
        backoff_ms=retry.get("backoffMs", 100),
    )
    absent = contracts.add_locations(_absent_files(folder, document), text, file=manifest)
    if server and not tools:
        advice = f"try: narratoria skills inputs {shlex.quote(str(folder))} --write"
        absent = (*absent, Problem(NO_TOOLS + advice, "/mcp/tools", manifest))
    return replace(skill, warnings=(*absent, *passed_over))


def _server_file(server: McpServer | None) -> tuple[SkillScript, ...]:
    """Return a server's own program in the place of a script, so that it is not taken for another one."""
    return (SkillScript("mcp", server.file),) if server and server.file else ()


def _absent_files(folder: Path, document: dict[str, str]) -> list[Problem]:
    return [
        Problem(f"there is no file '{document[key]}' in the skill; it goes without", f"/{key}")
        for key in ("prompt", "configSchema")
        if key in document and not os.path.lexists(folder / document[key])
    ]


AGENT_SKILL_FILE = "SKILL.md"
LONGEST = {"name": 64, "description": 1024, "compatibility": 500}  # characters, by the standard
NO_VERSION = "0.0.0"

_NAME = re.compile(r"[^\W_A-Z]+(?:-[^\W_A-Z]+)*")
_UNUSABLE = re.compile(r"[/\\:\x00-\x1f\x7f]|^\.|[. ]$")
_MOST_NAME_BYTES = 200  # leaves room for what is put beside a name on its way to the disk


@dataclass(frozen=True, slots=True)
class AgentSkillDescription:
    """Holds the fields of a SKILL.md's front matter."""

    name: str
    description: str
    license: str = ""
    compatibility: str = ""
    metadata: tuple[tuple[str, str], ...] = ()
    allowed_tools: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()


def read_agent_skill(folder: Path) -> Skill:
    """Return the skill that a SKILL.md alone describes; raise ContractViolation when it cannot be used."""
    described = read_description(folder)
    metadata = dict(described.metadata)
    requested = tuple(metadata.get("permissions", "").replace(",", " ").split())
    if problems := permissions.check_permissions(
        requested, pointer="/metadata/permissions", file=str(folder / AGENT_SKILL_FILE)
    ):
        raise ContractViolation(problems)
    protocol: ScriptProtocol = "narratoria-0" if metadata.get("protocol") == "narratoria-0" else "text"
    scripts, passed_over = find_scripts(folder, protocol=protocol, by_ending=True)
    skill = Skill(
        name=described.name,
        version=metadata.get("version") or NO_VERSION,
        description=described.description,
        folder=folder,
        display_name=described.name,
        author=metadata.get("author", ""),
        scripts=scripts,
        permissions=Permissions.parse(requested),
        warnings=tuple(passed_over),
    )
    return _with(skill, described)


def merge_agent_skill(skill: Skill) -> Skill:
    """Return the skill of a manifest with what a SKILL.md beside it adds; the manifest has the last word."""
    described = read_description(skill.folder)
    joined = _with(skill, described)
    if described.name == skill.name:
        return joined
    message = f"calls the skill '{described.name}', skill.json calls it '{skill.name}'; that one is used"
    return replace(joined, warnings=(*joined.warnings, Problem(message, "/name", str(joined.instructions))))


def read_instructions(skill: Skill) -> str:
    """Read the text of a skill's SKILL.md now; empty without one.

    ContractViolation when it has become unreadable since the skill was found."""
    if skill.instructions is None:
        return ""
    text, front = _read(skill.folder)
    return text[front.body :].strip()


def read_front_fields(folder: Path) -> dict[str, int]:
    """Return the keys of a SKILL.md's front matter with their lines, or raise ContractViolation."""
    front = _read(folder)[1]
    return {key: front.lines.get(key, 0) for key in front.fields}


def read_description(folder: Path) -> AgentSkillDescription:
    """Return the front matter of a folder's SKILL.md; raise ContractViolation when it cannot be used."""
    front = _read(folder)[1]
    file = str(folder / AGENT_SKILL_FILE)

    def problem(key: str, message: str) -> Problem:
        return Problem(message, f"/{key}", file, front.lines.get(key, 1))

    texts = {key: _text(front.fields.get(key)) for key in ("name", "description", "license", "compatibility")}
    problems = [
        problem(key, "must be text")
        for key in texts
        if isinstance(front.fields.get(key), list | dict) and key != "compatibility"
    ]
    name = unicodedata.normalize("NFC", texts["name"]) or folder.resolve().name
    if not texts["description"] and "description" not in {p.pointer[1:] for p in problems}:
        message = "is missing; say what the skill does and when it should be used"
        problems.append(problem("description", message))
    if _UNUSABLE.search(name) or len(name.encode()) > _MOST_NAME_BYTES:
        message = f"'{name[:80]}' cannot be the name of a folder; use letters, digits and hyphens"
        problems.append(problem("name", message))
    if problems:
        raise ContractViolation(problems)
    tolerated = [
        problem(key, f"is {len(texts[key])} characters long; the standard allows {most}")
        for key, most in LONGEST.items()
        if len(texts[key]) > most
    ]
    tolerated += [
        problem(key, "is not YAML as it stands and was taken for plain text; put quotes around it")
        for key in front.unquoted
    ]
    tolerated += [problem("name", fault) for fault in _name_faults(texts["name"], name, folder)]
    return AgentSkillDescription(
        name=name,
        description=texts["description"],
        license=texts["license"],
        compatibility=texts["compatibility"],
        metadata=tuple(_metadata(front.fields.get("metadata"))),
        allowed_tools=_tools(front.fields.get("allowed-tools")),
        warnings=tuple(tolerated),
    )


def _read(folder: Path) -> tuple[str, FrontMatter]:
    # the YAML reader is imported for the skills that need it: start-up is on the player's clock
    from narratoria.contracts.front_matter import UnreadableFrontMatter

    file = str(folder / AGENT_SKILL_FILE)
    try:
        text = read_text(folder, AGENT_SKILL_FILE)
        if text is None:
            raise ContractViolation([Problem("is not there", file=file)])
        return text, _parse_front(text)
    except UnreadableFrontMatter as reason:
        raise ContractViolation([replace(reason.problem, file=file)]) from None
    except ValueError as reason:
        raise ContractViolation([Problem(str(reason), file=file)]) from None


@lru_cache(maxsize=256)
def _parse_front(text: str) -> FrontMatter:
    from narratoria.contracts.front_matter import read_front_matter

    return read_front_matter(text, is_lenient=True)


def _with(skill: Skill, described: AgentSkillDescription) -> Skill:
    return replace(
        skill,
        license=skill.license or described.license,
        compatibility=described.compatibility,
        instructions=skill.folder / AGENT_SKILL_FILE,
        allowed_tools=described.allowed_tools,
        metadata=dict(described.metadata),
        warnings=(*described.warnings, *skill.warnings),
    )


def _name_faults(given: str, name: str, folder: Path) -> list[str]:
    if not given:
        return [f"is missing; the folder's name, '{name}', is used"]
    faults = []
    if not _NAME.fullmatch(name) or name != name.lower():
        faults.append(f"'{name}' should be lowercase letters, digits and single hyphens, by the standard")
    if name != (own := unicodedata.normalize("NFC", folder.resolve().name)):
        faults.append(f"'{name}' should be the name of its folder, '{own}', by the standard")
    return faults


def _text(value: Value) -> str:
    """Several texts, as some write a compatibility, are one."""
    if isinstance(value, list):
        return ", ".join(item for item in value if isinstance(item, str))
    return value.strip() if isinstance(value, str) else ""


def _metadata(value: Value) -> list[tuple[str, str]]:
    items = value.items() if isinstance(value, dict) else ()
    return [(key, _text(item)) for key, item in items if not isinstance(item, dict)]


def _tools(value: Value) -> tuple[str, ...]:
    """Space-separated by the standard, where `Bash(git add:*)` is one; lists are seen as well."""
    if isinstance(value, list):
        return tuple(item for item in value if isinstance(item, str))
    return tuple(re.findall(r"[^\s,(]+(?:\([^)]*\))?", value)) if isinstance(value, str) else ()
