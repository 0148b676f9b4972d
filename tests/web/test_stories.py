"""Stories over HTTP: begun, followed by several at once, interrupted, taken back, branched, kept."""

from __future__ import annotations

import json
import re
import signal
import threading
from typing import Any
from urllib.parse import quote

import pytest
from websockets.exceptions import ConnectionClosed


def words_of(events: list[dict[str, Any]]) -> str:
    """What a reader has before its eyes who follows the events."""
    text = ""
    for event in events:
        match event["type"]:
            case "turn_started" | "narration_discarded" | "turn_cancelled":
                text = ""
            case "narration_delta":
                text += event["text"]
            case "scene_ready":
                text = "\n\n".join(event["scene"]["paragraphs"])
    return text


def test_a_story_is_told_from_its_beginning_as_events(server: Any, read_until: Any) -> None:
    story = server.post("/api/stories", {"campaign": "tomorrows-post"}, 201)["id"]
    with server.follow(story) as socket:
        events = read_until(socket, "scene_ready")
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    assert {event["turn"] for event in events if event["type"] != "model_status"} == {1}
    kinds = [event["type"] for event in events if event["type"] != "model_status"]
    assert kinds[0] == "turn_started"
    assert {"plan_made", "tool_started", "tool_finished"} <= set(kinds)
    page = server.wait(story, 1)
    assert page["scenes"][-1] == events[-1]["scene"]
    assert page["lastEventId"] >= events[-1]["id"]
    assert 3 <= len(page["scenes"][0]["choices"]) <= 4


def test_a_character_is_made_of_the_answers_by_the_campaigns_own_rules(server: Any) -> None:
    begun = server.post("/api/stories", {"campaign": "harrowmere", "character": {"preset": "Isak Ven"}}, 201)
    server.wait(begun["id"], 1)
    persona = server.get(f"/api/stories/{begun['id']}/state")["state"]["persona"]
    assert (persona["name"], persona["class"]) == ("Isak Ven", "Tuner")
    assert persona["stats"] == {"strength": 3, "stealth": 5, "charisma": 4, "craft": 4, "lore": 8}
    assert persona["items"] == ["tuning fork", "letter of engagement", "a novice's slate"]


def test_answers_that_break_the_campaigns_rules_are_named_field_by_field(server: Any) -> None:
    character = {"name": "Ada", "race": "Dragon", "stats": {"lore": 90}}
    refused = server.post("/api/stories", {"campaign": "harrowmere", "character": character}, 422)
    assert {"character.race", "character.stats.lore"} <= {one["field"] for one in refused["error"]["fields"]}
    refused = server.post("/api/stories", {"campaign": "harrowmere", "character": {"wings": 2}}, 422)
    assert "wings" in json.dumps(refused)


def test_what_was_missed_is_sent_again_from_any_number_on(server: Any, read_until: Any) -> None:
    story = server.begin()
    server.choose(story)
    with server.follow(story) as socket:
        everything = read_until(socket, "scene_ready") + read_until(socket, "scene_ready")
    for after in range(0, len(everything), 5):
        with server.follow(story, after) as socket:
            missed = [json.loads(socket.recv(timeout=60)) for _ in everything[after:]]
        assert missed == everything[after:]


def test_two_tabs_on_one_story_read_the_same(server: Any, read_until: Any) -> None:
    story = server.begin()
    page = server.get(f"/api/stories/{story}")
    with (
        server.follow(story, page["lastEventId"]) as one,
        server.follow(story, page["lastEventId"]) as other,
    ):
        server.post(f"/api/stories/{story}/choose", {"choice": 1, "scene": 1}, 202)
        first, second = read_until(one, "scene_ready"), read_until(other, "scene_ready")
    assert first == second
    assert words_of(first) == "\n\n".join(server.wait(story, 2)["scenes"][-1]["paragraphs"])


