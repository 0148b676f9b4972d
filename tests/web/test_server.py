"""The server as a program: one for each home, found again, stopped in order, and guarded on a network."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.warm_process import run_warm


def narratoria(home: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NARRATORIA_HOME": str(home), **env}
    return run_warm("narratoria.cli", *args, input="", env=environment, text=True, timeout=60)


def test_an_open_tab_and_what_was_set_outlive_a_server_that_was_killed(servers: Any) -> None:
    first = servers().start()
    cookie = first.ask("GET", f"/?token={first.token}", key=False).cookies[0].partition(";")[0]
    change = {"textSize": 1.25, "theme": "light", "music": {"volume": 0.2}}
    assert first.ask("PUT", "/api/settings", change).status == 200
    first.stop(signal.SIGKILL)
    second = servers(port=first.port).start()
    assert (second.port, second.token == first.token) == (first.port, False)
    kept = second.ask("GET", "/api/settings", key=False, headers={"Cookie": cookie})
    assert kept.status == 200
    assert (kept.json["textSize"], kept.json["theme"]) == (1.25, "light")
    assert kept.json["music"] == {"volume": 0.2, "on": True}
    assert second.stop(signal.SIGINT) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel by way of /proc")
def test_only_this_machine_can_reach_it(server: Any) -> None:
    inodes = Path("/proc/net/tcp").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in inodes if line.split()[3] == "0A"]
    assert f"0100007F:{server.port:04X}" in listening
    assert f"00000000:{server.port:04X}" not in listening


def test_a_campaign_from_anywhere_can_be_played(servers: Any, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere" / "the-well"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps({"title": "The Well", "version": "1.0.0"}))
    server = servers(args=(str(folder),)).start()
    assert server.get("/api/campaigns/the-well")["title"] == "The Well"
    story = server.begin(campaign="the-well")
    assert server.get(f"/api/stories/{story}")["story"]["campaignTitle"] == "The Well"
