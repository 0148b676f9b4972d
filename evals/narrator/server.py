"""Serves recorded answers as an OpenAI-compatible service does, and can wait for a person to write one."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# returns what is answered to a prompt, or nothing as long as nobody has written it
Answer = Callable[[str], str | None]
LOOK_EVERY_S = 2.0


def hash_brief(prompt: str) -> str:
    """Return what tells one brief from another."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:12]


@contextmanager
def serve(answer: Answer) -> Iterator[str]:
    """Serve on a free port of this machine; yields the address."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name in the base class
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if not self.path.endswith("/chat/completions"):
                self.send_error(404)
                return
            prompt = "\n=====\n".join(message["content"] for message in body["messages"])
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            while (text := answer(prompt)) is None:
                self._send(" ")  # a sign that it goes on
                time.sleep(LOOK_EVERY_S)
            for word in re.findall(r"\s*\S+\s*?", text):
                self._send(word)
            self._write({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            self.wfile.write(b"data: [DONE]\n\n")

        def _send(self, text: str) -> None:
            self._write({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})

        def _write(self, event: dict[str, object]) -> None:
            self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
            self.wfile.flush()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
