"""Chooses what runs a child process on this system."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from narratoria.protocol.child_windows import WindowsChild as Child
else:
    from narratoria.protocol.child_posix import PosixChild as Child

__all__ = ["Child"]
