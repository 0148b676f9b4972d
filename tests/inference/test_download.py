"""A model's file arrives whole and right, or not at all, whatever the servers do."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from narratoria.errors import ModelUnavailable
from narratoria.inference import download as module
from narratoria.inference import installed_models
from narratoria.inference.catalogue import (
    CAPABLE,
    RECOMMENDED,
    CatalogueModel,
    HubFile,
    Packages,
    describe_address,
)
from narratoria.inference.download import DownloadProgress, download
from narratoria.inference.download_manager import ModelDownload, decline_offer, recommend_model
from narratoria.inference.installed_models import InstalledModel

FILE = bytes(n * 31 % 251 for n in range(3_000_000))
SHA256 = hashlib.sha256(FILE).hexdigest()
ENTRY = CatalogueModel(
    name="a-model",
    title="A model",
    file="a-model.gguf",
    size=len(FILE),
    sha256=SHA256,
    licence="MIT",
    summary="",
    sources=(HubFile("someone/a-model", "a-model.gguf"),),
)


NO_PACKAGE = Packages((("narratoria-no-such-data-package==0.0.1", "part"),))


@dataclass
class Hub:
    """Serves the file under any path; each request uses up one of its faults."""

    faults: deque[str] = field(default_factory=deque)
    always: str = ""
    asked: list[tuple[str, str, str]] = field(default_factory=list)  # method, path, range
    released: threading.Event = field(default_factory=threading.Event)
    address: str = ""
    content: bytes = FILE
    says_hash: str = ""  # in its answer to HEAD


class Answers(BaseHTTPRequestHandler):
    hub: Hub

    def do_HEAD(self) -> None:
        """As the hub: size and hash, and a redirect to where the file is."""
        self.hub.asked.append(("HEAD", self.path, ""))
        if self.hub.says_hash and "/resolve/" in self.path:
            self.send_response(302)
            self.send_header("Location", "/store/file")
            self.send_header("X-Linked-Etag", f'"{self.hub.says_hash}"')
            self.send_header("X-Linked-Size", str(len(self.hub.content)))
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.hub.content)))
        self.end_headers()

    def do_GET(self) -> None:
        wanted = self.headers.get("Range", "")
        self.hub.asked.append(("GET", self.path, wanted))
        fault = self.hub.faults.popleft() if self.hub.faults else self.hub.always
        content = bytes(len(self.hub.content)) if fault == "wrong bytes" else self.hub.content
        content = content[:-5] if fault == "wrong length" else content
        if fault.isdecimal():
            return self.send_error(int(fault))
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        start = 0 if fault == "no ranges" else start
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if fault != "no length":
            self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        rest = content[start:]
        if fault in {"drop", "silence"}:
            self.wfile.write(rest[: len(rest) // 2])
            self.wfile.flush()
            if fault == "silence":
                self.hub.released.wait(60)
            return None
        self.wfile.write(rest)
        return None

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Answers,), {"hub": hub}))
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that leaves is no news
    hub.address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("NARRATORIA_HUB", hub.address)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield hub
    hub.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "models" / "a-model.gguf"


def fetch(target: Path, entry: CatalogueModel = ENTRY, **more: object) -> str:
    return download(entry, target, pause=0.01, **{"timeout": 5.0, **more})  # type: ignore[arg-type]


def nothing_arrived(target: Path) -> bool:
    return not target.exists()


def test_the_file_comes_from_the_hub_and_progress_is_told(hub: Hub, target: Path) -> None:
    told: list[DownloadProgress] = []
    assert fetch(target, on_progress=told.append) == SHA256
    assert target.read_bytes() == FILE
    assert [path for _, path, _ in hub.asked] == ["/someone/a-model/resolve/main/a-model.gguf"]
    assert told[-1] == DownloadProgress(len(FILE), len(FILE), told[-1].source)
    assert [p.done for p in told] == sorted({p.done for p in told})
    assert [path.name for path in target.parent.iterdir()] == ["a-model.gguf"]


def test_a_download_that_breaks_off_goes_on_from_there(hub: Hub, target: Path) -> None:
    hub.faults.extend(["drop", "drop"])
    fetch(target)
    assert target.read_bytes() == FILE
    ranges = [wanted for _, _, wanted in hub.asked]
    assert ranges == ["", "bytes=1500000-", "bytes=2250000-"]


def test_what_came_before_a_stop_is_not_fetched_again(hub: Hub, target: Path) -> None:
    stop = threading.Event()
    with pytest.raises(ModelUnavailable, match="was stopped"):
        fetch(target, stop=stop, on_progress=lambda progress: stop.set() if progress.done > 1e6 else None)
    assert nothing_arrived(target)
    fetch(target)
    assert target.read_bytes() == FILE
    assert int(hub.asked[-1][2].removeprefix("bytes=").removesuffix("-")) > 1e6


def test_a_server_without_ranges_sends_it_all_again(hub: Hub, target: Path) -> None:
    hub.faults.extend(["drop", "no ranges"])
    fetch(target)
    assert target.read_bytes() == FILE


def test_a_server_that_does_not_tell_the_length_will_do(hub: Hub, target: Path) -> None:
    hub.always = "no length"
    fetch(target)
    assert target.read_bytes() == FILE


def test_a_server_that_falls_silent_is_asked_again(hub: Hub, target: Path) -> None:
    hub.faults.append("silence")
    fetch(target, timeout=0.5)
    assert target.read_bytes() == FILE


def test_a_server_in_trouble_is_asked_again(hub: Hub, target: Path) -> None:
    hub.faults.extend(["503", "429"])
    fetch(target)
    assert target.read_bytes() == FILE


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("404", "does not have the file"),
        ("403", "refuses"),
        ("500", "5 times"),
        ("wrong bytes", "not those we know"),
        ("wrong length", "another file"),
    ],
)
def test_a_source_that_will_not_do_is_told_and_leaves_nothing(
    hub: Hub, target: Path, fault: str, told: str
) -> None:
    hub.always = fault
    with pytest.raises(ModelUnavailable, match=told) as refusal:
        fetch(target)
    assert "Stories can be played without it" in str(refusal.value)
    assert nothing_arrived(target)
    hub.always = ""
    fetch(target)
    assert target.read_bytes() == FILE


def test_a_wrong_beginning_from_an_earlier_try_is_thrown_away(hub: Hub, target: Path) -> None:
    target.parent.mkdir()
    target.with_name("a-model.gguf.part").write_bytes(b"something else" * 1000)
    fetch(target)
    assert target.read_bytes() == FILE


def test_a_beginning_longer_than_the_file_is_thrown_away(hub: Hub, target: Path) -> None:
    target.parent.mkdir()
    target.with_name("a-model.gguf.part").write_bytes(bytes(len(FILE) + 1))
    fetch(target)
    assert target.read_bytes() == FILE


def test_the_mirror_is_asked_when_the_hub_fails(
    hub: Hub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_MIRRORS", f"{hub.address}/first/ {hub.address}/second")
    hub.faults.extend(["404", "wrong bytes"])
    fetch(target)
    assert target.read_bytes() == FILE
    assert [path for _, path, _ in hub.asked][1:] == ["/first/a-model.gguf", "/second/a-model.gguf"]


def test_a_mirror_is_asked_once_after_the_hub_and_before_the_packages(
    hub: Hub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HUB", "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.setenv("NARRATORIA_MIRRORS", hub.address)
    older = HubFile("someone/a-model", "a-model.gguf", revision="older")
    fetch(target, replace(ENTRY, sources=(*ENTRY.sources, older, NO_PACKAGE)))
    assert target.read_bytes() == FILE
    assert [path for _, path, _ in hub.asked] == ["/a-model.gguf"]


def test_without_a_network_it_says_so_in_plain_words(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NARRATORIA_HUB", "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(ModelUnavailable, match="nobody answers there") as refusal:
        fetch(target)
    assert "If there is no network now, try again later" in str(refusal.value)


def test_a_full_disk_is_told_before_anything_is_asked(
    hub: Hub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = shutil.disk_usage(target.parent.parent).free
    monkeypatch.setattr(module, "SPARE", free)
    with pytest.raises(ModelUnavailable, match="make room"):
        fetch(target)
    assert hub.asked == []


def test_a_package_that_is_not_there_is_one_reason_among_others(hub: Hub, target: Path) -> None:
    fetch(target, replace(ENTRY, sources=(NO_PACKAGE, *ENTRY.sources)))
    assert target.read_bytes() == FILE


def test_what_a_hub_has_sent_outlives_packages_that_fail(hub: Hub, target: Path) -> None:
    hub.faults.extend(["drop", *["503"] * module.TRIES])
    with pytest.raises(ModelUnavailable, match="the package index"):
        fetch(target, replace(ENTRY, sources=(*ENTRY.sources, NO_PACKAGE)))
    fetch(target)
    assert target.read_bytes() == FILE
    assert hub.asked[-1][2] == f"bytes={len(FILE) // 2}-"


def test_a_disk_that_fills_up_on_the_way_is_told_as_that(hub: Hub, target: Path) -> None:
    target.parent.mkdir()
    target.with_name("a-model.gguf.part").symlink_to("/dev/full")
    with pytest.raises(ModelUnavailable, match="No space left on device"):
        fetch(target)
    assert nothing_arrived(target)


def test_a_model_is_fetched_beside_the_story_and_is_known_when_it_is_here(hub: Hub, tmp_path: Path) -> None:
    fetching = ModelDownload(ENTRY, tmp_path)
    state = fetching.wait(60)
    assert (state.phase, state.done) == ("here", len(FILE))
    assert fetching.model is not None
    assert fetching.model.path.read_bytes() == FILE
    assert fetching.model.sha256 == SHA256


def stalled(hub: Hub, folder: Path) -> ModelDownload:
    """A fetch that has got as far as its first bytes, and waits there until the hub is released."""
    hub.faults.append("silence")
    fetching = ModelDownload(ENTRY, folder)
    while not fetching.state.done:
        assert fetching.state.phase == "fetching"
        time.sleep(0.01)
    return fetching


def test_a_fetch_beside_the_story_can_be_stopped_and_goes_on_later(hub: Hub, tmp_path: Path) -> None:
    fetching = stalled(hub, tmp_path)
    hub.released.set()
    fetching.stop(60)
    assert fetching.state.phase == "stopped"
    assert fetching.model is None
    assert ModelDownload(ENTRY, tmp_path).wait(60).phase == "here"
    assert hub.asked[-1][2].startswith("bytes=")


def test_what_is_being_fetched_is_not_fetched_a_second_time(hub: Hub, tmp_path: Path) -> None:
    first = stalled(hub, tmp_path)
    second = ModelDownload(ENTRY, tmp_path).wait(60)
    assert second.phase == "failed"
    assert "is being fetched already" in second.reason
    hub.released.set()
    assert first.wait(60).phase == "here"
    assert (tmp_path / "a-model" / "a-model.gguf").read_bytes() == FILE


def test_a_fetch_that_fails_says_why_and_disturbs_nothing(hub: Hub, tmp_path: Path) -> None:
    hub.always = "404"
    state = ModelDownload(ENTRY, tmp_path).wait(60)
    assert state.phase == "failed"
    assert "does not have the file" in state.reason


def test_a_better_model_is_offered_until_it_is_declined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model_file: Path
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    assert recommend_model(memory=16 * 10**9) is RECOMMENDED
    assert recommend_model(memory=6 * 10**9) is CAPABLE
    assert recommend_model(memory=2 * 10**9) is None  # the embedded one is here already
    own = tmp_path / "models" / "my-own"
    own.mkdir(parents=True)
    record = {"file": str(model_file), "sha256": CAPABLE.sha256, "title": "Mine"}
    (own / "model.json").write_text(json.dumps(record))
    assert recommend_model(memory=6 * 10**9) is None  # the same bytes, under another name
    shutil.rmtree(own)
    decline_offer(RECOMMENDED)
    assert recommend_model(memory=16 * 10**9) is None
    assert recommend_model(memory=6 * 10**9) is CAPABLE


UNCHECKED = replace(ENTRY, sha256="", size=7)  # a size that was noted down, and is wrong


def test_a_hash_that_nobody_noted_is_that_of_the_hubs_own_answer(hub: Hub, tmp_path: Path) -> None:
    hub.says_hash = SHA256
    assert download(UNCHECKED, tmp_path / "a.gguf") == SHA256
    assert (tmp_path / "a.gguf").read_bytes() == FILE
    assert [method for method, _, _ in hub.asked] == ["HEAD", "GET"]


def test_bytes_that_are_not_those_of_the_hubs_answer_are_thrown_away(hub: Hub, tmp_path: Path) -> None:
    hub.says_hash = "0" * 64
    with pytest.raises(ModelUnavailable, match="not those we know"):
        download(UNCHECKED, tmp_path / "a.gguf")
    assert not list(tmp_path.glob("*.part"))


def test_a_broken_download_goes_on_where_the_hub_gives_a_hash(hub: Hub, tmp_path: Path) -> None:
    hub.says_hash = SHA256
    hub.faults.extend(["drop", "drop"])
    assert download(UNCHECKED, tmp_path / "a.gguf", pause=0.01) == SHA256
    assert any(wanted for _, _, wanted in hub.asked)


def test_a_file_at_an_address_that_is_no_model_is_refused(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="no model"):
        download(describe_address(f"{hub.address}/files/x.gguf"), tmp_path / "x.gguf")
    assert not (tmp_path / "x.gguf").exists()


def test_any_gguf_is_fetched_by_its_address(
    hub: Hub, tmp_path: Path, embedded: InstalledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    hub.content = embedded.path.read_bytes()
    entry = installed_models.name_download(f"{hub.address}/files/My%20Model.Q4.gguf?download=true")
    assert (entry.name, entry.file) == ("my-model.q4", "My Model.Q4.gguf")
    model = installed_models.install_model(entry, tmp_path / "models")
    assert (model.sha256, model.path.stat().st_size) == (embedded.sha256, embedded.size)
    assert installed_models.find_model("my-model.q4") == model


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://example.org/x.gguf", "must begin with https"),
        ("https://example.org/x.bin", "of a .gguf file"),
        ("ftp://example.org/x.gguf", "whole address"),
        ("https://example.org/phi-3.5-mini.gguf", "already"),
    ],
)
def test_an_address_that_will_not_do_is_refused_with_the_reason(address: str, reason: str) -> None:
    with pytest.raises(ModelUnavailable, match=reason):
        installed_models.name_download(address)
