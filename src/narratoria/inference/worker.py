"""Runs the native model in a process of its own: requests and answers are JSON objects, one a line.

Started by `native.py`. A crash, a hang or an empty memory in here costs one answer, never the story.
The first line holds the settings. Every answer carries its request's id; pieces come first, one line ends it.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xllamacpp

Answer = Callable[..., None]
Ahead = dict[int, str]  # slot → the beginning of a prompt that its adapter has read there

BATCH = 128  # tokens of a prompt between two looks at the clock
LARGE = 500_000_000  # bytes of a model that looks four times as often: it reads slowly, and loses nothing
LIKELY = 2000  # of the most likely tokens, among which labels are looked for first
ALL = 1_000_000  # more than any vocabulary has
EARLY = {"cancelled", "deadline"}


class Inbox:
    """Queues requests in their order, and hears while one runs that it is to stop."""

    def __init__(self) -> None:
        self._requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._cancelled = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def next(self) -> dict[str, Any]:
        return self._requests.get()

    def cancelled(self, number: int) -> bool:
        return self._cancelled == number

    def _listen(self) -> None:
        for line in sys.stdin.buffer:
            message = json.loads(line)
            if "cancel" in message:
                self._cancelled = message["cancel"]
            else:
                self._requests.put(message)
        os._exit(0)  # whoever asked is gone: an answer in the making is for nobody


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what native code prints must not stand between the answers

    def answer(**fields: Any) -> None:
        answers.write(json.dumps(fields).encode() + b"\n")

    inbox = Inbox()
    settings = inbox.next()
    try:
        bound(settings.get("memory"))
        server = load(settings)
    except (RuntimeError, MemoryError, ValueError) as error:
        answer(id=settings["id"], error=str(error) or "no memory is left")
        os._exit(0)  # the thread that listens holds stdin: an ordinary end would abort the interpreter
    answer(id=settings["id"], ready=True)
    ahead: Ahead = {}
    while True:
        request = inbox.next()
        try:
            answer(id=request["id"], **respond(server, request, answer, inbox, ahead))
        except (RuntimeError, ValueError, KeyError, TypeError, MemoryError) as error:  # refused natively
            answer(id=request["id"], error=str(error))


def bound(memory: int | None) -> None:
    """Make this process the first to fail when memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")  # the first to go when the machine has no more
    if memory is not None:
        import resource  # not on Windows, where nothing sets a bound

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def load(settings: dict[str, Any]) -> xllamacpp.Server:
    params = xllamacpp.CommonParams()
    params.model.path = settings["model"]
    params.n_ctx = settings["context"]
    params.n_parallel = settings["parallel"]
    batch = BATCH if Path(settings["model"]).stat().st_size < LARGE else BATCH // 4
    params.n_batch = params.n_ubatch = min(batch, settings["context"])
    params.cache_ram_mib = settings["cache_mib"]  # planner and narrator keep each their prompt
    params.load_mode = xllamacpp.llama_load_mode.LLAMA_LOAD_MODE_NONE  # a third less memory
    if adapters := settings["adapters"]:
        # a slot each, of room that all share, and which is not cleared for the others' sake
        params.n_parallel, params.kv_unified, params.cache_idle_slots = 1 + len(adapters), True, False
        # out of use but for requests that name one: a narrator is not to speak as a planner
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(adapter, 0.0) for adapter in adapters]
        params.lora_init_without_apply = True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    params.warmup = False
    params.verbosity = -1
    # the library serves HTTP by default: keep it to a socket that only this user can reach
    params.hostnames = [settings["socket"]]
    params.ui = False
    return xllamacpp.Server(params)


def respond(
    server: xllamacpp.Server, request: dict[str, Any], answer: Answer, inbox: Inbox, ahead: Ahead
) -> dict[str, Any]:
    if "count" in request:
        return {"tokens": count_tokens(server, request["count"])}
    run = CompletionRun(request, answer, inbox)
    if (slot := request["completion"].get("id_slot", 0)) == 0:
        return score(server, request, run) if "labels" in request else run.of(server, request["completion"])
    prompt, begun = request["completion"]["prompt"], ahead.pop(slot, "")
    if "labels" not in request:  # before the rest of it is known
        summary = run.of(server, {**request["completion"], "cache_prompt": False})
        if summary["end"] not in EARLY:
            ahead[slot] = prompt
        return summary
    # the native code takes what was read with one adapter for what another has read: a slot is gone on from
    # once, and only where it is known who has read what there
    request["completion"]["cache_prompt"] = bool(begun) and prompt.startswith(begun)
    return score(server, request, run)


