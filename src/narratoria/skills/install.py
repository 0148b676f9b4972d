"""Creates, installs and removes skills: staged beside the others and swapped in whole.

What is the user's in a skill's folder, `config.json` and `data/`, is there after an upgrade as it was before.
Settings are never taken from a package; data is, as what a skill begins with. A swap that was cut short is
finished, or undone, by whoever comes next.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from narratoria import contracts
from narratoria.errors import ContractViolation, Problem
from narratoria.files import file_lock
from narratoria.paths import make_private
from narratoria.skills.archive import PackageLimits, copy_package, unpack_archive
from narratoria.skills.discovery import read_skill, skill_folders
from narratoria.skills.manifest import MANIFEST_FILE
from narratoria.skills.skill import Skill

TEMPLATE = Path(__file__).parent / "template"


@dataclass(frozen=True, slots=True)
class Language:
    """Describes the first script of a new skill in one language."""

    source: str
    ending: str
    does: str = "Greets whom the input names, as often as it asks."
    usage: str = "`who` in its input is the person's name; `times` says how often, from 1 to 10."


LANGUAGES = {
    "python": Language("python.py", ".py"),
    "bash": Language("bash.sh", ".sh", "Greets everybody there.", "It needs no input."),
    "node": Language("node.mjs", ".mjs"),
}


def create_skill(name: str, language: str, into: Path) -> Path:
    """Create a skill of this name in a folder of this name; raise ContractViolation if it cannot be."""
    _check_name(name)
    folder = into / name
    chosen = LANGUAGES[language]
    file = f"greet{chosen.ending}"
    words = {
        "name": name,
        "title": name.replace("-", " ").strip().title() or name,
        "script": "greet",
        "file": file,
        "does": chosen.does,
        "usage": chosen.usage,
    }
    try:
        if folder.exists() or folder.is_symlink():
            raise _cannot(folder, "is there already; choose another name, or another --dir")
        into.mkdir(parents=True, exist_ok=True)
        draft = into / f".{name}-{secrets.token_hex(4)}"
        try:
            _write(draft, words, TEMPLATE / "scripts" / chosen.source, file)
            draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise _cannot(folder, f"cannot be written: {error.strerror or error}") from error
    return folder


def create_server_skill(name: str, target: str, into: Path) -> Path:
    """Create the skill of an MCP server, by its address or its command; ContractViolation if it cannot be."""
    _check_name(name)
    folder = into / name
    program, *arguments = shlex.split(target) or [""]
    is_address = target.startswith(("http://", "https://"))
    server = {"url": target} if is_address else {"command": program, "args": arguments}
    manifest: dict[str, Any] = {
        "name": name,
        "version": "0.1.0",
        "description": f"Uses the MCP server {name}. Say here what it does and when a story should use it.",
        "examples": [],
        "mcp": server,
    }
    try:
        if folder.exists() or folder.is_symlink():
            raise _cannot(folder, "is there already; choose another name, or another --dir")
        folder.mkdir(parents=True)
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        (folder / MANIFEST_FILE).write_text(text, encoding="utf-8")
        read_skill(folder)
    except ContractViolation:
        _delete(folder / MANIFEST_FILE)
        raise
    except OSError as error:
        raise _cannot(folder, f"cannot be written: {error.strerror or error}") from error
    return folder


def _write(draft: Path, words: dict[str, str], source: Path, file: str) -> None:
    (draft / "scripts").mkdir(parents=True)
    for template in sorted(path for path in TEMPLATE.iterdir() if path.is_file()):
        text = Template(template.read_text(encoding="utf-8")).substitute(words)
        (draft / template.name).write_text(text, encoding="utf-8")
    script = draft / "scripts" / file
    script.write_bytes(source.read_bytes())
    script.chmod(0o755)


def _check_name(name: str) -> None:
    schema = contracts.load("skill-manifest")["properties"]["name"]
    if problems := contracts.Contract(schema).check_value(name):
        raise ContractViolation([Problem(f"{problem.message}; choose such a name") for problem in problems])


def _cannot(path: Path, reason: str) -> ContractViolation:
    return ContractViolation([Problem(reason, file=str(path))])


CONFIG = "config.json"
USERS_OWN = (CONFIG, "data")
STAGED, REPLACED, REMOVED = ".installing-", ".replaced-", ".removed-"
FORGOTTEN_AFTER = 24 * 3600.0  # seconds; nobody thinks about an installation that long
LOCK = "installed"


@contextmanager
def stage_skill(source: Path, root: Path, limits: PackageLimits = PackageLimits()) -> Iterator[Skill]:
    """Provide the skill of a package, unpacked and checked but not installed; it is gone again at the end.

    ContractViolation, with every problem, for what is not the package of one valid skill."""
    staging = _new_folder(root)
    try:
        # called as the source is: a skill that says no name of its own has its folder's
        package = staging / (source.resolve().stem.strip(". ") or "skill")
        package.mkdir()
        (copy_package if source.is_dir() else unpack_archive)(source, package, limits)
        folder = _only_skill(package, source)
        _delete(folder / CONFIG)
        try:
            skill = read_skill(folder)
        except ContractViolation as violation:
            raise ContractViolation([_of_source(p, package, source) for p in violation.problems]) from None
        yield skill
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def install_skill(skill: Skill, root: Path) -> Path:
    """Move a staged skill to where it belongs, in place of the one that is there; the user's files stay."""
    target = root / skill.name
    with _changing(root):
        if target.is_symlink():
            raise _cannot(target, "is a link to a skill elsewhere; remove it first")
        if not target.exists():
            skill.folder.rename(target)
        else:
            for name in filter(lambda name: os.path.lexists(target / name), USERS_OWN):
                _delete(skill.folder / name)
            old = root / f"{REPLACED}{skill.name}"
            target.rename(old)
            skill.folder.rename(target)
            _finish(old, target)
    return target


