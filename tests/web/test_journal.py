"""The journal and the search: everything they name stands in the story, in the scene that they say."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(scope="module")
def story(server: Any) -> str:
    story: str = server.begin(campaign="harrowmere")
    pike = next(
        index
        for index, choice in enumerate(server.get(f"/api/stories/{story}")["scenes"][-1]["choices"])
        if choice.get("topic")
    )
    server.choose(story, pike)
    return story


def test_the_journal_has_every_scene_once(server: Any, story: str) -> None:
    journal = server.get(f"/api/stories/{story}/journal")
    entries = [entry for day in journal["days"] for stay in day["stays"] for entry in stay["scenes"]]
    scenes = server.get(f"/api/stories/{story}")["scenes"]
    assert [(entry["number"], entry["action"]) for entry in entries] == [
        (scene["number"], scene["action"]) for scene in scenes
    ]
    assert journal["days"][0]["stays"][0]["place"] == scenes[0]["place"]


def test_an_answered_question_is_known_with_whoever_answered_it(server: Any, story: str) -> None:
    known = server.get(f"/api/stories/{story}/journal")["known"]
    choice = next(
        one
        for one in server.get(f"/api/stories/{story}")["scenes"][0]["choices"]
        if one["text"] == server.get(f"/api/stories/{story}")["scenes"][1]["action"]
    )
    assert (choice["target"], 2) in {(fact["person"], fact["scene"]) for fact in known}


def test_words_are_found_in_whatever_case_with_what_stands_around_them(server: Any, story: str) -> None:
    paragraph = server.get(f"/api/stories/{story}")["scenes"][0]["paragraphs"][0].replace("*", "")
    words = paragraph.split(". ")[0][10:40].strip()
    answer = server.get(f"/api/stories/{story}/search?query={'%20'.join(words.upper().split())}")
    assert answer["total"] == len(answer["hits"]) == 1
    hit = answer["hits"][0]
    assert (hit["scene"], hit["match"]) == (1, words)
    assert f"{hit['before']}{hit['match']}{hit['after']}".strip("…") in paragraph
    assert server.get(f"/api/stories/{story}/search?query=flurbgronk")["hits"] == []
    assert server.ask("GET", f"/api/stories/{story}/search").status == 422
