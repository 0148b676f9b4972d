"""Streams text from hosted models over HTTP: Ollama, all that speak like OpenAI, and Claude.

An empty piece says that the provider is at work, thinking or waiting; whoever reads need not give it up.
"""

from __future__ import annotations

import atexit
import http.client
import json
import socket
import ssl
import threading
import time
from urllib.parse import urlsplit

from _provider_dialects import (
    AnswerPart,
    ProviderQuestion,
    Unreadable,
    put_otherwise,
    put_question,
    read_message,
    read_parts,
    read_whole,
)
from _provider_features import find_features, is_near

from narratoria.sdk import quick_answer
from narratoria.sdk.request import read_request
from narratoria.sdk.usage import Usage, UsageLog, read_budget, spent

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
ADAPTED = 4  # times a request is put otherwise for a model that refuses one of its settings
WAITS = 2  # times that a provider which names a time is waited for
MAX_WAIT_S = 20.0
MAX_SILENCE_S = 180.0  # of a provider that shows signs of life and writes nothing
COUNT_TIMEOUT_S = 2.0  # for what it counted, after its last word
MAX_LINE = 256 * 1024
MAX_BYTES = 4 * 1024 * 1024
LOOK_EVERY_S = 0.5  # whether the player takes the quick answer
_TRY_AGAIN = (429, 503, 529)
_PER_TOKEN = 4  # characters, of those that nobody counted


class ProviderError(Exception):
    """The provider gave no answer, or no whole one; the message is for a person."""


class ProviderRequest:
    """One request to one provider, within its budget, and counted."""

    def __init__(self, provider: str, *, url: str, model: str, key: str, timeout_s: float) -> None:
        self.provider, self._key, self._timeout_s = provider, key, timeout_s
        self._url = (url or URLS[provider]).rstrip("/")
        self._model = model or MODELS[provider]
        self.features = find_features(provider, self._url, self._model)

    def stream(
        self,
        system: str,
        prompt: str,
        *,
        limits: Limits,
        stable: str = "",
        schema: dict[str, Any] | None = None,
    ) -> Iterator[str]:
        """Yield the text piece by piece; raise ProviderError at the first thing that goes wrong.

        `stable` is the beginning of the prompt that stays the same from turn to turn, and is marked for
        caches. With a `schema` the pieces are JSON where the provider can be held to one.
        """
        account = _Account(self.provider, self._model)
        if reason := account.spent():
            raise ProviderError(reason)
        if quick_answer.is_taken():
            raise ProviderError(quick_answer.TAKEN)
        connection = self._connect()
        watch = _QuickAnswerWatch(connection)
        try:
            question = ProviderQuestion(system, stable, prompt, *limits, schema)
            body = put_question(self.provider, self._model, question, self.features)
            yield from self._converse(connection, body, account)
        except Exception:
            if watch.is_taken:
                raise ProviderError(quick_answer.TAKEN) from None
            raise
        finally:
            connection.close()
            watch.stop()
            account.settle()

    def _converse(
        self, connection: http.client.HTTPConnection, body: dict[str, Any], account: _Account
    ) -> Iterator[str]:
        """Yield the text of an answer, and name in words whatever goes wrong."""
        try:
            yield from self._ask(connection, body, account)
        except TimeoutError:
            raise ProviderError(f"{self.name} has said nothing for {self._timeout_s:g} s") from None
        except ssl.SSLError as error:
            raise ProviderError(f"{self.name} cannot be trusted: {error.reason or error}") from None
        except http.client.IncompleteRead:
            raise ProviderError(f"{self.name} broke off") from None
        except Unreadable as error:
            gave_up = "gave up: " if error.gave_up else ""
            raise ProviderError(f"{self.name} {gave_up}{error}") from None
        except (OSError, http.client.HTTPException) as error:
            raise ProviderError(f"{self.name} cannot be reached: {_reason(error)}") from None

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
        if not (self._key.isascii() and self._key.isprintable()):
            raise ProviderError("the API key holds characters that no key has: paste it again")
        self._path = where.path.rstrip("/") + PATHS[self.provider]
        if where.scheme == "https":
            return http.client.HTTPSConnection(where.hostname, port, timeout=self._timeout_s)
        if self._key and not is_near(where.hostname):
            raise ProviderError(
                f"{self._url} is not encrypted, and the API key would travel in the clear: use https://"
            )
        return http.client.HTTPConnection(where.hostname, port, timeout=self._timeout_s)

    def _ask(
        self, connection: http.client.HTTPConnection, body: dict[str, Any], account: _Account
    ) -> Iterator[str]:
        adapted = waits = 0
        while True:
            answer = self._post(connection, body)
            if answer.status == 200:
                break
            wait = _retry_after(answer)
            if answer.status in _TRY_AGAIN and wait is not None and wait <= MAX_WAIT_S and waits < WAITS:
                waits += 1
                connection.close()
                yield from _sleep(wait)
                continue
            if answer.status != 400 or adapted == ADAPTED:
                raise ProviderError(self._refusal(answer, wait))
            refusal = read_message(answer.read(4096))
            connection.close()  # what is left of the refusal is not read
            other = put_otherwise(body, refusal)
            if other == body:
                raise ProviderError(
                    f"{self.name} refuses (status 400): {refusal}" if refusal else f"{self.name} refuses"
                )
            body, adapted = other, adapted + 1
        account.begin(body)
        yield from self._read(connection, answer, account, wants_tool="tools" in body)

    def _read(
        self,
        connection: http.client.HTTPConnection,
        answer: http.client.HTTPResponse,
        account: _Account,
        *,
        wants_tool: bool,
    ) -> Iterator[str]:
        kind = (answer.getheader("Content-Type") or "").partition(";")[0].strip().lower()
        if kind == "application/json" and self.provider != "ollama":
            part = read_whole(answer.read(MAX_BYTES))
            account.add(part)
            if not part.text.strip() and part.end == "stop":
                raise ProviderError(f"{self.name} sent an answer without a text")
            yield part.text
            self._judge_end(part.end)
            return
        if kind not in ("text/event-stream", "application/x-ndjson", "application/json"):
            raise ProviderError(
                f"{self.name} answered with {kind or 'nothing that it names'}: is baseUrl right?"
            )
        yield from self._follow(connection, answer, account, wants_tool=wants_tool)

    def _follow(
        self,
        connection: http.client.HTTPConnection,
        answer: http.client.HTTPResponse,
        account: _Account,
        *,
        wants_tool: bool,
    ) -> Iterator[str]:
        end, wrote = "", time.monotonic()
        try:
            for part in read_parts(self.provider, _lines(answer), wants_tool=wants_tool):
                account.add(part)
                if part.text:
                    wrote = time.monotonic()
                elif not end and time.monotonic() - wrote > MAX_SILENCE_S:
                    raise ProviderError(f"{self.name} is at work, and has written nothing for too long")
                if not end:
                    yield part.text
                if part.end and not end:
                    end = part.end
                    if self.provider != "openai":
                        break
                    # what it counted comes after its last word, if it comes at all
                    if connection.sock is not None:
                        connection.sock.settimeout(COUNT_TIMEOUT_S)
                elif end and part.counts:
                    break
        except (OSError, http.client.HTTPException, Unreadable):
            if not end:
                raise
        if not end:
            raise ProviderError(f"{self.name} broke off")
        self._judge_end(end)

    def _judge_end(self, end: str) -> None:
        match end:
            case "length":
                raise ProviderError(f"{self.name} broke off: it may write no more at a time")
            case "refusal":
                raise ProviderError(f"{self.name} declines to tell this")
            case "tool":
                raise ProviderError(f"{self.name} wants to call a tool instead of telling")

    def _post(self, connection: http.client.HTTPConnection, body: dict[str, Any]) -> http.client.HTTPResponse:
        connection.request("POST", self._path, json.dumps(body).encode(), self._headers())
        return connection.getresponse()

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/x-ndjson"}
        if self.provider == "claude":
            headers |= {"x-api-key": self._key, "anthropic-version": "2023-06-01"}
        elif self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        return headers

    def _refusal(self, answer: http.client.HTTPResponse, wait: float | None) -> str:
        message = read_message(answer.read(4096))
        match answer.status:
            case 401 | 403:
                reason = "refuses the API key"
            case 402:
                reason = "wants to be paid first"
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
        again = f" (again in {wait:.0f} s)" if wait else ""
        return f"{self.name} {reason}{again}{f': {message}' if message else ''}"


