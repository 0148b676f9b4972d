"""Profiles of a household are made by the owner and entered with a PIN; each has what is its own."""

from __future__ import annotations

from typing import Any

import pytest
from tests.web.profile_browser import Browser, profile_of
from tests.web.serving import CAMPAIGN, Server
from websockets.exceptions import ConnectionClosed

OWNER_PIN, ADA_PIN = "731942", "4711"


@pytest.fixture
def server(servers: Any) -> Server:
    running: Server = servers()
    return running.start()


@pytest.fixture
def owner(server: Server) -> Browser:
    """The owner's browser, in a household with Ada, who has a PIN, and Ben, who has none."""
    browser = Browser(server).open()
    assert browser.ask("POST", "/api/profiles", {"name": "Olga", "pin": OWNER_PIN}).status == 201
    assert browser.ask("POST", "/api/profiles", {"name": "Ada", "pin": ADA_PIN}).status == 201
    assert browser.ask("POST", "/api/profiles", {"name": "Ben"}).status == 201
    return browser


def test_without_profiles_nobody_is_asked_who_they_are(server: Server) -> None:
    browser = Browser(server).open()
    assert browser.get("/api/profiles") == {"kind": "none", "profiles": [], "current": None}
    browser.begin("Alone")
    assert browser.titles() == ["Alone"]
    assert browser.get("/api/skills")
    assert not (server.home / "accounts.json").exists()
    assert not (server.home / "logs" / "audit.jsonl").exists()


def test_the_first_profile_is_the_owner_s_and_needs_a_pin(server: Server) -> None:
    browser = Browser(server).open()
    answer = browser.ask("POST", "/api/profiles", {"name": "Olga", "role": "player"})
    assert (answer.status, answer.code) == (422, "invalid")
    made = browser.ask("POST", "/api/profiles", {"name": "Olga", "role": "player", "pin": OWNER_PIN})
    assert made.json == {"id": "home", "name": "Olga", "role": "owner", "hasPin": True}
    assert browser.get("/api/profiles")["current"]["name"] == "Olga"
    assert OWNER_PIN.encode() not in (server.home / "accounts.json").read_bytes()


def test_who_has_a_key_and_has_not_said_who_they_are_sees_the_names_and_nothing_else(
    server: Server, owner: Browser
) -> None:
    story = owner.begin("Olga's own")
    stranger = Browser(server).open()
    assert [one["name"] for one in stranger.get("/api/profiles")["profiles"]] == ["Olga", "Ada", "Ben"]
    for method, path in (
        ("GET", "/api/home"),
        ("GET", "/api/stories"),
        ("GET", f"/api/stories/{story}"),
        ("GET", "/api/settings"),
        ("POST", "/api/profiles"),
        ("GET", "/api/audit"),
    ):
        answer = stranger.ask(method, path, None if method == "GET" else {"name": "Eve"})
        assert (answer.status, answer.code) == (401, "no_profile"), path


def test_a_wrong_pin_is_refused_and_after_several_there_is_a_wait(server: Server, owner: Browser) -> None:
    ada, browser = profile_of(owner, "Ada"), Browser(server).open()
    for _ in range(5):
        answer = browser.ask("POST", "/api/profiles/enter", {"profile": ada, "pin": "0000"})
        assert (answer.status, answer.code) == (403, "wrong_pin")
    answer = browser.ask("POST", "/api/profiles/enter", {"profile": ada, "pin": ADA_PIN})
    assert answer.status == 429
    assert int(answer.headers["retry-after"]) > 0
    assert browser.ask("GET", "/api/home").status == 401


def test_everyone_sees_and_changes_their_own_stories_and_settings(server: Server, owner: Browser) -> None:
    ada = Browser(server).open().enter(profile_of(owner, "Ada"), ADA_PIN)
    ben = Browser(server).open().enter(profile_of(owner, "Ben"))
    hers, his = ada.begin("Ada's"), ben.begin("Ben's")
    assert (ada.titles(), ben.titles(), owner.titles()) == (["Ada's"], ["Ben's"], [])
    assert [one["title"] for one in ben.get("/api/home")["stories"]] == ["Ben's"]
    for browser, story in ((ben, hers), (ada, his), (owner, hers)):
        for method, path, body in STORY_REQUESTS:
            answer = browser.ask(method, f"/api/stories/{story}{path}", body)
            assert (answer.status, answer.code) == (404, "not_found"), (method, path)
    assert ada.ask("PUT", "/api/settings", {"theme": "sepia"}).status == 200
    assert ben.get("/api/settings")["theme"] == "system"
    assert owner.get("/api/settings")["theme"] == "system"


STORY_REQUESTS: tuple[tuple[str, str, Any], ...] = (
    ("GET", "", None),
    ("GET", "/export?format=json", None),
    ("GET", "/tree", None),
    ("GET", "/turns", None),
    ("GET", "/state", None),
    ("GET", "/memories", None),
    ("GET", "/journal", None),
    ("GET", "/readers", None),
    ("POST", "/choose", {"choice": 0, "scene": 1}),
    ("POST", "/say", {"text": "Look around"}),
    ("POST", "/undo", {}),
    ("POST", "/cancel", {}),
    ("POST", "/branch", {"turn": 1}),
    ("PATCH", "", {"title": "Mine now"}),
    ("PUT", "/readers", {"readers": []}),
    ("DELETE", "", None),
)


