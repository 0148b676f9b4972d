"""Reads `skill.json`, the manifest of a skill."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from narratoria import contracts
from narratoria.errors import ContractViolation, Problem
from narratoria.skills import permissions
from narratoria.skills.permissions import Permissions
from narratoria.skills.skill import Skill
from narratoria.skills.skill_files import find_scripts, read_bytes, read_listed_scripts, read_text

FILE_NAME = "skill.json"
PROMPT = "prompt.md"


def read_manifest(folder: Path) -> Skill:
    """Return the skill in this folder; raise ContractViolation with every problem of its manifest."""
    manifest = str(folder / FILE_NAME)
    try:
        text = read_bytes(folder, FILE_NAME)
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
    if problems:
        raise ContractViolation(contracts.add_locations(problems, text, file=manifest))
    unlisted_scripts, passed_over = find_scripts(
        folder, protocol="narratoria-0", by_ending=False, listed=scripts
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
        scripts=(*scripts, *unlisted_scripts),
        capabilities=tuple(document.get("capabilities", ())),
        examples=tuple(document.get("examples", ())),
        permissions=Permissions.parse(document.get("permissions", ())),
        priority=document.get("priority", 50),
        max_retries=retry.get("maxRetries", 3),
        backoff_ms=retry.get("backoffMs", 100),
    )
    absent = contracts.add_locations(_absent_files(folder, document), text, file=manifest)
    return replace(skill, warnings=(*absent, *passed_over))


def _absent_files(folder: Path, document: dict[str, str]) -> list[Problem]:
    return [
        Problem(f"there is no file '{document[key]}' in the skill; it goes without", f"/{key}")
        for key in ("prompt", "configSchema")
        if key in document and not os.path.lexists(folder / document[key])
    ]
