"""How many players one and two servers bear, on SQLite and on PostgreSQL, with thinking times and without.

`python -m benchmarks.many [--players 1,5,20,50,200] [--seconds 60] [--think 20]` prints a table. Every server
is a real `narratoria serve`; every player follows a story over a WebSocket, chooses what comes first, and
begins another when it has ended. Without `--think`, each number of players is measured with none and with 20
seconds. The bound of the cores is how many turns a second they could tell if a turn took the processor time
that it takes with one player. That time is a control group's where one can be made; else what boxed skills
use is missing from it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
from tests.store.server import Server
from websockets.asyncio.client import connect

CAMPAIGN = "comet-tea-room"
PUBLIC = "stories.example.org"
PLAYERS = (1, 5, 20, 50, 200)
THINKING_S = (0.0, 20.0)
SECONDS = 60.0
START_S = 120.0
ANSWER_S = 120.0
GROUPS = Path("/sys/fs/cgroup/cpuacct")


@dataclass(slots=True)
class Measured:
    """Collects what players met."""

    seconds: list[float] = field(default_factory=list)  # from a choice to its scene
    refused: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    setting: str
    players: int
    think_s: float
    turns_per_s: float
    p50_ms: float
    p95_ms: float
    refused: int
    failed: int
    memory_mib: float
    cpu_per_turn_s: float


class ServerProcess:
    """Runs one `narratoria serve` and asks it as a proxy does."""

    def __init__(self, home: Path, shared: Path, database: str) -> None:
        env = {
            **os.environ,
            "NARRATORIA_HOME": str(home),
            "NARRATORIA_SHARED": str(shared),
            "NARRATORIA_PORT": "0",
            "NARRATORIA_PUBLIC_ORIGIN": f"https://{PUBLIC}",
            "NARRATORIA_IDENTITY_HEADER": "X-Forwarded-User",
            "NARRATORIA_LIMIT_TURNS_PER_MINUTE": "0",
            "NARRATORIA_LIMIT_CHANGES_PER_MINUTE": "0",
            "NARRATORIA_LOG_FORMAT": "text",
        }
        if database:
            env["NARRATORIA_DATABASE_URL"] = database
        home.mkdir(parents=True)
        self._log = (home / "stderr").open("w+")
        command = [sys.executable, "-m", "narratoria.cli", "serve"]
        self.process = subprocess.Popen(command, env=env, stderr=self._log, stdin=subprocess.DEVNULL)
        self.group = _make_group(self.process.pid)
        self.port = self._wait_for_port(home / "stderr")

    def _wait_for_port(self, log: Path) -> int:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self.process.poll() is None:
            for line in log.read_text().splitlines():
                if line.startswith("serving on "):
                    return int(line.rpartition(":")[2])
            time.sleep(0.1)
        raise RuntimeError(f"the server did not start: {log.read_text()}")

    async def ask(
        self, who: str, method: str, path: str, body: Any = None
    ) -> tuple[int, dict[str, str], Any]:
        """Return the status, the headers and the document of one request."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            content = b"" if body is None else json.dumps(body).encode()
            lines = [f"{method} {path} HTTP/1.1", f"Host: {PUBLIC}", f"X-Forwarded-User: {who}"]
            lines += [f"Content-Length: {len(content)}", "Connection: close", "", ""]
            writer.write("\r\n".join(lines).encode() + content)
            answer = await asyncio.wait_for(reader.read(), ANSWER_S)
        finally:
            writer.close()
        head, _, rest = answer.partition(b"\r\n\r\n")
        first, *others = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in others)}
        return int(first.split()[1]), headers, json.loads(rest) if rest.strip() else None

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()
        if self.group is not None:
            with contextlib.suppress(OSError):  # somebody is still ending
                self.group.rmdir()


