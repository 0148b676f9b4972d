"""Defines a language model on this machine: it generates text, scores choices, and fills in JSON."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import jsonschema_rs

from narratoria.errors import ModelUnavailable
from narratoria.inference.chat_template import Prompt, render
from narratoria.inference.gguf import GgufHeader, read_gguf_header
from narratoria.inference.installed_models import find_adapters
from narratoria.inference.model_process import LOAD_TIMEOUT, WORKER, ModelProcess, ModelState

CONTEXT = 4096  # tokens; what the prompt and the answer have together
CACHE_MIB = (256, 1024)  # at least and at most, of prompts that were read before
CACHED_TOKENS = 2048  # for which there should be room in between
UNTOLD_STATE = 400_000  # bytes a token, of a model that does not tell
RUNTIME = 1024**3  # bytes beside weights, context and cache
LOAD_SECONDS_PER_GB = 40  # on a slow disk
ROOM = 512  # tokens more for each adapter, which has a slot beside the others'
FEW = 64  # tokens, among which are the letters of a model that was trained to answer with them

EndReason = Literal["stop", "length", "deadline"]


@dataclass(frozen=True, slots=True)
class End:
    """Describes how an answer ended, and its cost."""

    reason: EndReason  # it was done, it reached max_tokens, or its time was up
    prompt_tokens: int
    cached_tokens: int  # of the prompt's, those that did not have to be read again
    generated_tokens: int
    first_ms: float | None  # until the first word
    total_ms: float


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    text: str
    end: End | None = None  # on the last piece, whose text is empty


@dataclass(frozen=True, slots=True)
class Completion:
    text: str
    end: End


def default_threads() -> int:
    """Return `NARRATORIA_THREADS`, or half of the cores: with all of them, threads wait for each other."""
    named = os.environ.get("NARRATORIA_THREADS", "")
    cores = os.cpu_count() or 1
    return min(max(1, int(named)), cores) if named.isdecimal() else max(1, cores // 2)


class LocalModel:
    """Answers requests with one GGUF file, one at a time, in their order.

    Every call may raise ModelUnavailable, says why in plain words, and leaves the model fit for the next.
    `within` is all the time a call may take: waiting for others and for the load included.
    """

    def __init__(
        self,
        path: Path,
        *,
        sha256: str = "",
        threads: int | None = None,
        context: int = CONTEXT,
        memory: int | None = None,
        cache_mib: int | None = None,
        worker: Path = WORKER,
    ) -> None:
        """`sha256` is what the file must have; `memory` bounds the native process, in bytes."""
        self.path = path
        self.adapters = find_adapters(path, sha256)  # with one of them, `score` answers as it was trained to
        self._sha256, self._context, self._memory, self._cache_mib = sha256, context, memory, cache_mib
        self._header: GgufHeader | None = None
        self._native = ModelProcess(
            path,
            threads=threads or default_threads(),
            parallel=1,
            prepare=self._prepare,
            worker=worker,
            load_timeout=_load_timeout(path),
        )

    def start_loading(self) -> None:
        """Begin to load, and return at once; `state` tells how it goes."""
        self._native.start()

    @property
    def state(self) -> ModelState:
        return self._native.state

    @property
    def pid(self) -> int | None:
        return self._native.pid

    @property
    def memory(self) -> int:
        """Return the bytes that its process holds; 0 where the system does not say."""
        return self._native.memory

    @property
    def starts(self) -> int:
        """Return how often its process was started."""
        return self._native.starts

    async def generate(
        self,
        prompt: Prompt,
        *,
        max_tokens: int = 256,
        stop: Sequence[str] = (),
        temperature: float = 0.7,
        seed: int | None = None,
        grammar: str = "",
        schema: Mapping[str, Any] | None = None,
        within: float = 60.0,
    ) -> AsyncGenerator[AnswerPiece, None]:
        """Yield the answer piece by piece; leaving the loop and closing the iterator stops the model.

        With a `schema` the pieces are JSON that a grammar holds to it, as far as the answer comes.
        """
        constraint = _constrain(schema) if schema else None
        completion = _completion(
            max_tokens, temperature, seed, stop=list(stop), grammar=grammar, json_schema=constraint
        )
        texts: asyncio.Queue[str] = asyncio.Queue()
        # beside us: a reader who dawdles must not keep the model from the others
        asking = asyncio.create_task(self._ask(prompt, {"completion": completion}, within, texts.put_nowait))
        asking.add_done_callback(lambda _: texts.put_nowait(""))
        try:
            while text := await texts.get():
                yield AnswerPiece(text)
            yield AnswerPiece("", _end(await asking))
        finally:
            if not asking.done():
                asking.cancel()
                await asyncio.wait({asking})

    async def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int = 256,
        stop: Sequence[str] = (),
        temperature: float = 0.7,
        seed: int | None = None,
        grammar: str = "",
        within: float = 60.0,
    ) -> Completion:
        """Return the whole answer, or what there was of it by the deadline."""
        completion = _completion(max_tokens, temperature, seed, stop=list(stop), grammar=grammar)
        return await self._complete(prompt, completion, within)

    async def complete_json(
        self,
        schema: Mapping[str, Any],
        prompt: Prompt,
        *,
        max_tokens: int = 256,
        temperature: float = 0.0,
        seed: int | None = None,
        within: float = 30.0,
    ) -> Any:
        """Return a value that the schema allows; properties that it does not name are not allowed."""
        closed = _closed(schema)
        completion = _completion(max_tokens, temperature, seed, json_schema=_constrain(schema))
        answer = await self._complete(prompt, completion, within)
        try:
            value = json.loads(answer.text)
        except (ValueError, RecursionError):
            why = {"length": f"{max_tokens} tokens were too few", "deadline": "its time was up"}
            reason = why.get(answer.end.reason, "it is no JSON")
            raise ModelUnavailable(f"the model's JSON is unfinished: {reason}") from None
        if not jsonschema_rs.is_valid(closed, value):
            raise ModelUnavailable("the model's JSON does not fit its schema")
        return value

    async def score(
        self, prompt: Prompt, labels: Sequence[str], *, within: float = 10.0, adapter: int | None = None
    ) -> dict[str, float]:
        """Return the log-probability of each label as the next token; a label is one token, such as " A".

        With the number of an adapter it answers with what that has learned, sooner where the prompt's
        beginning was read ahead; what others have read is of no use to it, nor its own to others.
        """
        if not labels:
            return {}
        request: dict[str, Any] = {"completion": {}, "labels": list(dict.fromkeys(labels))}
        if adapter is not None:
            request |= {"completion": _with(adapter), "likely": FEW}
        answer = await self._ask(prompt, request, within)
        if "scores" not in answer:
            raise ModelUnavailable("the model had no time to weigh the labels")
        return {label: float(answer["scores"][label]) for label in labels}

    async def count_tokens(self, texts: Sequence[str], *, within: float = 10.0) -> list[int]:
        """Return how many tokens each text has for this model."""
        if not texts:
            return []
        until = asyncio.get_running_loop().time() + within
        answer = await self._native.ask({"count": list(texts)}, until=until)
        return [int(count) for count in answer["tokens"]]

    async def read_ahead(self, prompt: Prompt, adapter: int, *, within: float = 30.0) -> End:
        """Let an adapter read the beginning of what it is scored by next."""
        completion = _completion(1, 0.0, None, **_with(adapter))
        return _end(await self._ask(prompt, {"completion": completion}, within))

    async def warm(self, prompt: Prompt, *, within: float = 120.0) -> End:
        """Read a prompt's beginning, so that what starts with it is answered sooner."""
        return (await self._complete(prompt, _completion(1, 0.0, None), within)).end

    async def close(self) -> None:
        await self._native.close()

    async def _complete(self, prompt: Prompt, completion: dict[str, Any], within: float) -> Completion:
        texts: list[str] = []
        answer = await self._ask(prompt, {"completion": completion}, within, texts.append)
        return Completion("".join(texts), _end(answer))

    async def _ask(
        self,
        prompt: Prompt,
        request: Mapping[str, Any],
        within: float,
        on_text: Callable[[str], None] = lambda _: None,
    ) -> dict[str, Any]:
        until = asyncio.get_running_loop().time() + within
        header = self._header
        if header is None:
            header = await asyncio.to_thread(self._read)
        completion = {**request["completion"], "prompt": render(prompt, header)}
        return await self._native.ask(
            {**request, "completion": completion},
            until=until,
            on_piece=lambda answer: on_text(str(answer["text"])),
        )

    def _read(self) -> GgufHeader:
        header = self._header = read_gguf_header(self.path)
        return header

    def _prepare(self) -> dict[str, Any]:
        """Refuse a file that is not what it should be, in a thread, before each start."""
        header = self._read()
        if self._sha256:
            verify(self.path, self._sha256)
        context = min(self._context, header.context or self._context) + ROOM * len(self.adapters)
        cache_mib = self._cache_mib or _cache_mib(header)
        return {
            "context": context,
            "cache_mib": cache_mib,
            "memory": self._memory or _bound(header, context, cache_mib),
            "adapters": [str(adapter) for adapter in self.adapters],
        }


