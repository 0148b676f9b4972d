"""Servers that share a database are killed, paused and given other clocks while one story is played on all.

`python -m tests.faults.story_servers 1000` does the same a thousand times.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from tests.store.server import Server

pytestmark = pytest.mark.slow
RUNS = 6


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with Server.started() as server, server.database() as address:
        yield address


@pytest.mark.timeout(900)
@pytest.mark.parametrize("servers", [2, 3])
def test_no_turn_is_lost_told_twice_or_told_unasked(address: str, servers: int) -> None:
    command = [sys.executable, "-m", "tests.faults.story_servers", str(RUNS), "11", str(servers), address]
    played = subprocess.run(command, capture_output=True, text=True, check=False)
    assert played.returncode == 0, played.stderr[-2000:]
    report = json.loads(played.stdout)
    assert (report["lost"], report["twice"], report["unchosen"], report["stuck"]) == ([], [], [], [])
    assert report["runs"] == RUNS
    assert report["turns"] > RUNS, "they were played"
    assert min(report["kills"], report["pauses"], report["jumps"], report["conflicts"]) > 0, "and disturbed"
