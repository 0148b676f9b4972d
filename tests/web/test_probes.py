"""Whoever watches a server learns without a key whether it is alive and ready, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(("path", "answer"), [("/healthz", "alive\n"), ("/readyz", "ready\n")])
@pytest.mark.parametrize("host", ["10.1.2.3:8719", "any.name", "127.0.0.1"])
def test_a_probe_is_answered_without_a_key_under_any_name(
    server: Any, path: str, answer: str, host: str
) -> None:
    got = server.ask("GET", path, key=False, headers={"Host": host})
    assert (got.status, got.content.decode()) == (200, answer)
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.cookies == ()


def test_a_server_whose_store_does_not_open_is_alive_and_not_ready(servers: Any) -> None:
    server = servers(env={"NARRATORIA_DATABASE_URL": "postgresql://ada:s3cret@/x?host=/nonexistent"}).start()
    assert server.ask("GET", "/healthz", key=False).status == 200
    got = server.ask("GET", "/readyz", key=False)
    assert (got.status, got.content) == (503, b"the store does not answer\n")


@pytest.mark.parametrize("path", ["/nothing", "/story", "/story/a/b/c", "/settings/more", "/healthz/x"])
def test_an_address_that_is_no_page_is_not_found(server: Any, path: str) -> None:
    assert server.ask("GET", path).status == 404
