"""Lets players play one story on servers that are killed, paused and given other clocks, over one PostgreSQL.

`python -m tests.faults.story_servers RUNS [SEED] [SERVERS] [ADDRESS]` prints what became of it as JSON.
Without an address it starts a PostgreSQL of its own.

Every server is a process of its own: a fork of this one, in which everything is imported already. Players
look at the story and pick one of its choices, each time on any server, often both at once. Now and then a
server does not hear whether the database has taken a choice, as after a timeout. In the end, when every
living server has answered everything and no choice waits to be told, the story in the database is compared
with what every player saw and chose: nothing that was shown or accepted may be missing (lost), no scene may
have been shown in two ways (twice), and no turn may be there that no player chose (unchosen).
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import random
import select
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import msgspec
import psycopg

import narratoria.store.engines.postgresql as engine
from narratoria import app
from narratoria.campaign.campaign import Campaign
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.engine.persistence.library import Library
from narratoria.engine.scene import Scene
from narratoria.engine.turn import TurnDependencies
from narratoria.errors import NarratoriaException, StoreUnavailable
from narratoria.store import Store, validation
from narratoria.web.app_state import AppState
from narratoria.web.operation import to_api_error
from narratoria.web.stories import Choosing, choose

CAMPAIGN = "comet-tea-room"
LEASE_S = 1.0
SETTLED_S = 120.0  # that a story is given to come to rest
STEPS = 14
UNHEARD = 0.3  # of the choices that servers write
FURTHEST_S = 2 * 24 * 3600.0  # that a clock is put forward or back


def digest(scene: Scene) -> str:
    return hashlib.sha256(msgspec.json.encode((scene.action, scene.paragraphs, scene.choices))).hexdigest()[
        :16
    ]


_true_time = time.time


def set_clock(seconds: float) -> None:
    """Let the clock of this process show so many seconds more than it is, or less."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.fromtimestamp(_true_time() + seconds, tz)

    time.time = lambda: _true_time() + seconds
    validation.datetime = Clock  # type: ignore[misc]  # whose `now` dates everything that is stored


