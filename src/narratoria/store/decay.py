"""How an opinion fades: by its rate for each in-game week, and half as fast while it is strong."""

from __future__ import annotations

# skills that keep opinions themselves must come to the same scores, and can import nothing but the SDK
from narratoria.sdk.ledger import DEFAULT_RATE, STRONG, UNIT, decay

__all__ = ["DEFAULT_RATE", "STRONG", "UNIT", "decay"]