class Player:
    """Plays one story: thinks, chooses, waits for the scene."""

    def __init__(self, number: int, server: ServerProcess, think_s: float, measured: Measured) -> None:
        self._who, self._server = f"player-{number}", server
        self._think_s, self._measured = think_s, measured
        self._dice = random.Random(number)

    async def play(self, until: asyncio.Event, begun: asyncio.Event) -> None:
        while not until.is_set():
            await self._play_story(await self._begin(), until, begun)

    async def _play_story(self, story: str, until: asyncio.Event, begun: asyncio.Event) -> None:
        opened = connect(
            f"ws://{PUBLIC}/api/stories/{story}/events?after=0",
            additional_headers={"X-Forwarded-User": self._who},
            host="127.0.0.1",
            port=self._server.port,
            proxy=None,
            max_size=None,
        )
        async with opened as socket:
            page = await self._wait_for_scene(socket, story, 1)
            begun.set()
            while not page["story"]["ended"]:
                await self._think(until)
                if until.is_set():
                    return
                page = await self._take_turn(socket, story, page)

    async def _begin(self) -> str:
        while True:
            body = {"campaign": CAMPAIGN, "seed": self._dice.randrange(1000)}
            status, headers, answer = await self._server.ask(self._who, "POST", "/api/stories", body)
            if status == 201:
                return str(answer["id"])
            if status != 429:
                raise RuntimeError(f"{status}: {answer}")
            await asyncio.sleep(float(headers["retry-after"]) * self._dice.uniform(0.5, 1.5))

    async def _think(self, until: asyncio.Event) -> None:
        if self._think_s:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(until.wait(), self._dice.uniform(0.5, 1.5) * self._think_s)

    async def _take_turn(self, socket: Any, story: str, page: dict[str, Any]) -> dict[str, Any]:
        begun, scene = time.perf_counter(), page["scenes"][-1]["number"]
        body = {"choice": 0, "scene": scene, "mark": page["mark"]}
        path = f"/api/stories/{story}/choose"
        status, headers, _ = await self._server.ask(self._who, "POST", path, body)
        if status == 429:
            self._measured.refused += 1
            await asyncio.sleep(float(headers["retry-after"]))
            return page
        if status != 202:
            self._measured.failed += 1
            return await self._look(story)
        return await self._wait_for_scene(socket, story, scene + 1, begun)

    async def _wait_for_scene(
        self, socket: Any, story: str, number: int, begun: float | None = None
    ) -> dict[str, Any]:
        async with asyncio.timeout(ANSWER_S):
            while True:
                event = json.loads(await socket.recv())
                if event["type"] == "scene_ready" and event["scene"]["number"] >= number:
                    if begun is not None:
                        self._measured.seconds.append(time.perf_counter() - begun)
                    return await self._look(story)

    async def _look(self, story: str) -> dict[str, Any]:
        _, _, page = await self._server.ask(self._who, "GET", f"/api/stories/{story}?limit=1")
        return dict(page)


async def measure(
    setting: str, servers: Sequence[ServerProcess], players: int, think_s: float, seconds: float
) -> Row:
    """Let so many players play, and return what they met after all have begun."""
    measured, until = Measured(), asyncio.Event()
    begun = [asyncio.Event() for _ in range(players)]
    base = random.randrange(10**9)
    tasks = [
        asyncio.create_task(
            Player(base + number, servers[number % len(servers)], think_s, measured).play(
                until, begun[number]
            )
        )
        for number in range(players)
    ]
    for one, task in zip(begun, tasks, strict=True):
        task.add_done_callback(partial(_set, one))  # one that failed keeps nobody waiting
    for one in begun:
        await one.wait()
    measured.seconds.clear()
    measured.refused = measured.failed = 0
    cpu, start = _processor_time(servers), time.perf_counter()
    await asyncio.sleep(seconds)
    took, cpu_used = time.perf_counter() - start, _processor_time(servers) - cpu
    times, refused, failed = sorted(measured.seconds), measured.refused, measured.failed
    memory = sum(_memory(server) for server in servers)
    until.set()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    problems = [one for one in ended if isinstance(one, BaseException)]
    failed += len(problems)
    for problem in problems[:3]:
        print(repr(problem), file=sys.stderr)
    count = len(times)
    if count < 2:
        times = [float("nan")] * 2
    return Row(
        setting=setting,
        players=players,
        think_s=think_s,
        turns_per_s=count / took,
        p50_ms=statistics.median(times) * 1000,
        p95_ms=statistics.quantiles(times, n=20)[-1] * 1000,
        refused=refused,
        failed=failed,
        memory_mib=memory,
        cpu_per_turn_s=cpu_used / max(count, 1),
    )


