"""Where a face asks for models: an offer, consent, one download at a time, and a no that is remembered."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from narratoria.errors import ModelUnavailable
from narratoria.inference import download_manager
from narratoria.inference.catalogue import CAPABLE, RECOMMENDED
from narratoria.inference.download_manager import DownloadManager

MUCH = 64 * 10**9


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    monkeypatch.setattr(download_manager, "machine_memory", lambda: MUCH)
    return tmp_path


@pytest.fixture
def slow_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A hub that takes requests and answers none of them until the test is over."""
    asked: list[str] = []
    over = threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            asked.append(self.path)
            over.wait(60)

        do_GET = do_HEAD  # noqa: N815  the name that the library looks for

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    monkeypatch.setenv("NARRATORIA_HUB", f"http://127.0.0.1:{server.server_port}")
    yield asked
    over.set()
    server.shutdown()
    server.server_close()
    thread.join(10)


def test_an_offer_fetches_nothing_and_a_no_is_remembered(slow_hub: list[str]) -> None:
    manager = DownloadManager()
    assert manager.overview().offered is RECOMMENDED
    assert manager.overview().fetching is None
    assert manager.decline() is RECOMMENDED
    assert manager.overview().offered is None
    assert DownloadManager().overview().offered is None  # at the next launch too
    assert slow_hub == []


def test_with_consent_it_comes_in_the_background_and_can_be_stopped(slow_hub: list[str]) -> None:
    manager = DownloadManager()
    assert manager.start() is RECOMMENDED
    standing = manager.overview()
    assert (standing.fetching, standing.offered) == (RECOMMENDED, None)
    assert standing.fetch is not None
    assert standing.fetch.phase == "fetching"
    assert manager.start(RECOMMENDED.name) is RECOMMENDED  # once is enough
    with pytest.raises(ModelUnavailable, match="is still coming"):
        manager.start(CAPABLE.name)
    assert manager.stop() is True


def test_a_fetching_that_still_waits_for_a_silent_server_is_not_taken_for_a_new_one(
    slow_hub: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download_manager.ModelDownload.stop, "__defaults__", (0.05,))
    manager = DownloadManager()
    manager.start()
    assert manager.stop() is True
    with pytest.raises(ModelUnavailable, match="is still being stopped; try again"):
        manager.start()


def test_a_name_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ModelUnavailable, match=r"there are .*phi-3\.5-mini"):
        DownloadManager().start("gpt-9")


def test_nobody_to_fetch_from_is_told_and_the_story_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NARRATORIA_HUB", "http://127.0.0.1:9")
    fetching = download_manager.ModelDownload(RECOMMENDED)
    state = fetching.wait(60)
    assert state.phase == "failed"
    assert "nobody answers there" in state.reason
