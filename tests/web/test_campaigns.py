"""Campaigns as the page shows them: their cards, their characters and what is wrong with them."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from narratoria.engine.persistence.library import Library
from narratoria.web.app_state import AppState
from narratoria.web.campaigns import card_of, heading_of


@pytest.fixture(scope="module")
def campaign(server: Any) -> Path:
    """A campaign of the user's own, with a picture, a song and a hidden file."""
    folder: Path = server.home / "campaigns" / "exhibition"
    (folder / "art").mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps({"title": "Exhibition", "version": "1.0.0"}))
    (folder / "art" / "cover.png").write_bytes(b"\x89PNG")
    (folder / "art" / "a song.ogg").write_bytes(b"OggS" * 100)
    (folder / ".hidden.png").write_bytes(b"\x89PNG")
    return folder


def test_campaigns_stand_by_title_as_on_a_shelf(server: Any) -> None:
    shown = [card["title"] for card in server.get("/api/home")["campaigns"]]
    # other tests bring campaigns of their own
    bundled = ["The Quiet Under Harrowmere", "The Tea Room on the Comet", "Tomorrow's Post"]
    assert [title for title in shown if title in bundled] == bundled


@pytest.mark.parametrize("name", ["..", "%2e%2e", "../campaigns/exhibition", "exhibition%2fart", "."])
def test_a_campaign_is_found_by_its_name_alone(server: Any, campaign: Path, name: str) -> None:
    assert server.ask("GET", f"/api/campaigns/{name}").status == 404


def test_a_broken_campaign_is_listed_with_what_is_wrong(server: Any) -> None:
    folder = server.home / "campaigns" / "torn"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text('{"title": 7}')
    card = next(card for card in server.get("/api/home")["campaigns"] if card["name"] == "torn")
    assert not card["playable"]
    assert card["problems"]["errors"] >= 1
    (first, *_) = server.get("/api/campaigns/torn/validation")["problems"]
    assert first["severity"] == "error"
    assert first["file"] == "manifest.json"
    assert first["line"] == 1


def test_every_file_of_a_campaign_says_where_it_comes_from(server: Any, campaign: Path) -> None:
    assets = server.get("/api/campaigns/exhibition/provenance")["assets"]
    kinds = {asset["path"]: asset["type"] for asset in assets}
    assert kinds["art/cover.png"] == "image"
    assert kinds["art/a song.ogg"] == "audio"
    assert kinds["manifest.json"] == "structured"
    assert ".hidden.png" not in kinds
    assert not any(asset["generated"] for asset in assets)


def test_a_picture_of_the_usual_name_is_the_cover(server: Any, campaign: Path) -> None:
    card = server.get("/api/campaigns/exhibition")
    assert card["title"] == "Exhibition"
    assert server.ask("GET", card["cover"]).content == b"\x89PNG"


def test_a_change_to_a_campaign_is_seen_at_the_next_look(tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    manifest = folder / "manifest.json"
    manifest.write_text(json.dumps({"title": "Letters", "version": "1.0.0"}))
    before = card_of(folder)
    manifest.write_text(json.dumps({"title": "Letters Home", "version": "1.0.0"}))
    os.utime(manifest, ns=(0, manifest.stat().st_mtime_ns + 1))
    assert (before.title, card_of(folder).title) == ("Letters", "Letters Home")


def test_of_two_campaigns_with_one_name_the_one_that_was_named_is_shown(tmp_path: Path) -> None:
    folder = tmp_path / "harrowmere"
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"title": "Mine", "version": "1.0.0"}))

    @asynccontextmanager
    async def no_library() -> AsyncIterator[Library]:
        raise AssertionError("campaigns are shown without a library")
        yield

    assert heading_of(AppState(tmp_path, no_library, [folder]), "harrowmere").title == "Mine"
    assert heading_of(AppState(tmp_path, no_library), "harrowmere").title == "The Quiet Under Harrowmere"
    assert heading_of(AppState(tmp_path, no_library), "gone").title == "gone"


def test_a_campaign_that_leaves_people_open_offers_some_before_its_first_story(server: Any) -> None:
    creation = server.get("/api/campaigns/comet-tea-room")["creation"]
    assert len(creation["presets"]) >= 2
    character = {"preset": creation["presets"][1]["name"]}
    begun = server.post("/api/stories", {"campaign": "comet-tea-room", "character": character}, 201)
    server.wait(begun["id"], 1)
    assert server.get(f"/api/stories/{begun['id']}/state")["state"]["persona"]["name"] == character["preset"]


def test_a_campaign_says_where_its_rating_exceeds_the_players_limits(server: Any) -> None:
    server.ask("PUT", "/api/settings", {"contentLimits": {"children": True}})
    assert "rated Teen" in server.get("/api/campaigns/harrowmere")["beyondLimits"]
    assert server.get("/api/campaigns/comet-tea-room")["beyondLimits"] == ""
    server.ask("PUT", "/api/settings", {"contentLimits": {"children": False}})
    assert server.get("/api/campaigns/harrowmere")["beyondLimits"] == ""