class StoryServer:
    """Answers the lines that players send, in a process that may be killed or paused at any moment."""

    def __init__(self, address: str, home: Path, seed: int, *, unheard: float = 0.0) -> None:
        """`unheard` is the part of the choices that are written without that being heard."""
        self._address, self._home, self._dice = address, home, random.Random(seed)
        self._unheard = unheard
        self._campaign, self._tools = app.open_campaign(CAMPAIGN), app.open_tools()
        self._answering: set[asyncio.Task[None]] = set()

    async def serve(self, reading: int, writing: int) -> None:
        state = AppState(self._home, self.open_library)
        stream = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reading, "rb")
        )
        async with state.run():
            while line := await stream.readline():
                task = asyncio.create_task(self._answer(state, json.loads(line), writing))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)

    async def _answer(self, state: AppState, asked: dict[str, Any], writing: int) -> None:
        try:
            answer = await getattr(self, f"_{asked['do']}")(state, asked)
        except NarratoriaException as error:
            refusal = to_api_error(error)
            answer = {"status": refusal.status, "code": refusal.body.code, "message": str(error)}
        except Exception as error:  # noqa: BLE001 - the border of this server, as of a real one
            answer = {"status": 500, "message": repr(error)}
        os.write(writing, json.dumps({"id": asked["id"], **answer}).encode() + b"\n")

    async def _begin(self, state: AppState, asked: dict[str, Any]) -> dict[str, Any]:
        session = await state.library.begin(self._campaign, {"name": "Ada"}, seed=asked["seed"])
        await session.resume()
        return {"status": 201, "story": session.story.id}

    async def _show(self, state: AppState, asked: dict[str, Any]) -> dict[str, Any]:
        session = await state.open_story(asked["story"])
        scenes = session.snapshot.scenes
        return {
            "status": 200,
            "busy": bool(
                session.busy or session.is_told_elsewhere or session.interrupted_input or not scenes
            ),
            "scenes": [digest(scene) for scene in scenes],
            "choices": [choice.text for choice in scenes[-1].choices] if scenes else [],
            "mark": session.mark,
        }

    async def _choose(self, state: AppState, asked: dict[str, Any]) -> dict[str, Any]:
        body = Choosing(choice=asked["choice"], scene=asked["scene"], mark=asked["mark"])
        await choose(state, asked["story"], body)
        return {"status": 202}

    async def _jump(self, state: AppState, asked: dict[str, Any]) -> dict[str, Any]:
        set_clock(asked["seconds"])
        return {"status": 204}

    @contextlib.asynccontextmanager
    async def open_library(self) -> AsyncIterator[Library]:
        async def store(_: object) -> Store:
            opened = await Store.open(self._address, None, logs=self._home / "logs")
            opened.presence.lease_s = LEASE_S
            begin, finish = opened.turns.begin, opened.turns.finish

            async def begin_unheard(*given: Any, **named: Any) -> Any:
                begun = await begin(*given, **named)
                if self._unheard and begun.number > 1 and self._dice.random() < self._unheard:
                    raise StoreUnavailable("the store has not answered in 10 s")
                return begun

            async def finish_later(*given: Any, **named: Any) -> Any:
                await asyncio.sleep(
                    self._dice.choice((0, 0, 0.05, 0.3))
                )  # so that a turn is told for a while
                return await finish(*given, **named)

            opened.turns.begin = begin_unheard  # type: ignore[method-assign]
            opened.turns.finish = finish_later  # type: ignore[method-assign]
            return opened

        async def no_embedder() -> None:
            return None

        def dependencies(campaign: Campaign, memory: StoryMemory) -> TurnDependencies:
            without_skills = app.build_dependencies(campaign, self._tools, memory)
            return replace(without_skills, skills=[], recall=None, assets=self._home)

        provider = MemoryProvider(store, no_embedder, retry_after=0.1)
        library = Library(provider, lambda _: self._campaign, dependencies, self._home)
        try:
            yield library
        finally:
            await library.close()


@dataclass
class Process:
    """Is one server as the players see it: lines go in, and lines come out, as long as it lives."""

    pid: int
    reading: int
    writing: int
    heard: bytes = b""
    paused_until: float = 0.0

    @classmethod
    def start(cls, server: StoryServer) -> Process:
        (own_in, out), (inside, own_out) = os.pipe(), os.pipe()
        pid = os.fork()
        if not pid:
            os.close(own_in)
            os.close(own_out)
            try:
                asyncio.run(server.serve(inside, out))
            finally:
                os._exit(1)
        os.close(out)
        os.close(inside)
        return cls(pid, own_in, own_out)

    def send(self, line: dict[str, Any]) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self.writing, json.dumps(line).encode() + b"\n")

    def answers(self, timeout: float) -> Iterator[dict[str, Any]]:
        while select.select([self.reading], [], [], timeout)[0]:
            chunk = os.read(self.reading, 65536)
            if not chunk:
                return
            self.heard += chunk
            *lines, self.heard = self.heard.split(b"\n")
            yield from (json.loads(line) for line in lines)
            timeout = 0

    def pause(self, until: float) -> None:
        self.paused_until = until
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        if self.paused_until:
            self.paused_until = 0.0
            os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.writing)


@dataclass
class Seen:
    """Holds what the players were shown, what they asked for, and what was accepted, by scene number."""

    shown: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    sent: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    accepted: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))


