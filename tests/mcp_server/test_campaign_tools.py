"""An MCP client writes a campaign and has it checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.mcp_server.conftest import Refused


async def test_a_campaign_is_created_written_and_checked_with_line_numbers(
    open_client: Any, tmp_path: Path
) -> None:
    async with open_client() as call:
        made = await call(
            "create_campaign",
            name="low-water",
            title="Low Water",
            place="The Quay",
            premise="The sea is late.",
        )
        assert "manifest.json" in made["files"]
        assert (await call("validate_campaign", campaign="low-water"))["ok"]

        beats = {"beats": [{"id": "a", "title": "A", "description": "It happens.", "priority": "urgent"}]}
        broken = await call(
            "write_campaign_file",
            campaign="low-water",
            path="plot/beats.json",
            text=json.dumps(beats, indent=2),
        )
        assert not broken["ok"]
        finding = next(one for one in broken["findings"] if one["severity"] == "error")
        assert (finding["file"], finding["line"]) == ("plot/beats.json", 7)
        assert "'urgent' is not a priority" in finding["message"]
        with pytest.raises(Refused, match="is not a priority"):
            await call("begin_story", campaign="low-water")

        beats["beats"][0]["priority"] = "high"
        whole = await call(
            "write_campaign_file", campaign="low-water", path="plot/beats.json", text=json.dumps(beats)
        )
        assert whole["ok"]
        assert not whole["new"]
        read = await call("read_campaign_file", campaign="low-water", path="plot/beats.json")
        assert json.loads(read["text"]) == beats
        listed = await call("list_campaign_files", campaign="low-water")
        assert "plot/beats.json" in [one["path"] for one in listed["files"]]
        verdicts = await call("check_campaign", campaign="low-water")
        assert [one["id"] for one in verdicts["beats"]] == ["a"]

        mine = next(one for one in (await call("list_campaigns"))["campaigns"] if one["name"] == "low-water")
        assert not mine["bundled"]
    assert (tmp_path / "home" / "campaigns" / "low-water" / "plot" / "beats.json").is_file()


async def test_what_may_not_be_written_is_refused_in_words(open_client: Any, tmp_path: Path) -> None:
    async with open_client() as call:
        with pytest.raises(Refused, match="is no path for a file here"):
            await call("write_campaign_file", campaign="harrowmere", path="../x.md", text="x")
        with pytest.raises(Refused, match="came with Narratoria"):
            await call("write_campaign_file", campaign="harrowmere", path="x.md", text="x")
        with pytest.raises(Refused, match="is no name for a campaign"):
            await call("create_campaign", name="../outside", title="Outside")
        with pytest.raises(Refused, match="there is a campaign 'harrowmere' already"):
            await call("create_campaign", name="harrowmere", title="Mine")
        with pytest.raises(Refused, match="there is no schema 'beats'"):
            await call("read_campaign_schema", name="beats")
        schema = (await call("read_campaign_schema", name="plot-beats"))["schema"]
        assert schema["properties"]["beats"]
    assert not (tmp_path / "outside").exists()


async def test_a_folder_elsewhere_is_offered_where_it_is_named(open_client: Any, tmp_path: Path) -> None:
    folder = tmp_path / "project" / "pier"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps({"title": "The Pier", "version": "1.0.0"}))
    async with open_client("--campaign", str(folder)) as call:
        listed = await call("list_campaign_files", campaign="pier")
        assert [one["path"] for one in listed["files"]] == ["manifest.json"]
        await call("write_campaign_file", campaign="pier", path="world/setting.md", text="Planks.\n")
    assert (folder / "world" / "setting.md").read_text() == "Planks.\n"
