"""Who a request is from: a cookie that was signed here, or a header of a trusted proxy, and nothing else."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers
from tests.web.serving import CAMPAIGN, Answer, Server

from narratoria.errors import NarratoriaException
from narratoria.web.accounts import SOLE_PLAYER, Accounts
from narratoria.web.identity import Identification, ProxyIdentity, read_proxy_identity

PUBLIC = "stories.example.org"
HEADER = "X-Forwarded-User"


def test_a_cookie_holds_until_it_is_old_and_for_one_secret_alone(tmp_path: Path) -> None:
    accounts, now = Accounts(tmp_path), [1_000_000.0]
    assert Identification(accounts, b"s").by_profile("") is SOLE_PLAYER
    olga = accounts.add("Olga", "owner", "731942")
    ours = Identification(accounts, b"ours", clock=lambda: now[0])
    cookie = ours.profile_cookie(olga)
    assert ours.by_profile(cookie) == olga
    assert Identification(accounts, b"theirs", clock=lambda: now[0]).by_profile(cookie) is None
    now[0] += 31 * 24 * 3600
    assert ours.by_profile(cookie) is None


def test_a_proxy_that_names_nobody_or_two_names_nobody(tmp_path: Path) -> None:
    ours = Identification(Accounts(tmp_path), b"s", ProxyIdentity(HEADER, owners=frozenset({"olga"})))

    def named(*subjects: str) -> Any:
        raw = [(HEADER.lower().encode(), subject.encode()) for subject in subjects]
        return ours.by_proxy(Headers(raw=raw))

    assert named() is None
    assert named("") is None
    assert named("ada", "olga") is None
    assert named("x" * 400) is None
    assert (named("ada").role, named("olga").role) == ("player", "owner")


def test_the_environment_says_which_header_and_who_is_more_than_a_player() -> None:
    assert read_proxy_identity({}) is None
    read = read_proxy_identity(
        {"NARRATORIA_IDENTITY_HEADER": HEADER, "NARRATORIA_OWNERS": "olga, ", "NARRATORIA_AUTHORS": "ada"}
    )
    assert read is not None
    assert [read.role_of(one) for one in ("olga", "ada", "ben", "")] == [
        "owner",
        "author",
        "player",
        "player",
    ]
    with pytest.raises(NarratoriaException, match="is the name of a header"):
        read_proxy_identity({"NARRATORIA_IDENTITY_HEADER": "X Forwarded"})


@pytest.fixture
def proxied(servers: Any) -> Server:
    env = {
        "NARRATORIA_PUBLIC_ORIGIN": f"https://{PUBLIC}",
        "NARRATORIA_TRUSTED_PROXIES": "127.0.0.1",
        "NARRATORIA_IDENTITY_HEADER": HEADER,
        "NARRATORIA_OWNERS": "olga@example.org",
        "NARRATORIA_LIMIT_STORIES": "1",
    }
    running: Server = servers(env=env)
    return running.start()


def ask(server: Server, method: str, path: str, body: Any = None, who: str = "", **headers: str) -> Answer:
    sent = {"Host": PUBLIC, **({HEADER: who} if who else {}), **headers}
    return server.ask(method, path, body, key=False, headers=sent)


def test_people_are_whom_the_proxy_names(proxied: Server) -> None:
    body = {"campaign": CAMPAIGN, "seed": 7, "title": "Ada's"}
    story = ask(proxied, "POST", "/api/stories", body, "ada@example.org").json["id"]
    assert ask(proxied, "GET", f"/api/stories/{story}", who="ada@example.org").status == 200
    assert ask(proxied, "GET", f"/api/stories/{story}", who="ben@example.org").status == 404
    assert ask(proxied, "GET", "/api/skills", who="ada@example.org").status == 403
    assert ask(proxied, "GET", "/api/skills", who="olga@example.org").status == 200
    listed = ask(proxied, "GET", "/api/profiles", who="ada@example.org").json
    assert (listed["kind"], [one["name"] for one in listed["profiles"]]) == ("proxy", ["ada@example.org"])
    assert ask(proxied, "POST", "/api/profiles", {"name": "Eve"}, "olga@example.org").code == "proxied"


def test_an_account_keeps_as_many_stories_as_it_may(proxied: Server) -> None:
    body = {"campaign": CAMPAIGN, "seed": 7}
    assert ask(proxied, "POST", "/api/stories", body, "ada@example.org").status == 201
    answer = ask(proxied, "POST", "/api/stories", body, "ada@example.org")
    assert (answer.status, answer.code) == (409, "too_many_stories")
    assert ask(proxied, "POST", "/api/stories", body, "ben@example.org").status == 201


def test_a_header_that_no_trusted_proxy_sent_names_nobody(proxied: Server) -> None:
    direct = HTTPConnection("127.0.0.1", proxied.port, timeout=60)  # trusted, but not under the public name
    direct.request("GET", "/api/home", headers={HEADER: "olga@example.org"})
    answer = direct.getresponse()
    assert (answer.status, json.loads(answer.read())["error"]["code"]) == (401, "locked")
    direct.close()
    assert ask(proxied, "GET", "/api/home").status == 401


def test_from_other_addresses_the_header_is_worth_nothing(servers: Any) -> None:
    env = {
        "NARRATORIA_PUBLIC_ORIGIN": f"https://{PUBLIC}",
        "NARRATORIA_TRUSTED_PROXIES": "192.0.2.7",
        "NARRATORIA_IDENTITY_HEADER": HEADER,
        "NARRATORIA_OWNERS": "olga@example.org",
    }
    server: Server = servers(env=env).start()
    assert ask(server, "GET", "/api/home", who="olga@example.org").status == 421
    answer = server.ask("GET", "/api/home", key=False, headers={HEADER: "olga@example.org"})
    assert answer.status == 401
