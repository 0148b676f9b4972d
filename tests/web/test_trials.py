"""Trial stories over HTTP: begun anywhere in one's own campaign, replaced by the next, listed nowhere."""

from __future__ import annotations

import shutil
from typing import Any

from narratoria import paths


def copy_campaign(server: Any) -> None:
    shutil.copytree(paths.BUNDLED_CAMPAIGNS / "tomorrows-post", server.home / "campaigns" / "my-post")


def test_an_author_plays_from_a_place_or_a_beat(servers: Any) -> None:
    server = servers().start()
    copy_campaign(server)
    starts = server.get("/api/campaigns/my-post/starts")
    assert {"id": "bridge", "title": "Callow Bridge"} in starts["places"]
    assert "show-pin" in {one["id"] for one in starts["beats"]}
    assert starts["people"]["ismay-corrie"] == "bridge"

    first = server.post("/api/campaigns/my-post/trial", {"place": "bridge"}, 201)
    assert first["isTrial"]
    page = server.wait(first["id"], 1)
    assert page["scenes"][0]["place"] == "bridge"

    second = server.post("/api/campaigns/my-post/trial", {"beat": "show-pin"}, 201)
    page = server.wait(second["id"], 1)
    assert "show-pin" in {choice.get("beat") for choice in page["scenes"][0]["choices"]}
    assert server.ask("GET", f"/api/stories/{first['id']}").status == 404  # replaced
    assert server.get("/api/stories")["stories"] == []
    assert server.get("/api/home")["stories"] == []


def test_a_trial_is_played_on_after_a_restart(servers: Any) -> None:
    server = servers().start()
    copy_campaign(server)
    story = server.post("/api/campaigns/my-post/trial", {"beat": "coach-comes"}, 201)["id"]
    told = server.wait(story, 1)
    assert told["scenes"][0]["beats"] == ["coach-comes"]
    server.stop()
    server.start()
    again = server.get(f"/api/stories/{story}")
    assert again["scenes"] == told["scenes"]
    assert again["state"] == told["state"]
    server.post(f"/api/stories/{story}/choose", {"choice": 0, "scene": 1}, 202)
    assert server.wait(story, 2)["scenes"][1]["paragraphs"]


def test_what_is_not_there_or_not_ones_own_is_not_tried(server: Any) -> None:
    refused = server.ask("POST", "/api/campaigns/tomorrows-post/trial", {"place": "bridge"})
    assert (refused.status, refused.code) == (409, "not_yours")
    assert server.ask("GET", "/api/campaigns/tomorrows-post/starts").status == 409


def test_a_place_that_is_not_there_is_not_found(servers: Any) -> None:
    server = servers().start()
    copy_campaign(server)
    for body in ({"place": "moon"}, {"beat": "moon"}, {}):
        assert server.ask("POST", "/api/campaigns/my-post/trial", body).status == 404, body
