"""A page of another site in the player's browser, and what an address or a command line gives away."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.web.serving import Server

from narratoria.web.access_keys import AccessKeys, ticket_for


@pytest.mark.parametrize("method", ["OPTIONS", "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "TRACE"])
@pytest.mark.parametrize("path", ["/", "/api/home", "/api/stories", "/api/settings", "/unlock"])
def test_no_other_site_is_ever_told_that_it_may_read(server: Server, method: str, path: str) -> None:
    asked = {
        "Origin": "http://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
        "Access-Control-Request-Private-Network": "true",
    }
    answer = server.ask(method, path, headers=asked)
    assert answer.status == 403
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_form_that_another_site_sends_with_the_players_cookie_changes_nothing(
    server: Server, kind: str
) -> None:
    (cookie,) = server.ask("GET", f"/?token={server.token}", key=False).cookies
    headers = {"Cookie": cookie.partition(";")[0], "Content-Type": kind, "Origin": "http://evil.example"}
    before = server.get("/api/settings")
    refused = server.ask("PUT", "/api/settings", b'{"theme": "light"}', key=False, headers=headers)
    assert (refused.status, refused.code) == (403, "cross_site")
    assert server.ask("POST", "/api/stories", b"{}", key=False, headers=headers).status == 403
    assert server.get("/api/settings") == before
    assert server.get("/api/home")["stories"] == []


def test_the_key_is_in_no_address_that_the_server_gives_out(server: Server) -> None:
    for path in ("/", "/api/home", "/api/settings", "/api/privacy", "/api/openapi.json"):
        assert server.token.encode() not in server.ask("GET", path).content
    locked = server.ask("GET", f"/api/home?token={server.token}", key=False)
    assert locked.status == 401, (
        "in an address of the API the token opens nothing: addresses are written down"
    )


def test_no_answer_may_be_framed_embedded_or_kept(server: Server) -> None:
    for path in ("/", "/api/home", "/unlock", "/nothing.js"):
        headers = server.ask("GET", path).headers
        assert headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["referrer-policy"] == "no-referrer"
    assert server.ask("GET", "/api/home").headers["cache-control"] == "no-store"


def test_a_ticket_opens_the_server_once_and_is_no_key(server: Server) -> None:
    ticket = ticket_for(server.token)
    assert (
        server.ask("GET", "/api/home", key=False, headers={"Authorization": f"Bearer {ticket}"}).status == 401
    )
    assert len(server.ask("GET", f"/?token={ticket}", key=False).cookies) == 1
    assert server.ask("GET", f"/?token={ticket}", key=False).cookies == ()


@pytest.mark.parametrize(
    "forged", ["", ".", "a", "a.", ".b", "a.b", "{number}.", "{number}.{sign}x", "x{number}.{sign}"]
)
def test_a_ticket_cannot_be_made_without_the_token(forged: str) -> None:
    keys = AccessKeys("the token", "the cookie")
    number, _, sign = ticket_for(keys.token).partition(".")
    assert not keys.redeem(forged.format(number=number, sign=sign))
    assert not keys.redeem(ticket_for("another token"))
    assert keys.redeem(f"{number}.{sign}")


@pytest.mark.skipif(os.name != "posix", reason="a script stands in for the browser")
def test_the_browsers_command_line_which_all_can_read_holds_no_lasting_key(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nprintf "%s" "$1" > {tmp_path}/seen.part && mv {tmp_path}/seen.part {tmp_path}/seen\n'
    )
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    env = {
        **os.environ,
        "BROWSER": f"{browser} %s &",
        "NARRATORIA_HOME": str(tmp_path / "home"),
        "NARRATORIA_HUB": "http://127.0.0.1:9",
    }
    command = [sys.executable, "-m", "narratoria.cli", "play", "--browser", "--port", "0"]
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=tmp_path
    )
    assert process.stdout is not None
    try:
        said = process.stdout.readline().decode()
        for _ in range(600):
            if (tmp_path / "seen").exists():
                break
            subprocess.run(["sleep", "0.1"], check=True)
        seen = (tmp_path / "seen").read_text()
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
    token = json.loads((tmp_path / "home/web/server.json").read_text())["token"]
    assert "?token=" in seen, said
    assert token not in seen
