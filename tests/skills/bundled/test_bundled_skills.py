"""The skills that come with the package: through the real protocol, and before the conformance kit."""

from __future__ import annotations

import pytest

from narratoria import paths
from narratoria.protocol.command import command_for
from narratoria.protocol.conformance import check_tool
from narratoria.skills.discovery import discover

CATALOGUE = discover([paths.BUNDLED_SKILLS])
SCRIPTS = [f"{skill.name}/{script.name}" for skill in CATALOGUE.skills for script in skill.scripts]


def test_every_bundled_skill_is_found_without_a_problem_and_says_how_to_behave() -> None:
    assert CATALOGUE.problems == ()
    found = {skill.name for skill in CATALOGUE.skills}
    assert {"storyteller", "dice-roller", "memory", "reputation", "player-choices", "npc-perception"} <= found
    assert all(skill.prompt.strip() for skill in CATALOGUE.skills)


@pytest.mark.parametrize("script", SCRIPTS)
async def test_a_bundled_script_keeps_to_the_protocol(script: str) -> None:
    _, found = CATALOGUE.find(script)
    report = await check_tool(command_for(found.path), tool=found.name, operation=found.name)
    # outside a story there is nothing to remember, and an empty object fits few scripts
    wrong = [one for one in report.findings if one.verdict != "pass" and one.rule != "succeeds"]
    assert wrong == []
