"""Finds skills in their folders, and finds them anew when a folder changes while a story is running.

A folder is a skill by what describes it: `skill.json`, else `SKILL.md`, else m-control's `manifest.json`; a
`SKILL.md` beside a `skill.json` belongs to the same skill. Of two skills with one name the one found first
stays, in the order of roots; in one root, the one in the folder of its own name, where it is installed, and
then in the order of names. What came with the package, or was installed, cannot be displaced by a folder that
takes its name, and with it its permissions, its settings and its data.

A catalogue is a value: whoever holds the old one, such as a plan that is being executed, goes on with it.
"""

from __future__ import annotations

import asyncio
import os
import threading
import unicodedata
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from watchfiles import Change, awatch
from watchfiles._rust_notify import WatchfilesRustInternalError
from watchfiles.main import FileChange

from narratoria.errors import ContractViolation, Problem, SkillScriptNotFoundError
from narratoria.skills import manifest
from narratoria.skills.mcontrol import manifest as mcontrol_manifest
from narratoria.skills.skill import Skill, SkillScript

# in the order in which they are asked
DESCRIPTIONS = {
    manifest.MANIFEST_FILE: manifest.read_manifest,
    manifest.AGENT_SKILL_FILE: manifest.read_agent_skill,
    mcontrol_manifest.FILE_NAME: mcontrol_manifest.read_tool_as_skill,
}
DEEPEST = 4  # folders of folders: collections of skills are often sorted into some
SKIPPED = frozenset({"node_modules", "__pycache__"})
# below a root, `data` is what some skill has written: nothing in it becomes a skill by that
PRIVATE = frozenset({"data", "scripts"})
MEANT_AS_SKILL = frozenset({"scripts", "prompt.md", "config-schema.json"})


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Holds the skills that were read, and what was wrong with the others."""

    skills: tuple[Skill, ...] = ()
    problems: tuple[Problem, ...] = ()
    last_good: tuple[str, ...] = ()  # skills whose folder is broken now, in their last good version
    _index: list[_ScriptIndex] = field(default_factory=list, init=False, compare=False, repr=False)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Return what was tolerated in the skills that were found."""
        return tuple(warning for skill in self.skills for warning in skill.warnings)

    def skill(self, name: str) -> Skill | None:
        return next((skill for skill in self.skills if skill.name == name), None)

    def find(self, tool_path: str) -> tuple[Skill, SkillScript]:
        """Return the script behind `skill/script`, `skills/skill/file` or the file's own path."""
        if not self._index:
            self._index.append(_ScriptIndex(self.skills))
        path = os.path.abspath(tool_path)  # noqa: PTH100  Path.absolute() keeps the `..`
        if owner := self._index[0].find(tool_path, path):
            return owner
        raise SkillScriptNotFoundError(f"no skill owns '{tool_path}'")


