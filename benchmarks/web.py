"""How soon a story can be read in a browser, what that weighs, how late a word comes, what stories cost."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect as connect_async
from websockets.sync.client import connect

from benchmarks.measure import Effort, Row, Table, Timing, side_by_side, table
from narratoria import app
from narratoria.engine.events import NarrationDelta
from narratoria.engine.persistence.event_log import EventLog
from narratoria.web.app_state import AppState
from narratoria.web.files import STATIC
from narratoria.web.running_server import claim
from narratoria.web.server import Server

CAMPAIGN = "tomorrows-post"
FIRST_PAGE = 300.0  # kB over the wire, at most
WORDS = 500
STORIES, SCENES = 10, 5
BARE_SERVER = """\
import socket, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
async def home(request): return PlainTextResponse("here")
listening = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listening.getsockname()[1]}/?token=none", flush=True)
uvicorn.Server(uvicorn.Config(Starlette(routes=[Route("/", home)]), log_config=None)).run(sockets=[listening])
"""


async def measure(effort: Effort) -> list[Table]:
    return [
        await asyncio.to_thread(_first_scene, effort),
        await asyncio.to_thread(first_page),
        await _word(effort),
        await asyncio.to_thread(_memory, effort),
    ]


@dataclass(frozen=True, slots=True)
class Visitor:
    """A client of a server in another process."""

    port: int
    token: str
    pid: int

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[bytes, int]:
        """The answer, and what of it came over the wire."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            content = None if body is None else json.dumps(body).encode()
            link.request(method, path, content, {"Authorization": f"Bearer {self.token}", **headers})
            answer = link.getresponse()
            read = answer.read()
            return read, len(read) + sum(len(name) + len(value) + 4 for name, value in answer.getheaders())
        finally:
            link.close()

    def begin(self) -> str:
        told, _ = self.ask("POST", "/api/stories", {"campaign": CAMPAIGN, "seed": 7})
        return str(json.loads(told)["id"])

    def read_scene(self, story: str, after: int = 0) -> int:
        """Follows a story up to its next scene; the number of that event."""
        address = f"ws://127.0.0.1:{self.port}/api/stories/{story}/events?after={after}"
        with connect(address, additional_headers={"Authorization": f"Bearer {self.token}"}) as socket:
            while True:
                event = json.loads(socket.recv(timeout=60))
                if event["type"] == "scene_ready":
                    return int(event["id"])


@contextmanager
def _started(command: list[str], home: Path) -> Iterator[Visitor]:
    """A server in a process of its own, once it has said where it is."""
    env = {**os.environ, "NARRATORIA_HOME": str(home)}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(rb"http://[^:]+:(\d+)\S*token=(\S+)", line):
                yield Visitor(int(found[1]), found[2].decode(), process.pid)
                break
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _ours() -> list[str]:
    return [sys.executable, "-m", "narratoria.cli", "play", "--no-browser", "--port", "0"]


