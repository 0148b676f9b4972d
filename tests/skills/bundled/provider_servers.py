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

    def lines(self) -> Iterator[bytes]:
        """The answer in the provider's own form, one chunk at a time."""
        if self.kind == "ollama":
            for piece in self.pieces:
                yield (
                    json.dumps({"message": {"role": "assistant", "content": piece}, "done": False}).encode()
                    + b"\n"
                )
            yield b'{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n'
        elif self.kind == "openai":
            for piece in self.pieces:
                yield _event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
            yield _event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            yield b"data: [DONE]\n\n"
        else:
            yield _event({"type": "message_start", "message": {"role": "assistant"}}, "message_start")
            yield b'event: ping\ndata: {"type": "ping"}\n\n'
            for piece in self.pieces:
                delta = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": piece}}
                yield _event(delta, "content_block_delta")
            yield _event({"type": "message_stop"}, "message_stop")


def _event(data: dict[str, Any], name: str = "") -> bytes:
    return (
        (f"event: {name}\r\n" if name else "").encode() + b"data: " + json.dumps(data).encode() + b"\r\n\r\n"
    )


def _speaker(provider: Provider) -> type[BaseHTTPRequestHandler]:  # noqa: C901  one branch for each fault
    class Speaker(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            provider.asked.append(Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, question))
            fault = provider.fault
            if fault == "picky" and (refused := provider.refusal(question)):
                fault, message = "400", refused
            else:
                message = f"fault {fault}"
            if fault.isdecimal():
                told = json.dumps({"error": {"message": message}}).encode()
                self.send_response(int(fault))
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)
                return
            if fault == "hang" and not provider.after:
                provider.released.wait(60)
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
                if fault not in ("", "picky") and number == provider.after:
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
