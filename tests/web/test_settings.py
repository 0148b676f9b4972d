"""Settings, skills, models and the privacy report, as the settings page uses them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"textSize": 9}, "textSize"),
        ({"theme": "pink"}, "theme"),
        ({"music": {"volume": "loud"}}, "music.volume"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_by_its_name(server: Any, change: Any, field: str) -> None:
    refused = server.ask("PUT", "/api/settings", change)
    assert refused.status == 422
    assert refused.json["error"]["fields"][0]["field"] == field


def test_settings_that_cannot_be_read_are_the_usual_ones(server: Any) -> None:
    (server.home / "settings.json").write_text("{torn")
    assert server.get("/api/settings")["theme"] == "dark"
    assert server.ask("PUT", "/api/settings", {"theme": "system"}).json["theme"] == "system"


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


def test_the_privacy_report_says_what_ran_and_what_keeps_it_in(server: Any) -> None:
    server.begin()
    report = server.get("/api/privacy")
    assert {one["skill"] for one in report["ran"]} >= {"player-choices"}
    assert report["sandbox"]["kind"]
    assert report["sandbox"]["enforced"]
    assert report["places"]["home"] == str(server.home)
