"""Runs a native model in a process of its own: one request at a time, started again when it died."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from narratoria.errors import ModelUnavailable

WORKER = Path(__file__).with_name("worker.py")
LINE_LIMIT = 64 * 1024 * 1024
LOAD_TIMEOUT = 60.0  # seconds; a slow disk gives about a GB in this time
GRACE = 3.0  # seconds beyond its own for the native code to notice that it is to stop

Piece = Callable[[dict[str, Any]], None]
Prepare = Callable[[], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ModelState:
    phase: Literal["idle", "loading", "ready", "failed"]
    seconds: float = 0.0  # that it has been loading, or took to load
    progress: float | None = None  # of loading, 0 to 1, where the system tells
    reason: str = ""  # of a failure


class ModelProcess:
    """Runs a process that has a model file loaded, from the first request or `start` on."""

    def __init__(
        self,
        model: Path,
        *,
        threads: int | None = None,
        context: int = 2048,
        parallel: int = 4,
        prepare: Prepare | None = None,
        worker: Path = WORKER,
        load_timeout: float = LOAD_TIMEOUT,
    ) -> None:
        """`prepare` runs in a thread before each start: it refuses, or gives settings that go before ours."""
        self._settings: dict[str, Any] = {
            "model": str(model),
            "threads": threads or os.cpu_count() or 1,
            "context": context,
            "parallel": parallel,
        }
        self._model, self._prepare, self._worker, self._load_timeout = model, prepare, worker, load_timeout
        self._request_lock = asyncio.Lock()  # first come, first served
        self._process: asyncio.subprocess.Process | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._loading: asyncio.Task[str] | None = None
        self._began = self._took = 0.0
        self._failure = ""
        self._requests = 0
        self._closings = 0  # a request that waited through one is refused
        self.starts = 0

    async def ask(
        self,
        request: Mapping[str, Any],
        *,
        within: float = math.inf,
        until: float = math.inf,
        on_piece: Piece | None = None,
    ) -> dict[str, Any]:
        """Return the answer's last line; raise ModelUnavailable if the process died, hung, or refused.

        `within` counts from when its turn has come. `until` is a time of the loop's clock: waiting for others
        and for the load counts too, and the process is told how much is left, to end in time by itself.
        """
        async with self._my_turn(until) as process:
            if until < math.inf:
                within = max(0.0, until - asyncio.get_running_loop().time())
                request = {**request, "within": within}
            answer = await self._converse(process, request, within, on_piece or _ignored)
        if "error" in answer:
            raise ModelUnavailable(f"the model refused: {answer['error']}")
        return answer

    def start(self) -> None:
        """Begin to load, and return at once."""
        if self._loading is None and not self._alive():
            self._began = time.monotonic()
            self._failure = ""
            self._loading = asyncio.create_task(self._load())

    @property
    def state(self) -> ModelState:
        """Return what the process is doing; the first line of this table that fits.

        | phase   | a load is under way | the process lives | the last load failed |
        | ------- | ------------------- | ----------------- | -------------------- |
        | loading | yes                 | either            | either               |
        | ready   | no                  | yes               | either               |
        | failed  | no                  | no                | yes                  |
        | idle    | no                  | no                | no                   |
        """
        if self._loading is not None:
            return ModelState("loading", time.monotonic() - self._began, self._progress())
        if self._alive():
            return ModelState("ready", self._took, 1.0)
        return ModelState("failed", self._took, reason=self._failure) if self._failure else ModelState("idle")

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    async def close(self) -> None:
        """Stop the process and refuse waiting requests; a later request starts it again."""
        self._closings += 1
        if (loading := self._loading) is not None:
            loading.cancel()
            await asyncio.wait({loading})
            self._loading = None
        elif self._process is not None:
            _kill(self._process)  # a request under way ends with it
        async with self._request_lock:
            await self._stop()
            self._failure = ""

    @contextlib.asynccontextmanager
    async def _my_turn(self, until: float) -> AsyncIterator[asyncio.subprocess.Process]:
        closings = self._closings
        try:
            async with asyncio.timeout_at(_at(until)):
                await self._request_lock.acquire()
        except TimeoutError:
            raise ModelUnavailable("the model was busy all the time there was") from None
        try:
            if closings != self._closings:
                raise ModelUnavailable("the model was closed")
            try:
                async with asyncio.timeout_at(_at(until)):
                    process = await self._loaded()
            except TimeoutError:
                raise ModelUnavailable("the model is still being loaded") from None
            yield process
        finally:
            self._request_lock.release()

    async def _converse(
        self, process: asyncio.subprocess.Process, request: Mapping[str, Any], within: float, on_piece: Piece
    ) -> dict[str, Any]:
        self._requests += 1
        number, ends_itself = self._requests, "within" in request
        try:
            async with asyncio.timeout(_at(within + GRACE if ends_itself else within)):
                await _send(process, {**request, "id": number})
                return await _receive(process, number, on_piece)
        except TimeoutError:
            await self._stop()
            raise ModelUnavailable("the model took too long to answer and was stopped") from None
        except (ConnectionError, OSError, ValueError, RecursionError) as error:
            await self._stop()
            raise ModelUnavailable(f"the model's process failed: {error}") from None
        except asyncio.CancelledError:
            # an answer nobody waits for would be taken for the next one's
            if not (ends_itself and await _stopped_when_asked(process, number)):
                await self._stop()
            raise

    async def _loaded(self) -> asyncio.subprocess.Process:
        self.start()
        if (loading := self._loading) is not None:
            await asyncio.wait({loading})  # goes on without whoever no longer waits
            if not loading.cancelled() and (failure := loading.result()):
                raise ModelUnavailable(failure)
        if self._process is None:
            raise ModelUnavailable("the model was closed")
        return self._process

    async def _load(self) -> str:
        """Load the model and return why it failed, if it did: nobody may be waiting for an exception."""
        failure = ""
        try:
            await self._stop()
            prepared = await asyncio.to_thread(self._prepare) if self._prepare else {}
            async with asyncio.timeout(self._load_timeout):
                await self._spawn({**self._settings, **prepared})
        except ModelUnavailable as error:
            failure = str(error)
        except TimeoutError:
            failure = f"{self._model.name} was not loaded within {self._load_timeout:g} s and was stopped"
        except (ConnectionError, OSError, ValueError, RecursionError) as error:
            failure = f"the model's process failed: {error}"
        except asyncio.CancelledError:  # by `close` alone
            failure = "the model was closed"
        if failure:
            await self._stop()
        self._failure, self._took, self._loading = failure, time.monotonic() - self._began, None
        return failure

    async def _spawn(self, settings: Mapping[str, Any]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="narratoria-")  # 0700: the socket is ours alone
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            str(self._worker),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=LINE_LIMIT,
            start_new_session=True,
        )
        self.starts += 1
        socket = str(Path(self._folder.name) / "model.sock")
        await _send(self._process, {**settings, "socket": socket, "id": 0})
        try:
            answer = await _receive(self._process, 0, _ignored)
        except ConnectionError as error:  # native code aborts where it gets no memory
            raise ModelUnavailable(
                f"{self._model.name} could not be loaded: {error}; is memory short?"
            ) from None
        if "error" in answer:
            raise ModelUnavailable(f"{self._model.name} could not be loaded: {answer['error']}")

    def _alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def memory(self) -> int:
        """Return the bytes that its process holds; 0 where the system does not say."""
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        except (OSError, ValueError, IndexError):
            return 0
        return pages * os.sysconf("SC_PAGESIZE")

    def _progress(self) -> float | None:
        """Estimate the progress by how much of the file is in the process's memory."""
        with contextlib.suppress(OSError):
            if held := self.memory:
                return min(0.99, held / max(self._model.stat().st_size, 1))
        return None

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            _kill(process)
            await process.wait()
            process._transport.close()  # type: ignore[attr-defined]  # else its pipes live until collected
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


async def _send(process: asyncio.subprocess.Process, message: Mapping[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    await process.stdin.drain()


async def _receive(process: asyncio.subprocess.Process, number: int, on_piece: Piece) -> dict[str, Any]:
    assert process.stdout is not None
    while line := await process.stdout.readline():
        answer = json.loads(line)
        if not isinstance(answer, dict) or answer.get("id") != number:
            raise ValueError("it answered what was not asked")
        if "text" not in answer:
            return answer
        on_piece(answer)
    code = await process.wait()
    raise ConnectionError(f"it ended with {f'signal {-code}' if code < 0 else f'code {code}'}")


async def _stopped_when_asked(process: asyncio.subprocess.Process, number: int) -> bool:
    """Ask the process to stop answering and return whether it did."""
    try:
        async with asyncio.timeout(GRACE):
            await _send(process, {"cancel": number})
            await _receive(process, number, _ignored)
    except (TimeoutError, ConnectionError, OSError, ValueError, RecursionError, asyncio.CancelledError):
        return False
    return True


def _at(until: float) -> float | None:
    return until if until < math.inf else None


def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.kill(process.pid, signal.SIGKILL)  # `process.kill` reaps a dead child behind the loop's back


def _ignored(answer: dict[str, Any]) -> None:
    pass
