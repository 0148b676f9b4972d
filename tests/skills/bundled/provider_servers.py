"""Servers on this machine that speak as Ollama, OpenAI and Claude do, and fail in the ways that those do."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PIECES = (
    "You lean on the door, ",
    "and the swollen wood gives.\n",
    "\nMarten looks up from ",
    "his net. “You took your time,” he says.",
)


@dataclass
class Asked:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Provider:
    """What a server does: `fault` names what goes wrong, `after` how many pieces are sent before that."""

    kind: str
    fault: str = ""
    after: int = 0
    pieces: tuple[str, ...] = PIECES
    asked: list[Asked] = field(default_factory=list)
    url: str = ""
    released: threading.Event = field(default_factory=threading.Event)

    def refusal(self, question: dict[str, Any]) -> str:
        """What a model that thinks before it writes has against the usual settings."""
        if "max_tokens" in question:
            return "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        return "Unsupported value: 'temperature' does not support 0.8." if "temperature" in question else ""

    repeats_key: bool = False  # in its refusals, as some do
    end: str = ""  # why it ends, in the provider's own word; empty for the usual one
    thoughts: tuple[str, ...] = ()  # that it streams before it writes
    counts: bool = False  # whether it says what was used: 100 tokens read, 60 of them cached, 20 written
    wait: str = ""  # the Retry-After of its refusals
    refusals: int = 1 << 30  # after which it answers

    def lines(self) -> Iterator[bytes]:
        """The answer in the provider's own form, one chunk at a time."""
        return {"ollama": self._ollama, "openai": self._openai, "claude": self._claude}[self.kind]()

    def _ollama(self) -> Iterator[bytes]:
        for thought in self.thoughts:
            yield _line({"message": {"role": "assistant", "content": "", "thinking": thought}, "done": False})
        for piece in self.pieces:
            yield _line({"message": {"role": "assistant", "content": piece}, "done": False})
        counted = {"prompt_eval_count": 100, "eval_count": 20} if self.counts else {}
        message = {"role": "assistant", "content": ""}
        yield _line({"message": message, "done": True, "done_reason": self.end or "stop", **counted})

    def _openai(self) -> Iterator[bytes]:
        for thought in self.thoughts:
            yield b": still thinking\n\n"
            yield _event({"choices": [{"index": 0, "delta": {"reasoning_content": thought}}]})
        for piece in self.pieces:
            yield _event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
        yield _event({"choices": [{"index": 0, "delta": {}, "finish_reason": self.end or "stop"}]})
        if self.counts:
            details = {"cached_tokens": 60}
            usage = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": details}
            yield _event({"choices": [], "usage": usage})
        yield b"data: [DONE]\n\n"

    def _claude(self) -> Iterator[bytes]:
        usage = {"input_tokens": 30, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 10}
        counted = {"usage": usage} if self.counts else {}
        yield _event({"type": "message_start", "message": {"role": "assistant", **counted}}, "message_start")
        yield b'event: ping\ndata: {"type": "ping"}\n\n'
        for thought in self.thoughts:
            delta = {"type": "thinking_delta", "thinking": thought}
            yield _event({"type": "content_block_delta", "delta": delta}, "content_block_delta")
        for piece in self.pieces:
            delta = {"type": "text_delta", "text": piece}
            if self.asked and "tools" in self.asked[-1].body:
                delta = {"type": "input_json_delta", "partial_json": piece}
            yield _event({"type": "content_block_delta", "delta": delta}, "content_block_delta")
        ended = {"type": "message_delta", "delta": {"stop_reason": self.end or "end_turn"}}
        if self.counts or self.end:
            yield _event(
                {**ended, **({"usage": {"output_tokens": 20}} if self.counts else {})}, "message_delta"
            )
        yield _event({"type": "message_stop"}, "message_stop")


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data).encode() + b"\n"


def _event(data: dict[str, Any], name: str = "") -> bytes:
    return (
        (f"event: {name}\r\n" if name else "").encode() + b"data: " + json.dumps(data).encode() + b"\r\n\r\n"
    )


def _speaker(provider: Provider) -> type[BaseHTTPRequestHandler]:  # noqa: C901  one branch for each fault
    class Speaker(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path.endswith("/tokenize"):
                self.send_error(404)
                return
            provider.asked.append(Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, question))
            fault = provider.fault
            if fault == "picky" and (refused := provider.refusal(question)):
                fault, message = "400", refused
            else:
                key = self.headers.get("x-api-key") or self.headers.get("Authorization", "")
                message = f"fault {fault}" + (f": invalid key {key}" if provider.repeats_key else "")
            if fault.isdecimal() and len(provider.asked) > provider.refusals:
                fault = ""
            if fault.isdecimal():
                told = json.dumps({"error": {"message": message}}).encode()
                self.send_response(int(fault))
                if provider.wait:
                    self.send_header("Retry-After", provider.wait)
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)
                return
            if fault == "hang" and not provider.after:
                provider.released.wait(60)
                return
            if fault in ("wrong", "empty"):
                told = b'{"choices": 7, "content": null}' if fault == "wrong" else b"[]"
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)
                return
            if fault == "whole":
                text = "".join(provider.pieces)
                body: dict[str, Any] = {"choices": [{"message": {"content": text}}]}
                if provider.kind == "claude":
                    body = {"content": [{"type": "text", "text": text}]}
                told = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json; charset=utf-8")
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)
                return
            self._answer(fault)

        def _answer(self, fault: str) -> None:
            ndjson = provider.kind == "ollama"
            kind = "application/x-ndjson" if ndjson else "text/event-stream"
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if fault == "page" else kind)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            if fault == "garbage":
                self._chunk(b"\xff\xfe{{{\n\n" if ndjson else b"data: \xff\xfe{{{\n\n")
                self._chunk(b"")
                return
            for number, line in enumerate(provider.lines()):
                if fault not in ("", "picky", "slow") and number == provider.after:
                    if fault == "hang":
                        provider.released.wait(60)
                    elif fault == "error":
                        told = (
                            {"error": "overloaded"}
                            if ndjson
                            else {"type": "error", "error": {"message": "overloaded"}}
                        )
                        self._chunk(json.dumps(told).encode() + b"\n" if ndjson else _event(told))
                    self.wfile.flush()
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                if fault == "slow":
                    provider.released.wait(0.6)
                half = len(line) // 2  # as networks do, in the middle of a character if need be
                self._chunk(line[:half])
                self._chunk(line[half:])
            self._chunk(b"")

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

        def log_message(self, *args: object) -> None:
            pass

    return Speaker


@contextmanager
def served(provider: Provider, *, certificate: Path | None = None) -> Iterator[Provider]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _speaker(provider))
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # whoever asked has hung up
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    provider.url = f"http{'s' if certificate else ''}://127.0.0.1:{server.server_port}"
    if provider.kind == "openai":
        provider.url += "/v1"
    try:
        yield provider
    finally:
        provider.released.set()
        server.shutdown()
        server.server_close()
        thread.join(10)


def self_signed(folder: Path) -> Path:
    """A certificate that nobody trusts."""
    file = folder / "server.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1",
         "-keyout", str(file), "-out", str(folder / "crt.pem")],
        check=True, capture_output=True,
    )  # fmt: skip
    file.write_text(file.read_text() + (folder / "crt.pem").read_text())
    return file
