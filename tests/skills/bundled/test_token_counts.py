"""The tokens of a brief are counted by who reads it: the local model, a server that can, or nobody."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from narratoria import paths
from narratoria.sdk import brief

FACTS = {
    "campaign": {
        "title": "The Weir",
        "setting": "\n\n".join(f"Mill number {n} stands idle." for n in range(40)),
    },
    "action": {"text": "I listen"},
}


@contextmanager
def serve(answers: Any) -> Iterator[tuple[str, list[Any]]]:
    """A server with `/tokenize` alone; what it answers is decided by the text, None for not at all."""
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.path, self.headers.get("Authorization"), body))
            answer = answers(body)
            content = json.dumps(answer).encode()
            self.send_response(404 if answer is None else 200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def writers(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(paths.BUNDLED_SKILLS / "storyteller" / "scripts"), *sys.path])
    import _writers

    return _writers


@pytest.mark.parametrize("form", ["tokens", "count"])  # llama.cpp's and vLLM's
def test_a_server_that_counts_decides_what_has_room(writers: Any, form: str) -> None:
    def count(body: dict[str, str]) -> dict[str, Any]:
        many = 20 * len(body["content"].split())  # a model that takes words apart
        return {"tokens": [0] * many} if form == "tokens" else {"count": many}

    with serve(count) as (url, asked):
        writer = writers.HostedWriter("openai", {"baseUrl": url, "model": "m", "apiKey": "sk-1"})
        text, is_counted = writer._write_brief(FACTS)
    assert is_counted
    assert text.tokens <= writer.budget
    assert "The world" in text.left_out
    assert not brief.write(FACTS, budget=writer.budget).left_out, "by the estimate, all of it had room"
    assert {(path, key) for path, key, _ in asked} == {("/tokenize", "Bearer sk-1")}


@pytest.mark.parametrize("answer", [None, {"detail": "no"}, [], {"tokens": "many"}])
def test_a_server_that_does_not_count_is_asked_once_and_tokens_are_estimated(
    writers: Any, answer: Any
) -> None:
    with serve(lambda _: answer) as (url, asked):
        writer = writers.HostedWriter("openai", {"baseUrl": url, "model": "m"})
        text, is_counted = writer._write_brief(FACTS)
        assert writer._write_brief(FACTS) == (text, False)
    assert not is_counted
    assert text == brief.write(FACTS, budget=writer.budget)
    assert len(asked) == 1


@pytest.mark.parametrize(("provider", "url"), [("claude", ""), ("openai", "https://api.example.com/v1")])
def test_a_service_far_away_is_never_asked_to_count(writers: Any, provider: str, url: str) -> None:
    assert writers.HostedWriter(provider, {"baseUrl": url}).count(["a text"]) is None
