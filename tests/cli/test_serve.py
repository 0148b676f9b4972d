"""A service runs without a terminal, says what it does in JSON, and ends in order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from tests.store.server import Server as PostgresServer
from tests.warm_process import run_warm, start_warm

WAIT_S = 60.0
CAMPAIGN = "tomorrows-post"
PUBLIC = "stories.example.org"


class Service:
    """A service in a process of its own, and a proxy's way to ask it."""

    def __init__(self, folder: Path, **settings: str) -> None:
        names = {f"NARRATORIA_{name.upper()}": value for name, value in settings.items()}
        env = {
            **os.environ,
            "NARRATORIA_HOME": str(folder / "home"),
            "NARRATORIA_PORT": "0",
            "NARRATORIA_PUBLIC_ORIGIN": f"https://{PUBLIC}",
            "NARRATORIA_IDENTITY_HEADER": "X-Forwarded-User",
            **names,
        }
        self.log = folder / "stderr"
        self._file = self.log.open("wb")
        self.process = start_warm(
            "narratoria.cli", "serve", stdin=subprocess.DEVNULL, stderr=self._file, cwd=folder, env=env
        )
        self.port = int(self.wait_for("serving on ").rpartition(":")[2])

    def wait_for(self, text: str) -> str:
        """The first line of the log that holds a text, once it is there."""
        while True:
            for line in self.log.read_text().splitlines(keepends=True):
                if text in line and line.endswith("\n"):
                    return line.strip()
            with_end = self.process.poll()
            assert with_end is None, self.log.read_text()

    def ask(
        self, method: str, path: str, body: Any = None, who: str = "ada", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        sent = {"Host": PUBLIC, "X-Forwarded-User": who, "X-Forwarded-For": "192.0.2.9", **headers}
        connection.request(method, path, None if body is None else json.dumps(body), sent)
        answer = connection.getresponse()
        shown = {name.lower(): value for name, value in answer.getheaders()}
        content = answer.read()
        connection.close()
        return answer.status, shown, content

    def begin(self, who: str = "ada") -> str:
        status, _, content = self.ask("POST", "/api/stories", {"campaign": CAMPAIGN, "seed": 7}, who)
        assert status == 201, content
        return str(json.loads(content)["id"])

    def metrics(self) -> str:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        assert answer.status == 200
        content = answer.read().decode()
        connection.close()
        return content

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(WAIT_S)
        self.close()
        return code

    def close(self) -> None:
        self._file.close()

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    made: list[Service] = []

    def make(**settings: str) -> Service:
        made.append(Service(tmp_path, **settings))
        return made[-1]

    yield make
    for one in made:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait(WAIT_S)
        one.close()


def serve(folder: Path, *args: str, **settings: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "NARRATORIA_HOME": str(folder / "home"), **settings}
    return run_warm("narratoria.cli", "serve", *args, env=env, cwd=folder, text=True)


def test_a_service_that_anybody_could_enter_is_not_started(tmp_path: Path) -> None:
    ran = serve(tmp_path, NARRATORIA_HOST="0.0.0.0")
    assert ran.returncode != 0
    assert "nothing says who may come in" in ran.stderr
    ran = serve(tmp_path, "--check", NARRATORIA_HOST="0.0.0.0", NARRATORIA_PASSPHRASE="short")
    assert "a passphrase has" in ran.stderr


def test_a_file_is_checked_without_starting_anything(tmp_path: Path) -> None:
    (tmp_path / "n.toml").write_text('host = "0.0.0.0"\npassphrase = "correct horse"\n')
    ran = serve(tmp_path, "--config", "n.toml", "--check")
    assert (ran.returncode, ran.stdout) == (0, "The settings can be used.\n")
    (tmp_path / "n.toml").write_text("hots = 1\n")
    ran = serve(tmp_path, "--config", "n.toml", "--check")
    assert ran.returncode != 0
    assert "'hots' is no setting" in ran.stderr


def test_logs_are_json_with_request_and_story_and_a_stop_is_in_order(
    services: Callable[..., Service],
) -> None:
    service = services()
    story = service.begin()
    status, headers, _ = service.ask("GET", f"/api/stories/{story}", **{"X-Request-Id": "from-the-proxy-1"})
    assert (status, headers["x-request-id"]) == (200, "from-the-proxy-1")
    _, headers, _ = service.ask("GET", "/api/home", **{"X-Request-Id": "bad id\t"})
    assert headers["x-request-id"] != "bad id\t"
    assert service.stop() == 0
    (line,) = [line for line in service.lines() if line.get("request") == "from-the-proxy-1"]
    assert (line["method"], line["status"], line["story"]) == ("GET", 200, story)
    assert line["account"].startswith("u-")
    assert "ada" not in json.dumps(service.lines())


def test_metrics_are_for_who_watches_the_server_and_name_nobody(services: Callable[..., Service]) -> None:
    service = services()
    story = service.begin()
    assert service.ask("GET", "/metrics")[0] == 404
    text = service.metrics()
    assert 'narratoria_requests_total{operation="begin_story",status="201"} 1.0' in text
    assert "narratoria_turns_waiting 0.0" in text
    assert "process_resident_memory_bytes" in text
    assert story not in text
    assert "ada" not in text


def test_too_many_turns_at_once_are_told_when_to_come_back(services: Callable[..., Service]) -> None:
    service = services(turns_at_once="1", turns_waiting="0")
    stories = {who: service.begin(who) for who in ("ada",)}
    refused = 0
    while not refused:  # one is being told nearly always: the next one meets it sooner or later
        for who in ("ben", "cy", "dee", "eve"):
            status, headers, content = service.ask(
                "POST", "/api/stories", {"campaign": CAMPAIGN, "seed": 7}, who
            )
            if status == 429:
                assert json.loads(content)["error"]["code"] == "overloaded"
                assert int(headers["retry-after"]) >= 1
                refused += 1
    assert stories
    assert "narratoria_turns_refused 0.0" not in service.metrics()


def test_unknown_paths_are_404(services: Callable[..., Service]) -> None:
    service = services()
    for path in ("/nothing", "/api/nothing", "/library"):
        assert service.ask("GET", path)[0] == 404
    for path in ("/healthz", "/readyz"):
        assert service.ask("GET", path, who="")[0] == 200


@pytest.mark.slow
def test_any_server_goes_on_with_any_story_with_the_same_people_settings_and_grants(tmp_path: Path) -> None:
    """Two servers share a database and a folder, and each has a home of its own."""
    both: list[Service] = []
    with PostgresServer.started() as postgresql, postgresql.database() as address:
        try:
            for name in "ab":
                (tmp_path / name).mkdir()
                shared = str(tmp_path / "shared")
                both.append(Service(tmp_path / name, database_url=address, shared=shared, owners="olga"))
            first, second = both
            story = first.begin()
            page = wait_for_scene(second, story)
            body = {"choice": 0, "scene": 1, "mark": page["mark"]}
            assert second.ask("POST", f"/api/stories/{story}/choose", body)[0] == 202
            assert second.ask("GET", f"/api/stories/{story}", who="ben")[0] == 404
            assert first.ask("PUT", "/api/settings", {"theme": "sepia"})[0] == 200
            assert json.loads(second.ask("GET", "/api/settings")[2])["theme"] == "sepia"
            assert first.ask("POST", "/api/skills/memory/disable", {}, "olga")[0] == 200
            listed = json.loads(second.ask("GET", "/api/skills", who="olga")[2])
            assert [one["enabled"] for one in listed if one["name"] == "memory"] == [False]
            assert [one.stop() for one in both] == [0, 0]
        finally:
            for one in both:
                if one.process.poll() is None:
                    one.process.kill()
                    one.process.wait(WAIT_S)
                one.close()
    assert (tmp_path / "shared" / "accounts.json").is_file()
    assert not (tmp_path / "a" / "home" / "accounts.json").exists()


def wait_for_scene(service: Service, story: str) -> dict[str, Any]:
    """The story, once its first scene is told, by whichever server."""
    while True:
        status, _, content = service.ask("GET", f"/api/stories/{story}")
        page: dict[str, Any] = json.loads(content)
        if status == 200 and page["scenes"] and not page["busy"]:
            return page
