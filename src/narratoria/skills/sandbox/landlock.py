"""What this kernel's Landlock can do."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

WATCHES_TRUNCATE, WATCHES_SIGNALS = 3, 6  # the versions that brought it

_SYS_CREATE_RULESET, _ASK_VERSION = 444, 1


@cache
def abi() -> int:
    """The version, 0 where there is none."""
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(ctypes.c_long(_SYS_CREATE_RULESET), None, ctypes.c_long(0), _ASK_VERSION)))
