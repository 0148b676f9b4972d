"""Prepares the types that files and messages are read into, before several threads read.

msgspec works a type out when it is first used, and crashes where two threads use it first at once.
"""

from __future__ import annotations

import msgspec


def prepare_struct_types() -> int:
    """Work out every type of this package that has been defined so far, and return how many there are."""
    waiting: list[type] = [msgspec.Struct]
    kind: type
    count = 0
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            if kind.__module__.startswith("narratoria."):
                count += _prepare(kind)
    return count


def _prepare(kind: type) -> bool:
    try:
        msgspec.json.Decoder(kind)
    except (NameError, TypeError, RuntimeError):  # it names a type that is imported for checking alone
        return False
    return True
