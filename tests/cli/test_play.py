"""Playing from the command line: a server of one's own, and a story that plays itself."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from tests.warm_process import run_warm


def narratoria(home: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NARRATORIA_HOME": str(home), **env}
    return run_warm("narratoria.cli", *args, input="", env=environment, text=True, timeout=60)


def test_a_port_that_is_taken_is_said_to_be(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused = narratoria(tmp_path / "home", "play", "--no-browser", "--port", port)
    assert refused.returncode == 2
    assert f"127.0.0.1:{port}" in refused.stderr
    assert "--port" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_short_passphrase_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "narratoria.cli", "play", "--no-browser", "--port", "0", "--host", "0.0.0.0"],
        input=b"short\nshort\n",
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "NARRATORIA_HOME": str(tmp_path)},
    )
    assert done.returncode == 2
    assert b"8 characters" in done.stderr


def test_a_campaign_that_is_not_there_cannot_play_itself(tmp_path: Path) -> None:
    refused = narratoria(tmp_path, "autoplay", "no-such-campaign", "--turns", "1")
    assert refused.returncode == 2
    assert "no-such-campaign" in refused.stderr
    assert "Traceback" not in refused.stderr
