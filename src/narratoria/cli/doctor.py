"""`narratoria doctor`: whether everything is in order here, in plain words."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import click

from narratoria import __version__, paths
from narratoria.app import open_skills, stories_folder
from narratoria.engine.memory.retention import read_policy
from narratoria.engine.persistence.unsaved_turns import APART, find_unsaved_turns, unsaved_folders
from narratoria.errors import ContractViolation, ModelUnavailable
from narratoria.inference.catalogue import EMBEDDED
from narratoria.inference.download_manager import recommend_model
from narratoria.inference.gguf import read_gguf_header
from narratoria.inference.installed_models import InstalledModel, chosen_model, find_embedder
from narratoria.skills.config import check_readiness
from narratoria.skills.sandbox.probe import Probe, machine, probe
from narratoria.skills.sandbox.wrap import Backend
from narratoria.skills.settings import load_settings
from narratoria.terminal import painted, visible

Verdict = Literal["ok", "note", "wrong"]
_SIGNS: dict[Verdict, tuple[str, str]] = {
    "ok": ("✓", "green"),
    "note": ("!", "yellow"),
    "wrong": ("✗", "red"),
}
_NAMES: dict[Backend, str] = {
    "bubblewrap": "bubblewrap",
    "namespaces": "Narratoria's own launcher, with namespaces of the kernel",
    "landlock": "Narratoria's own launcher, with Landlock and seccomp",
    "seatbelt": "the sandbox of macOS",
    "job": "a job object of Windows: limits, and an end for everything",
    "plain": "limits alone",
}


@dataclass(frozen=True, slots=True)
class Finding:
    section: str
    verdict: Verdict
    text: str


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as a JSON object.")
@click.pass_context
def doctor(ctx: click.Context, *, as_json: bool) -> None:
    """Look at this machine, at Narratoria's places, at the box for skills, at the skills and at the models.

    \b
    In the report:
      ✓  in order
      !  works, and you should know about it
      ✗  wrong: what it is, and what to do

    \b
    Exit code:
      0  nothing is wrong
      1  something is
    """
    findings = list(examine())
    well = not any(finding.verdict == "wrong" for finding in findings)
    if as_json:
        report = {"ok": well, "sandbox": _as_json(probe()), "findings": [asdict(f) for f in findings]}
        click.echo(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        _print(findings)
    ctx.exit(0 if well else 1)


def examine() -> Iterator[Finding]:
    """Everything there is to say, section by section."""
    python = f"Python {platform.python_version()} ({sys.executable})"
    yield Finding("This machine", "ok", f"Narratoria {__version__} on {machine()}")
    yield Finding("This machine", "ok", python)
    yield from _places()
    yield from _sandbox(probe())
    yield from _skills()
    yield from _models()


def _places() -> Iterator[Finding]:
    home = paths.home()
    parent = next(path for path in (home, *home.absolute().parents) if path.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        advice = "set NARRATORIA_HOME to a folder that you may write to"
        yield Finding("Places", "wrong", f"{home}: cannot be written to; {advice}")
    elif home.exists():
        yield Finding("Places", "ok", f"your home for Narratoria: {home}")
        if os.name == "posix" and home.stat().st_mode & 0o077:
            advice = f"`chmod 700 {home}` closes it"
            yield Finding("Places", "note", f"others on this machine can look into {home}; {advice}")
    else:
        yield Finding("Places", "ok", f"your home for Narratoria: {home} (made when it is needed)")
    try:
        read_policy(home)
    except ContractViolation as violation:
        yield from (Finding("Places", "wrong", str(problem)) for problem in violation.problems)
    yield from _set_apart()
    yield Finding("Places", "ok", f"came with the package: {paths.PACKAGE}")


def _set_apart() -> Iterator[Finding]:
    """Turns that were told and cannot be in the store: what they follow is not there."""
    for found in find_unsaved_turns(unsaved_folders(stories_folder()), APART):
        numbers = [kept.number for kept in found.turns] or [0]
        turns = f"turn {numbers[0]}" if len(numbers) == 1 else f"turns {numbers[0]} to {numbers[-1]}"
        advice = (
            f"they come back with the first start that finds turn {numbers[0] - 1} as they know it, "
            "for instance after `narratoria store restore`; if nobody misses them, delete the file"
        )
        text = f"{turns} of “{found.heading.title}” ({found.heading.line}) wait in {found.file}: {advice}"
        yield Finding("Places", "note", text)


def _sandbox(found: Probe) -> Iterator[Finding]:
    section = "The box that skills run in"
    if found.isolates:
        yield Finding(section, "ok", f"skills run in a box: {_NAMES[found.best]}")
    else:
        text = (
            f"skills run WITHOUT a box ({_NAMES[found.best]}): they can do what you can do; {found.advice()}"
        )
        yield Finding(section, "wrong", text)
    for guarantee in found.guarantees():
        note = f" ({guarantee.note})" if guarantee.note else ""
        if guarantee.held:
            yield Finding(section, "ok", f"{guarantee.what}{note}")
        else:
            yield Finding(section, "note", f"NOT given here: {guarantee.what}{note}")
    for backend, reason in found.reasons.items():
        yield Finding(section, "note", f"not used: {_NAMES[backend]}: {reason}")
    if found.isolates and (advice := found.advice()):
        yield Finding(section, "note", f"for a tighter box: {advice}")
    if found.root:
        yield Finding(
            section, "note", "you are root; Narratoria needs no such powers, an ordinary user is safer"
        )


def _skills() -> Iterator[Finding]:
    section = "Skills"
    catalogue = open_skills()
    settings = load_settings(paths.home())
    for problem in (*settings.problems, *catalogue.problems):
        yield Finding(section, "wrong", str(problem))
    for skill in catalogue.skills:
        ready = check_readiness(skill, paths.home(), settings)
        where = f"{skill.name} {skill.version} ({_short(skill.folder)})"
        if ready.condition == "ready":
            yield Finding(section, "ok", where)
        else:
            yield Finding(section, "note" if ready.condition == "disabled" else "wrong", ready.reason)
        for warning in ready.warnings:
            yield Finding(section, "note", str(warning))
    if not catalogue.skills:
        yield Finding(section, "note", "no skills were found; `narratoria skills install` brings some")


def _models() -> Iterator[Finding]:
    section = "Models"
    folder = find_embedder()
    if folder is not None:
        yield Finding(section, "ok", f"memories are found by meaning: {folder.name}")
    else:
        advice = "memories are found by words; `make play` brings the embedding model"
        yield Finding(section, "note", f"no embedding model is here; {advice}")
    try:
        model = chosen_model()
    except (ModelUnavailable, OSError) as error:
        yield Finding(section, "wrong", f"the model in use: {error}")
        return
    if model is None:
        advice = (
            "stories are told in the campaign's own words; `narratoria model list` shows models to be had"
        )
        yield Finding(section, "note", f"no language model is here; {advice}")
        return
    yield _in_use(model)
    if better := recommend_model():
        advice = f"`narratoria model download {better.name}`"
        yield Finding(section, "note", f"this machine can carry a better one, {better.title}: {advice}")


def _in_use(model: InstalledModel) -> Finding:
    from narratoria.inference.exam import load_exam

    try:
        read_gguf_header(model.path)
    except (ModelUnavailable, OSError) as error:
        return Finding("Models", "wrong", f"{model.title} cannot be used: {error}")
    report = load_exam(model)
    if report is not None:
        return Finding("Models", "ok", f"{model.title}: {report.tier}, {report.tokens_per_second:g} tokens/s")
    if model.sha256 == EMBEDDED.sha256:
        return Finding("Models", "ok", f"{model.title}: weighs choices, tells no stories")
    advice = "it is examined at the next story, or now by `narratoria model bench`"
    return Finding("Models", "note", f"{model.title}: nobody knows yet what it is good for; {advice}")


def _short(folder: Path) -> str:
    return "came with the package" if folder.is_relative_to(paths.PACKAGE) else str(folder)


def _as_json(found: Probe) -> dict[str, object]:
    return {
        "backend": found.best,
        "isolates": found.isolates,
        "available": list(found.backends),
        "unavailable": found.reasons,
        "landlock": found.landlock,
        "seccomp": found.seccomp,
        "root": found.root,
        "guarantees": [asdict(guarantee) for guarantee in found.guarantees()],
        "advice": found.advice(),
    }


def _print(findings: list[Finding]) -> None:
    section = ""
    for finding in findings:
        if finding.section != section:
            click.echo(("\n" if section else "") + painted(finding.section, sys.stdout, bold=True))
            section = finding.section
        sign, colour = _SIGNS[finding.verdict]
        click.echo(f"  {painted(sign, sys.stdout, fg=colour)} {visible(finding.text)}")
    wrong = sum(finding.verdict == "wrong" for finding in findings)
    if wrong:
        click.echo(f"\n{wrong} {'thing is' if wrong == 1 else 'things are'} wrong.")
    else:
        click.echo("\nNothing is wrong.")
