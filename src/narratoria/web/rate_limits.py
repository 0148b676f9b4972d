"""Counts what each account does in a while, and says when it may do more."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from narratoria.errors import NarratoriaException

MOST_COUNTED = 50_000  # accounts; those that have done nothing for long are forgotten first


@dataclass(frozen=True, slots=True)
class AccountLimits:
    """Bounds what one account may do; 0 is no bound. The account of the home itself has none."""

    turns_per_minute: int = 30
    changes_per_minute: int = 240
    stories: int = 500

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> AccountLimits:
        """Return the limits of the environment; NarratoriaException for what is no number."""
        values = {}
        for name in ("turns_per_minute", "changes_per_minute", "stories"):
            variable = f"NARRATORIA_LIMIT_{name.upper()}"
            text = environment.get(variable, "").strip()
            if not text:
                continue
            if not (text.isascii() and text.isdigit() and len(text) <= 9):
                raise NarratoriaException(f"{variable} is a whole number, 0 for no limit, and not {text!r}")
            values[name] = int(text)
        return cls(**values)


@dataclass(slots=True)
class RateLimit:
    """Lets each account do so much a minute, in bursts of as much (a token bucket)."""

    per_minute: int
    clock: Callable[[], float] = time.monotonic
    _full_at: dict[str, float] = field(default_factory=dict)  # when an account has its whole minute again

    def seconds_to_wait(self, account: str) -> float:
        """Count one more, and return 0; or count nothing, and return how long to wait."""
        if not self.per_minute:
            return 0.0
        now, each = self.clock(), 60.0 / self.per_minute
        full_at = max(self._full_at.pop(account, now), now)
        if (excess := full_at + each - now - 60.0) > 1e-9:
            self._full_at[account] = full_at
            return excess
        self._full_at[account] = full_at + each  # at the end of the order: those before were quiet longer
        while len(self._full_at) > MOST_COUNTED:
            del self._full_at[next(iter(self._full_at))]
        return 0.0


def whole_seconds(wait: float) -> int:
    """Return the seconds for a Retry-After header."""
    return max(1, math.ceil(wait))
