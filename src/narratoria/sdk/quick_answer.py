"""Says whether the player, in this turn, has asked not to wait for a model any longer."""

from __future__ import annotations

from narratoria.sdk import host

__all__ = ["TAKEN", "is_taken"]

TAKEN = "you took the quick answer"


def is_taken() -> bool:
    """Return whether the player took the quick answer; never outside a story."""
    try:
        return host.info().get("quickAnswer") is True
    except host.HostError:
        return False
