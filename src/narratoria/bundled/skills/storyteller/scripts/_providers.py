"""Streams text from hosted models over HTTP: Ollama, all that speak like OpenAI, and Claude."""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
from urllib.parse import urlsplit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    Limits: TypeAlias = tuple[int, float]  # the most tokens, and the temperature

URLS = {
    "ollama": "http://127.0.0.1:11434",
    "openai": "https://api.openai.com/v1",
    "claude": "https://api.anthropic.com",
}
MODELS = {"ollama": "llama3.2", "openai": "gpt-4o-mini", "claude": "claude-haiku-4-5"}
PATHS = {"ollama": "/api/chat", "openai": "/chat/completions", "claude": "/v1/messages"}
NAMES = {"ollama": "Ollama", "openai": "the OpenAI-compatible service", "claude": "Claude"}
ADAPTED = 2  # times a request is put otherwise for a model that refuses one of its settings
MAX_LINE = 256 * 1024
MAX_BYTES = 4 * 1024 * 1024
NEAR = re.compile(
    r"localhost|127(?:\.\d+){3}|\[?::1\]?|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|[\w-]+\.local|[\w-]+"
)


class ProviderError(Exception):
    """The provider gave no answer, or no whole one; the message is for a person."""


class ProviderRequest:
    """One request to one provider."""

    def __init__(self, provider: str, *, url: str, model: str, key: str, timeout_s: float) -> None:
        self.provider, self._key, self._timeout_s = provider, key, timeout_s
        self._url = (url or URLS[provider]).rstrip("/")
        self._model = model or MODELS[provider]

    def stream(self, system: str, prompt: str, *, limits: Limits) -> Iterator[str]:
        """Yield the text piece by piece; raise ProviderError at the first thing that goes wrong."""
        connection = self._connect()
        try:
            yield from self._converse(connection, _body(self.provider, self._model, system, prompt, limits))
        except TimeoutError:
            raise ProviderError(f"{self.name} has said nothing for {self._timeout_s:g} s") from None
        except ssl.SSLError as error:
            raise ProviderError(f"{self.name} cannot be trusted: {error.reason or error}") from None
        except http.client.IncompleteRead:
            raise ProviderError(f"{self.name} broke off") from None
        except (OSError, http.client.HTTPException) as error:
            raise ProviderError(f"{self.name} cannot be reached: {_reason(error)}") from None
        finally:
            connection.close()

    @property
    def name(self) -> str:
        return NAMES[self.provider]

    def _connect(self) -> http.client.HTTPConnection:
        try:
            where = urlsplit(self._url)
            port = where.port
        except ValueError:
            raise ProviderError(f"baseUrl {self._url!r} is no address") from None
        if where.scheme not in ("http", "https") or not where.hostname:
            raise ProviderError(f"baseUrl {self._url!r} must begin with http:// or https://")
        self._path = where.path.rstrip("/") + PATHS[self.provider]
        if where.scheme == "https":
            return http.client.HTTPSConnection(where.hostname, port, timeout=self._timeout_s)
        if self._key and not NEAR.fullmatch(where.hostname):
            raise ProviderError(
                f"{self._url} is not encrypted, and the API key would travel in the clear: use https://"
            )
        return http.client.HTTPConnection(where.hostname, port, timeout=self._timeout_s)

    def _converse(self, connection: http.client.HTTPConnection, body: dict[str, Any]) -> Iterator[str]:
        answer = self._post(connection, body)
        for _ in range(ADAPTED):
            if answer.status != 400:
                break
            refusal = _message(answer.read(4096))
            other = _without(body, refusal)
            if other == body:
                raise ProviderError(
                    f"{self.name} refuses (status 400): {refusal}" if refusal else f"{self.name} refuses"
                )
            connection.close()  # what is left of the refusal is not read
            body = other
            answer = self._post(connection, body)
        if answer.status != 200:
            raise ProviderError(self._refusal(answer))
        kind = (answer.getheader("Content-Type") or "").partition(";")[0].strip().lower()
        if kind == "application/json" and self.provider != "ollama":
            yield _whole(self.name, answer.read(MAX_BYTES))
            return
        if kind not in ("text/event-stream", "application/x-ndjson", "application/json"):
            raise ProviderError(
                f"{self.name} answered with {kind or 'nothing that it names'}: is baseUrl right?"
            )
        lines = _lines(answer)
        yield from (_ndjson(self.name, lines) if self.provider == "ollama" else self._events(lines))

    def _post(self, connection: http.client.HTTPConnection, body: dict[str, Any]) -> http.client.HTTPResponse:
        connection.request("POST", self._path, json.dumps(body).encode(), self._headers())
        return connection.getresponse()

    def _events(self, lines: Iterator[bytes]) -> Iterator[str]:
        """Server-sent events: the data of one may take several lines, and a blank line ends it."""
        data: list[bytes] = []
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[5:].lstrip())
            elif not line and data:
                text, data = b"\n".join(data), []
                if text.strip() == b"[DONE]":
                    return
                piece, ended = _piece(self.provider, self.name, _decoded(self.name, text))
                if piece:
                    yield piece
                if ended:
                    return
        raise ProviderError(f"{self.name} broke off")

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/x-ndjson"}
        if self.provider == "claude":
            headers |= {"x-api-key": self._key, "anthropic-version": "2023-06-01"}
        elif self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        return headers

    def _refusal(self, answer: http.client.HTTPResponse) -> str:
        message = _message(answer.read(4096))
        match answer.status:
            case 401 | 403:
                reason = "refuses the API key"
            case 404:
                reason = f"does not know the model {self._model!r}, or baseUrl is wrong"
            case 429:
                reason = "wants fewer requests, or its credit is spent"
            case status if 300 <= status < 400:
                reason = "sends us elsewhere; set baseUrl to where it is"
            case status if status >= 500:
                reason = f"is in trouble (status {status})"
            case status:
                reason = f"refuses (status {status})"
        return f"{self.name} {reason}{f': {message}' if message else ''}"