def test_of_two_choices_at_once_one_counts(server: Any) -> None:
    story = server.begin()
    answers: list[Any] = []

    def choose(choice: int) -> None:
        body = {"choice": choice, "scene": 1}
        answers.append(server.ask("POST", f"/api/stories/{story}/choose", body))

    tabs = [threading.Thread(target=choose, args=(choice,)) for choice in (0, 1, 2)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert sorted(answer.status for answer in answers) == [202, 409, 409]
    assert {answer.code for answer in answers if answer.status == 409} <= {"busy", "stale_scene"}
    assert len(server.wait(story, 2)["scenes"]) == 2


def test_a_choice_of_a_scene_that_is_over_is_refused(server: Any) -> None:
    story = server.begin()
    server.choose(story)
    refused = server.ask("POST", f"/api/stories/{story}/choose", {"choice": 0, "scene": 1})
    assert (refused.status, refused.code) == (409, "stale_scene")
    beyond = server.ask("POST", f"/api/stories/{story}/choose", {"choice": 9, "scene": 2})
    assert (beyond.status, beyond.code) == (422, "invalid")


@pytest.mark.slow
def test_a_server_killed_in_mid_turn_loses_no_word(servers: Any, read_until: Any) -> None:
    server = servers().start()
    story = server.begin()
    scene = server.get(f"/api/stories/{story}")["scenes"][-1]
    seen: list[dict[str, Any]] = []
    for number in range(1, 4):
        last = seen[-1]["id"] if seen else 0
        with server.follow(story, last) as socket:
            server.post(f"/api/stories/{story}/choose", {"choice": 0, "scene": number}, 202)
            while not seen or seen[-1]["type"] != "tool_started" or seen[-1]["turn"] != number + 1:
                seen.append(json.loads(socket.recv(timeout=60)))
            server.stop(signal.SIGKILL)
        server = servers(port=server.port).start()
        # as an open tab does: from the last event it saw
        with server.follow(story, seen[-1]["id"]) as socket:
            while seen[-1]["type"] != "scene_ready" or seen[-1]["turn"] != number + 1:
                seen.append(json.loads(socket.recv(timeout=60)))
        told = server.wait(story, number + 1)["scenes"]
        assert told[number]["action"] == scene["choices"][0]["text"]
        assert words_of(seen) == "\n\n".join(told[number]["paragraphs"])
        scene = told[number]
    ids = [event["id"] for event in seen]
    assert ids == list(range(1, len(ids) + 1))


def test_a_server_that_is_stopped_finishes_the_turn(servers: Any) -> None:
    server = servers().start()
    story = server.begin()
    server.post(f"/api/stories/{story}/choose", {"choice": 0, "scene": 1}, 202)
    assert server.stop(signal.SIGTERM) == 0
    server = servers(port=server.port).start()
    assert len(server.wait(story, 2)["scenes"]) == 2


def test_a_cancelled_turn_leaves_the_story_as_it_was(server: Any, read_until: Any) -> None:
    story = server.begin()
    for _ in range(20):  # a turn may be told before it can be cancelled
        before = server.wait(story, 1)
        number = before["scenes"][-1]["number"]
        server.post(f"/api/stories/{story}/choose", {"choice": 0, "scene": number}, 202)
        assert server.ask("POST", f"/api/stories/{story}/cancel").status == 204
        after = server.wait(story, number)
        if after["scenes"] == before["scenes"]:
            break
    else:
        pytest.fail("no turn could be cancelled")
    assert after["state"] == before["state"]
    with server.follow(story, before["lastEventId"]) as socket:
        assert read_until(socket, "turn_cancelled")[-1]["turn"] == number + 1
    assert len(server.choose(story)["scenes"]) == number + 1


def test_a_turn_can_be_taken_back_and_told_anew(server: Any) -> None:
    story = server.begin()
    second = server.choose(story, 1)["scenes"][-1]
    undone = server.post(f"/api/stories/{story}/undo")
    assert [scene["number"] for scene in undone["scenes"]] == [1]
    refused = server.ask("POST", f"/api/stories/{story}/undo")
    assert refused.status == 422
    assert server.choose(story, 1)["scenes"][-1]["action"] == second["action"]
    server.post(f"/api/stories/{story}/retry", status=202)
    assert [scene["number"] for scene in server.wait(story, 2)["scenes"]] == [1, 2]


def test_every_telling_of_the_last_scene_can_be_had_again(server: Any) -> None:
    story = server.begin(campaign="harrowmere")
    tellings = [server.choose(story, 0)["scenes"][-1]["paragraphs"]]
    for _ in range(2):
        server.post(f"/api/stories/{story}/retry", status=202)
        tellings.append(server.wait(story, 2)["scenes"][-1]["paragraphs"])
    page = server.wait(story, 2)
    assert (page["take"], page["takes"]) == (2, 3)
    for take in (0, 1, 2, 0):
        server.post(f"/api/stories/{story}/retry", {"take": take}, 202)
        page = server.wait(story, 2)
        assert page["scenes"][-1]["paragraphs"] == tellings[take]
        assert (page["take"], page["takes"]) == (take, 3)
    page = server.choose(story, 0)
    assert (page["take"], page["takes"]) == (0, 1)


def test_a_scene_is_exported_alone_as_a_page_without_links(server: Any) -> None:
    story = server.begin()
    scenes = server.choose(story, 0)["scenes"]
    page = server.ask("GET", f"/api/stories/{story}/export?format=html&scene=2")
    text = page.content.decode()
    assert page.headers["content-disposition"].endswith('-scene-2.html"')
    assert scenes[1]["action"] in text
    assert scenes[0]["paragraphs"][0][:40] not in text
    assert not re.search(r"<(a|link|script|img)\b|https?:", text)
    assert server.ask("GET", f"/api/stories/{story}/export?format=html&scene=9").status == 422
    assert server.ask("GET", f"/api/stories/{story}/export?format=json&scene=2").status == 422


def test_a_branch_shares_what_came_before_and_goes_its_own_way(server: Any) -> None:
    story = server.begin(title="The letter")
    server.choose(story)
    branch = server.post(f"/api/stories/{story}/branch", {"turn": 1, "title": "The door"}, 201)
    assert (branch["parent"], branch["branchedAt"], branch["title"]) == (story, 1, "The door")
    server.choose(branch["id"], 1)
    tree = server.get(f"/api/stories/{story}/tree")["nodes"]
    assert {node["id"] for node in tree} == {story, branch["id"]}
    compared = server.get(f"/api/stories/{story}/compare?with={branch['id']}")
    assert compared["common"] == 1
    assert [scene["number"] for scene in compared["left"] + compared["right"]] == [2, 2]


def test_a_story_is_renamed_listed_and_deleted(server: Any) -> None:
    story = server.begin()
    assert server.ask("PATCH", f"/api/stories/{story}", {"title": "Snow"}).json["title"] == "Snow"
    assert server.ask("PATCH", f"/api/stories/{story}", {"title": ""}).status == 422
    listed = {one["id"]: one for one in server.get("/api/home")["stories"]}
    assert listed[story]["title"] == "Snow"
    assert listed[story]["place"] == "The post office"
    assert server.ask("DELETE", f"/api/stories/{story}").status == 204
    assert server.ask("GET", f"/api/stories/{story}").status == 404
    assert story not in {one["id"] for one in server.get("/api/home")["stories"]}


def test_a_story_that_is_not_there_is_said_to_be_missing(server: Any) -> None:
    for method, path in (
        ("GET", ""),
        ("POST", "/cancel"),
        ("GET", "/turns"),
        ("GET", "/state"),
        ("DELETE", ""),
    ):
        refused = server.ask(method, f"/api/stories/nowhere-1{path}")
        assert (refused.status, refused.code) == (404, "not_found"), path
    with server.follow("nowhere-1") as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "9" * 30, "٣"])
