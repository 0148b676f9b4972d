"""The runtime's side of a native model: one process, one request at a time, restarted when need be."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from narratoria.errors import ModelUnavailable

WORKER = Path(__file__).with_name("worker.py")
LINE_LIMIT = 64 * 1024 * 1024
LOAD_TIMEOUT = 60.0  # seconds


class NativeModel:
    """A model file and the process that has it loaded; started with the first request."""

    def __init__(
        self, model: Path, *, threads: int | None = None, context: int = 2048, parallel: int = 4
    ) -> None:
        self._settings = {
            "model": str(model),
            "threads": threads or os.cpu_count() or 1,
            "context": context,
            "parallel": parallel,
        }
        self._turn = asyncio.Lock()  # first come, first served
        self._process: asyncio.subprocess.Process | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._requests = 0
        self.starts = 0

    async def ask(self, request: Mapping[str, Any], *, within: float) -> dict[str, Any]:
        """The answer, or ModelUnavailable: the process died, hung, or refused."""
        async with self._turn:
            try:
                async with asyncio.timeout(LOAD_TIMEOUT):
                    process = await self._started()
                self._requests += 1
                async with asyncio.timeout(within):
                    answer = await self._exchange(process, {**request, "id": self._requests})
            except TimeoutError:
                await self._stop()
                raise ModelUnavailable("the model took too long to answer and was stopped") from None
            except (ConnectionError, OSError, ValueError) as error:
                await self._stop()
                raise ModelUnavailable(f"the model's process failed: {error}") from None
            except asyncio.CancelledError:
                await self._stop()  # an answer nobody waits for would be taken for the next one's
                raise
        if "error" in answer:
            raise ModelUnavailable(f"the model refused: {answer['error']}")
        return answer

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    async def close(self) -> None:
        async with self._turn:
            await self._stop()

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        await self._stop()
        self._folder = tempfile.TemporaryDirectory(prefix="narratoria-")  # 0700: the socket is ours alone
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            str(WORKER),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=LINE_LIMIT,
            start_new_session=True,
        )
        self.starts += 1
        socket = str(Path(self._folder.name) / "model.sock")
        await self._exchange(self._process, {**self._settings, "socket": socket})
        return self._process

    async def _exchange(
        self, process: asyncio.subprocess.Process, message: Mapping[str, Any]
    ) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(message).encode() + b"\n")
        await process.stdin.drain()
        line = await process.stdout.readline()
        if not line:
            raise ConnectionError(f"it ended with code {await process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            process._transport.close()  # type: ignore[attr-defined]  # else its pipes live until collected
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