def _body(provider: str, model: str, system: str, prompt: str, limits: Limits) -> dict[str, Any]:
    tokens, temperature = limits
    user = {"role": "user", "content": prompt}
    common: dict[str, Any] = {"model": model, "stream": True}
    if provider == "claude":
        warmth = min(temperature, 1.0)
        return {
            **common,
            "max_tokens": tokens,
            "temperature": warmth,
            "system": system,
            "messages": [user],
        }
    common["messages"] = [{"role": "system", "content": system}, user]
    if provider == "ollama":
        return {**common, "options": {"num_predict": tokens, "temperature": temperature}}
    return {**common, "max_tokens": tokens, "temperature": temperature}


def _without(body: dict[str, Any], refusal: str) -> dict[str, Any]:
    """Return the request without what this model refuses, or under the name that it wants instead."""
    if "max_tokens" in body and "max_completion_tokens" in refusal:
        others = {name: value for name, value in body.items() if name != "max_tokens"}
        return {**others, "max_completion_tokens": body["max_tokens"]}
    if "temperature" in body and "temperature" in refusal:
        return {name: value for name, value in body.items() if name != "temperature"}
    return body


def _lines(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    held, size = b"", 0
    while chunk := answer.read1(8192):
        size += len(chunk)
        held += chunk
        *whole, held = held.split(b"\n")
        if size > MAX_BYTES or len(held) > MAX_LINE:
            raise ProviderError("the answer is longer than any scene")
        for line in whole:
            yield line.removesuffix(b"\r")
    if held:
        yield held


def _ndjson(name: str, lines: Iterator[bytes]) -> Iterator[str]:
    for line in lines:
        if not line.strip():
            continue
        chunk = _decoded(name, line)
        if "error" in chunk:
            raise ProviderError(f"{name} gave up: {_short(chunk['error'])}")
        message = chunk.get("message")
        text = message.get("content") if isinstance(message, dict) else chunk.get("response")
        if isinstance(text, str) and text:
            yield text
        if chunk.get("done") is True:
            return
    raise ProviderError(f"{name} broke off")


def _piece(provider: str, name: str, event: dict[str, Any]) -> tuple[str, bool]:
    """Return the text of an event, and whether it was the last."""
    if event.get("type") == "error" or "error" in event:
        error = event.get("error")
        raise ProviderError(
            f"{name} gave up: {_short(error.get('message') if isinstance(error, dict) else error)}"
        )
    if provider == "claude":
        delta = event.get("delta")
        text = delta.get("text") if isinstance(delta, dict) else None
        return (text if isinstance(text, str) else ""), event.get("type") == "message_stop"
    choices = event.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    delta = first.get("delta")
    text = delta.get("content") if isinstance(delta, dict) else None
    return (text if isinstance(text, str) else ""), bool(first.get("finish_reason"))


def _whole(name: str, text: bytes) -> str:
    """Return the answer of a service that does not stream."""
    document = _decoded(name, text)
    choices, content = document.get("choices"), document.get("content")
    answer: Any = None
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        message = choices[0].get("message")
        answer = message.get("content") if isinstance(message, dict) else None
    elif isinstance(content, list) and content and isinstance(content[0], dict):
        answer = content[0].get("text")
    if not isinstance(answer, str) or not answer.strip():
        raise ProviderError(f"{name} sent an answer without a text")
    return answer


def _decoded(name: str, text: bytes) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ProviderError(f"{name} sent what cannot be read") from None
    if not isinstance(document, dict):
        raise ProviderError(f"{name} sent what cannot be read")
    return document


def _message(text: bytes) -> str:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    error = document.get("error") if isinstance(document, dict) else None
    return _short(error.get("message") if isinstance(error, dict) else error)


def _short(value: Any) -> str:
    text = " ".join(str(value or "").split())
    return text if len(text) <= 160 else f"{text[:160]}…"


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nobody answers there"
    if isinstance(error, socket.gaierror):
        return "its name is not known here; is there a network?"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
