"""A player of a household tries everything that the API has, against another player and against the owner."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.web.profile_browser import Browser, profile_of
from tests.web.serving import Server
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from narratoria.web.operation import Operation
from narratoria.web.server import GROUPS
from narratoria.web.stream import NO_SUCH_STORY

OPERATIONS = [operation for group in GROUPS for operation in group.all]
OF_A_STORY = [operation for operation in OPERATIONS if "{story}" in operation.path]
OF_OTHER_ROLES = [operation for operation in OPERATIONS if operation.role != "player"]


class Household:
    """Has an owner with a PIN, and two players; one of them plays a story."""

    def __init__(self, server: Server) -> None:
        self.server, self.owner = server, Browser(server).open()
        for body in ({"name": "Olga", "pin": "731942"}, {"name": "Ada", "pin": "557310"}, {"name": "Ben"}):
            assert self.owner.ask("POST", "/api/profiles", body).status == 201
        self.ada = Browser(server).open().enter(profile_of(self.owner, "Ada"), "557310")
        self.ben = Browser(server).open().enter(profile_of(self.owner, "Ben"))
        self.story = self.ada.begin("Ada's")
        while self.ada.get(f"/api/stories/{self.story}")["busy"]:
            pass

    def save(self) -> Any:
        return json.loads(self.ada.ask("GET", f"/api/stories/{self.story}/export?format=json").content)


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    home: Path = tmp_path_factory.mktemp("household") / "home"
    home.mkdir()
    server = Server(home).start()
    yield Household(server)
    server.stop()


def path_of(operation: Operation, story: str) -> str:
    """Return the path of an operation with this story, and something harmless for everything else."""
    path, asked = operation.path.replace("{story}", story), ""
    for parameter in operation.in_path:
        value = "memory" if parameter.name == "kind" else "1"
        path = re.sub(rf"{{{parameter.name}(:path)?}}", value, path)
    for parameter in operation.in_query:
        if parameter.required:
            asked += f"{parameter.key}={story if parameter.name == 'with_' else 1}&"
    return f"/api{path}" + (f"?{asked}" if asked else "")


@pytest.mark.parametrize("operation", OF_A_STORY, ids=lambda operation: operation.name)
def test_nothing_can_be_done_with_the_story_of_another(household: Household, operation: Operation) -> None:
    before = household.save()
    answer = household.ben.ask(operation.method, path_of(operation, household.story), {})
    assert (answer.status, answer.code) == (404, "not_found"), "as if it were not there"
    assert household.save() == before


@pytest.mark.parametrize("operation", OF_OTHER_ROLES, ids=lambda operation: operation.name)
def test_nothing_of_the_owner_s_or_an_author_s_is_open(household: Household, operation: Operation) -> None:
    own = household.ben.begin("Ben's") if "{story}" in operation.path else ""
    answer = household.ben.ask(operation.method, path_of(operation, own), {})
    assert answer.status == 403
    assert answer.code == "not_allowed"


def test_no_story_of_another_comes_in_by_a_second_name(household: Household) -> None:
    own = household.ben.begin("Ben's own")
    for method, path in (
        ("GET", f"/api/stories/{own}/compare?with={household.story}"),
        ("GET", f"/api/stories?after={household.story}"),
    ):
        assert household.ben.ask(method, path).status == 404, path
    assert "Ada's" not in json.dumps([household.ben.get(path) for path in ("/api/home", "/api/stories")])


def test_the_events_of_another_s_story_are_not_heard(household: Household) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in household.ben.cookies.items())
    address = f"ws://127.0.0.1:{household.server.port}/api/stories/{household.story}/events?after=0"
    headers = {"Cookie": cookie, "Origin": household.server.origin}
    with connect(address, additional_headers=headers) as socket, pytest.raises(ConnectionClosed) as refused:
        socket.recv(timeout=60)
    assert refused.value.rcvd is not None
    assert refused.value.rcvd.code == NO_SUCH_STORY


def test_nobody_becomes_another_by_a_cookie_a_header_or_a_guess(household: Household) -> None:
    ada, owner = (profile_of(household.owner, name) for name in ("Ada", "Olga"))
    names = [name for name, value in household.ben.cookies.items() if value]
    for wanted in (ada, owner):
        forged = Browser(household.server).open()
        forged.cookies = {
            name: value.replace(profile_of(household.owner, "Ben"), wanted)
            for name, value in household.ben.cookies.items()
        }
        assert forged.cookies != household.ben.cookies, names
        assert forged.ask("GET", f"/api/stories/{household.story}").status in (401, 403, 404)
        answer = household.ben.ask("POST", "/api/profiles/enter", {"profile": wanted, "pin": "000000"})
        assert answer.status in (401, 403, 429)
    for header in ("X-Forwarded-User", "X-Forwarded-Email", "Remote-User"):
        answer = household.ben.ask("GET", f"/api/stories/{household.story}", headers={header: ada})
        assert answer.status == 404


def test_no_player_makes_changes_or_removes_the_profile_of_another(household: Household) -> None:
    ada = profile_of(household.owner, "Ada")
    for method, path, body in (
        ("POST", "/api/profiles", {"name": "Eve", "role": "owner"}),
        ("PATCH", f"/api/profiles/{ada}", {"pin": "111111"}),
        ("PATCH", f"/api/profiles/{profile_of(household.owner, 'Ben')}", {"role": "owner"}),
        ("DELETE", f"/api/profiles/{ada}", None),
    ):
        assert household.ben.ask(method, path, body).status == 403, (method, path)
    Browser(household.server).open().enter(ada, "557310")
