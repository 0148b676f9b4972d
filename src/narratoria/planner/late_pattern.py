"""Compiles regular expressions when they are first used: whoever types nothing does not wait for them."""

from __future__ import annotations

import re
from typing import Any, cast


def compile_late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern with the methods of `re.compile`'s, which is compiled when one of them is called."""
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))


class _LatePattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._source)
        # the methods that are used are found without this function from now on
        self.__dict__.update(
            {method: getattr(compiled, method) for method in dir(compiled) if not method.startswith("_")}
        )
        return getattr(compiled, name)
