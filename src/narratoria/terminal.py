"""What the commands have in common: words and bytes to a terminal, a file or a pipe, and an orderly end."""

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

CANNOT = 2  # what was asked for cannot be done: a bad option, a broken document, a tool that does not start
STOPPED_BY = 128  # plus the signal's number, as shells count
INTERRUPTED = STOPPED_BY + 2  # SIGINT
UNREAD = STOPPED_BY + 13  # SIGPIPE, by its number, for Windows has no name for it: our output was closed

MOST_WAITING = 10_000_000  # bytes of a tool's stderr that are kept for a reader who pauses

# a tool's words must not move the cursor or retitle the window, nor turn around the order in which a line is
# read: a skill's name could reorder the question whether to install it
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def is_terminal(stream: TextIO, env: Mapping[str, str] = os.environ) -> bool:
    """Whether colours and movement are welcome there."""
    return stream.isatty() and not env.get("NO_COLOR") and env.get("TERM") != "dumb"


def visible(text: str) -> str:
    """The text without control characters other than line ends and tabs."""
    return _CONTROL.sub("�", text)


def counted(count: int, one: str, many: str = "") -> str:
    """`1 scene`, `2,000 scenes`."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def sized(count: int) -> str:
    """Bytes, as one speaks of a model's file."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def painted(text: str, stream: TextIO, **style: Any) -> str:
    """In the styles of `click.style`, where the stream is a terminal."""
    return click.style(text, **style) if is_terminal(stream) else text


def say(text: str) -> None:
    """To stdout in one go."""
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{text}\n".encode(sys.stdout.encoding, errors="backslashreplace"))
    sys.stdout.buffer.flush()


class Seconds(click.FloatRange):
    """More than none, and a number: comparisons let nan through every range."""

    def __init__(self, most: float = 86_400) -> None:
        super().__init__(min=0, min_open=True, max=most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        seconds = super().convert(value, param, ctx)
        return self.fail("is not a number of seconds.", param, ctx) if math.isnan(seconds) else seconds


class PlainWords(click.Group):
    """Tells what is wrong in plain words, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        _open_streams()
        try:
            return super().invoke(ctx)
        except ContractViolation as violation:
            for problem in violation.problems:
                click.echo(f"{ctx.info_name}: {problem}", err=True)
            ctx.exit(CANNOT)
        except NarratoriaException as reason:
            click.echo(f"{ctx.info_name}: {reason}", err=True)
            ctx.exit(CANNOT)
        except BrokenPipeError:  # as for any filter, the end and no complaint when nobody reads it
            _drop_output()
            ctx.exit(UNREAD)
        except OSError as error:
            if error.filename is None:  # not a file that was named, but where our words go
                _drop_output()
            where = "the output" if error.filename is None else error.filename
            click.echo(f"{ctx.info_name}: {where}: {error.strerror or error}", err=True)
            ctx.exit(CANNOT)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)


def _open_streams() -> None:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  to the end
        with contextlib.suppress(AttributeError):  # replaced by something simpler
            getattr(sys, name).reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Let what is still buffered go nowhere, without a complaint at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


class Writer:
    """Writes beside the event loop: a reader that pauses stops neither clocks nor signals.

    What can pile up meanwhile is bounded by `most`, or without it by the limit on a tool's output.
    """

    def __init__(
        self, stream: TextIO, on_broken: Callable[[OSError], None] | None = None, most: int | None = None
    ) -> None:
        """Without `on_broken`, what nobody takes is no reason to stop."""
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
        """Return when everything is written; OSError when that could not be done and somebody minds."""
        self._close()
        self._thread.join()
        self._complain()

    async def finished(self) -> None:
        """The same while the loop goes on."""
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


class Stop:
    """Cancels the task that makes it when a signal says so, or when its output cannot be written."""

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
        """False when a cancellation came from elsewhere: Ctrl-C, which asyncio.run handles itself."""
        return self._signal != 0 or self._error is not None

    def exit_code(self) -> int:
        if self._error:
            raise self._error
        return STOPPED_BY + self._signal

    def on_broken(self, error: OSError) -> None:
        """For a writer, from its thread."""
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