class _ScriptIndex:
    """Finds a script by its names and its files, whose links are followed once."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        self._scripts = [(skill, script) for skill in skills for script in skill.scripts]
        self._by_name: dict[str, int] = {}
        self._by_file: dict[str, int] = {}
        for number, (skill, script) in enumerate(self._scripts):
            for name in _names(skill, script):
                self._by_name.setdefault(name, number)
            for file in _files(skill, script):
                self._by_file.setdefault(file, number)

    def find(self, name: str, file: str) -> tuple[Skill, SkillScript] | None:
        """Return the first script, in the order of the catalogue, with this name or this file."""
        numbers = [self._by_name.get(name), self._by_file.get(file)]
        first = min((number for number in numbers if number is not None), default=None)
        return None if first is None else self._scripts[first]


NO_SKILLS = Catalogue()


def discover(roots: Iterable[Path], *, previous: Catalogue = NO_SKILLS) -> Catalogue:
    """Every valid skill below these roots, and each problem of the others.

    A skill that was good in the previous catalogue and is broken now stays as it was."""
    before = {skill.folder: skill for skill in previous.skills}
    skills: dict[str, Skill] = {}
    problems: list[Problem] = []
    last_good: list[str] = []
    seen: set[Path] = set()
    for root in roots:
        here: list[Skill] = []
        for folder in skill_folders(root, problems):
            if (place := folder.resolve()) in seen:
                continue  # one root lies inside another, or a link leads to both
            seen.add(place)
            try:
                skill = read_skill(folder)
            except ContractViolation as violation:
                problems.extend(violation.problems)
                if folder not in before:
                    continue
                skill = before[folder]
                last_good.append(skill.name)
                message = f"the skill '{skill.name}' stays in use as it was before this change"
                problems.append(Problem(message, file=str(folder)))
            here.append(skill)
        for skill in sorted(here, key=lambda skill: not _at_home(skill, root)):
            first = skills.setdefault(_key(skill.name), skill)
            if first is not skill:
                problems.append(_double(skill, first))
    return Catalogue(tuple(skills.values()), tuple(problems), tuple(last_good))


def read_skill(folder: Path) -> Skill:
    """Return the skill in this folder; raise ContractViolation with every problem of what describes it."""
    described = description_of(folder)
    if described is None:
        message = _meant_as_skill(folder) or f"is not a skill: it has neither {' nor '.join(DESCRIPTIONS)}"
        raise ContractViolation([Problem(message, file=str(folder))])
    skill = DESCRIPTIONS[described](folder)
    if described == manifest.MANIFEST_FILE and os.path.lexists(folder / manifest.AGENT_SKILL_FILE):
        return manifest.merge_agent_skill(skill)
    return skill


def description_of(folder: Path) -> str | None:
    """Return the name of the file that describes the skill in this folder, if it is one."""
    return next((name for name in DESCRIPTIONS if os.path.lexists(folder / name)), None)


def skill_folders(root: Path, problems: list[Problem]) -> Iterator[Path]:
    """Yield the folders below a root that describe a skill, in the order of their names."""
    for child in _subfolders(root, problems, links=True):
        yield from _skill_folders(child, problems, 1)


def _skill_folders(folder: Path, problems: list[Problem], depth: int) -> Iterator[Path]:
    if description_of(folder):
        yield folder
        return
    if reason := _meant_as_skill(folder):
        problems.append(Problem(reason, file=str(folder)))
    elif depth < DEEPEST:
        for child in _subfolders(folder, problems, links=False):
            if child.name not in PRIVATE:
                yield from _skill_folders(child, problems, depth + 1)


def _meant_as_skill(folder: Path) -> str:
    """Return why a folder that looks like a skill is none; empty for others, such as those of settings."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return ""  # told when its folders are searched
    spelled = {name.casefold(): name for name in DESCRIPTIONS}
    for name in names:
        if right := spelled.get(name.casefold()):
            return f"is not a skill: rename its {name} to {right}"
    if MEANT_AS_SKILL.isdisjoint(names):
        return ""
    return f"is not a skill: it has neither {' nor '.join(DESCRIPTIONS)}"


def _subfolders(folder: Path, problems: list[Problem], *, links: bool) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if _is_folder(entry, links=links))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problems.append(Problem(f"cannot be searched: {error.strerror}", file=str(folder)))
        return []
    return [folder / name for name in names if name[0] != "." and name not in SKIPPED]


def _is_folder(entry: os.DirEntry[str], *, links: bool) -> bool:
    try:
        return entry.is_dir(follow_symlinks=links)
    except OSError:
        return False  # a link in a circle


def _key(name: str) -> str:
    """Equal for names that some file systems take for the same."""
    return unicodedata.normalize("NFC", name).casefold()


def _at_home(skill: Skill, root: Path) -> bool:
    return skill.folder.parent == root and _key(skill.folder.name) == _key(skill.name)


def _double(skill: Skill, first: Skill) -> Problem:
    message = f"a skill called '{first.name}' was found in {first.folder} already; this one is not used"
    return Problem(message, file=str(skill.folder / (description_of(skill.folder) or "")))


def _names(skill: Skill, script: SkillScript) -> tuple[str, ...]:
    by_name = (f"{skill.name}/{script.name}", f"skills/{skill.name}/{script.name}")
    if script.protocol == "mcp":
        return by_name  # its file is the server, which has other tools too
    names = (
        *by_name,
        f"skills/{skill.name}/{script.path.name}",
        f"skills/{skill.name}/{_within(skill, script).as_posix()}",
    )
    return (skill.name, *names) if script.protocol == "m-control-1" else names


def _files(skill: Skill, script: SkillScript) -> tuple[str, ...]:
    """Return the file itself, and the same by the way its skill was reached: maybe through a link."""
    if script.protocol == "mcp":
        return ()
    files = (str(script.path), os.path.abspath(skill.folder / _within(skill, script)))  # noqa: PTH100
    return (
        (*files, str(skill.folder / mcontrol_manifest.FILE_NAME))
        if script.protocol == "m-control-1"
        else files
    )


def _within(skill: Skill, script: SkillScript) -> Path:
    return script.path.relative_to(skill.folder.resolve())


