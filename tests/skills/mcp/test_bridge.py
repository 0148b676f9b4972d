"""The bridge speaks with real servers, written with the SDK: by pipes in the box, and by HTTP on loopback."""

from __future__ import annotations

import shutil
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.skills.mcp.conftest import ASK

from narratoria import paths
from narratoria.protocol.events import AssetEvent, Event
from narratoria.protocol.process import Outcome, run
from narratoria.skills.decisions import change_decisions
from narratoria.skills.discovery import Catalogue
from narratoria.skills.mcp.server import is_sdk_installed
from narratoria.skills.resolve import Tools
from narratoria.skills.runnable import InvocationRequest

if TYPE_CHECKING:
    from tests.skills.mcp.conftest import MakeServerSkill

    from narratoria.skills.skill import Skill

pytestmark = pytest.mark.skipif(not is_sdk_installed(), reason="the MCP SDK is not installed")
STARS = {
    "name": "read_stars",
    "input": {
        "type": "object",
        "properties": {"place": {"type": "string"}, "hour": {"enum": ["dusk", "dawn"]}},
        "required": ["place"],
    },
}


async def call(
    skill: Skill, script: str, given: dict[str, Any], events: list[Event] | None = None, **context: Any
) -> Outcome:
    heard = [] if events is None else events
    tool = Tools(Catalogue((skill,))).resolve(f"{skill.name}/{script}")
    request = InvocationRequest("r-1", given, {**context, **tool.context})
    async with tool.launch(request) as command:
        return await run(
            command, tool.encode(request), tool.dialect, limits=tool.limits, on_events=heard.extend
        )


async def test_a_tool_of_a_local_server_answers_with_its_text(make_server_skill: MakeServerSkill) -> None:
    outcome = await call(
        make_server_skill(tools=[STARS]), "read_stars", {"place": "the quay", "hour": "dawn"}
    )
    assert outcome.ok, outcome.failure
    assert outcome.output == {"text": "Over the quay one red star stands low at dawn."}


async def test_a_structured_answer_is_the_output_of_a_script(make_server_skill: MakeServerSkill) -> None:
    outcome = await call(make_server_skill(tools=[{"name": "tell_tide"}]), "tell_tide", {"action": "I wait"})
    assert outcome.output == {
        "tell": "The water will stand at the fourth step by noon.",
        "about": "tide",
        "choices": ["Wait for the ebb"],
    }


async def test_a_picture_becomes_an_asset_of_the_call(
    make_server_skill: MakeServerSkill, tmp_path: Path
) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    skill, events = make_server_skill(tools=[{"name": "draw_moon"}]), list[Event]()
    outcome = await call(skill, "draw_moon", {"place": "x"}, events, assetDir=str(assets))
    assert outcome.ok, outcome.failure
    pictures = [event for event in events if isinstance(event, AssetEvent)]
    assert [(one.kind, one.media_type) for one in pictures] == [("image", "image/png")]
    assert Path(pictures[0].path).read_bytes().startswith(b"\x89PNG")


