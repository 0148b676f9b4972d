"""The page that asks for the passphrase, and how often one may guess."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from narratoria.web.access_guard import PassphrasePage
from narratoria.web.access_keys import open_access_keys, set_passphrase


async def test_guesses_that_come_all_at_once_are_counted_one_by_one(tmp_path: Path) -> None:
    set_passphrase(tmp_path, "a long winter")
    page = PassphrasePage(open_access_keys(tmp_path, guarded=True))

    async def guess(passphrase: str) -> int:
        async def body() -> dict[str, Any]:
            return {"type": "http.request", "body": urlencode({"passphrase": passphrase}).encode()}

        door = {"type": "http", "method": "POST", "headers": [], "client": ("192.0.2.7", 1)}
        return (await page.unlock(Request(door, body))).status_code

    statuses = await asyncio.gather(*(guess(f"guess {number}") for number in range(20)))
    assert sorted(statuses) == [403] * 5 + [429] * 15
    assert await guess("a long winter") == 429


def test_a_network_comes_in_by_the_passphrase(servers: Any) -> None:
    server = servers(args=("--host", "0.0.0.0"), stdin=b"a long winter\na long winter\n").start()
    kept = (server.home / "web" / "passphrase.json").read_bytes()
    assert b"winter" not in kept

    def guess(passphrase: str) -> Any:
        body = urlencode({"passphrase": passphrase}).encode()
        return server.ask("POST", "/unlock", body, key=False, headers={"Origin": server.origin})

    door = server.ask("GET", "/story/any", key=False)
    assert (door.status, door.headers["location"]) == (303, "/unlock")
    assert server.ask("GET", "/unlock", key=False).status == 200
    assert guess("spring").status == 403
    welcome = guess("a long winter")
    assert (welcome.status, welcome.headers["location"]) == (303, "/")
    cookie = welcome.cookies[0].partition(";")[0]
    for path in ("/", "/api/home"):
        assert server.ask("GET", path, key=False, headers={"Cookie": cookie}).status == 200
    statuses = [guess(f"guess {number}").status for number in range(7)]
    assert statuses == [403] * 5 + [429] * 2
    too_often = guess("a long winter")
    assert too_often.status == 429
    assert int(too_often.headers["retry-after"]) > 0
    refused = server.ask("GET", "/api/home", headers={"Host": f"evil.example:{server.port}"})
    assert refused.code == "wrong_host"


def test_without_a_passphrase_the_door_stays_shut(server: Any) -> None:
    refused = server.ask("POST", "/unlock", b"passphrase=", key=False, headers={"Origin": server.origin})
    assert refused.status == 403
    assert refused.cookies == ()
