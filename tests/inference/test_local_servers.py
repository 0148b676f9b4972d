"""Model servers on this machine are found by their own answers, and nobody else is asked."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any

import pytest
from tests.inference.model_servers import OLLAMA, served, speaking_openai

from narratoria.inference import local_servers
from narratoria.inference.local_servers import FoundServer, find_servers


def found_at(port: int) -> FoundServer | None:
    return next((one for one in find_servers([port]) if f":{port}" in one.base_url), None)


@pytest.mark.parametrize(
    ("routes", "name", "provider", "models"),
    [
        (OLLAMA, "ollama", "ollama", ("llama3.2:3b", "qwen2.5:7b")),
        (speaking_openai("model.gguf", owner="llamacpp"), "llama.cpp", "openai", ("model.gguf",)),
        (speaking_openai("a", "b", owner="organization_owner"), "lm-studio", "openai", ("a", "b")),
        (speaking_openai("Qwen/Qwen2.5-7B-Instruct", owner="vllm"), "vllm", "openai", None),
        (
            speaking_openai("koboldcpp/phi", **{"/api/extra/version": {"result": "KoboldCpp"}}),
            "koboldcpp",
            "openai",
            ("koboldcpp/phi",),
        ),
        (speaking_openai("own"), "server", "openai", ("own",)),
    ],
)
def test_a_server_is_known_by_what_it_answers(
    routes: Mapping[str, Any], name: str, provider: str, models: tuple[str, ...] | None
) -> None:
    with served(routes) as asked:
        server = found_at(asked.port)
    assert server is not None
    assert (server.name, server.provider) == (name, provider)
    assert server.base_url == f"http://127.0.0.1:{asked.port}" + ("" if provider == "ollama" else "/v1")
    assert models is None or server.models == models


def test_a_server_that_wants_a_key_is_found_without_its_models() -> None:
    with served({"/v1/models": "who are you?"}, status=401) as asked:
        server = found_at(asked.port)
    assert server is not None
    assert (server.needs_key, server.models) == (True, ())


@pytest.mark.parametrize(
    "routes",
    [
        {"/": "<html>something else</html>"},
        {"/v1/models": "<html>"},
        {"/v1/models": [1, 2]},
        {"/v1/models": {"data": "none"}},
    ],
)
def test_what_is_no_model_server_is_passed_over(routes: Mapping[str, Any]) -> None:
    with served(routes) as asked:
        assert found_at(asked.port) is None


def test_who_hangs_or_speaks_another_tongue_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_servers, "ANSWER_TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert found_at(silent.getsockname()[1]) is None


@pytest.mark.parametrize("address", ["127.0.0.1:{}", "http://localhost:{}", "0.0.0.0:{}"])
def test_the_port_that_ollama_was_told_is_looked_at(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(OLLAMA) as asked:
        monkeypatch.setenv("OLLAMA_HOST", address.format(asked.port))
        assert any(f":{asked.port}" in one.base_url for one in find_servers())
        monkeypatch.setenv("OLLAMA_HOST", f"example.org:{asked.port}")
        assert not any(f":{asked.port}" in one.base_url for one in find_servers())


def test_names_that_could_mislead_a_terminal_are_left_out() -> None:
    with served(speaking_openai("fine", "bad\x1b[2J", "x" * 300)) as asked:
        server = found_at(asked.port)
    assert server is not None
    assert server.models == ("fine",)