class Run:
    """Plays one story to its end, whatever happens to the servers."""

    def __init__(self, address: str, folder: Path, seed: int, servers: int) -> None:
        self._address, self._dice = address, random.Random(seed)
        self._servers = [
            StoryServer(address, folder / str(n), seed + n, unheard=UNHEARD) for n in range(servers)
        ]
        self._processes = [Process.start(server) for server in self._servers]
        self._asked: dict[int, dict[str, Any]] = {}
        self._answers: dict[int, dict[str, Any]] = {}  # the last one of each server
        self._next_id = 0
        self._story = ""
        self._latest: dict[str, Any] | None = None  # what a player was shown last
        self.seen = Seen()
        self.kills = self.pauses = self.jumps = self.conflicts = 0

    def play(self) -> dict[str, Any]:
        try:
            self._begin()
            for _ in range(STEPS):
                self._step()
            stuck = self._come_to_rest()
            return {**self._compare(), "stuck": stuck}
        finally:
            for process in self._processes:
                process.kill()

    def _begin(self) -> None:
        self._ask(0, do="begin", seed=self._dice.randrange(1000))
        ends = time.monotonic() + SETTLED_S
        while not self._story and time.monotonic() < ends:
            self._listen(0.5)
        assert self._story, "no server began the story"

    def _step(self) -> None:
        what = self._dice.choices(("pick", "race", "kill", "pause", "jump", "wait"), (4, 4, 1, 1, 1, 2))[0]
        if what in ("pick", "race"):
            self._ask(self._any(), do="show")
            self._listen(0.3)
            if (latest := self._latest) is not None:
                for _ in range(2 if what == "race" else 1):
                    self._pick(latest)
        elif what == "kill":
            number = self._any()
            self._processes[number].kill()
            for answer in self._processes[number].answers(0):  # what it said before
                self._hear(answer)
            self._asked = {key: one for key, one in self._asked.items() if one["server"] != number}
            self._processes[number] = Process.start(self._servers[number])
            self.kills += 1
        elif what == "pause":
            self._processes[self._any()].pause(time.monotonic() + self._dice.uniform(0, 2 * LEASE_S))
            self.pauses += 1
        elif what == "jump":
            self._ask(self._any(), do="jump", seconds=self._dice.uniform(-FURTHEST_S, FURTHEST_S))
            self.jumps += 1
        self._listen(self._dice.choice((0.0, 0.05, 0.3)))

    def _pick(self, latest: dict[str, Any]) -> None:
        scene, choices = len(latest["scenes"]), latest["choices"]
        picked = self._dice.randrange(len(choices))
        self.seen.sent[scene].add(choices[picked])
        mark = latest["mark"]
        self._ask(self._any(), do="choose", scene=scene, mark=mark, choice=picked, text=choices[picked])

    def _any(self) -> int:
        return self._dice.randrange(len(self._processes))

    def _ask(self, number: int, **asked: Any) -> None:
        self._next_id += 1
        self._asked[self._next_id] = {**asked, "server": number}
        self._processes[number].send({"id": self._next_id, "story": self._story, **asked})

    def _listen(self, seconds: float) -> None:
        for number, process in enumerate(self._processes):
            if process.paused_until and time.monotonic() >= process.paused_until:
                process.go_on()
            for answer in process.answers(seconds / len(self._processes)):
                self._answers[number] = answer
                self._hear(answer)

    def _hear(self, answer: dict[str, Any]) -> None:
        asked = self._asked.pop(answer["id"])
        if answer["status"] == 201:
            self._story = answer["story"]
        elif answer["status"] == 200 and not answer["busy"]:
            for number, shown in enumerate(answer["scenes"], start=1):
                self.seen.shown[number].add(shown)
            self._latest = answer
        elif answer["status"] == 202:
            self.seen.accepted[asked["scene"]].add(asked["text"])
        elif answer["status"] == 409:
            self.conflicts += 1

    def _come_to_rest(self) -> list[str]:
        """Look on every server until all show the same story, and nothing is to come; return what is odd."""
        ends = time.monotonic() + SETTLED_S
        while time.monotonic() < ends:
            views: list[list[str] | None] = []
            for number, process in enumerate(self._processes):
                process.go_on()
                self._latest = None
                self._ask(number, do="show")
                self._listen(0.5)
                views.append(self._latest and self._latest["scenes"])
            # in this order: what was accepted after a look is answered, or waits in the store
            if all(view is not None and view == views[0] for view in views) and not (
                self._asked or waiting_choices(self._address, self._story)
            ):
                return []
        answers = [self._answers.get(number) for number in range(len(self._processes))]
        return [f"{self._story} does not come to rest: {answers}, {self._asked}"]

    def _compare(self) -> dict[str, Any]:
        told = stored_turns(self._address, self._story)
        seen = self.seen
        lost = [
            f"scene {number} was shown and is not there" for number in seen.shown if number not in told
        ] + [
            f"“{text}” was accepted after scene {scene} and is not told"
            for scene, texts in seen.accepted.items()
            for text in texts
            if told.get(scene + 1, ("", ""))[0] != text
        ]
        twice = [
            f"scene {number} was shown in {len(shown)} ways"
            for number, shown in seen.shown.items()
            if number in told and shown != {told[number][1]}
        ]
        unchosen = [
            f"“{text}” is told in scene {number}"
            for number, (text, _) in told.items()
            if number > 1 and text not in seen.sent[number - 1]
        ]
        counts = {
            "kills": self.kills,
            "pauses": self.pauses,
            "jumps": self.jumps,
            "conflicts": self.conflicts,
        }
        return {"lost": lost, "twice": twice, "unchosen": unchosen, "turns": len(told), **counts}