def verify(path: Path, sha256: str) -> None:
    """Raise ModelUnavailable if the file's checksum differs; a verified file is not read twice."""
    status = path.stat()
    mark = f"{sha256} {status.st_size} {status.st_mtime_ns}"
    marked = path.with_name(f"{path.name}.verified")
    if marked.is_file() and marked.read_text(encoding="utf-8") == mark:
        return
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != sha256:
        raise ModelUnavailable(
            f"{path} is not the file it should be (sha256 {digest[:12]}…, not {sha256[:12]}…); fetch it again"
        )
    try:
        marked.write_text(mark, encoding="utf-8")
    except OSError:  # a read-only place: it is read again next time
        return


def _completion(max_tokens: int, temperature: float, seed: int | None, **more: Any) -> dict[str, Any]:
    fields = {"n_predict": max_tokens, "temperature": temperature, "seed": -1 if seed is None else seed}
    return {**fields, **{key: value for key, value in more.items() if value}}


def _with(adapter: int) -> dict[str, Any]:
    return {"lora": [{"id": adapter, "scale": 1.0}], "id_slot": 1 + adapter}


def _end(answer: dict[str, Any]) -> End:
    reason: EndReason = answer["end"] if answer["end"] in {"length", "deadline"} else "stop"
    return End(
        reason=reason,
        prompt_tokens=answer["prompt"],
        cached_tokens=answer["cached"],
        generated_tokens=answer["generated"],
        first_ms=answer["first_ms"],
        total_ms=answer["total_ms"],
    )


