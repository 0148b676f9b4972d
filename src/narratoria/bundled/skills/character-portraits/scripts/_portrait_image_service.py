"""Pictures of a service that speaks as OpenAI's images endpoint does."""

from __future__ import annotations

import binascii
import http.client
import json
import re
import time
from urllib.parse import urlsplit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from _portrait_records import PortraitSettings

URL = "https://api.openai.com/v1"
LARGEST = 24 * 1024 * 1024
NEAR = re.compile(r"localhost|127(?:\.\d+){3}|::1|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|[\w-]+\.local|[\w-]+")
MAGIC = ((b"\x89PNG\r\n\x1a\n", ".png"), (b"\xff\xd8\xff", ".jpg"), (b"RIFF", ".webp"))
STYLES = {
    "realistic": "a painterly, softly lit realistic bust portrait",
    "stylized": "a flat graphic woodcut poster portrait in few colours",
    "anime": "an anime portrait with large eyes and cel shading",
    "pixel": "a 64 by 64 pixel art portrait",
}


class NotSent(Exception):
    """The service gave no picture; says why."""


def ask(config: Mapping[str, Any], description: str, settings: PortraitSettings) -> tuple[bytes, str]:
    """Return the picture, and the ending its file should have."""
    until = time.monotonic() + settings.timeout_s
    body = {
        "model": config.get("hostedModel") or "gpt-image-1",
        "prompt": f"{STYLES[settings.preset]}, head and shoulders, no text, of: {description}"[:3500],
        "size": f"{settings.size}x{settings.size}",
        "n": 1,
    }
    url = str(config.get("hostedUrl") or URL).rstrip("/") + "/images/generations"
    answer = _fetched(url, str(config.get("hostedApiKey") or ""), json.dumps(body).encode(), until)
    try:
        first = json.loads(answer)["data"][0]
        packed, address = first.get("b64_json"), first.get("url")
        picture = binascii.a2b_base64(packed) if packed else _fetched(str(address), "", None, until)
    except (ValueError, LookupError, TypeError, AttributeError):
        raise NotSent("the service sent what is no picture") from None
    for magic, ending in MAGIC:
        if picture.startswith(magic):
            return picture, ending
    raise NotSent("the service sent what is no PNG, JPEG or WebP picture")


def _fetched(url: str, key: str, body: bytes | None, until: float) -> bytes:
    try:
        where = urlsplit(url)
        host, port = where.hostname, where.port
    except ValueError:
        raise NotSent(f"{url[:100]!r} is no address") from None
    if where.scheme not in ("http", "https") or not host:
        raise NotSent(f"{url[:100]!r} must begin with http:// or https://")
    if key and where.scheme == "http" and not NEAR.fullmatch(host):
        raise NotSent(f"{host} is not reached by https://, and the API key would travel in the clear")
    make = http.client.HTTPSConnection if where.scheme == "https" else http.client.HTTPConnection
    connection = make(host, port, timeout=max(0.1, until - time.monotonic()))
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    path = where.path + (f"?{where.query}" if where.query else "")
    try:
        connection.request("POST" if body else "GET", path or "/", body, headers if body else {})
        response = connection.getresponse()
        if response.status != 200:
            raise NotSent(f"the service at {host} refuses with status {response.status}")
        return _read(response, until)
    except TimeoutError:
        raise NotSent(f"the service at {host} takes too long") from None
    except (OSError, http.client.HTTPException) as problem:
        raise NotSent(
            f"the service at {host} cannot be reached: {str(problem) or type(problem).__name__}"
        ) from None
    finally:
        connection.close()


def _read(response: http.client.HTTPResponse, until: float) -> bytes:
    held = bytearray()
    while chunk := response.read1(65536):
        held += chunk
        if len(held) > LARGEST:
            raise NotSent("the service sent more than a picture")
        if time.monotonic() > until:
            raise TimeoutError
    return bytes(held)
