"""Serves the built app, and the pictures, sound and film of a folder, each under a fixed type."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from narratoria.web.operation import ApiError

# what is not here is not shown: nothing that a browser would run or render as a page
MEDIA = {
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
    ".mp3": "audio/mpeg",
    ".oga": "audio/ogg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".wav": "audio/wav",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
}
PLAIN = "application/octet-stream"
# a drawing opened by itself is a document: no scripts, no origin, nothing fetched; its own colours may stay
SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'"
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?", re.IGNORECASE)


def asset_address(story: str, asset_id: str) -> str:
    return f"/api/stories/{quote(story, safe='')}/assets/{quote(asset_id, safe='')}"


def file_address(campaign: str, path: str) -> str:
    return f"/api/campaigns/{quote(campaign, safe='')}/files/{quote(path)}"


def find_inside(folder: Path, relative: str) -> Path | None:
    """Return the plain file at this path below the folder, links followed; None for anything else."""
    if not _is_plain_name(relative):
        return None
    try:
        root = folder.resolve()
        path = (root / relative).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return None
    return path if path.is_relative_to(root) and path.is_file() else None


def is_below(path: Path, folders: Iterable[Path]) -> bool:
    """Return whether a file, with all links followed, lies in one of the folders."""
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return False
    return real.is_file() and any(real.is_relative_to(folder.resolve()) for folder in folders)


def media_type(path: Path | str) -> str | None:
    return MEDIA.get(os.path.splitext(str(path))[1].lower())  # noqa: PTH122  a name may be no path here


def show_file(path: Path, *, type_: str | None = None) -> Response:
    """Return the file under its fixed type; what browsers could render as a page is sent as bytes to keep."""
    fixed_type = media_type(path)
    if fixed_type is None or (type_ is not None and type_ not in MEDIA.values()):
        name = re.sub(r"[^\w.-]", "_", path.name)
        disposition = {"content-disposition": f'attachment; filename="{name}"'}
        return FileResponse(
            path, media_type=PLAIN, headers={"content-security-policy": SANDBOX, **disposition}
        )
    headers = {"content-security-policy": SANDBOX, "cache-control": "private, max-age=3600"}
    return FileResponse(path, media_type=fixed_type, headers=headers)


def file_not_found(relative: str) -> ApiError:
    return ApiError(404, "not_found", f"There is no picture, sound or film {relative!r} to show.")


def _is_plain_name(relative: str) -> bool:
    """Return whether every system reads this as a path that goes down and nowhere else."""
    if not relative or len(relative) > 1000 or any(ord(letter) < 32 for letter in relative):
        return False
    if any(letter in relative for letter in '\\:*?"<>|'):
        return False
    parts = PurePosixPath(relative).parts
    if relative.startswith("/") or "/".join(parts) != relative:
        return False
    return all(
        part not in (".", "..") and part[0] != "." and part[-1] not in ". " and not _DEVICES.fullmatch(part)
        for part in parts
    )


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


# as web/src/lib/router.svelte.ts reads them; ids and names are whatever they are
_PAGES = re.compile(r"|settings/?|(?:campaign|new|library)/[^/]+/?|story/[^/]+(?:/[a-z]+)?/?")


async def show_app(request: Request) -> Response:
    """Return a file of the app, or the app itself for an address that is one of its pages."""
    relative = request.path_params.get("path", "")
    if relative and (file := find_inside(STATIC, relative)) and file.suffix in TYPES:
        return _file(file, relative, request)
    if "." in relative.rpartition("/")[2]:
        return PlainTextResponse("There is no such file.", 404)
    if not _PAGES.fullmatch(relative):
        return PlainTextResponse("There is no such page.", 404)
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
