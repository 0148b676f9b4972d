"""From a path to a command line."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from narratoria.errors import NotRunnable
from narratoria.protocol.process_limits import ProcessTreeLimits

if TYPE_CHECKING:
    from narratoria.protocol.child import Child

INTERPRETERS = {
    ".js": ("node",),
    ".mjs": ("node",),
    ".cjs": ("node",),
    ".sh": ("bash", "sh"),
    ".ps1": ("pwsh", "powershell"),
}


@dataclass(frozen=True, slots=True)
class Command:
    """Describes a program to run, with its folder, its variables and its open descriptors."""

    argv: tuple[str, ...]
    cwd: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    inherit_env: bool = True  # False: `env` is all there is
    pass_fds: tuple[int, ...] = ()
    tree_limits: ProcessTreeLimits | None = None  # what the whole tree may use
    shell_codes: bool = False  # a wrapper stands before the tool, and tells a signal as 128 and its number
    obstacle: str = ""  # why it must not be started at all
    started: Child | None = field(default=None, compare=False, repr=False)  # ahead of its request
    # whether the host kept the run waiting for an answer that came too late or not at all
    is_kept_waiting: Callable[[], bool] = field(default=lambda: False, compare=False, repr=False)
    # for how many seconds the run has waited for the host's answers
    seconds_kept_waiting: Callable[[], float] = field(default=lambda: 0.0, compare=False, repr=False)

    def environment(self) -> dict[str, str]:
        """Return the environment of the process; output is never held back in a buffer."""
        return {**(os.environ if self.inherit_env else {}), "PYTHONUNBUFFERED": "1", **self.env}


def command_for(path: Path, *args: str) -> Command:
    """Return the command that runs the tool at this path, started in the tool's own folder."""
    # the link is kept: a script may look for its neighbours beside the name it was called by
    target = Path(os.path.abspath(path))  # noqa: PTH100  Path.absolute() keeps the `..`
    if not os.path.exists(target):  # noqa: PTH110  Path.exists() raises for a name that is too long
        raise NotRunnable(f"{path}: there is no such file")
    if target.is_dir():
        raise NotRunnable(f"{path}: is a directory; name the tool inside it")
    return Command((*interpreter_for(target), str(target), *args), cwd=target.parent)


def interpreter_for(path: Path) -> tuple[str, ...]:
    """Return what must stand before the path on the command line; nothing for a program of its own."""
    if path.suffix == ".py":
        return (sys.executable,)  # the runtime's own, so that `narratoria.sdk` is there
    names = INTERPRETERS.get(path.suffix.lower(), ())
    if os.name == "posix" and os.access(path, os.X_OK) and not (names and _names_no_interpreter(path)):
        return ()
    for name in names:
        if program := shutil.which(name):
            return (program,)
    if names:
        raise NotRunnable(f"{path}: needs {' or '.join(names)}, which is not on the PATH")
    if os.name == "nt":
        return ()
    raise NotRunnable(f"{path}: is not executable and its ending names no interpreter; try: chmod +x {path}")


def _names_no_interpreter(path: Path) -> bool:
    """Return whether a script lacks its #! line, so that the system could not start it by itself."""
    try:
        with path.open("rb") as script:
            return script.read(2) != b"#!"
    except OSError:
        return False
