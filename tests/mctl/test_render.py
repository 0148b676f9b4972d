"""mctl on a real (pseudo) terminal."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time

import psutil
import pytest

pty = pytest.importorskip("pty", reason="pseudo terminals are a POSIX matter")

SPINNER = "⠋"
TALK = (
    "emit('started')\n"
    "emit('log', level='warn', message='mind the [bold]step[/bold]')\n"
    "print('a trace', file=sys.stderr, flush=True)\n"
    "emit('result', answer=42)\n"
)
# Ctrl-C reaches those whose controlling terminal it is; a session leader can take one, and then become mctl.
TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """mctl as a person has it: both streams on one terminal, keys typed into it."""

    def __init__(self, workshop, *args, env=None):
        self.fd, side = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL, sys.executable, "-m", "narratoria.mctl", *args],
            stdin=side,
            stdout=side,
            stderr=side,
            cwd=workshop.root,
            env={**workshop.env, "COLUMNS": "100", **(env or {})},
            start_new_session=True,
        )
        os.close(side)
        self.shown = ""

    def type(self, keys: bytes) -> None:
        os.write(self.fd, keys)

    def read_until(self, text: str | None) -> str:
        """What is on the screen once it holds this, or once mctl has gone."""
        deadline = time.monotonic() + 30
        while (text is None or text not in self.shown) and time.monotonic() < deadline:
            if not select.select([self.fd], [], [], 1)[0]:
                continue
            try:
                chunk = os.read(self.fd, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
            if not chunk:
                break
            self.shown += chunk.decode(errors="replace")
        return self.shown

    def wait(self) -> int:
        self.read_until(None)
        os.close(self.fd)
        return self._process.wait(30)


def test_a_terminal_gets_a_spinner_and_colours(workshop):
    workshop.tool("talk", TALK)
    terminal = Terminal(workshop, "run", "talk")

    assert terminal.wait() == 0

    shown = terminal.shown
    assert "talk is running" in shown
    assert SPINNER in shown
    assert "\x1b[33mwarn  mind the [bold]step[/bold]" in shown
    assert "a trace" in shown
    assert shown.index("step") < shown.index("answer")
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h")  # the cursor is back


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_plain_text_gets_plain_text(workshop, env):
    workshop.tool("talk", TALK)
    terminal = Terminal(workshop, "run", "talk", env=env)

    assert terminal.wait() == 0
    assert "\x1b" not in terminal.shown
    assert SPINNER not in terminal.shown
    assert "warn  mind the [bold]step[/bold]" in terminal.shown


def test_json_on_a_terminal_is_not_decorated(workshop):
    workshop.tool("talk", TALK)
    terminal = Terminal(workshop, "run", "talk", "--json")

    assert terminal.wait() == 0
    assert "\x1b" not in terminal.shown


def test_the_table_is_drawn_for_a_terminal(workshop):
    workshop.tool("lamp", description="Lights [red]a lamp.")
    terminal = Terminal(workshop, "list")

    assert terminal.wait() == 0
    assert "\x1b[1m" in terminal.shown
    assert "Lights [red]a lamp." in terminal.shown


def test_ctrl_c_ends_the_tool_and_gives_the_cursor_back(workshop):
    workshop.tool(
        "hangs",
        "emit('log', level='info', message=f'pid={os.getpid()};')\ntime.sleep(600)\n",
        timeoutMs=60000,
    )
    terminal = Terminal(workshop, "run", "hangs")
    terminal.read_until(";")

    terminal.type(b"\x03")

    assert terminal.wait() == 130
    assert "Traceback" not in terminal.shown
    assert "\x1b[?25h" in terminal.shown
    pid = int(terminal.shown.split("pid=")[1].split(";")[0])
    assert not psutil.pid_exists(pid)