def remove_skill(folder: Path, *, keep_data: bool = False) -> None:
    """Take a skill's folder away, whole or but for what is the user's."""
    root = folder.parent
    with _changing(root):
        if folder.is_symlink():
            folder.unlink()
            return
        if keep_data and any(os.path.lexists(folder / name) for name in USERS_OWN):
            old = root / f"{REPLACED}{folder.name}"
            folder.rename(old)
            folder.mkdir(mode=0o700)
            _finish(old, folder)
        else:
            gone = root / f"{REMOVED}{secrets.token_hex(4)}"
            folder.rename(gone)
            _delete(gone)


def finish_interrupted_installs(root: Path) -> None:
    """Finish what was cut short here; nothing happens where nothing was."""
    if any(_stale_folders(root)):
        with suppress(ContractViolation), _changing(root):  # a folder that cannot be written needs no mending
            pass


@contextmanager
def _changing(root: Path) -> Iterator[None]:
    """One at a time, and after what the last one may have left undone."""
    with file_lock(root / LOCK):
        try:
            for stale in list(_stale_folders(root)):
                _mend_one(stale, root)
            yield
        except OSError as error:
            raise _cannot(root, f"cannot be changed: {error.strerror or error}") from error


def _stale_folders(root: Path) -> Iterator[Path]:
    for prefix in (REPLACED, REMOVED, STAGED):
        for path in root.glob(f"{prefix}*"):
            if prefix != STAGED or _is_forgotten(path):
                yield path


def _is_forgotten(path: Path) -> bool:
    with suppress(OSError):
        return time.time() - path.stat().st_mtime > FORGOTTEN_AFTER
    return False


def _mend_one(stale: Path, root: Path) -> None:
    if not stale.name.startswith(REPLACED):
        _delete(stale)
        return
    target = root / stale.name.removeprefix(REPLACED)
    if target.exists():
        _finish(stale, target)
    else:
        stale.rename(target)


def _finish(old: Path, new: Path) -> None:
    """Carry the user's files over, each in one step; only then is the old folder deleted."""
    for name in USERS_OWN:
        if not os.path.lexists(old / name):
            continue
        if os.path.lexists(new / name):  # made meanwhile by a run of the skill
            (new / name).rename(new / f"{name}.{secrets.token_hex(4)}")
        (old / name).rename(new / name)
    _delete(old)


def _only_skill(package: Path, source: Path) -> Path:
    """Return the skill at the top of a package, or the only one further down."""
    folders = list(skill_folders(package.parent, []))
    if len(folders) == 1:
        return folders[0]
    if not folders:
        raise _cannot(source, "holds no skill: there is neither a skill.json nor a SKILL.md in it")
    names = ", ".join(str(folder.relative_to(package)) for folder in folders[:10])
    raise _cannot(source, f"holds {len(folders)} skills; unpack it and install those you want: {names}")


def _of_source(problem: Problem, package: Path, source: Path) -> Problem:
    """As a place in what the user has, not in what is about to be deleted."""
    inside = problem.file.removeprefix(str(package)).lstrip(os.sep)
    return Problem(
        problem.message, problem.pointer, f"{source}{os.sep}{inside}", problem.line, problem.column
    )


def _new_folder(root: Path) -> Path:
    try:
        make_private(root)
        return Path(tempfile.mkdtemp(prefix=STAGED, dir=root))
    except OSError as error:
        raise _cannot(root, f"cannot be written: {error.strerror or error}") from error


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
