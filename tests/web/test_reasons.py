"""The record behind a receipt of an answer: the topic, evidence or unit, and the file it stands in."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote


def say(server: Any, story: str, words: str) -> dict[str, Any]:
    number = server.get(f"/api/stories/{story}")["scenes"][-1]["number"]
    server.post(f"/api/stories/{story}/say", {"text": words}, 202)
    scene: dict[str, Any] = server.wait(story, number + 1)["scenes"][-1]
    return scene


def test_every_paragraph_of_an_answer_leads_to_the_file_it_comes_from(server: Any) -> None:
    story = server.begin()
    shown = set()
    for words in ("I sing to the snow", "what do I remember?", "I examine the letter", "I wait for a while"):
        scene = say(server, story, words)
        assert all(passage.get("because") for passage in scene["passages"]), scene
        shown |= {(one["kind"], one["id"]) for passage in scene["passages"] for one in passage["because"]}
    assert "unit" in {kind for kind, _ in shown}
    for kind, name in shown:
        reason = server.get(f"/api/stories/{story}/why/{kind}/{quote(name, safe='')}")
        assert reason["text"]
        if kind == "unit":
            assert reason["record"]["acts"]
            assert reason["record"]["outcome"] in ("none", "success", "partial", "failure")
            assert reason["record"]["file"].endswith(".jsonl")


def test_what_was_not_told_is_not_shown(server: Any) -> None:
    story = server.begin()
    for path in ("unit/nothing", "evidence/nothing", "evidence/journal", "topic/nobody/topic/nothing"):
        assert server.ask("GET", f"/api/stories/{story}/why/{quote(path)}").status == 404, path
