"""Defines how much stories may remember; importing it needs no database."""

from __future__ import annotations

import msgspec


class RetentionPolicy(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Limits the memories of each playthrough; None sets no limit."""

    max_age_days: float | None = None
    max_records: int | None = None
    max_bytes: int | None = None
    deleted_after_days: float | None = 30.0  # how long a deleted memory can still be seen by going back

    @property
    def is_limited(self) -> bool:
        """Return whether the policy removes anything that nobody deleted."""
        return (self.max_age_days, self.max_records, self.max_bytes) != (None, None, None)
