"""Providers as the settings page finds them and sets them up, with consent."""

from __future__ import annotations

import json
from typing import Any

from tests.inference.model_servers import OLLAMA, served

KEY = "sk-a-key-for-tests-0123"


def test_a_server_on_this_machine_is_found_and_set_up_by_one_click(servers: Any) -> None:
    server = servers().start()
    with served(OLLAMA) as asked:
        assert asked.requests == [], "nobody is asked before the player asks"
        found = server.post("/api/providers/find", {"ports": [asked.port]}, status=200)["servers"]
    (ollama,) = [one for one in found if one["baseUrl"].endswith(str(asked.port))]
    assert ollama["models"] == ["llama3.2:3b", "qwen2.5:7b"]
    body = {"provider": "ollama", "baseUrl": ollama["baseUrl"], "model": "llama3.2:3b"}
    refused = server.ask("POST", "/api/providers/use", body)
    assert (refused.status, refused.code) == (409, "consent")
    assert server.get("/api/providers")["chosen"] is None
    page = server.post("/api/providers/use", {**body, "consent": True}, status=200)
    assert page["chosen"]["model"] == "llama3.2:3b"
    assert page["teller"]["state"] == "tells"
    back = server.post("/api/providers/local", {}, status=200)
    assert (back["chosen"], back["teller"]["teller"]) == (None, "campaign")
    looked = server.get("/api/privacy")
    assert "storyteller" not in looked["skillsWithNetwork"]
    assert "look for model servers on this machine" in [one["what"] for one in looked["networkAttempts"]]


def test_a_service_is_set_up_by_its_key_which_no_page_shows_again(servers: Any) -> None:
    server = servers().start()
    services = {one["name"]: one for one in server.get("/api/providers")["services"]}
    anthropic = services["anthropic"]
    assert 0 < anthropic["pricePerScene"] < 0.1
    assert anthropic["priceNoted"]
    body = {name: anthropic[name] for name in ("provider", "baseUrl", "model")}
    without = server.post("/api/providers/use", {**body, "consent": True}, status=200)
    assert "needs an API key" in without["teller"]["sentence"]
    page = server.post(
        "/api/providers/use", {**body, "apiKey": KEY, "budgetMoney": 0.5, "consent": True}, status=200
    )
    assert page["chosen"]["hasKey"]
    assert page["chosen"]["budgetMoney"] == 0.5
    assert page["teller"]["state"] == "tells"
    for path in ("/api/providers", "/api/skills", "/api/home", "/api/privacy", "/api/models"):
        assert KEY not in json.dumps(server.get(path))
    elsewhere = {**body, "baseUrl": "https://example.org", "consent": True}
    moved = server.post("/api/providers/use", elsewhere, status=200)
    assert not moved["chosen"]["hasKey"], "a key goes to the address it was given for"


def test_settings_that_cannot_be_are_told_by_field(server: Any) -> None:
    body = {"provider": "openai", "model": "m", "budgetTokens": -1, "consent": True}
    assert server.ask("POST", "/api/providers/use", body).status == 422
    assert server.ask("POST", "/api/providers/use", {"provider": "nobody", "consent": True}).status == 422
    assert server.ask("POST", "/api/providers/find", {"ports": [0]}).status == 422
