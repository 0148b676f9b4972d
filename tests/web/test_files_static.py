"""The built app as it is served: one page for every address, files kept for as long as they are true."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest


@pytest.fixture(scope="module")
def named(server: Any) -> list[str]:
    """The files that the page names."""
    page = server.ask("GET", "/", key=False)
    assert page.status == 200
    found: list[str] = re.findall(r'(?:src|href)="(/[^"]+)"', page.content.decode())
    assert found
    return found


@pytest.mark.parametrize(
    "path", ["/", "/story/any-1", "/story/any-1/map", "/library/any-1", "/settings", "/new/tomorrows-post"]
)
def test_every_address_of_the_app_is_the_app(server: Any, path: str) -> None:
    page = server.ask("GET", path, key=False)
    assert page.status == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-cache"


def test_a_file_that_is_not_there_is_not_the_app(server: Any) -> None:
    for path in ("/assets/gone-12345678.js", "/robots.txt.html", "/sources.sha256"):
        assert server.ask("GET", path, key=False).status == 404, path


def test_the_page_names_only_files_of_this_server_and_no_script_stands_in_it(
    server: Any, named: list[str]
) -> None:
    page = server.ask("GET", "/", key=False).content.decode()
    assert "//" not in re.sub(r"<!--.*?-->", "", page, flags=re.DOTALL)
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert not re.search(r"\son\w+=|\sstyle=|<style", page)
    for path in named:
        assert server.ask("GET", path, key=False).status == 200, path


def test_files_with_a_hash_in_their_name_are_kept_for_ever(server: Any, named: list[str]) -> None:
    hashed = [path for path in named if re.search(r"-[\w-]{8,}\.\w+$", path)]
    assert hashed
    for path in hashed:
        assert "immutable" in server.ask("GET", path, key=False).headers["cache-control"], path


def test_text_is_sent_packed_to_whoever_can_unpack_it(server: Any, named: list[str]) -> None:
    for path in ("/", *(path for path in named if path.endswith((".js", ".css")))):
        plain = server.ask("GET", path, key=False)
        packed = server.ask("GET", path, key=False, headers={"Accept-Encoding": "gzip"})
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.content) == plain.content
        assert len(packed.content) < len(plain.content)


@pytest.mark.parametrize("headers", [{}, {"Accept-Encoding": "gzip"}])
def test_a_page_that_has_not_changed_is_not_sent_again(server: Any, headers: dict[str, str]) -> None:
    first = server.ask("GET", "/", key=False, headers=headers)
    again = server.ask("GET", "/", key=False, headers={**headers, "If-None-Match": first.headers["etag"]})
    assert (again.status, again.content) == (304, b"")
    assert "content-security-policy" in again.headers
