"""Counts tokens at a server of this machine or the home network that tells how its model reads a text.

llama.cpp's own server and vLLM have `/tokenize` beside `/v1`; whoever has not is not asked a second time.
"""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

from _provider_features import find_features

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

TIMEOUT_S = 2.0  # for one text
_without: set[str] = set()  # servers that do not count


def count_at_server(
    provider: str, texts: Sequence[str], *, url: str, model: str, key: str
) -> list[int] | None:
    """Return the tokens of each text; None for a server that is far away or cannot say."""
    if provider != "openai" or url in _without or find_features(provider, url, model).cache != "cache_prompt":
        return None
    try:
        return _ask(texts, url, model, key)
    except (OSError, ValueError, TypeError, http.client.HTTPException):
        _without.add(url)
        return None


def _ask(texts: Sequence[str], url: str, model: str, key: str) -> list[int]:
    where = urlsplit(url)
    kind = http.client.HTTPSConnection if where.scheme == "https" else http.client.HTTPConnection
    connection = kind(where.hostname or "", where.port, timeout=TIMEOUT_S)
    path = f"{where.path.rstrip('/').removesuffix('/v1')}/tokenize"
    try:
        return [_count_text(connection, path, model, key, text) for text in texts]
    finally:
        connection.close()


def _count_text(connection: http.client.HTTPConnection, path: str, model: str, key: str, text: str) -> int:
    # llama.cpp reads `content`, vLLM `model` and `prompt`
    body = json.dumps({"content": text, "prompt": text, "model": model, "add_special_tokens": False})
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
    connection.request("POST", path, body, headers)
    answer = connection.getresponse()
    document: Any = json.loads(answer.read())
    if answer.status != 200 or not isinstance(document, dict):
        raise ValueError("it does not count")
    tokens, count = document.get("tokens"), document.get("count")
    if isinstance(tokens, list):
        return len(tokens)
    if isinstance(count, int):
        return count
    raise ValueError("it does not count")
