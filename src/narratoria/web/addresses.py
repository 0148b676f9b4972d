"""Where the app finds what a story refers to."""

from __future__ import annotations

from urllib.parse import quote


def asset_address(story: str, asset_id: str) -> str:
    return f"/api/stories/{quote(story, safe='')}/assets/{quote(asset_id, safe='')}"


def file_address(campaign: str, path: str) -> str:
    return f"/api/campaigns/{quote(campaign, safe='')}/files/{quote(path)}"
