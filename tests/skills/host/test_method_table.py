"""What a skill may ask of the host, what it gets, and how it is refused."""

from __future__ import annotations

import base64
import struct
from typing import Any

import msgspec
import pytest
from tests.skills.host.records import Records

from narratoria.contracts import load
from narratoria.skills.host.method_table import METHODS
from narratoria.skills.host.services import Caller, EmbeddedTexts, Generation, Host, HostMatch

ANVIL = {"summary": "Helped the blacksmith repair an anvil", "location": "smithy", "characterIds": ["aldric"]}
SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0H8V8H0Z" fill="#a33"/></svg>'
FREE = ("host.info", "picture.rasterise")  # whoever runs may call them

CALLS: dict[str, dict[str, Any]] = {
    "host.info": {},
    "store.semanticSearch": {"query": "anvil"},
    "store.exactMatch": {},
    "store.store": {"dataType": "memoryEvent", "record": ANVIL},
    "store.storeAll": {"items": [{"dataType": "memoryEvent", "record": ANVIL}]},
    "store.history": {"dataType": "reputation", "subject": "smiths"},
    "store.update": {"dataType": "memoryEvent", "identifier": "m1", "changes": {"location": None}},
    "store.delete": {"dataType": "memoryEvent", "identifier": "m1"},
    "embed.embed": {"texts": ["anvil"]},
    "model.generate": {"prompt": "An anvil rings."},
    "model.count": {"texts": ["An anvil rings."]},
    "narration.check": {"paragraphs": ["An anvil rings."]},
    "picture.rasterise": {"svg": SQUARE, "size": 64},
}


async def test_a_record_is_stored_found_changed_and_deleted(open_line):
    async with open_line() as line:
        kept = await line.ask("store.store", dataType="memoryEvent", record=ANVIL)
        assert (kept["record"], kept["skill"], kept["sessionId"]) == (ANVIL, "memory", "s1")
        where = {"dataType": "memoryEvent", "identifier": kept["identifier"]}

        found = await line.ask("store.semanticSearch", query="repair the anvil", limit=5)
        assert [one["identifier"] for one in found["records"]] == [kept["identifier"]]
        assert found["records"][0]["relevance"] == 1.0

        changed = await line.ask("store.update", **where, changes={"location": None, "mood": {"aldric": 3}})
        assert changed["record"] == {
            "summary": ANVIL["summary"],
            "characterIds": ["aldric"],
            "mood": {"aldric": 3},
        }
        assert await line.ask("store.delete", **where) == {"deleted": True}
        assert await line.ask("store.delete", **where) == {"deleted": False}
        assert await line.ask("store.exactMatch") == {"records": [], "more": False}


async def test_records_that_belong_together_are_all_kept_or_none_is(open_line):
    smiths = {
        "dataType": "reputation",
        "record": {"factionId": "smiths", "change": 10, "reason": "the anvil"},
    }
    tinkers = {"dataType": "reputation", "record": {"factionId": "tinkers", "change": -5}, "identifier": "t"}
    async with open_line() as line:
        kept = await line.ask("store.storeAll", items=[smiths, tinkers])
        assert [one["record"]["factionId"] for one in kept["records"]] == ["smiths", "tinkers"]
        error = await line.refused("store.storeAll", items=[smiths, tinkers])
        assert error["data"]["reason"] == "ALREADY_EXISTS"
        assert len((await line.ask("store.exactMatch"))["records"]) == 2
        (change,) = (await line.ask("store.history", dataType="reputation", subject="smiths"))["changes"]
    assert (change["change"], change["reason"], change["scoreAfter"]) == (10, "the anvil", 10)


async def test_a_search_says_whether_there_is_more(open_line):
    async with open_line() as line:
        for n in range(5):
            await line.ask("store.store", dataType="n", record={"n": n, "text": "bell"})
        first = await line.ask("store.exactMatch", limit=3)
        second = await line.ask("store.exactMatch", limit=3, offset=3)
        newest = await line.ask("store.exactMatch", limit=1, newestFirst=True)
        assert [one["record"]["n"] for one in first["records"]] == [0, 1, 2]
        assert [one["record"]["n"] for one in second["records"]] == [3, 4]
        assert [one["record"]["n"] for one in newest["records"]] == [4]
        assert (first["more"], second["more"]) == (True, False)
        assert (await line.ask("store.semanticSearch", query="bell", limit=5))["more"] is False
        assert (await line.ask("store.semanticSearch", query="bell", limit=4))["more"] is True