class CompletionRun:
    """Runs one request through the native code, until it ends, is cancelled or passes its deadline."""

    def __init__(self, request: dict[str, Any], answer: Answer, inbox: Inbox) -> None:
        self._number: int = request["id"]
        self._answer, self._inbox = answer, inbox
        self._began = time.monotonic()
        self._deadline: float = self._began + request["within"]
        self._summary: dict[str, Any] = {}
        self.top: list[dict[str, Any]] = []

    def of(self, server: xllamacpp.Server, completion: dict[str, Any]) -> dict[str, Any]:
        """Run a completion and return how it ended and its cost."""
        self._summary = {"end": "", "prompt": 0, "cached": 0, "generated": 0, "first_ms": None}
        server.handle_completions(
            {"cache_prompt": True, "id_slot": 0, **completion, "stream": True, "return_progress": True},
            self._on_chunk,
        )
        if "fault" in self._summary:
            raise RuntimeError(self._summary["fault"])
        return {**self._summary, "total_ms": self._elapsed()}

    def _on_chunk(self, chunk: dict[str, Any]) -> bool:
        """Handle a chunk and return True to stop the native code."""
        summary = self._summary
        if "error" in chunk:
            summary["fault"] = _reason(chunk["error"])
            return True
        if progress := chunk.get("prompt_progress"):
            summary["prompt"], summary["cached"] = progress["total"], progress["cache"]
        for choice in chunk.get("choices", ()):
            self._on_choice(choice)
        if usage := chunk.get("usage"):
            summary["prompt"], summary["generated"] = usage["prompt_tokens"], usage["completion_tokens"]
            summary["cached"] = usage["prompt_tokens_details"]["cached_tokens"]
        if not summary["end"]:
            if self._inbox.cancelled(self._number):
                summary["end"] = "cancelled"
            elif time.monotonic() > self._deadline:
                summary["end"] = "deadline"
        return summary["end"] in EARLY

    def _on_choice(self, choice: dict[str, Any]) -> None:
        summary = self._summary
        if choice["text"]:
            summary["generated"] += 1
            if summary["first_ms"] is None:
                summary["first_ms"] = self._elapsed()
            self._answer(id=self._number, text=choice["text"])
        if choice["logprobs"]:
            self.top = choice["logprobs"]["content"][0]["top_logprobs"]
        summary["end"] = choice["finish_reason"] or ""

    def _elapsed(self) -> float:
        return round((time.monotonic() - self._began) * 1000, 2)


def score(server: xllamacpp.Server, request: dict[str, Any], run: CompletionRun) -> dict[str, Any]:
    """Return the log-probability of each label as the next token, among all tokens."""
    summary: dict[str, Any] = {}
    scores: dict[str, float] = {}
    asked: dict[str, Any] = {**request["completion"], "n_predict": 1, "temperature": 0}
    for many in dict.fromkeys((request.get("likely", LIKELY), LIKELY, ALL)):
        summary = run.of(server, {**asked, "n_probs": many})
        asked["cache_prompt"] = True  # it was read just now
        if summary["end"] in EARLY:
            return summary
        likely = {
            entry["token"]: entry["logprob"] for entry in reversed(run.top)
        }  # the likeliest of its name
        scores = {label: likely[label] for label in request["labels"] if label in likely}
        if len(scores) == len(request["labels"]):
            return {**summary, "scores": scores}
    missing = [label for label in request["labels"] if label not in scores]
    raise ValueError(f"not one token for this model: {', '.join(map(repr, missing))}")


class _SocketConnection(http.client.HTTPConnection):
    """Speaks HTTP over the socket at a path."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)


def count_tokens(server: xllamacpp.Server, texts: list[str]) -> list[int]:
    """Return how many tokens each text has: the library counts only for who asks over its own socket."""
    connection = _SocketConnection(server.listening_address.removeprefix("unix://"))
    counts = []
    try:
        for text in texts:
            body = json.dumps({"content": text, "add_special": False})
            connection.request("POST", "/tokenize", body, {"Content-Type": "application/json"})
            counts.append(len(json.loads(connection.getresponse().read())["tokens"]))
    except (OSError, http.client.HTTPException, AttributeError) as error:  # a system without such sockets
        raise ValueError(f"its tokens cannot be counted: {error}") from None
    finally:
        connection.close()
    return counts


def _reason(error: Any) -> str:
    if not isinstance(error, dict):
        return "no answer"
    if error.get("type") == "exceed_context_size_error":
        return f"the prompt has {error['n_prompt_tokens']} tokens and the context holds {error['n_ctx']}"
    return str(error.get("message", "no answer"))


if __name__ == "__main__":
    main()
