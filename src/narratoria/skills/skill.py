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
    config_schema: str = "config-schema.json"  # relative to the folder; need not be there
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
    scripts, problems = _scripts(folder, document.get("scripts", []))
    prompt = ""
    try:
        prompt = _prompt(folder, document.get("prompt", "prompt.md"))
    except ValueError as error:
        problems.append(Problem(str(error), "/prompt", str(manifest)))
    if problems:
        raise ContractViolation(contracts.placed(problems, text, file=str(manifest)))
    retry = document.get("retryPolicy", {})
    return Skill(
        name=document["name"],
        version=document["version"],
        description=document["description"],
        folder=folder,
        display_name=document.get("displayName", document["name"]),
        author=document.get("author", ""),
        license=document.get("license", ""),
        prompt=prompt,
        config_schema=document.get("configSchema", "config-schema.json"),
        scripts=scripts,
        capabilities=tuple(document.get("capabilities", ())),
        priority=document.get("priority", 50),
        max_retries=retry.get("maxRetries", 3),
        backoff_ms=retry.get("backoffMs", 100),
    )


def _prompt(folder: Path, relative: str) -> str:
    """The behavioural prompt, empty where there is none; ValueError says why one cannot be used."""
    try:
        path = (folder / relative).resolve()
        if not path.exists():
            return ""
        if not path.is_relative_to(folder.resolve()):
            raise ValueError(f"'{relative}' leads out of the skill's folder")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"'{relative}' is not UTF-8 text") from None
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise ValueError(f"'{relative}' cannot be read: {reason}") from None


def _scripts(folder: Path, entries: list[dict[str, Any]]) -> tuple[tuple[SkillScript, ...], list[Problem]]:
    scripts: list[SkillScript] = []
    problems: list[Problem] = []
    for index, entry in enumerate(entries):
        pointer = f"/scripts/{index}"
        path = _script_file(folder, entry["path"])
        if path is None:
            message = f"there is no file '{entry['path']}' in scripts/ or in the skill's root"
            problems.append(Problem(message, f"{pointer}/path"))
        elif any(script.name == entry["name"] for script in scripts):
            problems.append(Problem(f"a script is called '{entry['name']}' already", f"{pointer}/name"))
        else:
            timeout = entry.get("timeout", 30_000) / 1000
            required = entry.get("required", True)
            scripts.append(SkillScript(entry["name"], path, entry.get("description", ""), timeout, required))
    return tuple(scripts), problems


def _script_file(folder: Path, relative: str) -> Path | None:
    root = folder.resolve()
    for candidate in (folder / "scripts" / relative, folder / relative):
        try:
            resolved = candidate.resolve()
            # a manifest never points out of its skill
            if resolved.is_file() and resolved.is_relative_to(root):
                return resolved
        except (OSError, ValueError, RuntimeError):
            continue  # a name that no file can have, or links that lead in a circle
    return None
