"""Models as the settings page lists, fetches and refuses them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from narratoria.inference.installed_models import InstalledModel


def test_models_are_listed_with_what_this_machine_can_carry(server: Any) -> None:
    models = {model["name"]: model for model in server.get("/api/models")["models"]}
    assert {"phi-3.5-mini", "smollm2-135m"} <= set(models)
    assert sum(model["recommended"] for model in models.values()) == 1
    assert all(model["sizeBytes"] > 0 for model in models.values())


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/models/nothing/use", None, 404),
        ("POST", "/api/models/nothing/download", None, 404),
        ("POST", "/api/models/nothing/cancel", None, 404),
        ("DELETE", "/api/models/nothing", None, 404),
        ("POST", "/api/models/add", {"path": "relative.gguf"}, 422),
        ("POST", "/api/models/add", {"path": "/nowhere/at/all.gguf"}, 422),
        ("POST", "/api/models/add", {"path": "/etc/hostname"}, 409),
        ("POST", "/api/models/..%2f..%2fetc%2fpasswd/use", None, 404),
    ],
)
def test_a_model_that_cannot_be_had_is_refused(
    server: Any, method: str, path: str, body: Any, status: int
) -> None:
    assert server.ask(method, path, body).status == status


def phi(server: Any) -> dict[str, Any]:
    models: list[dict[str, Any]] = server.get("/api/models")["models"]
    return next(model for model in models if model["name"] == "phi-3.5-mini")


def test_a_download_that_finds_no_network_is_told_and_written_down(server: Any) -> None:
    server.post("/api/models/phi-3.5-mini/download", status=202)
    deadline = time.monotonic() + 60
    while (model := phi(server))["state"] == "fetching" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert model["state"] == "failed"
    assert model["reason"]
    attempts = server.get("/api/privacy")["networkAttempts"]
    assert ("Narratoria", True) in [(one["who"], one["allowed"]) for one in attempts]


def test_a_model_is_fetched_by_its_address_and_what_is_no_address_is_refused(server: Any) -> None:
    assert server.ask("POST", "/api/models/fetch", {"address": "not an address"}).status == 409
    assert server.ask("POST", "/api/models/fetch", {"address": "http://example.org/x.gguf"}).status == 409
    server.post("/api/models/fetch", {"address": "http://127.0.0.1:9/own.gguf"}, status=202)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        models = {model["name"]: model for model in server.get("/api/models")["models"]}
        if models["own"]["state"] != "fetching":
            break
        time.sleep(0.05)
    assert models["own"]["state"] == "failed"
    assert "nobody answers there" in models["own"]["reason"]


def test_what_is_only_noted_about_a_model_is_said_to_be(server: Any) -> None:
    models = {model["name"]: model for model in server.get("/api/models")["models"]}
    assert models["phi-3.5-mini"]["checked"]
    assert not models["llama-3.2-3b"]["checked"]
    assert models["llama-3.2-3b"]["memoryBytes"] > models["llama-3.2-3b"]["sizeBytes"]


def test_a_model_that_is_loaded_and_examined_costs_no_turn_and_no_skill_its_health(
    servers: Any, tmp_path: Path, embedded: InstalledModel
) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(embedded.path.read_bytes() + b"\0")  # a file that nobody has examined
    server = servers(env={"NARRATORIA_MODEL": str(own)}).start()
    story = server.begin()
    seen = {server.get("/api/teller")["state"]}
    for _ in range(3):
        page = server.choose(story)
        seen.add(server.get("/api/teller")["state"])
        assert page["scenes"][-1]["passages"]
        assert [one["name"] for one in server.get("/api/skills") if one["health"] != "healthy"] == []
    assert "preparing" in seen, "the turns were played while it got ready"
    deadline = time.monotonic() + 120
    while (teller := server.get("/api/teller"))["state"] == "preparing" and time.monotonic() < deadline:
        time.sleep(0.2)
    assert teller["state"] == "none"
    assert "a scene takes about" in teller["sentence"]
