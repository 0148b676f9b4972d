"""What a skill is: a folder with a manifest, and the scripts it brings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from narratoria import contracts
from narratoria.errors import ContractViolation, Problem


@dataclass(frozen=True, slots=True)
class SkillScript:
    """A program of a skill that plans can run."""

    name: str
    path: Path
    description: str = ""
    timeout: float = 30.0  # seconds
    required: bool = True


@dataclass(frozen=True, slots=True)
class Skill:
    """A capability bundle, as its manifest describes it."""

    name: str
    version: str
    description: str
    folder: Path
    display_name: str = ""
    author: str = ""
    license: str = ""
    prompt: str = ""
    scripts: tuple[SkillScript, ...] = ()
    capabilities: tuple[str, ...] = ()
    priority: int = 50
    max_retries: int = 3
    backoff_ms: int = 100

    def script(self, name: str) -> SkillScript | None:
        return next((script for script in self.scripts if script.name == name), None)


def read_skill(folder: Path) -> Skill:
    """The skill in this folder; ContractViolation with every problem of its manifest."""
    manifest = folder / "skill.json"
    try:
        text = manifest.read_bytes()
    except OSError as error:
        raise ContractViolation([Problem(f"cannot be read: {error.strerror}", file=str(manifest))]) from None
    document = contracts.parse("skill-manifest", text, file=str(manifest))
    scripts, problems = _scripts(folder, document.get("scripts", []), manifest)
    if problems:
        raise ContractViolation(problems)
    prompt = folder / document.get("prompt", "prompt.md")
    retry = document.get("retryPolicy", {})
    return Skill(
        name=document["name"],
        version=document["version"],
        description=document["description"],
        folder=folder,
        display_name=document.get("displayName", document["name"]),
        author=document.get("author", ""),
        license=document.get("license", ""),
        prompt=prompt.read_text(encoding="utf-8") if prompt.is_file() else "",
        scripts=scripts,
        capabilities=tuple(document.get("capabilities", ())),
        priority=document.get("priority", 50),
        max_retries=retry.get("maxRetries", 3),
        backoff_ms=retry.get("backoffMs", 100),
    )


def _scripts(
    folder: Path, entries: list[dict[str, Any]], manifest: Path
) -> tuple[tuple[SkillScript, ...], list[Problem]]:
    scripts: list[SkillScript] = []
    problems: list[Problem] = []
    for index, entry in enumerate(entries):
        pointer = f"/scripts/{index}"
        path = _script_file(folder, entry["path"])
        if path is None:
            message = f"there is no file '{entry['path']}' in scripts/ or in the skill's root"
            problems.append(Problem(message, f"{pointer}/path", str(manifest)))
        elif any(script.name == entry["name"] for script in scripts):
            problems.append(Problem(f"a script is called '{entry['name']}' already", pointer, str(manifest)))
        else:
            timeout = entry.get("timeout", 30_000) / 1000
            required = entry.get("required", True)
            scripts.append(SkillScript(entry["name"], path, entry.get("description", ""), timeout, required))
    return tuple(scripts), problems


def _script_file(folder: Path, relative: str) -> Path | None:
    root = folder.resolve()
    for candidate in (folder / "scripts" / relative, folder / relative):
        resolved = candidate.resolve()
        if resolved.is_file() and resolved.is_relative_to(root):  # a manifest never points out of its skill
            return resolved
    return None
