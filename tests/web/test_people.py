"""People: whoever was met, where, what they think of the player, and what they can be asked from there."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(scope="module")
def story(server: Any) -> str:
    return str(server.begin(campaign="harrowmere"))


def test_whoever_is_there_is_listed_with_what_can_be_asked(server: Any, story: str) -> None:
    page = server.get(f"/api/stories/{story}/people")
    scene = server.get(f"/api/stories/{story}")["scenes"][-1]
    here = [person for person in page["people"] if person["isHere"]]
    assert {person["id"] for person in here} >= set(scene["people"])
    pike = next(person for person in here if person["id"] == "pike")
    assert (pike["name"], pike["lastSeenAt"], pike["lastSeenIn"]) == ("Pike", scene["place"], 1)
    offered = {choice["topic"] for choice in scene["choices"] if choice.get("target") == "pike"}
    assert offered <= {question["id"] for question in pike["topics"]}


def test_a_question_is_asked_and_then_it_was(server: Any, story: str) -> None:
    pike = next(one for one in server.get(f"/api/stories/{story}/people")["people"] if one["id"] == "pike")
    question = pike["topics"][-1]
    number = server.get(f"/api/stories/{story}")["scenes"][-1]["number"]
    server.post(f"/api/stories/{story}/ask", {"topic": question["id"], "scene": number}, 202)
    scene = server.wait(story, number + 1)["scenes"][-1]
    assert scene["action"] == f"Ask Pike {question['text']}"
    after = next(one for one in server.get(f"/api/stories/{story}/people")["people"] if one["id"] == "pike")
    assert question in after["asked"]
    assert question not in after["topics"]
    assert scene["number"] in {fact["scene"] for fact in after["known"]}
    refused = server.ask(
        "POST", f"/api/stories/{story}/ask", {"topic": question["id"], "scene": scene["number"]}
    )
    assert (refused.status, refused.code) == (409, "not_open")


def test_nobody_can_be_asked_who_is_not_in_the_story_or_after_it_has_gone_on(server: Any, story: str) -> None:
    number = server.get(f"/api/stories/{story}")["scenes"][-1]["number"]
    unknown = server.ask("POST", f"/api/stories/{story}/ask", {"topic": "nobody/topic/x", "scene": number})
    assert unknown.status == 404
    stale = server.ask("POST", f"/api/stories/{story}/ask", {"topic": "pike/topic/x", "scene": number - 1})
    assert (stale.status, stale.code) == (409, "stale_scene")
