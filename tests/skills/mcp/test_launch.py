"""The bridge is started as any script is, in the skill's box, and the network is open to it or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.skills.mcp.conftest import ASK

from narratoria.errors import NotRunnable
from narratoria.skills.mcp.launch import BRIDGE, build_bridge_tool
from narratoria.skills.permissions import NOTHING
from narratoria.skills.runnable import InvocationRequest
from narratoria.skills.sandbox import probe
from narratoria.skills.sandbox.network_proxy import ENTRANCE

if TYPE_CHECKING:
    from tests.skills.mcp.conftest import MakeServerSkill

    from narratoria.skills.runnable import Runnable


async def launched(tool: Runnable) -> str:
    async with tool.launch(InvocationRequest("r", {}, dict(tool.context))) as command:
        return " ".join(command.argv)


@pytest.mark.skipif(probe().best != "bubblewrap", reason="the options are those of bubblewrap")
async def test_only_the_bridge_to_an_address_has_a_way_to_its_host(
    make_server_skill: MakeServerSkill,
) -> None:
    local = make_server_skill(tools=[ASK])
    remote = make_server_skill(name="far", url="https://sky.example.org/mcp", tools=[ASK])
    for skill, is_open in ((local, False), (remote, True)):
        tool = build_bridge_tool(skill, "ask", operation="call", permissions=NOTHING, timeout=5)
        line = await launched(tool)
        assert f"-I {BRIDGE}" in line
        assert "--share-net" not in line
        assert (str(ENTRANCE) in line) == is_open


def test_a_program_that_is_not_there_is_named(make_server_skill: MakeServerSkill) -> None:
    skill = make_server_skill("almanac.py", "lost", command="no-such-server", tools=[ASK])
    with pytest.raises(NotRunnable, match="no-such-server"):
        build_bridge_tool(skill, "ask", operation="call", permissions=NOTHING, timeout=5)
