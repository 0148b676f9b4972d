"""Finds model servers on this machine, when the player asks for it and never otherwise.

Only the loopback address is asked, with plain GET requests that hold nothing of a story.
"""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from narratoria.inference.provider_presets import SERVERS, ServerPreset, is_loopback

HOST = "127.0.0.1"
ANSWER_TIMEOUT_S = 3.0  # of a server on this machine that is busy with something else
MAX_ANSWER = 1024 * 1024  # bytes
MAX_MODELS = 200
_OWNERS = {
    "llamacpp": "llama.cpp",
    "vllm": "vllm",
    "organization_owner": "lm-studio",
    "koboldcpp": "koboldcpp",
}


@dataclass(frozen=True, slots=True)
class FoundServer:
    name: str  # of its kind, such as "ollama"; "server" where it does not say
    title: str
    provider: str  # the storyteller's setting: how it speaks
    base_url: str
    models: tuple[str, ...]
    needs_key: bool = False


def find_servers(ports: Iterable[int] = ()) -> tuple[FoundServer, ...]:
    """Return the servers that answer on the usual ports and on these, in the order of their ports' list."""
    wanted = dict.fromkeys((*ports, *_ollama_port(), *(preset.port for preset in SERVERS)))
    with ThreadPoolExecutor(max_workers=len(wanted)) as pool:
        return tuple(server for server in pool.map(_probe, wanted) if server is not None)


def _ollama_port() -> tuple[int, ...]:
    """Return the port that `OLLAMA_HOST` names, if it is on this machine."""
    address = os.environ.get("OLLAMA_HOST", "")
    where = urlsplit(address if "://" in address else f"//{address}")
    try:
        port = where.port
    except ValueError:
        return ()
    here = is_loopback(where.hostname or "") or where.hostname in (None, "0.0.0.0", "::")
    return (port,) if port and here else ()


def _probe(port: int) -> FoundServer | None:
    status, text = _get(port, "/")
    if not status:
        return None
    if b"Ollama is running" in text:
        return _server(port, _preset("ollama"), _names(_json(port, "/api/tags"), "models", "name"))
    status, listed = _get(port, "/v1/models")
    if status in (401, 403):
        return _server(port, _by_port(port), (), needs_key=True)
    document = _parse(listed) if status == 200 else None
    if not isinstance(document, dict) or not isinstance(document.get("data"), list):
        return None
    preset = _preset(_kind(port, document)) or _by_port(port)
    return _server(port, preset, _names(document, "data", "id"))


def _kind(port: int, document: dict[str, Any]) -> str:
    owners = {one.get("owned_by") for one in document["data"] if isinstance(one, dict)}
    for owner, name in _OWNERS.items():
        if owner in owners:
            return name
    about = _json(port, "/api/extra/version")
    return "koboldcpp" if isinstance(about, dict) and about.get("result") == "KoboldCpp" else ""


def _server(
    port: int, preset: ServerPreset | None, models: tuple[str, ...], *, needs_key: bool = False
) -> FoundServer:
    provider = preset.provider if preset else "openai"
    return FoundServer(
        name=preset.name if preset else "server",
        title=preset.title if preset else "A server that speaks like OpenAI",
        provider=provider,
        base_url=f"http://{HOST}:{port}" + ("" if provider == "ollama" else "/v1"),
        models=models,
        needs_key=needs_key,
    )


def _preset(name: str) -> ServerPreset | None:
    return next((preset for preset in SERVERS if preset.name == name), None)


def _by_port(port: int) -> ServerPreset | None:
    """Return the program whose port this usually is; Ollama says who it is, and is not guessed."""
    return next((preset for preset in SERVERS if preset.port == port and preset.name != "ollama"), None)


def _names(document: Any, listed: str, key: str) -> tuple[str, ...]:
    """Return the names of the models that write; those that only embed are left out."""
    entries = document.get(listed) if isinstance(document, dict) else None
    names = (
        (one.get(key) for one in entries or () if isinstance(one, dict)) if isinstance(entries, list) else ()
    )
    writing = (
        name for name in names if isinstance(name, str) and 0 < len(name) <= 200 and name.isprintable()
    )
    return tuple(dict.fromkeys(name for name in writing if "embed" not in name.lower()))[:MAX_MODELS]


def _json(port: int, path: str) -> Any:
    status, text = _get(port, path)
    return _parse(text) if status == 200 else None


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _get(port: int, path: str) -> tuple[int, bytes]:
    """Return the status and the beginning of an answer; 0 where nobody answers as a web server does."""
    connection = http.client.HTTPConnection(HOST, port, timeout=ANSWER_TIMEOUT_S)
    try:
        connection.request("GET", path, headers={"Accept": "application/json, text/plain"})
        answer = connection.getresponse()
        return answer.status, answer.read(MAX_ANSWER)
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        connection.close()