async def test_a_text_is_generated_whole(open_line):
    async with open_line() as line:
        told = await line.ask("model.generate", prompt="An anvil rings.")
        cut = await line.ask("model.generate", prompt="An anvil rings.", maxTokens=2)
    assert told == {"text": "An anvil rings. ", "finish": "stop"}
    assert cut == {"text": "An anvil ", "finish": "length"}


async def test_a_text_is_checked_against_what_is_known(open_line):
    told = ["A door.", "An anvil rings."]
    async with open_line() as line:
        wrong = await line.ask("narration.check", paragraphs=told)
        right = await line.ask("narration.check", paragraphs=told, facts={"anvil": True})
    assert wrong == {"findings": [{"paragraph": 1, "message": "there is no anvil here"}]}
    assert right == {"findings": []}


async def test_a_skill_is_told_how_far_the_model_can_be_trusted(open_line):
    async with open_line() as line:
        told = await line.ask("host.info")
    assert told["model"] == {"name": "echo", "tier": "narrates", "state": "ready", "reason": ""}
    async with open_line(host=Host()) as line:
        assert (await line.ask("host.info"))["model"]["state"] == "none"


async def test_texts_are_embedded_in_their_order(open_line):
    async with open_line() as line:
        told = await line.ask("embed.embed", texts=["abba", "c"])
    assert (told["model"], told["dimensions"]) == ("letters", 26)
    assert [vector[:3] for vector in told["vectors"]] == [[2.0, 2.0, 0.0], [0.0, 0.0, 1.0]]


@pytest.mark.parametrize("method", METHODS)
async def test_a_method_is_refused_without_its_permission_and_says_which(open_line, method):
    needed = METHODS[method].permission
    others = {"store:read", "store:write", "embed", "model", "network"} - {needed}
    async with open_line(permissions=others) as line:
        if needed is None:
            await line.ask(method, **CALLS[method])
            return
        error = await line.refused(method, **CALLS[method])
    assert (error["code"], error["data"]["reason"]) == (-32001, "NOT_PERMITTED")
    assert error["data"]["permission"] == needed
    assert needed in error["message"]
    assert "grant" in error["data"]["advice"]


@pytest.mark.parametrize("method", METHODS)
async def test_a_method_works_with_its_permission_alone(open_line, host, method):
    await host.store.store(Caller("other", "p1", "s0"), "memoryEvent", dict(ANVIL), "m1")
    async with open_line(permissions=[METHODS[method].permission or "network"]) as line:
        await line.ask(method, **CALLS[method])


async def test_nothing_is_permitted_by_default_but_to_ask_who_one_is(open_line):
    async with open_line(permissions=()) as line:
        told = await line.ask("host.info")
    assert (told["skill"], told["playthroughId"], told["sessionId"]) == ("memory", "p1", "s1")
    assert {method["name"]: method["permitted"] for method in told["methods"]} == {
        name: name in FREE for name in METHODS
    }


@pytest.mark.parametrize(
    ("method", "engine"),
    [
        ("store.store", "store"),
        ("embed.embed", "embedding model"),
        ("model.generate", "language model"),
        ("narration.check", "check of what is told"),
    ],
)
async def test_a_missing_engine_is_told_in_plain_words(open_line, method, engine):
    async with open_line(host=Host()) as line:
        error = await line.refused(method, **CALLS[method])
        assert (error["code"], error["data"]["reason"]) == (-32002, "NOT_AVAILABLE")
        assert engine in error["message"]
        told = await line.ask("host.info")
    assert [method["name"] for method in told["methods"] if method["available"]] == list(FREE)


async def test_records_need_a_story(open_line):
    async with open_line(playthrough="") as line:
        error = await line.refused("store.exactMatch")
    assert error["data"]["reason"] == "NOT_AVAILABLE"
    assert "no story" in error["message"]


@pytest.mark.parametrize("name", ["playthroughId", "playthrough", "playthrough_id", "PLAYTHROUGHID"])
@pytest.mark.parametrize(
    ("method", "place"),
    [
        ("store.exactMatch", ""),
        ("store.semanticSearch", "filters"),
        ("store.store", "record"),
        ("store.update", "changes"),
        ("model.generate", ""),
    ],
)
async def test_the_playthrough_is_never_an_argument(open_line, method, place, name):
    params = {**CALLS[method]}
    if place:
        params[place] = {**params.get(place, {}), name: "p2"}
    else:
        params[name] = "p2"
    async with open_line() as line:
        error = await line.refused(method, **params)
    assert error["code"] == -32602
    assert "playthrough is not an argument" in error["message"]
    assert "belongs to one playthrough" in error["data"]["advice"]


