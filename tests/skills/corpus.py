"""Fifty skills as they are found in the wild, ten of them broken, each in its own way."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SPEAKS = """#!/usr/bin/env python3
from narratoria import sdk

sdk.run(lambda request: {"heard": dict(request.input)})
"""
PRINTS = """import json, os, sys

print("args", *sys.argv[1:])
print("angle", os.environ.get("NARRATORIA_INPUT_ANGLE", "-"))
print("input", json.load(sys.stdin)["input"])
"""


@dataclass(frozen=True)
class Fault:
    """What must be told of a broken skill."""

    folder: str
    file: str
    line: int
    pointer: str
    words: str


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def manifest(name: str, **fields: Any) -> str:
    return json.dumps(
        {"name": name, "version": "1.0.0", "description": f"What {name} does.", **fields}, indent=1
    )


def skill_md(name: str, description: str = "Does it.", *more: str, body: str = "# How\n\nLike so.\n") -> str:
    return "\n".join(["---", f"name: {name}", f"description: {description}", *more, "---", "", body])


# forty that load: manifests, Agent Skills in the shapes that people publish, and tools of m-control


def _with_manifests(root: Path) -> None:
    for number in range(8):
        name = f"plain-{number}"
        write(root / name, {"skill.json": manifest(name)})
    for number in range(8):
        name = f"roller-{number}"
        scripts = [{"name": "roll", "path": "roll.py", "timeout": 5000}]
        files = {"skill.json": manifest(name, scripts=scripts), "scripts/roll.py": SPEAKS}
        write(root / name, files)
    for number in range(4):
        name = f"whole-{number}"
        fields = {
            "displayName": "Würfel & Würde 骰子",
            "permissions": ["store:read", "embed", "files:~/Music"],
            "examples": ["I roll the dice", "ich würfle"],
            "capabilities": ["chance"],
            "retryPolicy": {"maxRetries": 0},
        }
        files = {"skill.json": manifest(name, **fields), "prompt.md": "Sei fair.", "SKILL.md": skill_md(name)}
        write(root / name, files)


def _agent_skills(root: Path) -> None:
    write(
        root / "pdf-forms",
        {
            "SKILL.md": skill_md(
                "pdf-forms",
                '"Fills in forms: use it when a PDF has fields."',
                "license: Proprietary. LICENSE.txt has complete terms",
                "compatibility: Needs Python 3.11",
                "allowed-tools: Bash(python:*) Read",
                "metadata:\n  author: somebody\n  version: 2.1.0\n  needs:\n    requires: {bins: [python3]}",
            ),
            "LICENSE.txt": "…",
            "references/FIELDS.md": "# Fields",
            "assets/form.pdf": b"%PDF-1.7\n",
            "scripts/rotate.py": PRINTS,
            "scripts/fill_form.py": PRINTS,
            "scripts/_shared.py": "",
            "scripts/__init__.py": "",
            "scripts/office/helpers/xml.py": "",
        },
    )
    write(root / "brand-voice", {"SKILL.md": skill_md("brand-voice", ">-\n  Writes as the\n  house does.")})
    write(
        root / "unquoted",
        {"SKILL.md": skill_md("unquoted", "Reads papers. Use when: asked.", "argument-hint: [a] [b]")},
    )
    write(root / "windows-made", {"SKILL.md": skill_md("windows-made").replace("\n", "\r\n")})
    write(root / "with-mark", {"SKILL.md": b"\xef\xbb\xbf" + skill_md("with-mark").encode()})
    write(root / "würfel-künstler", {"SKILL.md": skill_md("würfel-künstler", "Würfelt. 掷骰子 🎲")})
    write(root / "other-folder", {"SKILL.md": skill_md("not-its-folder")})
    write(root / "shouting", {"SKILL.md": skill_md("SHOUTING NAME")})
    write(root / "long-winded", {"SKILL.md": skill_md("long-winded", "very " * 300 + "long")})
    write(root / "nameless", {"SKILL.md": "---\ndescription: Has no name of its own.\n---\n"})
    write(root / "collection" / "inner-one", {"SKILL.md": skill_md("inner-one")})
    write(root / "collection" / "deeper" / "inner-two", {"SKILL.md": skill_md("inner-two")})
    speaking = skill_md(
        "speaking", "Speaks.", "metadata:\n  protocol: narratoria-0\n  permissions: network model"
    )
    write(root / "speaking", {"SKILL.md": speaking, "scripts/speak.py": SPEAKS})
    for number in range(3):
        name = f"reference-only-{number}"
        write(root / name, {"SKILL.md": skill_md(name), "reference/api.md": "# API", "examples/one.md": "1"})


def _adopted(root: Path) -> None:
    for name in ("greet", "count", "lamp", "mirror"):
        document = {
            "manifestVersion": 1,
            "id": name,
            "version": "1.0.0",
            "name": name.title(),
            "description": f"Does {name}.",
            "runtime": "python",
            "entry": "main.py",
        }
        write(root / f"tool-{name}", {"manifest.json": json.dumps(document), "main.py": ""})


# ten that do not


def _truncated(root: Path) -> Fault:
    write(root / "truncated", {"skill.json": manifest("truncated")[:-3]})
    return Fault("truncated", "skill.json", 4, "", "")


def _without_version(root: Path) -> Fault:
    write(root / "without-version", {"skill.json": '{\n "name": "without-version",\n "description": "x"}'})
    return Fault("without-version", "skill.json", 1, "", "version")


def _misnamed(root: Path) -> Fault:
    write(root / "misnamed", {"skill.json": manifest("Mis Named")})
    return Fault("misnamed", "skill.json", 2, "/name", "lowercase letters, digits and hyphens")


def _scriptless(root: Path) -> Fault:
    scripts = [{"name": "gone", "path": "gone.py"}]
    write(root / "scriptless", {"skill.json": manifest("scriptless", scripts=scripts)})
    return Fault("scriptless", "skill.json", 8, "/scripts/0/path", "there is no file 'gone.py'")


def _escaping(root: Path) -> Fault:
    write(root.parent, {"outside.py": SPEAKS})
    scripts = [{"name": "out", "path": "../../outside.py"}]
    write(root / "escaping", {"skill.json": manifest("escaping", scripts=scripts)})
    return Fault("escaping", "skill.json", 8, "/scripts/0/path", "leads out of the skill's folder")


def _linking(root: Path) -> Fault:
    write(root.parent, {"secret.md": "secret"})
    write(root / "linking", {"skill.json": manifest("linking", prompt="prompt.md")})
    (root / "linking" / "prompt.md").symlink_to(root.parent / "secret.md")
    return Fault("linking", "skill.json", 5, "/prompt", "leads out of the skill's folder")


def _greedy(root: Path) -> Fault:
    write(root / "greedy", {"skill.json": manifest("greedy", permissions=["model", "networks"])})
    return Fault("greedy", "skill.json", 7, "/permissions/1", "write 'network'")


def _undescribed(root: Path) -> Fault:
    write(root / "undescribed", {"SKILL.md": skill_md("undescribed", "")})
    return Fault("undescribed", "SKILL.md", 3, "/description", "is missing; say what the skill does")


def _unreadable(root: Path) -> Fault:
    write(root / "unreadable", {"SKILL.md": skill_md("[unreadable")})
    return Fault("unreadable", "SKILL.md", 3, "", "its fields are not YAML")


def _laughing(root: Path) -> Fault:
    laughs = [
        "a: &a [x, x, x]",
        *(f"{b}: &{b} [*{a}, *{a}, *{a}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)),
    ]
    write(root / "laughing", {"SKILL.md": skill_md("laughing", "x", *laughs)})
    return Fault("laughing", "SKILL.md", 4, "", "anchor (&) or an alias (*)")


BROKEN: tuple[Callable[[Path], Fault], ...] = (
    _truncated, _without_version, _misnamed, _scriptless, _escaping,
    _linking, _greedy, _undescribed, _unreadable, _laughing,
)  # fmt: skip


def build(root: Path) -> list[Fault]:
    """Write all fifty below a root, and say what must be told of the ten."""
    _with_manifests(root)
    _agent_skills(root)
    _adopted(root)
    return [make(root) for make in BROKEN]
