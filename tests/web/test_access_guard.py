"""Who may come in, and by which name and from whose page."""

from __future__ import annotations

from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

STRICT = (
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
)


def test_the_token_of_the_address_becomes_a_cookie_and_leaves_the_address(server: Any) -> None:
    welcome = server.ask("GET", f"/?token={server.token}&page=2", key=False)
    assert (welcome.status, welcome.headers["location"]) == (303, "/?page=2")
    (cookie,) = welcome.cookies
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    name_and_value = cookie.partition(";")[0]
    assert server.token not in cookie
    assert server.ask("GET", "/api/home", key=False, headers={"Cookie": name_and_value}).status == 200


@pytest.mark.parametrize(
    "path", ["/api/home", "/api/skills", "/api/openapi.json", "/api", "/api/stories/x/assets/y"]
)
def test_without_a_key_the_api_is_locked(server: Any, path: str) -> None:
    refused = server.ask("GET", path, key=False)
    assert (refused.status, refused.code) == (401, "locked")
    assert "narratoria play" in refused.json["error"]["advice"]


def test_a_wrong_token_opens_nothing(server: Any) -> None:
    assert server.ask("GET", "/?token=guess", key=False).cookies == ()
    assert server.ask("GET", "/api/home", key=False, headers={"Authorization": "Bearer guess"}).status == 401
    cookie = f"narratoria_{server.port}={server.token}"
    assert server.ask("GET", "/api/home", key=False, headers={"Cookie": cookie}).status == 401


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", "",
     "10.0.0.1:{port}",     "localhost:{port}@evil.example", "0.0.0.0:{port}"],
)  # fmt: skip
def test_a_name_that_was_made_to_point_here_is_refused(server: Any, host: str) -> None:
    refused = server.ask("GET", "/api/home", headers={"Host": host.format(port=server.port)})
    assert (refused.status, refused.code) == (421, "wrong_host")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_names_of_this_machine_are_let_in(server: Any, host: str) -> None:
    assert server.ask("GET", "/api/home", headers={"Host": f"{host}:{server.port}"}).status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://localhost:{port}",
     "file://",     "http://127.0.0.1:{port}.evil.example", ""],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_page_of_another_origin_is_refused(server: Any, method: str, origin: str) -> None:
    headers = {"Origin": origin.format(port=server.port)}
    refused = server.ask(method, "/api/home", headers=headers)
    assert (refused.status, refused.code) == (403, "cross_site")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_of_another_port_is_as_foreign_as_one_of_another_site(server: Any, site: str) -> None:
    refused = server.ask("GET", "/api/home", headers={"Sec-Fetch-Site": site})
    assert (refused.status, refused.code) == (403, "cross_site")


def test_our_own_page_is_let_in(server: Any) -> None:
    headers = {"Origin": server.origin, "Sec-Fetch-Site": "same-origin"}
    assert server.ask("GET", "/api/home", headers=headers).status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:{port}"])
def test_a_strangers_page_opens_no_stream_though_the_browser_has_the_key(server: Any, origin: str) -> None:
    headers = {"Authorization": f"Bearer {server.token}", "Origin": origin.format(port=server.port)}
    with pytest.raises(InvalidStatus) as refused:
        server.follow("any", **headers)
    assert refused.value.response.status_code == 403


def test_a_stream_under_another_name_is_refused(server: Any) -> None:
    headers = {"Authorization": f"Bearer {server.token}"}
    address = f"ws://evil.example:{server.port}/api/stories/any/events"
    with pytest.raises(InvalidStatus) as refused:
        connect(address, additional_headers=headers, address=("127.0.0.1", server.port))
    assert refused.value.response.status_code == 403


def test_a_stream_without_a_key_is_closed_as_locked(server: Any) -> None:
    with server.follow("any", Cookie="nothing=1") as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401


@pytest.mark.parametrize(
    "path", ["/", "/story/x", "/api/home", "/api/nowhere", "/unlock", "/nothing.js", "/?token=x"]
)
def test_every_answer_has_the_strict_headers(server: Any, path: str) -> None:
    headers = server.ask("GET", path).headers
    policy = headers["content-security-policy"]
    assert all(part in policy for part in STRICT)
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert "server" not in headers


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example", "/%5cevil.example"])
def test_the_way_in_leads_nowhere_else(server: Any, path: str) -> None:
    location = server.ask("GET", f"{path}?token={server.token}", key=False).headers.get("location", "/")
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/api/nowhere"), ("POST", "/api/home"), ("DELETE", "/api"), ("GET", "/api/")]
)
def test_an_unknown_route_says_where_to_look(server: Any, method: str, path: str) -> None:
    refused = server.ask(method, path)
    assert (refused.status, refused.code) == (404, "no_such_route")
    assert "/api/openapi.json" in refused.json["error"]["advice"]
