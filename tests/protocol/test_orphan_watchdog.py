"""What a runtime leaves behind when it is killed: nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.protocol.test_process import Tools


def test_nothing_survives_when_the_runtime_is_killed(tools: Tools) -> None:
    command = tools.command("""
        subprocess.Popen(["sleep", "600"])
        subprocess.run(["setsid", "-f", "sleep", "600"])
        import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)
        log("up"); time.sleep(600)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", RUNTIME, command.argv[-1], tools.mark], stdout=subprocess.PIPE
    ) as runtime:
        assert runtime.stdout
        assert runtime.stdout.readline() == b"running\n"
        assert len(tools.alive()) >= 3
        runtime.send_signal(signal.SIGKILL)
    patience = time.monotonic() + 20
    while tools.alive() and time.monotonic() < patience:
        time.sleep(0.02)
    assert tools.alive() == []


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


RUNTIME = """
import asyncio, sys
from narratoria.protocol.command import Command
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
from narratoria.protocol.process import run
command = Command((sys.executable, "-I", sys.argv[1]), env={sys.argv[2]: "1"})
asyncio.run(run(command, b"", NARRATORIA_V0, on_events=lambda _: print("running", flush=True)))
"""