SETTLE_MS = 300  # a change is looked at when nothing more has happened for that long
LOOK_AROUND_MS = 1000  # how often roots that are not there, or are no longer, are looked for
# what a skill keeps, and what editors and interpreters leave behind, says nothing about the skill
UNCONCERNED = frozenset({"data", "__pycache__", "node_modules", "config.json"})
LEFTOVERS = (".tmp", ".swp", "~")

Place: TypeAlias = tuple[Path, int]  # a folder and its number: one that was made anew is another


async def watch_skills(
    roots: Sequence[Path],
    catalogue: Catalogue,
    *,
    settle_ms: int = SETTLE_MS,
    look_around_ms: int = LOOK_AROUND_MS,
) -> AsyncGenerator[Catalogue, None]:
    """Yield the catalogue after each change, beginning with this one; a skill that is broken stays as it was.

    Roots may come and go. It ends when whoever iterates does."""
    async with aclosing(_occasions(roots, settle_ms, look_around_ms)) as occasions:
        async for _ in occasions:
            fresh = await asyncio.to_thread(discover, roots, previous=catalogue)
            if fresh != catalogue:
                catalogue = fresh
                yield catalogue


class CatalogueWatcher:
    """Holds the catalogue as it is now, for whoever cannot await it; a thread follows it until closed."""

    def __init__(self, roots: Sequence[Path], catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._roots = roots
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(self._follow())
        self._thread = threading.Thread(target=self._run, name="skills", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join()

    def _run(self) -> None:
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._task)
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _follow(self) -> None:
        async with aclosing(watch_skills(self._roots, self.catalogue)) as catalogues:
            async for catalogue in catalogues:
                self.catalogue = catalogue


async def _occasions(
    roots: Sequence[Path], settle_ms: int, look_around_ms: int
) -> AsyncGenerator[None, None]:
    """Whenever there may be something new."""
    while True:
        places = await asyncio.to_thread(_places, roots)
        changes = _changes(roots, places, settle_ms, look_around_ms) if places else _pause(look_around_ms)
        async with aclosing(changes):
            first = True
            async for heard in changes:
                # the first time in any case: something may have changed before the watching began
                if heard or first:
                    yield
                first = False
                if await asyncio.to_thread(_places, roots) != places:
                    yield
                    break


async def _changes(
    roots: Sequence[Path], places: frozenset[Place], settle_ms: int, look_around_ms: int
) -> AsyncGenerator[set[FileChange], None]:
    """Yield the changes that are noticed, and an empty set now and then."""
    batches = awatch(
        *sorted({path for path, _ in places}),
        watch_filter=_concerning_skills([path.resolve() for path, _ in places], _resolved(roots)),
        debounce=10 * settle_ms,
        step=settle_ms,
        rust_timeout=look_around_ms,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    try:
        async with aclosing(batches):
            async for changes in batches:
                yield changes
    except (OSError, WatchfilesRustInternalError):
        # a folder went away, or the system watches no more of them: then looking around has to do
        async for nothing in _pause(look_around_ms):
            yield nothing


async def _pause(look_around_ms: int) -> AsyncGenerator[set[FileChange], None]:
    await asyncio.sleep(look_around_ms / 1000)
    yield set()


def _places(roots: Sequence[Path]) -> frozenset[Place]:
    """Return the folders to watch: the roots, and the skills that links in them lead to."""
    linked = (folder.resolve() for root in roots for folder in skill_folders(root, []) if folder.is_symlink())
    folders = set()
    for path in (*roots, *linked):
        with suppress(OSError):  # gone meanwhile
            if path.is_dir():
                folders.add((path.absolute(), path.stat().st_ino))
    return frozenset(folders)


def _resolved(roots: Sequence[Path]) -> frozenset[Path]:
    return frozenset(root.resolve() for root in roots)


def _concerning_skills(places: Sequence[Path], roots: frozenset[Path]) -> Callable[[Change, str], bool]:
    """Return whether a change is about a skill, by what stands in its path below the watched folder."""
    deepest_first = sorted(places, key=lambda place: len(place.parts), reverse=True)

    def concerns(_change: Change, changed: str) -> bool:
        path = Path(changed).resolve() if Path(changed).is_symlink() else Path(changed)
        for place in deepest_first:
            if path.is_relative_to(place):
                parts = path.relative_to(place).parts
                within = parts[1:] if place in roots else parts  # below a root, the first is the skill's name
                hidden = any(part.startswith(".") for part in parts)
                return not hidden and UNCONCERNED.isdisjoint(within) and not changed.endswith(LEFTOVERS)
        return True

    return concerns