async def test_a_local_server_is_in_the_box_and_has_its_settings(
    make_server_skill: MakeServerSkill, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the combination is 4711")
    env = {"ALMANAC_SECRET_FILE": str(secret), "ALMANAC_KEY": "key ${apiKey}"}
    skill = make_server_skill(tools=[{"name": "look_around"}], env=env)
    schema = '{"type": "object", "properties": {"apiKey": {"type": "string", "default": "moon"}}}'
    (skill.folder / "config-schema.json").write_text(schema)
    output = (await call(skill, "look_around", {})).output
    assert output["key"] == "key moon"
    assert output["secret"] in ("FileNotFoundError", "PermissionError")
    assert output["folder"] == str(skill.folder)


async def test_a_setting_that_is_not_set_is_named(make_server_skill: MakeServerSkill) -> None:
    skill = make_server_skill(tools=[STARS], env={"ALMANAC_KEY": "${apiKey}"})
    outcome = await call(skill, "read_stars", {"place": "the quay"})
    assert outcome.failure is not None
    assert "the setting 'apiKey', which is not set" in outcome.failure.message


async def test_a_tool_of_a_server_at_an_address_answers(
    make_server_skill: MakeServerSkill, almanac_url: str
) -> None:
    skill = make_server_skill(url=almanac_url, tools=[STARS])
    change_decisions(paths.home(), lambda before: before.with_granted("almanac", ["network:127.0.0.1"]))
    outcome = await call(skill, "read_stars", {"place": "the quay"})
    assert outcome.output == {"text": "Over the quay one red star stands low at dusk."}, outcome.failure


async def test_a_server_at_an_address_that_does_not_answer_is_a_fault_of_the_network(
    make_server_skill: MakeServerSkill,
) -> None:
    skill = make_server_skill(url="http://127.0.0.1:9/mcp", tools=[STARS])
    change_decisions(paths.home(), lambda before: before.with_granted("almanac", ["network:127.0.0.1"]))
    outcome = await call(skill, "read_stars", {"place": "the quay"})
    assert outcome.failure is not None
    assert outcome.failure.code == "NETWORK_MCP"


async def test_a_redirect_to_another_server_is_not_followed(
    make_server_skill: MakeServerSkill, almanac_url: str
) -> None:
    class Redirect(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(307)
            self.send_header("Location", almanac_url)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Redirect) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        skill = make_server_skill(url=f"http://127.0.0.1:{server.server_port}/mcp", tools=[STARS])
        change_decisions(paths.home(), lambda before: before.with_granted("almanac", ["network:127.0.0.1"]))
        outcome = await call(skill, "read_stars", {"place": "the quay"})
        server.shutdown()
    assert outcome.failure is not None
    assert outcome.failure.code == "NETWORK_MCP"


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
async def test_a_server_in_another_language_with_the_old_handshake_answers(
    make_server_skill: MakeServerSkill,
) -> None:
    skill = make_server_skill("legacy.mjs", command="node", args=["legacy.mjs"], tools=[ASK])
    outcome = await call(skill, "ask", {"action": "I wait"})
    assert outcome.output == {"tell": "You said: I wait.", "about": "echo"}, outcome.failure


async def test_a_failing_tool_fails_with_its_own_words(make_server_skill: MakeServerSkill) -> None:
    outcome = await call(make_server_skill(tools=[{"name": "fail_always"}]), "fail_always", {"place": "here"})
    assert outcome.failure is not None
    assert outcome.failure.code == "MCP_TOOL_FAILED"
    assert "the almanac is torn at this page" in outcome.failure.message


@pytest.mark.parametrize(
    ("way", "code"),
    [
        ("dies", "MCP_NO_ANSWER"),
        ("data", "MCP_TOO_LONG"),
        ("changed", "MCP_TOOL_GONE"),
        ("empty", "MCP_TOOL_GONE"),
    ],
)
async def test_a_server_that_misbehaves_is_a_failed_tool(
    make_server_skill: MakeServerSkill, way: str, code: str
) -> None:
    outcome = await call(make_server_skill("faulty.py", args=[way], tools=[ASK]), "ask", {"action": "I look"})
    assert outcome.failure is not None
    assert outcome.failure.code == code, outcome.failure


@pytest.mark.parametrize("way", ["hangs", "deaf", "garbage"])
async def test_a_server_that_never_answers_ends_with_the_time_of_its_tool(
    make_server_skill: MakeServerSkill, way: str
) -> None:
    skill = make_server_skill("faulty.py", args=[way], tools=[{**ASK, "timeout": 4000}])
    outcome = await call(skill, "ask", {"action": "I look"})
    assert outcome.failure is not None
    assert outcome.failure.category in ("timeout", "tool_failure")


async def test_a_server_that_floods_is_cut_and_one_that_stays_is_ended(
    make_server_skill: MakeServerSkill,
) -> None:
    flood = await call(
        make_server_skill("faulty.py", args=["floods"], tools=[ASK]), "ask", {"action": "I look"}
    )
    assert flood.ok, flood.failure
    assert len(flood.output["text"]) == 64 * 1024
    stays = await call(
        make_server_skill("faulty.py", "stays", args=["stays"], tools=[ASK]), "ask", {"action": "I look"}
    )
    assert stays.ok, stays.failure
    assert stays.output == {"text": "A grey gull cries."}
