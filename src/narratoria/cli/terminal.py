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

UNREAD = 141  # whoever read our output has closed it; as shells count: 128 and the number of SIGPIPE

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


def say(text: str) -> None:
    """To stdout in one go; as for any filter it is the end, without a complaint, when nobody reads it."""
    try:
        write_bytes(sys.stdout, f"{text}\n".encode(sys.stdout.encoding, errors="backslashreplace"))
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        raise click.exceptions.Exit(UNREAD) from None


class Writer:
    """Writes beside the event loop: a reader that pauses stops neither clocks nor Ctrl-C.

    What can pile up meanwhile is bounded by the tool's own limit on output.
    """

    def __init__(self, on_broken: Callable[[], None], stream: TextIO | None = None) -> None:
        self._on_broken, self._stream = on_broken, stream or sys.stdout
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
                write_bytes(self._stream, chunk)
            except BrokenPipeError:
                self._on_broken()
                return
