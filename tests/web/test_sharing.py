"""A story can be shared with others to read; what happens in it stays its player's to say."""

from __future__ import annotations

from typing import Any

import pytest
from tests.web.profile_browser import Browser, profile_of
from tests.web.serving import Server


@pytest.fixture
def players(servers: Any) -> tuple[Server, Browser, Browser, Browser]:
    server: Server = servers().start()
    owner = Browser(server).open()
    for body in ({"name": "Olga", "pin": "731942"}, {"name": "Ada"}, {"name": "Ben"}):
        assert owner.ask("POST", "/api/profiles", body).status == 201
    ada = Browser(server).open().enter(profile_of(owner, "Ada"))
    ben = Browser(server).open().enter(profile_of(owner, "Ben"))
    return server, owner, ada, ben


def test_who_may_read_a_story_reads_it_and_changes_nothing(
    players: tuple[Server, Browser, Browser, Browser],
) -> None:
    _, _, ada, ben = players
    story, ben_id = ada.begin("Ada's"), profile_of(ada, "Ben")
    assert ben.get("/api/shared") == {"stories": []}
    shared = ada.ask("PUT", f"/api/stories/{story}/readers", {"readers": [ben_id]})
    assert (shared.status, shared.json) == (200, {"readers": [ben_id]})
    assert [one["title"] for one in ben.get("/api/shared")["stories"]] == ["Ada's"]
    assert ben.titles() == []
    page = ben.get(f"/api/stories/{story}")
    assert page["isOwn"] is False
    assert ada.get(f"/api/stories/{story}")["isOwn"] is True
    assert ben.ask("GET", f"/api/stories/{story}/export").status == 200
    for method, path, body in (
        ("POST", "/choose", {"choice": 0, "scene": 1}),
        ("POST", "/say", {"text": "Look around"}),
        ("POST", "/undo", {}),
        ("POST", "/branch", {"turn": 1}),
        ("PATCH", "", {"title": "Mine"}),
        ("PUT", "/readers", {"readers": []}),
        ("GET", "/readers", None),
        ("GET", "/turns", None),
        ("GET", "/tree", None),
        ("DELETE", "", None),
    ):
        answer = ben.ask(method, f"/api/stories/{story}{path}", body)
        assert (answer.status, answer.code) == (403, "read_only"), path
    assert ada.ask("PUT", f"/api/stories/{story}/readers", {"readers": []}).status == 200
    assert ben.ask("GET", f"/api/stories/{story}").status == 404


def test_the_owner_reads_a_story_only_when_it_is_shared_too(
    players: tuple[Server, Browser, Browser, Browser],
) -> None:
    _, owner, ada, _ = players
    story = ada.begin("Ada's")
    assert owner.ask("GET", f"/api/stories/{story}").status == 404
    assert ada.ask("PUT", f"/api/stories/{story}/readers", {"readers": ["home"]}).status == 200
    assert owner.get(f"/api/stories/{story}")["isOwn"] is False


def test_nobody_who_is_not_there_can_be_a_reader(players: tuple[Server, Browser, Browser, Browser]) -> None:
    _, _, ada, _ = players
    story = ada.begin("Ada's")
    answer = ada.ask("PUT", f"/api/stories/{story}/readers", {"readers": ["nobody-here"]})
    assert (answer.status, answer.code) == (422, "invalid")
    assert ada.get(f"/api/stories/{story}/readers") == {"readers": []}


def test_without_profiles_nothing_is_shared(server: Server) -> None:
    assert server.get("/api/shared") == {"stories": []}
