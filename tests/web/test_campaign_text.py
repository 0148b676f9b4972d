"""A campaign as text: the whole of it to read, one's own to write in, and never a file beside it."""

from __future__ import annotations

import shutil
from typing import Any

from narratoria import paths


def test_a_campaign_that_came_along_is_read_and_not_written(server: Any) -> None:
    page = server.get("/api/campaigns/tomorrows-post/text")
    assert not page["editable"]
    files = {one["path"]: one["text"] for one in page["files"]}
    assert "manifest.json" in files
    assert any(path.startswith("plot/") for path in files)
    refused = server.ask("PUT", "/api/campaigns/tomorrows-post/text", {"path": "manifest.json", "text": "{}"})
    assert (refused.status, refused.code) == (409, "not_yours")


def test_ones_own_campaign_is_checked_as_one_types_and_written(servers: Any) -> None:
    server = servers().start()
    own = server.home / "campaigns" / "my-post"
    shutil.copytree(paths.BUNDLED_CAMPAIGNS / "tomorrows-post", own)
    path = "/api/campaigns/my-post/text"
    page = server.get(path)
    assert page["editable"]
    manifest = next(one["text"] for one in page["files"] if one["path"] == "manifest.json")
    broken = manifest.replace("{", "{\n  oops", 1)
    problems = server.post(f"{path}/check", {"path": "manifest.json", "text": broken})["problems"]
    assert (problems[0]["severity"], problems[0]["file"]) == ("error", "manifest.json")
    assert problems[0]["line"] > 0
    assert (own / "manifest.json").read_text() == manifest
    assert server.post(f"{path}/check", {"path": "manifest.json", "text": manifest})["problems"] == []
    changed = manifest.replace("Tomorrow", "Yesterday")
    assert server.ask("PUT", path, {"path": "manifest.json", "text": changed}).status == 200
    assert (own / "manifest.json").read_text() == changed
    for outside in ("../my-post/manifest.json", "/etc/passwd", "art/none.png", "new.md"):
        assert server.ask("PUT", path, {"path": outside, "text": "x"}).status == 404, outside
