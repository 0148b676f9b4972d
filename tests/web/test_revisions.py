"""Edits, notes, marks and redo by the API, as the page asks for them."""

from __future__ import annotations

from typing import Any

import pytest

MINE = "A heron in a waistcoat bows to you."


@pytest.fixture
def story(server: Any) -> str:
    story: str = server.begin()
    server.choose(story)
    return story


def test_a_paragraph_is_edited_and_put_back(server: Any, story: str, read_until: Any) -> None:
    page = server.get(f"/api/stories/{story}")
    path = f"/api/stories/{story}/scenes/2/paragraphs/0"
    with server.follow(story, page["lastEventId"]) as socket:
        edited = server.ask("PUT", path, {"text": MINE})
        assert edited.status == 200
        assert read_until(socket, "story_revised")[-1]["scene"] == edited.json
    assert edited.json["paragraphs"][0] == MINE
    assert edited.json["passages"][0] == {"by": "player"}
    assert server.get(f"/api/stories/{story}")["scenes"][1] == edited.json
    assert server.get(f"/api/stories/{story}/search?query=waistcoat")["total"] == 1
    assert server.post(f"{path}/restore") == page["scenes"][1]
    assert server.ask("PUT", path, {"text": ""}).status == 422
    assert server.ask("PUT", f"/api/stories/{story}/scenes/9/paragraphs/0", {"text": MINE}).status == 422


def test_an_undone_turn_is_redone_once(server: Any, story: str) -> None:
    before = server.get(f"/api/stories/{story}")
    assert not before["canRedo"]
    assert server.post(f"/api/stories/{story}/undo")["canRedo"]
    after = server.post(f"/api/stories/{story}/redo")
    assert (after["scenes"], after["state"]) == (before["scenes"], before["state"])
    assert server.ask("POST", f"/api/stories/{story}/redo").status == 422


def test_a_scene_is_bookmarked_and_the_bookmark_taken_away(server: Any, story: str) -> None:
    path = f"/api/stories/{story}/bookmarks"
    assert server.ask("PUT", f"{path}/2").json == [2]
    assert server.ask("PUT", f"{path}/1").json == [1, 2]
    assert server.get(f"/api/stories/{story}")["bookmarks"] == [1, 2]
    assert server.choose(story)["bookmarks"] == [1, 2]
    assert server.ask("DELETE", f"{path}/2").status == 204
    assert server.get(f"/api/stories/{story}")["bookmarks"] == [1]
    assert server.ask("PUT", f"{path}/99").status == 422


def test_a_note_is_left_shown_and_removed(server: Any, story: str) -> None:
    path = f"/api/stories/{story}/notes"
    standing = server.post(path, {"text": " Keep it\nshort "}, 201)
    once = server.post(path, {"text": "Rain", "standing": False}, 201)
    assert standing["text"] == "Keep it short"
    assert server.get(f"/api/stories/{story}")["notes"] == [standing, once]
    assert server.choose(story)["notes"] == [standing]
    assert server.ask("DELETE", f"{path}/{standing['id']}").status == 204
    assert server.get(f"/api/stories/{story}")["notes"] == []
    assert server.ask("DELETE", f"{path}/{standing['id']}").status == 422
    assert server.ask("POST", path, {"text": "x" * 401}).status == 422


def test_without_a_telling_model_the_story_says_that_narratoria_tells_it(server: Any, story: str) -> None:
    teller = server.get(f"/api/stories/{story}")["teller"]
    assert teller["teller"] == "campaign"
    assert "the campaign's own words" in teller["sentence"]


def test_a_memory_is_pinned_struck_out_and_put_back(server: Any, story: str) -> None:
    server.choose(story)
    path = f"/api/stories/{story}/memories"
    last, *_ = [one for one in server.get(path) if one["turn"] == 2]
    assert server.ask("PUT", f"{path}/{last['id']}/mark", {"mark": "pinned"}).status == 204
    assert (server.get(path)[0]["id"], server.get(path)[0]["mark"]) == (last["id"], "pinned")
    assert server.ask("PUT", f"{path}/{last['id']}/mark", {"mark": "struck"}).status == 204
    assert last["id"] not in {one["id"] for one in server.get(path)}
    (struck,) = server.get(f"{path}?struck=true")
    assert (struck["summary"], struck["mark"], struck["turn"]) == (last["summary"], "struck", 2)
    assert server.ask("PUT", f"{path}/{last['id']}/mark", {"mark": "none"}).status == 204
    assert last["summary"] in {one["summary"] for one in server.get(path)}
    assert server.get(f"{path}?struck=true") == []
    assert server.ask("PUT", f"{path}/nothing/mark", {"mark": "pinned"}).status == 422
