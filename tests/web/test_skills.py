"""Skills as the settings page shows them: their settings, their permissions, and their secrets kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
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


SCHEMA = {
    "type": "object",
    "title": "Weather",
    "required": ["city"],
    "properties": {
        "city": {"type": "string", "title": "City", "minLength": 2},
        "note": {"type": "string", "format": "textarea"},
        "days": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
        "warmth": {"type": "number", "minimum": 0, "maximum": 1},
        "rain": {"type": "boolean", "default": True},
        "unit": {"type": "string", "enum": ["celsius", "kelvin"], "default": "celsius"},
        "places": {"type": "array", "items": {"type": "string"}},
        "apiKey": {"type": "string", "title": "Key", "x-sensitive": True, "x-category": "Access"},
    },
}

SECRET = "sk-very-secret-1234"


@pytest.fixture(scope="module")
def weather(server: Any) -> Any:
    """A skill of the user's own, with every kind of setting."""
    folder: Path = server.home / "skills" / "weather"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / "look.py").write_text("print()")
    manifest = {
        "name": "weather",
        "version": "1.0.0",
        "description": "Looks at the sky.",
        "scripts": [{"name": "look", "path": "look.py"}],
        "permissions": ["network", "store:read"],
    }
    (folder / "skill.json").write_text(json.dumps(manifest))
    (folder / "config-schema.json").write_text(json.dumps(SCHEMA))

    def page() -> dict[str, Any]:
        found: dict[str, Any] = next(
            skill for skill in server.get("/api/skills") if skill["name"] == "weather"
        )
        return found

    return page


def test_every_kind_of_setting_has_its_field(weather: Any) -> None:
    fields = {field["key"]: field for field in weather()["config"]["schema"]["fields"]}
    assert {key: field["widget"] for key, field in fields.items()} == {
        "city": "text",
        "note": "textarea",
        "days": "number",
        "warmth": "number",
        "rain": "toggle",
        "unit": "dropdown",
        "places": "list",
        "apiKey": "password",
    }
    assert fields["city"]["required"]
    assert fields["apiKey"]["category"] == "Access"
    assert (fields["days"]["minimum"], fields["days"]["maximum"]) == (1, 9)


def test_a_skill_that_lacks_a_setting_says_what_to_do(server: Any, weather: Any) -> None:
    server.ask("PUT", "/api/skills/weather/config", {"values": {"city": None}})
    page = weather()
    assert (page["available"], page["condition"]) == (False, "misconfigured")
    assert "City" in page["problems"][0]


def test_settings_of_a_skill_are_saved_and_a_secret_is_never_sent_back(server: Any, weather: Any) -> None:
    values = {"city": "Callow", "days": 5, "places": ["pass", "inn"], "apiKey": SECRET, "rain": False}
    saved = server.ask("PUT", "/api/skills/weather/config", {"values": values})
    assert saved.status == 200
    assert SECRET.encode() not in saved.content
    page = weather()
    assert page["available"]
    assert page["config"]["values"]["city"] == "Callow"
    assert page["config"]["secretsSet"] == ["apiKey"]
    mask = page["config"]["values"]["apiKey"]
    again = server.ask("PUT", "/api/skills/weather/config", {"values": {"apiKey": mask, "days": 4}})
    assert again.status == 200
    kept = json.loads((server.home / "skills" / "weather" / "config.json").read_bytes())
    assert (kept["apiKey"], kept["days"]) == (SECRET, 4)
    assert SECRET.encode() not in server.ask("GET", "/api/skills").content
    server.ask("PUT", "/api/skills/weather/config", {"values": {"days": None}})
    assert weather()["config"]["values"]["days"] == 3
    assert weather()["config"]["sources"]["days"] == "default"


def test_what_is_wrong_is_told_field_by_field_and_nothing_is_saved(server: Any, weather: Any) -> None:
    before = weather()["config"]["values"]
    values = {"city": "X", "days": 40, "unit": "feet", "warmth": "hot", "rian": True}
    refused = server.ask("PUT", "/api/skills/weather/config", {"values": values})
    assert refused.status == 422
    errors = {error["field"]: error["message"] for error in refused.json["error"]["fields"]}
    assert {"city", "days", "unit", "warmth", "rian"} <= set(errors)
    assert "did you mean 'rain'" in errors["rian"]
    assert weather()["config"]["values"] == before


def test_a_refused_secret_is_not_repeated(server: Any, weather: Any) -> None:
    refused = server.ask("PUT", "/api/skills/weather/config", {"values": {"apiKey": [SECRET]}})
    assert refused.status == 422
    assert SECRET.encode() not in refused.content


def test_a_skill_is_switched_off_and_on(server: Any, weather: Any) -> None:
    off = server.post("/api/skills/weather/disable")
    assert (off["enabled"], off["available"], off["condition"]) == (False, False, "disabled")
    assert server.post("/api/skills/weather/enable")["enabled"]
    assert server.ask("POST", "/api/skills/nothing/enable").status == 404


def test_the_user_decides_what_a_skill_may_do(server: Any, weather: Any) -> None:
    asked = {one["name"]: one for one in weather()["permissions"]}
    assert not asked["network"]["granted"]
    assert "network" in asked["network"]["why"]
    server.post("/api/skills/weather/grants", {"permission": "network", "granted": True})
    assert "weather" in server.get("/api/privacy")["skillsWithNetwork"]
    server.post("/api/skills/weather/grants", {"permission": "network", "granted": False})
    assert "weather" not in server.get("/api/privacy")["skillsWithNetwork"]
    unasked = {"permission": "model", "granted": True}
    assert server.ask("POST", "/api/skills/weather/grants", unasked).status == 400
    bundled = server.ask("POST", "/api/skills/dice-roller/grants", unasked)
    assert (bundled.status, bundled.code) == (409, "bundled")
    told = server.post("/api/skills/storyteller/grants", {"permission": "network", "granted": True})
    assert {one["name"]: one["granted"] for one in told["permissions"]}["network"]
    server.post("/api/skills/storyteller/grants", {"permission": "network", "granted": False})