def test_a_stream_is_followed_from_a_number(server: Any, after: str) -> None:
    with server.follow("any", after) as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4422


def test_a_reader_from_the_future_is_told_to_read_anew(server: Any) -> None:
    story = server.begin()
    with server.follow(story, 10**6) as socket:
        assert json.loads(socket.recv(timeout=60)) == {"type": "reload"}


@pytest.mark.parametrize(
    ("format_", "media", "begins"),
    [
        ("markdown", "text/markdown; charset=utf-8", b"# "),
        ("html", "text/html; charset=utf-8", b"<!"),
        ("epub", "application/epub+zip", b"PK"),
        ("json", "application/json", b"{"),
    ],
)
def test_a_story_can_be_taken_along(server: Any, format_: str, media: str, begins: bytes) -> None:
    story = server.begin()
    taken = server.ask("GET", f"/api/stories/{story}/export?format={format_}")
    assert taken.headers["content-type"] == media
    assert taken.content.startswith(begins)
    assert taken.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in taken.headers["content-security-policy"]


def test_a_story_that_was_taken_along_can_be_brought_back(server: Any) -> None:
    story = server.begin()
    told = server.choose(story)["scenes"]
    save = server.ask("GET", f"/api/stories/{story}/export?format=json").content
    back = server.ask("POST", "/api/stories/import", save)
    assert back.status == 201
    assert server.get(f"/api/stories/{back.json['id']}")["scenes"] == told
    refused = server.ask("POST", "/api/stories/import", b'{"format": 1}')
    assert refused.status == 422


