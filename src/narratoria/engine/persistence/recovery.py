"""What the store could not be told in its time: brought in before anybody looks at it again."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from narratoria.engine.persistence.story import Lines
from narratoria.engine.persistence.turn_log import bring_back, bring_in
from narratoria.engine.persistence.unsaved_turns import APART, find_unsaved_turns
from narratoria.errors import NarratoriaException, NoSuchRecord, StoreUnavailable

if TYPE_CHECKING:
    from narratoria.store import Store

_log = logging.getLogger(__name__)


class UnsavedTurnRecovery:
    """Of one home: turns that wait in files, by an earlier run or since a story was closed, and lines that
    nobody wants."""

    def __init__(self, places: tuple[Path, ...]) -> None:
        self._places = places
        self._looked = self._brought_back = False
        self._looking = asyncio.Lock()
        self._left_apart: set[Path] = set()  # looked at in vain: their stories may be open by now
        self._waiting: dict[str, str] = {}  # lines of which something cannot be written yet, and why
        self._unwanted: set[str] = set()

    def look_again(self) -> None:
        """Something was put aside."""
        self._looked = False

    async def remove(self, line: str, store: Store) -> None:
        """Now, or as soon as the store can be had."""
        self._unwanted.add(line)
        with contextlib.suppress(StoreUnavailable):
            await self._remove_unwanted(store)

    async def settle(self, store: Store) -> None:
        async with self._looking:  # nobody sees it half written
            await self._remove_unwanted(store)
            if self._looked:
                return
            self._looked = True
            self._waiting.clear()
            await self._bring_in(store)
            if self._looked:  # a turn that was missing may have come from another place since
                await self._bring_in(store, again=True)
            if not self._brought_back:
                await self._bring_back(store)

    async def _bring_in(self, store: Store, *, again: bool = False) -> None:
        """What cannot be brought in is set apart: a story that goes on would write over it."""
        for found in find_unsaved_turns(self._places):
            try:
                if await bring_in(found, store) or not again:
                    continue
                reason = "the turn before them is missing, or is another one"
            except asyncio.CancelledError:  # whoever asked has gone; the next one finds the rest
                self._looked = False
                raise
            except StoreUnavailable as error:
                self._looked = False  # the file stays where it is
                self._waiting[found.heading.line] = str(error)
                continue
            except NarratoriaException as error:
                reason = str(error)
            _log.warning(
                "turns of %s cannot be brought in: %s; they wait in %s for the turn before",
                found.heading.line,
                reason,
                found.set_apart(),
            )

    async def _bring_back(self, store: Store) -> None:
        """What was set apart, where the turns before it have come since: once, before its story is open."""
        in_vain: dict[Path, str] = {}
        more = True
        while more:
            more, self._brought_back = False, True
            for found in find_unsaved_turns(self._places, APART):
                line = found.heading.line
                if found.file in self._left_apart:
                    continue
                if line in self._waiting:  # what was put aside comes first
                    self._brought_back = False
                    continue
                try:
                    if await bring_back(found, store):
                        _log.info("turns of %s that were set apart are brought in", line)
                        more = True  # others may follow them
                    else:
                        in_vain[found.file] = line
                except asyncio.CancelledError:
                    self._looked = self._brought_back = False
                    raise
                except StoreUnavailable as error:
                    self._looked = self._brought_back = False
                    self._waiting[line] = str(error)  # who opened the story now would go on without them
                except NarratoriaException as error:
                    _log.info("%s stays where it is: %s", found.file, error)
        self._left_apart.update(file for file, line in in_vain.items() if line not in self._waiting)

    def forget(self, story_id: str, lines: Lines) -> None:
        """Nothing is left of a story that is deleted."""
        for found in find_unsaved_turns(self._places, APART):
            if lines.story_of(found.heading.line) == story_id:
                found.remove()

    def in_the_way(self, line: str, lines: Lines) -> str | None:
        """Why the last turns of a line are not in the store."""
        return next(
            (reason for waiting, reason in self._waiting.items() if lines.told_on(waiting) == line), None
        )

    async def _remove_unwanted(self, store: Store) -> None:
        for line in tuple(self._unwanted):
            with contextlib.suppress(NoSuchRecord):  # it never came to be, or its removal was not heard of
                await store.playthroughs.delete(line)
            self._unwanted.discard(line)
