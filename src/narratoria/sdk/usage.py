"""Counts what hosted models were asked and what it cost, in files of the skill's own, and keeps a budget.

One line is appended for every answer, in a file for every month, so that nothing has to be locked and a line
that a crash left half-written is passed over.
"""

from __future__ import annotations

import json
import os
import time
from collections import namedtuple

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NamedTuple

    class Usage(NamedTuple):
        requests: int = 0
        input: int = 0  # tokens that were read, the cached ones among them
        cached: int = 0
        output: int = 0
        money: float = 0.0  # as far as a price is known
        estimated: int = 0  # requests whose tokens the provider did not count

    class Budget(NamedTuple):
        tokens: int = 0  # 0: no limit
        money: float = 0.0
        per: str = "day"  # or story

else:
    Usage = namedtuple("Usage", "requests input cached output money estimated", defaults=(0, 0, 0, 0, 0.0, 0))
    Budget = namedtuple("Budget", "tokens money per", defaults=(0, 0.0, "day"))

__all__ = ["Budget", "Usage", "UsageLog", "read_budget", "spent", "today"]


class UsageLog:
    """Appends and sums the lines in a skill's data folder; without a folder nothing is kept."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def add(self, *, story: str, provider: str, model: str, usage: Usage) -> None:
        """Append one answer; a folder that cannot be written to stops no story."""
        if not self._folder:
            return
        day = today()
        line = {"day": day, "story": story, "provider": provider, "model": model, **usage._asdict()}
        path = os.path.join(self._folder, f"usage-{day[:7]}.jsonl")
        try:
            os.makedirs(self._folder, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, json.dumps(line).encode() + b"\n")
            finally:
                os.close(descriptor)
        except OSError:
            return

    def of_day(self, day: str = "") -> Usage:
        """Return what was used on a day, which is today unless another is named."""
        day = day or today()
        return _sum(line for line in self._lines(f"usage-{day[:7]}.jsonl") if line.get("day") == day)

    def of_story(self, story: str) -> Usage:
        return _sum(line for line in self._lines() if line.get("story") == story)

    def _lines(self, only: str = "") -> Iterator[dict[str, Any]]:
        try:
            names = [only] if only else sorted(os.listdir(self._folder)) if self._folder else []
        except OSError:
            return
        for name in names:
            if not (name.startswith("usage-") and name.endswith(".jsonl")):
                continue
            try:
                with open(os.path.join(self._folder, name), "rb") as file:
                    lines = file.read().splitlines()
            except OSError:
                continue
            for line in lines:
                try:
                    document = json.loads(line)
                except ValueError:
                    continue
                if isinstance(document, dict):
                    yield document


def read_budget(config: dict[str, Any]) -> Budget:
    """Return the budget that the settings of a skill name."""
    per = "story" if config.get("budgetPer") == "story" else "day"
    return Budget(int(config.get("budgetTokens") or 0), float(config.get("budgetMoney") or 0), per)


def spent(budget: Budget, log: UsageLog, story: str = "") -> str:
    """Return that a budget is used up, in words, or an empty text."""
    if not (budget.tokens or budget.money) or (budget.per == "story" and not story):
        return ""
    used = log.of_story(story) if budget.per == "story" else log.of_day()
    whose = "this story's" if budget.per == "story" else "today's"
    tokens = used.input + used.output
    if budget.tokens and tokens >= budget.tokens:
        return f"{whose} budget of {budget.tokens:,} tokens is used up"
    if budget.money and used.money >= budget.money:
        return f"{whose} budget of {budget.money:g} is used up"
    return ""


def today() -> str:
    """Return the day by universal time, which is the same inside a sandbox and outside."""
    return time.strftime("%Y-%m-%d", time.gmtime())


def _sum(lines: Iterator[dict[str, Any]]) -> Usage:
    total = Usage()
    for line in lines:
        total = Usage(*(before + _number(line.get(name)) for name, before in total._asdict().items()))
    return total


def _number(value: Any) -> Any:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
