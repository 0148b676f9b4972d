"""Holds the stories whose players take the quick answer instead of waiting for a model in this turn."""

from __future__ import annotations

import asyncio


class QuickAnswers:
    """Is asked by whoever waits for a model; used from one event loop."""

    def __init__(self) -> None:
        self._wanted: dict[str, asyncio.Event] = {}

    def take(self, story: str) -> None:
        """Let the models of this story's turn write no more."""
        self._event(story).set()

    def begin_turn(self, story: str) -> None:
        """Forget what was wanted in the turn before."""
        self._wanted.pop(story, None)

    def is_taken(self, story: str) -> bool:
        return story in self._wanted and self._wanted[story].is_set()

    async def wait(self, story: str) -> None:
        """Return once the player takes the quick answer."""
        await self._event(story).wait()

    def _event(self, story: str) -> asyncio.Event:
        return self._wanted.setdefault(story, asyncio.Event())