def _first_scene(effort: Effort) -> Table:
    bare, page, scene = "a bare Starlette server answers", "Narratoria answers", "its first scene is told"
    seconds: dict[str, list[float]] = {bare: [], page: [], scene: []}
    for _ in range(max(effort.repeats // 2, 1)):
        with tempfile.TemporaryDirectory() as folder:
            begun = time.perf_counter()
            with _started([sys.executable, "-c", BARE_SERVER], Path(folder)) as visitor:
                visitor.ask("GET", "/")
                seconds[bare].append(time.perf_counter() - begun)
            begun = time.perf_counter()
            with _started(_ours(), Path(folder)) as visitor:
                visitor.ask("GET", "/")
                seconds[page].append(time.perf_counter() - begun)
                visitor.read_scene(visitor.begin())
                seconds[scene].append(time.perf_counter() - begun)
    return table(
        "From the command to the first scene",
        {name: Timing(tuple(taken)) for name, taken in seconds.items()},
        amount=1,
        unit="ms",
        limit=bare,
        better="lower",
        note="Each in a new process with a new home, the first turn through real skills and the store.",
    )


def first_page() -> Table:
    """What a browser fetches to show the first page."""
    index = STATIC / "index.html"
    with tempfile.TemporaryDirectory() as folder, _started(_ours(), Path(folder)) as visitor:
        encoded = {"Accept-Encoding": "gzip, br"}
        wire = visitor.ask("GET", "/", **encoded)[1] + visitor.ask("GET", "/api/home")[1]
        named = re.findall(r'(?:src|href)="(/[^"]+)"', index.read_text()) if index.is_file() else []
        styles = b"".join(visitor.ask("GET", path)[0] for path in named if path.endswith(".css")).decode()
        named += sorted(
            set(re.findall(r"url\(\"?(/[^)\"]+\.woff2)", styles))
        )  # all of them, used at once or not
        wire += sum(visitor.ask("GET", path, **encoded)[1] for path in named)
    size = wire / 1000
    row = Row("the first page", size, size, size / FIRST_PAGE, 1.0, size <= FIRST_PAGE)
    most = Row("the most it may be", FIRST_PAGE, FIRST_PAGE, 1.0)
    return Table(
        "Bytes to the first page",
        "The page, what it names, the fonts of its styles, and `/api/home`, with their headers.",
        "kB",
        most.name,
        "lower",
        [most, row],
    )


async def _word(effort: Effort) -> Table:
    words, bare, ours = effort.of(WORDS), "a bare socket", "through the log and a WebSocket"
    with tempfile.TemporaryDirectory() as folder:
        home = os.environ.get("NARRATORIA_HOME")
        os.environ["NARRATORIA_HOME"] = folder
        try:
            async with _following(Path(folder)) as (log, socket), _bare_pair() as (reader, writer):
                event = NarrationDelta(text="lantern ")

                async def through_us() -> None:
                    for _ in range(words):
                        log.append(event, turn=1)
                        await socket.recv()

                line = b'{"type":"narration_delta","id":1000,"turn":1,"text":"lantern "}\n'

                async def through_nothing() -> None:
                    for _ in range(words):
                        writer.write(line)
                        await reader.readline()

                timings = await side_by_side({bare: through_nothing, ours: through_us}, effort.repeats)
        finally:
            if home is None:
                del os.environ["NARRATORIA_HOME"]
            else:
                os.environ["NARRATORIA_HOME"] = home
    return table(
        "A streamed word",
        timings,
        amount=words,
        unit="ms",
        limit=bare,
        better="lower",
        note="From the engine to a client in the same process, one by one; ours goes to the disk as well.",
    )


@asynccontextmanager
async def _following(home: Path) -> AsyncIterator[tuple[EventLog, Any]]:
    claimed = claim(home / "web")
    assert claimed is not None
    app_state = AppState(home, app.open_library)
    ready = asyncio.Event()
    server = Server(app_state, host="127.0.0.1", port=0, claim=claimed)
    serving = asyncio.create_task(server.serve(lambda _: ready.set()))
    try:
        await ready.wait()
        telling = await app_state.library.begin(CAMPAIGN, seed=7)
        await telling.resume()
        address = (
            f"ws://127.0.0.1:{server.port}/api/stories/{telling.story.id}/events?after={telling.log.last}"
        )
        key = {"Authorization": f"Bearer {server.running.token}"}
        async with connect_async(address, additional_headers=key, compression=None) as socket:
            yield telling.log, socket
    finally:
        server.stop()
        await serving
        claimed.release()


@asynccontextmanager
async def _bare_pair() -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """The end of one connection to read from, and the other end of it to write to."""
    accepted: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Future()
    server = await asyncio.start_server(
        lambda reader, writer: accepted.set_result((reader, writer)), "127.0.0.1", 0
    )
    _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    reader, other = await accepted
    try:
        yield reader, writer
    finally:
        writer.close()
        other.close()
        server.close()


def _memory(effort: Effort) -> Table:
    """What ten stories that are being read cost over one."""
    stories, scenes = max(effort.of(STORIES), 2), effort.of(SCENES)
    with tempfile.TemporaryDirectory() as folder, _started(_ours(), Path(folder)) as visitor:
        held = []
        for _ in range(stories):
            story, last = visitor.begin(), 0
            for number in range(scenes):
                last = visitor.read_scene(story, last)
                if number + 1 < scenes:
                    visitor.ask("POST", f"/api/stories/{story}/choose", {"choice": 0, "scene": number + 1})
            held.append(_resident(visitor.pid))
    one, all_ = f"1 story of {scenes} scenes", f"{stories} stories of {scenes} scenes"
    each = statistics.mean(after - before for before, after in pairwise(held))
    return Table(
        "Memory of the server",
        "The process that serves; a further story costs the difference, divided by their number.",
        "MB",
        one,
        "lower",
        [
            Row(one, held[0], held[0], 1.0, more={"each further story": 0.0}),
            Row(all_, held[-1], held[-1], held[-1] / held[0], more={"each further story": max(each, 0.0)}),
        ],
        figures=("resident", "again"),
    )


def _resident(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+)", text)
    assert found is not None
    return int(found[1]) / 1000
