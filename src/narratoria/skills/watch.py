"""Watches the skills' folders while a story is running, and discovers the catalogue anew after a change.

A catalogue is a value: whoever holds the old one, such as a plan that is being executed, goes on with it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import TypeAlias

from watchfiles import Change, awatch
from watchfiles._rust_notify import WatchfilesRustInternalError
from watchfiles.main import FileChange

from narratoria.skills.discovery import Catalogue, discover, skill_folders

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
