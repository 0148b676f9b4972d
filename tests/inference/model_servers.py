"""Servers on this machine that list their models as Ollama, llama.cpp, LM Studio, vLLM and KoboldCpp do."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

OLLAMA: Mapping[str, Any] = {
    "/": "Ollama is running",
    "/api/tags": {"models": [{"name": "llama3.2:3b"}, {"name": "nomic-embed-text"}, {"name": "qwen2.5:7b"}]},
}


def speaking_openai(*models: str, owner: str = "", **more: Any) -> dict[str, Any]:
    return {
        "/v1/models": {"object": "list", "data": [{"id": one, "owned_by": owner} for one in models]},
        **more,
    }


@dataclass
class Asked:
    port: int
    requests: list[str] = field(default_factory=list)


@contextmanager
def served(routes: Mapping[str, Any], *, status: int = 200) -> Iterator[Asked]:
    """Serve these documents on a free port; whatever else is asked for is not there."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.requests.append(self.path)
            known = self.path in routes
            body = routes.get(self.path, "not found")
            text = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status if known else 404)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    asked = Asked(server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
