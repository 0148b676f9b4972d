"""The one server of a home: claimed, announced, found again."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.warm_process import run_warm

from narratoria.errors import NarratoriaException
from narratoria.web.running_server import RunningServer, claim, forget, is_answering, last_announced, listen


def narratoria(home: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NARRATORIA_HOME": str(home), **env}
    return run_warm("narratoria.cli", *args, input="", env=environment, text=True, timeout=60)


def test_a_second_start_opens_the_server_that_runs(server: Any) -> None:
    again = narratoria(server.home, "play", "--no-browser")
    assert again.returncode == 0
    assert "running already" in again.stdout
    assert f"{server.origin}/?token={server.token}" in again.stdout


def test_what_opens_the_server_is_for_the_users_own_eyes(server: Any) -> None:
    for name in ("server.json", "secret"):
        assert stat.S_IMODE((server.home / "web" / name).stat().st_mode) == 0o600, name


def running(folder: Path, port: int = 0, token: str = "a token") -> RunningServer:
    return RunningServer(os.getpid(), port, f"http://127.0.0.1:{port}", token)


def test_a_home_has_one_server_at_a_time(tmp_path: Path) -> None:
    first = claim(tmp_path)
    assert first is not None
    assert claim(tmp_path) is None
    first.release()
    second = claim(tmp_path)
    assert second is not None
    second.release()


def test_what_was_announced_outlives_the_claim(tmp_path: Path) -> None:
    held = claim(tmp_path)
    assert held is not None
    held.announce(running(tmp_path, 8720))
    held.release()
    assert last_announced(tmp_path) == running(tmp_path, 8720)
    forget(tmp_path)
    assert last_announced(tmp_path) is None
    forget(tmp_path)  # what is gone already is no fault


@pytest.mark.parametrize("content", [b"", b"{torn", b"[]", b'{"pid": "x"}', b'{"pid": 1}'])
def test_an_announcement_that_cannot_be_read_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "server.json").write_bytes(content)
    assert last_announced(tmp_path) is None


def test_only_a_server_that_knows_its_token_is_one_of_ours(server: Any) -> None:
    told = last_announced(server.home / "web")
    assert told is not None
    assert is_answering(told)
    assert not is_answering(msgspec.structs.replace(told, token="guess"))


def test_where_nothing_listens_nothing_answers(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    assert not is_answering(running(tmp_path, port))
    assert not is_answering(running(tmp_path, 99_999))


def test_a_browser_is_given_the_token_or_a_ticket_in_its_place(tmp_path: Path) -> None:
    here = running(tmp_path, 8720)
    assert here.address_for_browser("/story/x") == "http://127.0.0.1:8720/story/x?token=a token"
    once = here.address_for_browser(once=True)
    assert once.startswith("http://127.0.0.1:8720/?token=")
    assert "a token" not in once


def test_the_last_port_is_taken_again_and_another_where_it_is_not_free() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with listen("127.0.0.1", None, before=port) as second:
            assert second.getsockname()[1] != port
    with listen("127.0.0.1", None, before=port) as again:
        assert again.getsockname()[1] == port


def test_a_requested_port_that_is_taken_is_an_error_with_advice() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(NarratoriaException, match=f"127.0.0.1:{port}.*--port"):
            listen("127.0.0.1", port)