def test_typed_actions_are_taken_where_the_player_wants_them(server: Any) -> None:
    story = server.begin()
    server.ask("PUT", "/api/settings", {"freeText": False})
    try:
        refused = server.ask("POST", f"/api/stories/{story}/say", {"text": "I sing"})
        assert (refused.status, refused.code) == (409, "free_text_off")
    finally:
        server.ask("PUT", "/api/settings", {"freeText": True})
    server.post(f"/api/stories/{story}/say", {"text": "I sing to the snow"}, 202)
    assert server.wait(story, 2)["scenes"][-1]["action"] == "I sing to the snow"


def test_a_campaign_can_close_its_stories_to_own_words(server: Any) -> None:
    folder = server.home / "campaigns/only-choices"
    folder.mkdir(parents=True)
    manifest = {"title": "Only choices", "version": "1.0.0", "own_words": False}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    story = server.begin(campaign="only-choices")
    assert server.get(f"/api/stories/{story}")["ownWords"] is False
    refused = server.ask("POST", f"/api/stories/{story}/say", {"text": "I sing"})
    assert (refused.status, refused.code) == (409, "free_text_off")
    assert refused.json["error"]["message"] == "In this story you choose from what is offered."
    assert server.get(f"/api/stories/{server.begin()}")["ownWords"] is True


def test_words_that_are_not_made_out_are_asked_about_and_play_no_turn(server: Any, read_until: Any) -> None:
    story = server.begin()
    after = server.get(f"/api/stories/{story}")["lastEventId"]
    server.post(f"/api/stories/{story}/say", {"text": "flurb  the gronk xyzzy"}, 202)
    with server.follow(story, after) as socket:
        asked = read_until(socket, "asked_back")[-1]
    assert asked["words"] == "flurb the gronk xyzzy"
    assert asked["question"]
    assert 2 <= len(asked["readings"]) <= 3
    page = server.get(f"/api/stories/{story}")
    assert (len(page["scenes"]), page["busy"]) == (1, False)
    server.post(f"/api/stories/{story}/say", {"text": asked["readings"][0]}, 202)
    assert server.wait(story, 2)["scenes"][-1]["action"] == asked["readings"][0]


