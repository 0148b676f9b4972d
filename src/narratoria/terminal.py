"""Writes text and bytes to a terminal, a file or a pipe, and ends commands in order."""

from __future__ import annotations

import contextlib
import math
import os
import queue
import re
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

import click

from narratoria.errors import ContractViolation, NarratoriaException

EXIT_REFUSED = (
    2  # what was asked for cannot be done: a bad option, a broken document, a tool that does not start
)
EXIT_SIGNAL_BASE = 128  # plus the signal's number, as shells count
EXIT_INTERRUPTED = EXIT_SIGNAL_BASE + 2  # SIGINT
EXIT_BROKEN_PIPE = (
    EXIT_SIGNAL_BASE + 13
)  # SIGPIPE, by its number, for Windows has no name for it: our output was closed

MAX_BACKLOG_BYTES = 10_000_000  # of a tool's stderr, kept for a reader that pauses

# a tool's words must not move the cursor or retitle the window, nor turn around the order in which a line is
# read: a skill's name could reorder the question whether to install it
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def is_terminal(stream: TextIO, env: Mapping[str, str] = os.environ) -> bool:
    """Return whether a stream shows colours and cursor movements."""
    return stream.isatty() and not env.get("NO_COLOR") and env.get("TERM") != "dumb"


def visible(text: str) -> str:
    """Return the text with control characters replaced, except line ends and tabs."""
    return _CONTROL.sub("�", text)


def count_noun(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: `1 scene`, `2,000 scenes`."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def format_size(count: int) -> str:
    """Return a number of bytes in MB or GB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def paint(text: str, stream: TextIO, **style: Any) -> str:
    """Style the text with `click.style` where the stream is a terminal."""
    return click.style(text, **style) if is_terminal(stream) else text


def say(text: str) -> None:
    """Write a line to stdout in one go."""
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{text}\n".encode(sys.stdout.encoding, errors="backslashreplace"))
    sys.stdout.buffer.flush()


class Seconds(click.FloatRange):
    """Parses a positive number of seconds; nan, which passes every comparison, is refused."""

    def __init__(self, most: float = 86_400) -> None:
        super().__init__(min=0, min_open=True, max=most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        seconds = super().convert(value, param, ctx)
        return self.fail("is not a number of seconds.", param, ctx) if math.isnan(seconds) else seconds


class ErrorReportingGroup(click.Group):
    """Reports errors in plain words, without a traceback, and sets the exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        _open_streams()
        try:
            return super().invoke(ctx)
        except ContractViolation as violation:
            for problem in violation.problems:
                click.echo(f"{ctx.info_name}: {problem}", err=True)
            ctx.exit(EXIT_REFUSED)
        except NarratoriaException as reason:
            click.echo(f"{ctx.info_name}: {reason}", err=True)
            ctx.exit(EXIT_REFUSED)
        except BrokenPipeError:  # as for any filter, the end and no complaint when nobody reads it
            _drop_output()
            ctx.exit(EXIT_BROKEN_PIPE)
        except OSError as error:
            if error.filename is None:  # not a file that was named, but where our words go
                _drop_output()
            where = "the output" if error.filename is None else error.filename
            click.echo(f"{ctx.info_name}: {where}: {error.strerror or error}", err=True)
            ctx.exit(EXIT_REFUSED)
        except KeyboardInterrupt:
            ctx.exit(EXIT_INTERRUPTED)


def _open_streams() -> None:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  to the end
        with contextlib.suppress(AttributeError):  # replaced by something simpler
            getattr(sys, name).reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Discard what is still buffered, so that the exit raises nothing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


class BackgroundWriter:
    """Writes in a thread: a reader that pauses blocks neither timers nor signals.

    What can pile up meanwhile is bounded by `most`, or without it by the limit on a tool's output.
    """

    def __init__(
        self, stream: TextIO, on_broken: Callable[[OSError], None] | None = None, most: int | None = None
    ) -> None:
        """Without `on_broken`, a broken pipe is ignored."""
        stream.flush()
        # past the stream's own buffer, whose lock would be held by a write that waits when the program ends
        self._target, self._on_broken, self._most = stream.fileno(), on_broken, most
        self._waiting = self._left_out = 0
        self._lock = threading.Lock()
        self._error: OSError | None = None
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._when_over: Callable[[], object] = lambda: None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def write(self, chunk: bytes) -> None:
        if self._most is None or self._waiting <= self._most:
            self._put(chunk)
        else:
            self._left_out += len(chunk)

    def say(self, line: str) -> None:
        self._put(f"{line}\n".encode(errors="backslashreplace"))

    def finish(self) -> None:
        """Return when everything is written; OSError if it could not be and `on_broken` was given."""
        self._close()
        self._thread.join()
        self._complain()

    async def wait_finished(self) -> None:
        """Do the same without blocking the event loop."""
        import asyncio

        loop, over = asyncio.get_running_loop(), asyncio.Event()
        self._when_over = lambda: loop.call_soon_threadsafe(over.set)
        self._close()
        await over.wait()
        self._complain()

    def _put(self, chunk: bytes) -> None:
        with self._lock:
            self._waiting += len(chunk)
        self._queue.put(chunk)

    def _close(self) -> None:
        if self._left_out:
            self.say(f"\n… and {self._left_out} bytes that nobody read in time")
        self._queue.put(None)

    def _complain(self) -> None:
        if self._error and self._on_broken:
            raise self._error

    def _work(self) -> None:
        while (chunk := self._queue.get()) is not None:
            if self._error is None:
                self._write(memoryview(chunk))
            with self._lock:
                self._waiting -= len(chunk)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._when_over()

    def _write(self, rest: memoryview) -> None:
        try:
            while rest:
                rest = rest[os.write(self._target, rest) :]
        except OSError as error:
            self._error = error
            if self._on_broken:
                self._on_broken(error)


class StopOnSignal:
    """Cancels the task that creates it on a signal, or when its output cannot be written."""

    def __init__(self) -> None:
        import asyncio

        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._signal = 0
        self._error: OSError | None = None
        for name in ("SIGTERM", "SIGHUP"):
            # Windows has neither the second nor handlers on a loop; there the runner's guard ends the tool
            with contextlib.suppress(AttributeError, NotImplementedError):
                self._loop.add_signal_handler(getattr(signal, name), self._on_signal, getattr(signal, name))

    @property
    def asked(self) -> bool:
        """Return False when the cancellation came from elsewhere: from Ctrl-C, which asyncio.run handles."""
        return self._signal != 0 or self._error is not None

    def exit_code(self) -> int:
        if self._error:
            raise self._error
        return EXIT_SIGNAL_BASE + self._signal

    def on_broken(self, error: OSError) -> None:
        """Cancel because of a write error; called from a writer's thread."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: nothing is left to stop
            self._loop.call_soon_threadsafe(self._on_error, error)

    def _on_error(self, error: OSError) -> None:
        self._error = error
        self._cancel()

    def _on_signal(self, number: int) -> None:
        self._signal = number
        self._cancel()

    def _cancel(self) -> None:
        if self._task:
            self._task.cancel()
