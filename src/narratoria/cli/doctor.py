"""Defines `narratoria doctor`: checks the machine, the home, the sandbox, the skills and the models."""

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
from narratoria.app import open_skills, store_location, stories_folder, who_tells
from narratoria.cli.disk_encryption import find_encryption
from narratoria.engine.content_limits import load_content_limits
from narratoria.engine.memory.retention import read_policy
from narratoria.engine.persistence.unsaved_turns import SEPARATED_FILES, find_unsaved_turns, unsaved_folders
from narratoria.errors import ContractViolation, ModelUnavailable
from narratoria.inference.download_manager import recommend_model
from narratoria.inference.gguf import read_gguf_header
from narratoria.inference.installed_models import chosen_model, find_embedder
from narratoria.skills.decisions import load_decisions
from narratoria.skills.health import check_readiness
from narratoria.skills.sandbox.backends import Backend
from narratoria.skills.sandbox.probe import SandboxSupport, machine, probe
from narratoria.terminal import paint, visible

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
class DoctorCheck:
    """One line of the report."""

    section: str
    verdict: Verdict
    text: str


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the report as a JSON object.")
@click.pass_context
def doctor(ctx: click.Context, *, as_json: bool) -> None:
    """Check this machine, Narratoria's folders, the sandbox, the skills and the models.

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
    checks = list(examine())
    well = not any(check.verdict == "wrong" for check in checks)
    if as_json:
        report = {"ok": well, "sandbox": _as_json(probe()), "findings": [asdict(check) for check in checks]}
        click.echo(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        _print(checks)
    ctx.exit(0 if well else 1)


def examine() -> Iterator[DoctorCheck]:
    """Yield every check, section by section."""
    python = f"Python {platform.python_version()} ({sys.executable})"
    yield DoctorCheck("This machine", "ok", f"Narratoria {__version__} on {machine()}")
    yield DoctorCheck("This machine", "ok", python)
    yield from _folders()
    yield from _sandbox(probe())
    yield from _skills()
    yield from _models()


def _folders() -> Iterator[DoctorCheck]:
    home = paths.home()
    parent = next(path for path in (home, *home.absolute().parents) if path.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        advice = "set NARRATORIA_HOME to a folder that you may write to"
        yield DoctorCheck("Folders", "wrong", f"{home}: cannot be written to; {advice}")
    elif home.exists():
        yield DoctorCheck("Folders", "ok", f"your home: {home}")
        if os.name == "posix" and home.stat().st_mode & 0o077:
            advice = f"`chmod 700 {home}` closes it"
            yield DoctorCheck("Folders", "note", f"others on this machine can look into {home}; {advice}")
    else:
        yield DoctorCheck("Folders", "ok", f"your home: {home} (made when it is needed)")
    if (encryption := find_encryption(parent)) == "":
        advice = "whoever takes the disk reads your stories; docs/how-to/encrypt-a-home.md says what helps"
        yield DoctorCheck("Folders", "note", f"your home is not encrypted, as far as can be seen: {advice}")
    elif encryption:
        yield DoctorCheck("Folders", "ok", f"your home is encrypted ({encryption})")
    try:
        read_policy(home)
    except ContractViolation as violation:
        yield from (DoctorCheck("Folders", "wrong", str(problem)) for problem in violation.problems)
    for folder in paths.account_folders(paths.shared_home()):
        if problem := load_content_limits(folder).problem:
            yield DoctorCheck("Folders", "wrong", problem)
    yield from _store()
    yield from _set_apart()
    yield DoctorCheck("Folders", "ok", f"the package: {paths.PACKAGE}")


def _store() -> Iterator[DoctorCheck]:
    """Report a damaged store, and when it was last backed up."""
    from narratoria.store.engines.sqlite import find_damage, latest_backup
    from narratoria.store.store import file_of

    place = store_location()
    if isinstance(place, str) and place.startswith("postgres"):
        return
    file = file_of(place)
    if not file.is_file() or not file.stat().st_size:
        return
    if damage := find_damage(file):
        advice = "`narratoria store restore` puts the latest whole backup in its place and keeps this file"
        yield DoctorCheck("Folders", "wrong", f"{file} is damaged ({damage[0]}); {advice}")
        return
    latest = latest_backup(file)
    backup = (
        f"its latest backup: {latest}" if latest else "not backed up yet: that happens once a day of play"
    )
    yield DoctorCheck("Folders", "ok", f"the store is whole: {file} ({backup})")


def _set_apart() -> Iterator[DoctorCheck]:
    """Report turns that cannot be saved, because the turn before them is missing in the store."""
    for unsaved in find_unsaved_turns(unsaved_folders(stories_folder()), SEPARATED_FILES):
        numbers = [turn.number for turn in unsaved.turns] or [0]
        turns = f"turn {numbers[0]}" if len(numbers) == 1 else f"turns {numbers[0]} to {numbers[-1]}"
        advice = (
            f"they come back with the first start that finds turn {numbers[0] - 1} as they know it, "
            "for instance after `narratoria store restore`; if nobody misses them, delete the file"
        )
        text = (
            f"{turns} of “{unsaved.header.title}” ({unsaved.header.branch}) wait in {unsaved.file}: {advice}"
        )
        yield DoctorCheck("Folders", "note", text)


def _sandbox(sandbox: SandboxSupport) -> Iterator[DoctorCheck]:
    section = "Sandbox"
    if sandbox.isolates:
        yield DoctorCheck(section, "ok", f"skills run in a sandbox: {_NAMES[sandbox.best]}")
    else:
        backend_name = _NAMES[sandbox.best]
        text = (
            f"skills run WITHOUT a sandbox ({backend_name}): they can do what you can do; {sandbox.advice()}"
        )
        yield DoctorCheck(section, "wrong", text)
    for guarantee in sandbox.guarantees():
        note = f" ({guarantee.note})" if guarantee.note else ""
        if guarantee.held:
            yield DoctorCheck(section, "ok", f"{guarantee.what}{note}")
        else:
            yield DoctorCheck(section, "note", f"NOT given here: {guarantee.what}{note}")
    for backend, reason in sandbox.reasons.items():
        yield DoctorCheck(section, "note", f"not used: {_NAMES[backend]}: {reason}")
    if sandbox.isolates and (advice := sandbox.advice()):
        yield DoctorCheck(section, "note", f"for a tighter sandbox: {advice}")
    if advice := sandbox.ceilings_advice():
        yield DoctorCheck(section, "note", f"for ceilings by the kernel: {advice}")
    if sandbox.root:
        yield DoctorCheck(
            section, "note", "you are root; Narratoria does not need it, and an ordinary user is safer"
        )


def _skills() -> Iterator[DoctorCheck]:
    section = "Skills"
    catalogue = open_skills()
    settings = load_decisions(paths.shared_home())
    for problem in (*settings.problems, *catalogue.problems):
        yield DoctorCheck(section, "wrong", str(problem))
    for skill in catalogue.skills:
        ready = check_readiness(skill, paths.shared_home(), settings)
        where = f"{skill.name} {skill.version} ({_short(skill.folder)})"
        if ready.condition == "ready":
            yield DoctorCheck(section, "ok", where)
        else:
            yield DoctorCheck(section, "note" if ready.condition == "disabled" else "wrong", ready.reason)
        for warning in ready.warnings:
            yield DoctorCheck(section, "note", str(warning))
    if not catalogue.skills:
        yield DoctorCheck(section, "note", "no skills were found; `narratoria skills install` brings some")


def _models() -> Iterator[DoctorCheck]:
    section = "Models"
    folder = find_embedder()
    if folder is not None:
        yield DoctorCheck(section, "ok", f"memories are found by meaning: {folder.name}")
    else:
        advice = "memories are found by words; `make play` brings the embedding model"
        yield DoctorCheck(section, "note", f"no embedding model is here; {advice}")
    try:
        model = chosen_model()
        if model is not None:
            read_gguf_header(model.path)
    except (ModelUnavailable, OSError) as error:
        yield DoctorCheck(section, "wrong", f"the model in use: {error}")
    teller = who_tells()
    advice = f" {teller.advice}" if teller.advice and teller.state != "tells" else ""
    is_fine = teller.state in ("tells", "none")
    yield DoctorCheck(section, "ok" if is_fine else "note", f"{teller.sentence}{advice}")
    if better := recommend_model():
        advice = f"`narratoria model download {better.name}`"
        yield DoctorCheck(section, "note", f"this machine can carry a better one, {better.title}: {advice}")


def _short(folder: Path) -> str:
    return "came with the package" if folder.is_relative_to(paths.PACKAGE) else str(folder)


def _as_json(sandbox: SandboxSupport) -> dict[str, object]:
    return {
        "backend": sandbox.best,
        "isolates": sandbox.isolates,
        "available": list(sandbox.backends),
        "unavailable": sandbox.reasons,
        "landlock": sandbox.landlock,
        "seccomp": sandbox.seccomp,
        "root": sandbox.root,
        "guarantees": [asdict(guarantee) for guarantee in sandbox.guarantees()],
        "advice": sandbox.advice(),
    }


def _print(checks: list[DoctorCheck]) -> None:
    section = ""
    for check in checks:
        if check.section != section:
            click.echo(("\n" if section else "") + paint(check.section, sys.stdout, bold=True))
            section = check.section
        sign, colour = _SIGNS[check.verdict]
        click.echo(f"  {paint(sign, sys.stdout, fg=colour)} {visible(check.text)}")
    wrong = sum(check.verdict == "wrong" for check in checks)
    if wrong:
        click.echo(f"\n{wrong} {'thing is' if wrong == 1 else 'things are'} wrong.")
    else:
        click.echo("\nNothing is wrong.")
