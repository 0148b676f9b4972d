"""Behind a proxy the server goes by its public name, for that proxy alone."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.errors import NarratoriaException
from narratoria.web.access_keys import set_passphrase
from narratoria.web.public_origin import read_public_origin

ORIGIN = "https://stories.example.org"
PROXIED = {"Host": "stories.example.org", "X-Forwarded-For": "203.0.113.7"}


@pytest.fixture
def proxied(servers: Any) -> Any:
    """A server that a proxy on this machine stands before."""

    def start(proxies: str) -> Any:
        server = servers(env={"NARRATORIA_PUBLIC_ORIGIN": ORIGIN, "NARRATORIA_TRUSTED_PROXIES": proxies})
        set_passphrase(server.home / "web", "open sesame")
        return server.start()

    return start


def test_the_public_name_and_origin_are_ours_and_others_are_not(proxied: Any) -> None:
    server = proxied("127.0.0.1, 10.0.0.0/8")
    assert server.ask("GET", "/api/home", headers={**PROXIED, "Origin": ORIGIN}).status == 200
    for origin in ("http://stories.example.org", "https://evil.example", "null", server.origin):
        refused = server.ask("GET", "/api/home", headers={**PROXIED, "Origin": origin})
        assert (refused.status, refused.code) == (403, "cross_site")
    for host in ("evil.example", "stories.example.org.evil.example", "stories.example.org:1"):
        assert server.ask("GET", "/api/home", headers={**PROXIED, "Host": host}).status == 421
    assert server.ask("GET", "/api/home", headers={"Origin": server.origin}).status == 200  # this machine's


def test_players_of_a_proxy_give_the_passphrase_and_get_a_cookie_for_https_alone(proxied: Any) -> None:
    server = proxied("127.0.0.1")
    page = server.ask("GET", "/", key=False, headers=PROXIED)
    assert (page.status, page.headers["location"]) == (303, "/unlock")
    headers = {**PROXIED, "Content-Type": "application/x-www-form-urlencoded", "Origin": ORIGIN}
    opened = server.ask("POST", "/unlock", b"passphrase=open+sesame", key=False, headers=headers)
    (cookie,) = opened.cookies
    assert "secure" in cookie.lower()
    key = {"Cookie": cookie.partition(";")[0]}
    assert server.ask("GET", "/api/home", key=False, headers={**PROXIED, **key}).status == 200


def test_whoever_is_no_proxy_cannot_use_the_public_name(proxied: Any) -> None:
    server = proxied("10.0.0.5")
    refused = server.ask("GET", "/api/home", headers={**PROXIED, "Origin": ORIGIN})
    assert (refused.status, refused.code) == (421, "wrong_host")


def test_the_player_is_the_last_address_that_is_no_proxy() -> None:
    public = read_public_origin(
        {"NARRATORIA_PUBLIC_ORIGIN": f"{ORIGIN}/", "NARRATORIA_TRUSTED_PROXIES": "10.0.0.0/8"}
    )
    assert public is not None
    assert public.player_address("6.6.6.6, 203.0.113.7, 10.0.0.9", "10.0.0.5") == "203.0.113.7"
    assert public.player_address("", "10.0.0.5") == "10.0.0.5"
    assert not public.trusts("nobody")


@pytest.mark.parametrize(
    "environment",
    [
        {"NARRATORIA_PUBLIC_ORIGIN": "stories.example.org"},
        {"NARRATORIA_PUBLIC_ORIGIN": "https://stories.example.org/path"},
        {"NARRATORIA_PUBLIC_ORIGIN": "ftp://stories.example.org"},
        {"NARRATORIA_PUBLIC_ORIGIN": ORIGIN, "NARRATORIA_TRUSTED_PROXIES": "everybody"},
    ],
)
def test_a_setting_that_cannot_be_read_is_refused_with_an_example(environment: dict[str, str]) -> None:
    with pytest.raises(NarratoriaException, match="NARRATORIA_"):
        read_public_origin(environment)


def test_without_a_setting_nobody_stands_before_the_server() -> None:
    assert read_public_origin({}) is None