async def test_every_problem_of_the_parameters_is_told_with_its_place(open_line):
    async with open_line() as line:
        error = await line.refused("store.semanticSearch", limit=0, quary="x", filters={"a": {"form": 3}})
    assert (error["code"], error["data"]["reason"]) == (-32602, "INVALID_PARAMS")
    assert {problem["pointer"] for problem in error["data"]["problems"]} == {
        "",
        "/limit",
        "/quary",
        "/filters/a/form",
    }
    assert any("did you mean 'query'" in problem["message"] for problem in error["data"]["problems"])


async def test_a_mistyped_method_is_answered_with_the_nearest_one(open_line):
    async with open_line() as line:
        error = await line.refused("store.semanticsearch", query="x")
        unknown = await line.refused("os.system", command="ls")
    assert (error["code"], error["data"]["advice"]) == (-32601, "did you mean store.semanticSearch?")
    assert all(name in unknown["data"]["advice"] for name in METHODS)


async def test_a_record_that_is_not_there_and_one_that_is_are_told_apart(open_line):
    async with open_line() as line:
        missing = await line.refused("store.update", dataType="n", identifier="x", changes={"a": 1})
        await line.ask("store.store", dataType="n", record={"a": 1}, identifier="x")
        taken = await line.refused("store.store", dataType="n", record={"a": 2}, identifier="x")
        await line.ask("store.store", dataType="other", record={"a": 2}, identifier="x")
    assert (missing["code"], missing["data"]["reason"]) == (-32004, "NOT_FOUND")
    assert (taken["code"], taken["data"]["reason"]) == (-32005, "ALREADY_EXISTS")


class Jammed(Records):
    async def store_all(self, caller, items):
        raise OSError("/home/somebody/records: the disk is full")


async def test_a_bug_of_an_engine_costs_one_call_and_is_logged(open_line, caplog):
    async with open_line(host=Host(Jammed())) as line:
        error = await line.refused("store.store", dataType="n", record={"a": 1})
        assert (error["code"], error["data"]["reason"]) == (-32603, "INTERNAL_ERROR")
        assert "somebody" not in str(error)
        await line.ask("host.info")
    assert "store.store failed" in caplog.text


@pytest.mark.parametrize(
    ("struct", "contract", "part"),
    [
        (Generation, "host-request", "model.generate"),
        (HostMatch, "host-answer", "entry"),
        (EmbeddedTexts, "host-answer", "embed.embed"),
    ],
)
def test_the_types_and_the_contracts_say_the_same(struct, contract, part):
    schema = load(contract)["$defs"][part]
    fields = {field.encode_name: field for field in msgspec.structs.fields(struct)}
    assert {*fields} == {*schema["properties"]}
    required = {name for name, field in fields.items() if field.required}
    assert required - {"relevance"} == {*schema["required"]}  # only a search tells the relevance
    for name, told in schema["properties"].items():
        if "default" in told:
            assert fields[name].default == told["default"]


def test_the_contracts_name_exactly_these_methods():
    named = {name for name in load("host-request")["$defs"] if "." in name}
    answered = {name for name in load("host-answer")["$defs"] if "." in name}
    assert named == {*METHODS, "host.hello"}
    assert answered == named | {"model.delta"}
    assert {*CALLS} == {*METHODS}


async def test_a_picture_is_drawn_at_the_size_that_was_asked_for(open_line):
    async with open_line(permissions=()) as line:
        answer = await line.ask("picture.rasterise", svg=SQUARE, size=48)
    picture = base64.b64decode(answer["png"])
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == (48, 48)


@pytest.mark.parametrize(
    "inside",
    [
        '<image href="file:///etc/passwd"/>',
        '<image xmlns:x="http://www.w3.org/1999/xlink" x:href="/etc/passwd"/>',
        '<filter><feImage href="/etc/passwd"/></filter>',
        '<use href="other.svg#a"/>',
        "<text>read me</text>",
        "<path d=",
    ],
)
async def test_a_picture_that_leads_outside_or_is_none_is_refused(open_line, inside):
    svg = SQUARE.replace("</svg>", f"{inside}</svg>")
    async with open_line(permissions=()) as line:
        error = await line.refused("picture.rasterise", svg=svg, size=48)
    assert error["data"]["reason"] == "INVALID_PARAMS"
    assert error["message"].startswith("/svg")