def test_another_s_story_cannot_be_compared_or_followed(server: Server, owner: Browser) -> None:
    ada = Browser(server).open().enter(profile_of(owner, "Ada"), ADA_PIN)
    ben = Browser(server).open().enter(profile_of(owner, "Ben"))
    hers, his = ada.begin("Ada's"), ben.begin("Ben's")
    assert ben.ask("GET", f"/api/stories/{his}/compare?with={hers}").status == 404
    assert ben.ask("GET", f"/api/stories?after={hers}").status == 404
    cookie = "; ".join(f"{name}={value}" for name, value in ben.cookies.items())
    with server.follow(hers, Cookie=cookie) as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=30)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


OWNERS_THINGS: tuple[tuple[str, str, Any], ...] = (
    ("GET", "/api/skills", None),
    ("PUT", "/api/skills/storyteller/config", {"set": {"baseUrl": "http://127.0.0.1:1"}}),
    ("POST", "/api/skills/storyteller/grants", {"permissions": ["network"]}),
    ("POST", "/api/skills/storyteller/disable", {}),
    ("GET", "/api/models", None),
    ("POST", "/api/models/fetch", {"address": "http://127.0.0.1:9/x.gguf"}),
    ("GET", "/api/providers", None),
    ("POST", "/api/providers/use", {"provider": "openai", "baseUrl": "http://127.0.0.1:1", "consent": True}),
    ("POST", "/api/providers/local", {}),
    ("GET", "/api/privacy", None),
    ("GET", "/api/phone", None),
    ("GET", "/api/audit", None),
    ("POST", "/api/profiles", {"name": "Eve", "role": "owner", "pin": "123456"}),
    ("DELETE", "/api/profiles/home", None),
    ("GET", f"/api/campaigns/{CAMPAIGN}/text", None),
    ("POST", "/api/imports?name=x.txt", b"A text."),
)


def test_what_is_the_owner_s_a_player_cannot_see_or_change(server: Server, owner: Browser) -> None:
    ada = Browser(server).open().enter(profile_of(owner, "Ada"), ADA_PIN)
    for method, path, body in OWNERS_THINGS:
        answer = ada.ask(method, path, body)
        assert (answer.status, answer.code) == (403, "not_allowed"), (method, path)
    own = profile_of(ada, "Ada")
    assert ada.ask("PATCH", f"/api/profiles/{own}", {"role": "owner"}).status == 403
    assert ada.ask("PATCH", "/api/profiles/home", {"pin": "000000"}).status == 403
    refused = [entry for entry in owner.get("/api/audit")["entries"] if entry["status"] == 403]
    assert len(refused) == len(OWNERS_THINGS) + 2
    assert {entry["who"] for entry in refused} == {"Ada"}


def test_a_cookie_is_worth_nothing_when_it_was_changed_or_the_pin_was(server: Server, owner: Browser) -> None:
    ada_id = profile_of(owner, "Ada")
    ada = Browser(server).open().enter(ada_id, ADA_PIN)
    name = next(one for one in ada.cookies if "profile" in one)
    expiry, sign, _ = ada.cookies[name].split(".")
    for forged in (f"{expiry}.{sign}.", f"9{expiry}.{sign}.{ada_id}", f"{expiry}.{'0' * 64}.{ada_id}", ".."):
        answer = Browser(server, {**ada.cookies, name: forged}).ask("GET", "/api/home")
        assert (answer.status, answer.code) == (401, "no_profile"), forged
    assert owner.ask("PATCH", f"/api/profiles/{ada_id}", {"pin": "9876"}).status == 200
    assert ada.ask("GET", "/api/home").status == 401
    assert ada.enter(ada_id, "9876").get("/api/home")


def test_the_stories_of_a_removed_profile_are_the_owner_s(server: Server, owner: Browser) -> None:
    ben_id = profile_of(owner, "Ben")
    ben = Browser(server).open().enter(ben_id)
    ben.begin("Ben's")
    assert owner.ask("DELETE", f"/api/profiles/{ben_id}").status == 204
    assert ben.ask("GET", "/api/home").status == 401
    assert owner.titles() == ["Ben's"]
    assert owner.ask("DELETE", "/api/profiles/home").status == 422
    assert owner.ask("DELETE", f"/api/profiles/{profile_of(owner, 'Ada')}").status == 204
    assert owner.ask("DELETE", "/api/profiles/home").status == 204
    assert Browser(server).open().titles() == ["Ben's"]


def test_profiles_outlive_the_server_and_leaving_asks_again(server: Server, owner: Browser) -> None:
    ada = Browser(server).open().enter(profile_of(owner, "Ada"), ADA_PIN)
    server.stop()
    server.start()
    assert ada.get("/api/profiles")["current"]["name"] == "Ada"
    assert ada.ask("POST", "/api/profiles/leave", {}).status == 204
    assert ada.ask("GET", "/api/home").code == "no_profile"


def test_accounts_that_cannot_be_read_let_nobody_in(server: Server, owner: Browser) -> None:
    (server.home / "accounts.json").write_text("{")
    assert owner.ask("GET", "/api/home").status == 503
    assert Browser(server).open().ask("GET", "/api/profiles").status == 503