def test_every_turn_can_be_looked_into(server: Any) -> None:
    story = server.begin()
    server.choose(story)
    rows = server.get(f"/api/stories/{story}/turns")
    assert [row["turn"] for row in rows] == [1, 2]
    turn = server.get(f"/api/stories/{story}/turns/2")
    assert turn["plan"]["tools"]
    assert {tool["toolId"] for tool in turn["tools"]} == {call["toolId"] for call in turn["plan"]["tools"]}
    assert turn["events"][-1]["type"] == "scene_ready"
    state = server.get(f"/api/stories/{story}/state")
    assert state["state"] == server.get(f"/api/stories/{story}")["state"]
    assert server.ask("GET", f"/api/stories/{story}/turns/9").status == 404


def test_older_scenes_come_page_by_page(server: Any) -> None:
    story = server.begin()
    server.choose(story)
    server.choose(story)
    page = server.get(f"/api/stories/{story}?limit=2")
    assert ([scene["number"] for scene in page["scenes"]], page["first"]) == ([2, 3], 2)
    older = server.get(f"/api/stories/{story}?limit=2&before={page['first']}")
    assert [scene["number"] for scene in older["scenes"]] == [1]
    assert server.ask("GET", f"/api/stories/{story}?limit=0").status == 422


def test_a_receipt_leads_to_its_record(server: Any) -> None:
    story = server.begin()
    page = server.choose(story)
    assert "read-letter" in page["scenes"][-1]["beats"]
    reason = server.get(f"/api/stories/{story}/why/beat/read-letter")
    assert (reason["title"], reason["turn"]) == ("The letter", 2)
    for path in (
        "beat/under-the-span",
        "beat/nothing",
        "memory/nothing",
        "roll/1",
        "state/nothing",
        "standing/nobody",
    ):
        assert server.ask("GET", f"/api/stories/{story}/why/{path}").status == 404, path
    assert server.ask("GET", f"/api/stories/{story}/why/rumour/x").status == 422


def test_every_choice_and_every_remembered_line_leads_to_a_record(server: Any) -> None:
    story = server.begin()
    shown: dict[tuple[str, str], str] = {}
    for turn in range(10):
        page = server.choose(story, turn % 3)
        scene = page["scenes"][-1]
        assert all(choice.get("because") for choice in scene["choices"]), scene["choices"]
        told = [*scene["choices"], *(scene.get("passages") or [])]
        for receipt in (one for each in told for one in each.get("because") or []):
            shown[receipt["kind"], receipt["id"]] = receipt.get("text", "")
    assert {kind for kind, _ in shown} >= {"place", "beat", "topic"}
    for (kind, name), text in shown.items():
        answer = server.ask("GET", f"/api/stories/{story}/why/{kind}/{quote(name, safe='')}")
        assert answer.status == 200, (kind, name, text)
        assert answer.json["text"]
    assert server.ask("GET", f"/api/stories/{story}/why/place/nowhere").status == 404
    assert server.get(f"/api/stories/{story}/why/place/here")["title"]


def test_a_story_without_a_store_is_told_all_the_same(servers: Any, read_until: Any) -> None:
    server = servers(env={"NARRATORIA_DATABASE_URL": "oracle://nowhere"}).start()
    story = server.begin()
    page = server.choose(story)
    assert len(page["scenes"]) == 2
    assert not page["kept"]
    with server.follow(story) as socket:
        notice = read_until(socket, "notice")[-1]
    assert notice["kind"] == "store"
    assert [card["id"] for card in server.get("/api/home")["stories"]] == [story]
    assert server.get(f"/api/stories/{story}/memories") == []
    refused = server.ask("GET", f"/api/stories/{story}/turns")
    assert (refused.status, refused.code) == (503, "store_unavailable")


def test_an_open_story_was_played_when_its_last_scene_was_told(server: Any) -> None:
    story = server.begin()
    before = server.get(f"/api/stories/{story}")["story"]
    after = server.choose(story)["story"]
    assert before["createdAt"] <= before["playedAt"] < after["playedAt"]