class _QuickAnswerWatch:
    """Hangs up once the player takes the quick answer; asks the host now and then, from its own thread."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.is_taken = False
        self._connection, self._stopped = connection, threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def _look(self) -> None:
        while not self._stopped.wait(LOOK_EVERY_S):
            if quick_answer.is_taken():
                self.is_taken = True
                self._hang_up()
                return

    def _hang_up(self) -> None:
        """End the connection under whoever reads from it, also one that is only now being made."""
        while not self._stopped.is_set():
            socket_ = self._connection.sock
            if socket_ is not None:
                try:
                    socket_.shutdown(socket.SHUT_RDWR)
                except OSError:
                    return
            self._stopped.wait(0.1)


class _Account:
    """Counts one answer against the budget of the skill's settings."""

    def __init__(self, provider: str, model: str) -> None:
        request = read_request()
        self._config, self._story = request.config, request.playthrough_id
        self._log = UsageLog(request.data_dir)
        self._provider, self._model = provider, model
        self._asked = self._written = 0  # characters
        self._counts: dict[str, float] = {}
        self._is_open = False

    def spent(self) -> str:
        return spent(read_budget(self._config), self._log, self._story)

    def begin(self, body: dict[str, Any]) -> None:
        self._asked, self._is_open = len(json.dumps(body, ensure_ascii=False)), True
        atexit.register(self.settle)  # of an answer that nobody reads to its end

    def add(self, part: AnswerPart) -> None:
        self._written += len(part.text)
        self._counts |= part.counts

    def settle(self) -> None:
        """Write down what was used, once."""
        if not self._is_open:
            return
        self._is_open = False
        atexit.unregister(self.settle)
        counts = self._counts
        read = int(counts.get("input", self._asked // _PER_TOKEN))
        written = int(counts.get("output", self._written // _PER_TOKEN))
        money = counts.get("money", self._price("input", read) + self._price("output", written))
        estimated = int(not {"input", "output"} <= set(counts))
        usage = Usage(1, read, int(counts.get("cached", 0)), written, float(money), estimated)
        self._log.add(story=self._story, provider=self._provider, model=self._model, usage=usage)

    def _price(self, name: str, tokens: int) -> float:
        is_main = self._config.get("provider") == self._provider
        return tokens * float(self._config.get(f"{name}Price") or 0) / 1_000_000 if is_main else 0.0


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


def _retry_after(answer: http.client.HTTPResponse) -> float | None:
    """Return the seconds after which it may be asked again, if it says so."""
    text = answer.getheader("Retry-After") or ""
    if text.strip().replace(".", "", 1).isdecimal():
        return float(text)
    if not text:
        return None
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _sleep(seconds: float) -> Iterator[str]:
    """Wait, with a sign of life every now and then."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        yield ""
        time.sleep(min(left, 0.5))


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nobody answers there"
    if isinstance(error, socket.gaierror):
        return "its name is not known here; is there a network?"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
