"""Words and bytes on their way to a terminal, a file or a pipe."""

from __future__ import annotations

import os
import queue
import re
import sys
import threading
from collections.abc import Callable, Mapping
from typing import TextIO

import click

# a tool's words must not move the cursor or retitle the window
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def is_terminal(stream: TextIO, env: Mapping[str, str] = os.environ) -> bool:
    """Whether colours are welcome there."""
    return stream.isatty() and not env.get("NO_COLOR") and env.get("TERM") != "dumb"


def visible(text: str) -> str:
    """The text without control characters other than line ends and tabs."""
    return _CONTROL.sub("�", text)


def painted(text: str, stream: TextIO, **style: str | bool) -> str:
    return click.style(text, **style) if is_terminal(stream) else text  # type: ignore[arg-type]


def write_bytes(stream: TextIO, chunk: bytes) -> None:
    stream.flush()
    stream.buffer.write(chunk)
    stream.buffer.flush()


class Writer:
    """Writes to stdout beside the event loop: a reader that pauses stops neither clocks nor Ctrl-C.

    What can pile up meanwhile is bounded by the tool's own limit on output.
    """

    def __init__(self, on_broken: Callable[[], None]) -> None:
        self._on_broken = on_broken
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def write(self, chunk: bytes) -> None:
        self._queue.put(chunk)

    def say(self, line: str) -> None:
        self._queue.put(f"{line}\n".encode(errors="backslashreplace"))

    def finish(self) -> None:
        """Return when everything is written."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (chunk := self._queue.get()) is not None:
            try:
                write_bytes(sys.stdout, chunk)
            except BrokenPipeError:
                self._on_broken()
                return