def _set(event: asyncio.Event, _: asyncio.Task[None]) -> None:
    event.set()


def _processes(server: ServerProcess) -> Iterator[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(server.process.pid)
        yield process
        yield from process.children(recursive=True)


def _make_group(pid: int) -> Path | None:
    """Put a process and all that it starts into a control group of its own, where that can be done."""
    group = GROUPS / f"narratoria-many-{pid}"
    try:
        group.mkdir()
        (group / "cgroup.procs").write_text(str(pid))
    except OSError:
        return None
    return group


def _processor_time(servers: Sequence[ServerProcess]) -> float:
    total = 0.0
    for server in servers:
        if server.group is not None:
            total += int((server.group / "cpuacct.usage").read_text()) / 1e9
            continue
        with contextlib.suppress(psutil.NoSuchProcess):
            times = psutil.Process(server.process.pid).cpu_times()  # with children that have ended
            total += times.user + times.system + times.children_user + times.children_system
    return total


def _memory(server: ServerProcess) -> float:
    total = 0.0
    for process in _processes(server):
        with contextlib.suppress(psutil.NoSuchProcess):
            total += process.memory_info().rss / 2**20
    return total


@contextlib.asynccontextmanager
async def serving(folder: Path, count: int, database: str) -> AsyncIterator[list[ServerProcess]]:
    servers = []
    try:
        for number in range(count):  # what was started is stopped, whatever comes
            home = folder / f"home-{number}"
            servers.append(await asyncio.to_thread(ServerProcess, home, folder / "shared", database))
        yield servers
    finally:
        for server in servers:
            await asyncio.to_thread(server.stop)


def as_table(rows: Sequence[Row]) -> str:
    cores = os.cpu_count() or 1
    alone = next((row.cpu_per_turn_s for row in rows if row.players == 1), rows[0].cpu_per_turn_s)
    lines = [
        f"{cores} cores; one player's turn takes {alone * 1000:.0f} ms of processor time, "
        f"so they could tell {cores / alone:.1f} turns a second.",
        "",
        "| | players | thinking | turns/s | p50 | p95 | refused | failed | memory | processor, a turn |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {row.setting} | {row.players} | {row.think_s:.0f} s | {row.turns_per_s:.2f} "
        f"| {row.p50_ms:.0f} ms | {row.p95_ms:.0f} ms | {row.refused} | {row.failed} "
        f"| {row.memory_mib:.0f} MiB | {row.cpu_per_turn_s * 1000:.0f} ms |"
        for row in rows
    ]
    return "\n".join(lines)


async def measure_all(
    postgresql: Server, players: Sequence[int], thinking: Sequence[float], seconds: float
) -> list[Row]:
    """Return a row for each setting, number of players and thinking time."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="narratoria-many-") as folder:
        settings = (
            ("SQLite, one server", 1, False),
            ("PostgreSQL, one server", 1, True),
            ("PostgreSQL, two servers", 2, True),
        )
        for place, (setting, count, is_postgresql) in enumerate(settings):
            with postgresql.database() if is_postgresql else contextlib.nullcontext("") as database:
                async with serving(Path(folder) / str(place), count, database) as servers:
                    for number in players:
                        for think_s in thinking:
                            rows.append(await measure(setting, servers, number, think_s, seconds))
                            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", default=",".join(map(str, PLAYERS)))
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--think", type=float, action="append")
    options = parser.parse_args()
    players = [int(one) for one in options.players.split(",")]
    with Server.started() as postgresql:
        work = measure_all(postgresql, players, options.think or THINKING_S, options.seconds)
        print(as_table(asyncio.run(work)))


if __name__ == "__main__":
    main()
