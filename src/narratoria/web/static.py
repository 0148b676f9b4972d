"""Serves the built app: one page for all its addresses, and files whose names hold their hash."""

from __future__ import annotations

import gzip
import hashlib
import re
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from narratoria.web.files import find_inside

STATIC = Path(__file__).parent / "static"
INDEX = "index.html"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
FOR_EVER = "public, max-age=31536000, immutable"
ASK_FIRST = "no-cache"  # kept, and asked about each time: what is new is seen at once
_HASHED = re.compile(r"-[A-Za-z0-9_-]{8,}\.\w+$")
PACKED = frozenset({".css", ".html", ".js", ".json", ".svg", ".webmanifest"})
_ENCODINGS = (("br", ".br"), ("gzip", ".gz"))  # where a build brings packed files of its own


async def show_app(request: Request) -> Response:
    """Return a file of the app, or the app itself for an address that is one of its pages."""
    relative = request.path_params.get("path", "")
    if relative and (file := find_inside(STATIC, relative)) and file.suffix in TYPES:
        return _file(file, relative, request)
    if "." in relative.rpartition("/")[2]:
        return PlainTextResponse("There is no such file.", 404)
    if not (STATIC / INDEX).is_file():
        message = "The app was not built into this package. From a checkout, `make web` builds it."
        return PlainTextResponse(message, 503)
    return _file(STATIC / INDEX, INDEX, request)


def _file(path: Path, relative: str, request: Request) -> Response:
    headers = {
        "cache-control": FOR_EVER if _HASHED.search(relative) else ASK_FIRST,
        "vary": "accept-encoding",
    }
    accepted = {one.split(";")[0].strip() for one in request.headers.get("accept-encoding", "").split(",")}
    for encoding, ending in _ENCODINGS:
        packed = path.with_name(path.name + ending)
        if encoding in accepted and packed.is_file():
            return FileResponse(
                packed, headers={**headers, "content-encoding": encoding}, media_type=TYPES[path.suffix]
            )
    if "gzip" in accepted and path.suffix in PACKED:
        content, tag = _packed(path, path.stat().st_mtime_ns)
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={**headers, "etag": tag})
        headers |= {"content-encoding": "gzip", "etag": tag}
        return Response(content, headers=headers, media_type=TYPES[path.suffix])
    response = FileResponse(path, headers=headers, media_type=TYPES[path.suffix])
    if request.headers.get("if-none-match") and relative == INDEX:
        return _unless_changed(response, path, request)
    return response


@lru_cache(maxsize=64)
def _packed(path: Path, _changed: int) -> tuple[bytes, str]:
    """Return the file packed once, and a tag for this version of it."""
    content = gzip.compress(path.read_bytes(), 9, mtime=0)
    return content, f'"{hashlib.sha256(content).hexdigest()[:20]}"'


def _unless_changed(response: FileResponse, path: Path, request: Request) -> Response:
    response.set_stat_headers(path.stat())
    if response.headers.get("etag") == request.headers["if-none-match"]:
        headers = {
            key: value for key, value in response.headers.items() if key in ("etag", "cache-control", "vary")
        }
        return Response(status_code=304, headers=headers)
    return response
