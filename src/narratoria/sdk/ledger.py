"""Opinions in a file of the skill's own: signed changes with their reasons, read with decay.

For skills whose user does not want them in the story's database. A line of the file holds everything that
one call changed, so that it happened completely or not at all; a call that is run again counts once.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from contextlib import contextmanager

from narratoria.sdk.decay import DEFAULT_RATE, decay

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

__all__ = ["Ledger"]

LOWEST, HIGHEST = -100.0, 100.0


class Ledger:
    """Holds the opinions of one story, in the skill's data folder."""

    def __init__(self, folder: str, story: str) -> None:
        name = hashlib.sha256(story.encode()).hexdigest()[:24]
        self._path = os.path.join(folder, f"ledger-{name}.jsonl")

    def add(self, entry: str, changes: Sequence[dict[str, Any]], game_time: float) -> None:
        """Keeps changes (`subject`, `change` or `score`, `reason`, `rate`, `low`, `high`) under one name."""
        line = {"id": entry, "at": _now(), "gameTime": game_time, "changes": list(changes)}
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
        with self._opened() as file:
            lines, end = _lines(file.read())
            if any(earlier.get("id") == entry for earlier in lines):
                return
            file.truncate(end)  # what a crash left half-written
            file.seek(end)
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())

    def read(self, game_time: float) -> dict[str, dict[str, Any]]:
        """Every opinion: its `score` at this moment of the story, and its `changes`, the oldest first."""
        try:
            with open(self._path, "rb") as file:
                lines, _ = _lines(file.read())
        except FileNotFoundError:
            return {}
        held: dict[str, dict[str, Any]] = {}
        for line in lines:
            for change in line["changes"]:
                _apply(held, change, line)
        for opinion in held.values():
            opinion["score"] = decay(opinion["score"], game_time - opinion["gameTime"], opinion["rate"])
        return held

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        """Provide the file, for this process alone."""
        with open(self._path, "a+b") as file:
            _lock(file.fileno())
            file.seek(0)
            yield file


def _apply(held: dict[str, dict[str, Any]], change: dict[str, Any], line: dict[str, Any]) -> None:
    moment = float(line["gameTime"])
    fresh = {"score": 0.0, "rate": DEFAULT_RATE, "low": LOWEST, "high": HIGHEST, "gameTime": moment}
    opinion = held.setdefault(change["subject"], {**fresh, "changes": []})
    before = decay(opinion["score"], moment - opinion["gameTime"], opinion["rate"])
    for name in ("rate", "low", "high"):
        opinion[name] = opinion[name] if change.get(name) is None else change[name]
    after = change["score"] if change.get("score") is not None else before + (change.get("change") or 0.0)
    opinion["score"] = min(max(after, opinion["low"]), opinion["high"])
    opinion["gameTime"] = max(opinion["gameTime"], moment)
    opinion["changes"].append(
        {
            "change": opinion["score"] - before,
            "reason": change.get("reason") or "",
            "at": line["at"],
            "scoreBefore": before,
            "scoreAfter": opinion["score"],
        }
    )


def _lines(text: bytes) -> tuple[list[dict[str, Any]], int]:
    """Return the entries that were written whole, and the offset behind them."""
    whole = text[: text.rfind(b"\n") + 1]
    return [json.loads(line) for line in whole.splitlines() if line.strip()], len(whole)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int) -> None:
        os.lseek(fd, 1 << 40, os.SEEK_SET)  # far behind the text: a locked byte cannot be read by others
        msvcrt.locking(fd, msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX)