def _constrain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the grammar of a schema is made from: its properties alone, and no blanks between them."""
    return {**_closed(schema), "x-guidance": {"whitespace_flexible": False}}


def _closed(schema: Any) -> Any:
    """Return the schema with every object limited to the properties it names."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    closed = {
        key: value if key in {"enum", "const", "default", "examples"} else _closed(value)
        for key, value in schema.items()
    }
    if isinstance(schema.get("properties"), Mapping) and schema.get("type") == "object":
        closed.setdefault("additionalProperties", False)
    return closed


def _cache_mib(header: GgufHeader) -> int:
    least, most = CACHE_MIB
    return max(least, min(most, CACHED_TOKENS * (header.state_bytes or UNTOLD_STATE) >> 20))


def _bound(header: GgufHeader, context: int, cache_mib: int) -> int | None:
    if os.name == "nt":  # has no such limits
        return None
    state = context * (header.state_bytes or UNTOLD_STATE)
    return header.size * 5 // 4 + state + cache_mib * 1024**2 + RUNTIME


def _load_timeout(path: Path) -> float:
    try:
        size = path.stat().st_size
    except OSError:  # told when it is loaded
        return LOAD_TIMEOUT
    return LOAD_TIMEOUT + size / 1e9 * LOAD_SECONDS_PER_GB
