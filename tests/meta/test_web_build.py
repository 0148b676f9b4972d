"""The built page is made of the sources beside it, is small, and asks for nothing from elsewhere."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
STATIC = ROOT / "src/narratoria/web/static"
SOURCES = (  # as web/sources.mjs names them
    "index.html",
    "package-lock.json",
    "public",
    "sources.mjs",
    "src",
    "svelte.config.js",
    "theme.mjs",
    "tsconfig.json",
    "vite.config.ts",
)
LARGEST, LARGEST_SENT = 527_000, 300_000


def _files() -> Iterator[Path]:
    for name in SOURCES:
        path = WEB / name
        yield from (path,) if path.is_file() else (one for one in path.rglob("*") if one.is_file())


def _hash_of_sources() -> str:
    named = sorted((path.relative_to(WEB).as_posix(), path) for path in _files())
    whole = hashlib.sha256()
    for name, path in named:
        whole.update(f"{name}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def test_the_build_was_made_of_these_sources() -> None:
    recorded = (STATIC / "sources.sha256").read_text().strip()
    assert recorded == _hash_of_sources(), "web/ was changed and not built: run `make web` and commit both"


def test_the_build_is_small() -> None:
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < LARGEST
    # all of it as it is sent; tests/browser/test_browser_weight.py has what the first page loads of it
    assert sum(len(_as_sent(path)) for path in files) < LARGEST_SENT


def _as_sent(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.compress(content, 9) if path.suffix in (".js", ".css", ".html", ".svg") else content


def test_the_page_holds_nothing_that_its_content_security_policy_would_refuse() -> None:
    page = (STATIC / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=", page)
    assert all(re.search(r'\ssrc="/', tag) for tag in re.findall(r"<script[^>]*>", page)), (
        "a script in the page itself would not run"
    )
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)


def test_every_file_that_the_page_names_is_there() -> None:
    page = (STATIC / "index.html").read_text()
    named = re.findall(r'(?:src|href)="(/[^"]+)"', page)
    assert named
    assert [path for path in named if not (STATIC / path.lstrip("/")).is_file()] == []


def test_the_lock_names_no_place_to_fetch_from() -> None:
    assert "resolved" not in (WEB / "package-lock.json").read_text()
