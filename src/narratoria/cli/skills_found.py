"""The skills that commands speak of, and how they are shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

import click
import msgspec

from narratoria import paths
from narratoria.app import open_skills
from narratoria.contracts.words import closest
from narratoria.errors import NarratoriaException, Problem
from narratoria.skills.config import Readiness, readiness
from narratoria.skills.discovery import Catalogue
from narratoria.skills.settings import load_settings
from narratoria.terminal import painted, say, visible

SIGNS = {"ready": ("on", "green"), "disabled": ("off", "yellow"), "misconfigured": ("needs attention", "red")}


def find(name: str, catalogue: Catalogue | None = None) -> Readiness:
    """The skill of this name as things stand; NarratoriaException says which there are."""
    catalogue = catalogue or open_skills()
    skill = catalogue.skill(name)
    if skill is None:
        names = sorted(skill.name for skill in catalogue.skills)
        near = closest(name, names)
        advice = f"did you mean '{near}'?" if near else f"there are: {', '.join(names) or 'none'}"
        raise NarratoriaException(f"there is no skill '{name}'; {advice}")
    return readiness(skill, paths.home(), load_settings(paths.home()))


def condition(of: Readiness) -> str:
    words, colour = SIGNS[of.condition]
    return painted(f"{words:<15}", sys.stdout, fg=colour)


def as_text(value: Any) -> str:
    """A value on one line; texts without quotes."""
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def as_documents(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(problem) for problem in problems]


def say_json(document: Any) -> None:
    say(json.dumps(document, indent=2, ensure_ascii=False))


def tell(problems: Iterable[Problem], sign: str = "✗") -> None:
    """Problems and warnings, to stderr."""
    colour = "red" if sign == "✗" else "yellow"
    for problem in problems:
        click.echo(f"{painted(sign, sys.stderr, fg=colour, bold=True)} {visible(str(problem))}", err=True)
