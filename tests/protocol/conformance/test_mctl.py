"""Tools of m-control against the rules of their protocol."""

from __future__ import annotations

import pytest
from tests.protocol.conformance.test_v0 import MCTL, ZOO, broken_rules

from narratoria.protocol.conformance.mctl import MctlKit


@pytest.mark.parametrize("name", MCTL)
async def test_an_m_control_tool_of_the_zoo_breaks_just_these_rules(name, tmp_path):
    assert await broken_rules(ZOO / "mctl" / name, MctlKit("zoo", {}, tmp_path)) == MCTL[name]
