"""Whoever may use a shared server cannot have the owner's key sent to an address of their own."""

from __future__ import annotations

from typing import Any

from tests.skills.bundled.provider_servers import Provider, served

KEY = "sk-of-the-owner-0123"
STORYTELLER = "/api/skills/storyteller"


def keys_sent(provider: Provider) -> set[str]:
    return {asked.headers.get("authorization", "") for asked in provider.asked}


def test_a_key_is_sent_to_the_address_it_was_given_for_and_to_no_other(servers: Any) -> None:
    server = servers(env={"NARRATORIA_HUB": "http://127.0.0.1:9", "OWNERS_SECRET": KEY}).start()
    with served(Provider("openai")) as owners, served(Provider("openai")) as thiefs:
        server.post(f"{STORYTELLER}/grants", {"permission": "network", "granted": True})
        values = {"provider": "openai", "baseUrl": owners.url, "apiKey": KEY}
        page = server.ask("PUT", f"{STORYTELLER}/config", {"values": values}).json
        assert page["config"]["secretsSet"] == ["apiKey"]
        story = server.begin()
        server.choose(story)
        assert keys_sent(owners) == {f"Bearer {KEY}"}

        mask = page["config"]["values"]["apiKey"]
        moved = {"baseUrl": thiefs.url, "apiKey": mask}
        page = server.ask("PUT", f"{STORYTELLER}/config", {"values": moved}).json
        assert page["config"]["secretsSet"] == []
        server.choose(story)
        assert keys_sent(thiefs) == {""}

        named = {"baseUrl": thiefs.url, "apiKey": "${OWNERS_SECRET}"}
        page = server.ask("PUT", f"{STORYTELLER}/config", {"values": named}).json
        assert any("is not sent to" in warning for warning in page["warnings"])
        server.choose(story)
        assert keys_sent(thiefs) == {""}
        answer = server.ask("PUT", f"{STORYTELLER}/config", {"values": {"model": "${OWNERS_SECRET}"}})
        assert (answer.status, answer.json["error"]["fields"][0]["field"]) == (422, "model")
