"""Settings of the reader: changed one by one, checked by name, and usual where they cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from narratoria.contracts.content_limits import NO_LIMITS, STRICTEST, ContentLimits
from narratoria.engine.content_limits import load_content_limits
from narratoria.web.settings import Settings, read_settings


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


def test_settings_that_cannot_be_read_are_the_usual_ones_but_for_the_limits(server: Any) -> None:
    file = server.home / "settings.json"
    file.write_text("{torn")
    shown = server.get("/api/settings")
    assert shown["theme"] == "system"
    assert shown["contentLimits"]["children"] is True
    assert "settings.json is damaged" in shown["problem"]
    after = server.ask("PUT", "/api/settings", {"theme": "dark"}).json
    assert (after["theme"], after["problem"]) == ("dark", "")
    assert after["contentLimits"]["children"] is True, "another setting lifts no limit"
    assert (server.home / "settings.damaged.json").read_text() == "{torn"
    lifted = server.ask("PUT", "/api/settings", {"contentLimits": {"children": False}}).json
    assert lifted["contentLimits"]["violence"] == "full"
    file.unlink()
    (server.home / "settings.damaged.json").unlink()


def test_one_setting_that_cannot_be_read_leaves_the_others(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(
        '{"theme": "pink", "font": "sans", "contentLimits": {"violence": "mild"}}'
    )
    kept = read_settings(tmp_path)
    assert (kept.theme, kept.font, kept.content_limits) == ("system", "sans", ContentLimits(violence="mild"))


def test_a_change_of_one_setting_leaves_the_others(server: Any) -> None:
    server.ask("PUT", "/api/settings", {"textSize": 1.5, "music": {"on": False}})
    after = server.ask("PUT", "/api/settings", {"music": {"volume": 0.25}}).json
    assert after["textSize"] == 1.5
    assert after["music"] == {"volume": 0.25, "on": False}
    assert server.get("/api/settings") == after


def test_a_home_without_settings_has_the_usual_ones(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == Settings()
    (tmp_path / "settings.json").write_bytes(b"\xff\xfe")
    assert read_settings(tmp_path) == Settings(content_limits=STRICTEST)


def test_content_limits_are_settings_of_the_home_and_are_checked(server: Any) -> None:
    assert server.get("/api/settings")["contentLimits"]["violence"] == "full"
    after = server.ask("PUT", "/api/settings", {"contentLimits": {"violence": "mild"}}).json
    assert after["contentLimits"] == {
        "violence": "mild",
        "fear": "full",
        "romance": "full",
        "children": False,
    }
    assert load_content_limits(server.home).limits == ContentLimits(violence="mild")
    assert server.ask("PUT", "/api/settings", {"contentLimits": {"fear": "some"}}).status == 422
    server.ask("PUT", "/api/settings", {"contentLimits": {"violence": "full"}})
    assert load_content_limits(server.home).limits == NO_LIMITS
