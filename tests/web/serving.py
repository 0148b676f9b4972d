"""A real server, as the tests of the web face and those in a browser start it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.warm_process import start_warm
from websockets.sync.client import ClientConnection, connect

PATIENCE = 60.0  # seconds; nothing here is about speed
CAMPAIGN = "tomorrows-post"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    content: bytes
    cookies: tuple[str, ...] = ()

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def code(self) -> str:
        """Of an error."""
        return str(self.json["error"]["code"])


@dataclass
class Server:
    """A real server in a process of its own, on a free port, with a home of its own."""

    home: Path
    program: tuple[str, ...] = ()  # Python's arguments, where it is not `narratoria` itself
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    port: int = 0
    token: str = ""

    def start(self) -> Server:
        command = ("play", "--no-browser", "--port", str(self.port), *self.args)
        options: dict[str, Any] = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.STDOUT,
            "cwd": self.home.parent,
            "env": {**os.environ, "NARRATORIA_HOME": str(self.home), **self.env},
        }
        self.process = (
            subprocess.Popen([sys.executable, *self.program, *command], **options)
            if self.program
            else start_warm("narratoria.cli", *command, **options)
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(self.stdin)
        self.process.stdin.close()
        said = ""
        for line in self.process.stdout:
            said += line.decode()
            if found := re.search(r"http://\S+?:(\d+)\S*\?token=(\S+)", said):
                self.port, self.token = int(found[1]), found[2]
                return self
        raise AssertionError(f"the server did not start: {said}")

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(by)
        code = self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request by a connection of its own, the path sent as it stands."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        sent = {**({"Authorization": f"Bearer {self.token}"} if key else {}), **(headers or {})}
        try:
            connection.request(method, path, content, sent)
            got = connection.getresponse()
            cookies = tuple(got.headers.get_all("set-cookie", []))
            told = {name.lower(): value for name, value in got.getheaders()}
            return Answer(got.status, told, got.read(), cookies)
        finally:
            connection.close()

    def get(self, path: str, **more: Any) -> Any:
        answer = self.ask("GET", path, **more)
        assert answer.status == 200, answer
        return answer.json

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        answer = self.ask("POST", path, {} if body is None else body)
        assert answer.status == status, answer
        return answer.json if answer.content else None

    def follow(self, story: str, after: int = 0, **headers: str) -> ClientConnection:
        address = f"ws://127.0.0.1:{self.port}/api/stories/{story}/events?after={after}"
        sent = headers or {"Authorization": f"Bearer {self.token}"}
        return connect(address, additional_headers=sent, open_timeout=PATIENCE, close_timeout=1)

    def begin(self, **fields: Any) -> str:
        """A story at its first scene."""
        story = str(self.post("/api/stories", {"campaign": CAMPAIGN, "seed": 7, **fields}, 201)["id"])
        self.wait(story, 1)
        return story

    def choose(self, story: str, choice: int = 0) -> dict[str, Any]:
        """The story after one choice."""
        scene = self.get(f"/api/stories/{story}")["scenes"][-1]["number"]
        self.post(f"/api/stories/{story}/choose", {"choice": choice, "scene": scene}, 202)
        return self.wait(story, scene + 1)

    def wait(self, story: str, scenes: int) -> dict[str, Any]:
        """The story, once it has so many scenes and nothing is under way."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            page: dict[str, Any] = self.get(f"/api/stories/{story}")
            if not page["busy"] and len(page["scenes"]) >= scenes:
                return page
            time.sleep(0.05)
        raise AssertionError(f"{story} has not come to scene {scenes}")


def read_until(socket: ClientConnection, kind: str) -> list[dict[str, Any]]:
    """The events up to the first of this type, that one included."""
    events: list[dict[str, Any]] = []
    while not events or events[-1]["type"] != kind:
        event = json.loads(socket.recv(timeout=PATIENCE))
        if event["type"] != "alive":
            events.append(event)
    return events