def waiting_choices(address: str, story: str) -> int:
    """Return how many choices were written and not told, as the tables say."""
    with psycopg.connect(address) as connection:
        row = connection.execute(
            """SELECT count(*) FROM story JOIN turn ON turn.line = story.line AND turn.turn > story.turn
               WHERE story.id = %s""",
            (story,),
        ).fetchone()
    return int(row[0]) if row else 0


def stored_turns(address: str, story: str) -> dict[int, tuple[str, str]]:
    """Return the choice and the digest of every finished turn, as the tables say."""
    with psycopg.connect(address) as connection:
        line = connection.execute("SELECT line FROM story WHERE id = %s", (story,)).fetchone()
        assert line is not None
        rows = connection.execute(
            """SELECT DISTINCT ON (turn.turn) turn.turn, choice, scene FROM turn JOIN scene USING (line, turn)
               WHERE turn.line = %s ORDER BY turn.turn, turn.seq DESC""",
            line,
        ).fetchall()
    return {
        number: (
            json.loads(choice)["choice"]["text"],
            digest(msgspec.convert(json.loads(scene)["scene"], Scene)),
        )
        for number, choice, scene in rows
    }


def play_runs(address: str, runs: int, seed: int, servers: int) -> dict[str, Any]:
    engine.PAUSE_TIMEOUT_S = LEASE_S
    app.prepare_struct_types()
    sums: dict[str, Any] = {"runs": 0, "lost": [], "twice": [], "unchosen": [], "stuck": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(runs):
            one = Run(address, Path(folder) / str(number), seed + number, servers).play()
            sums["runs"] += 1
            for name, value in one.items():
                more = (
                    [f"run {seed + number}: {each}" for each in value] if isinstance(value, list) else value
                )
                sums[name] = sums[name] + more if name in sums else more
            if number % 50 == 49:
                print(f"{number + 1} runs", file=sys.stderr, flush=True)
    return sums


def main(arguments: list[str]) -> None:
    given = [int(text) for text in arguments[:3]]
    runs, seed, servers = [*given, *(10, 1, 2)[len(given) :]]
    if len(arguments) > 3:
        print(json.dumps(play_runs(arguments[3], runs, seed, servers)))
        return
    from tests.store.server import Server

    with Server.started() as server, server.database() as address:
        print(json.dumps(play_runs(address, runs, seed, servers), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1:])
