"""The tutorial does what it says: its files are saved, its commands are run, its outputs are compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs.walk import files_shown, walk

from narratoria.protocol.command import command_for
from narratoria.protocol.conformance import ConformanceReport, check_tool

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "write-a-tool.md"


def test_every_command_of_the_tutorial_shows_what_the_page_shows(tmp_path):
    sessions = list(walk(PAGE, tmp_path))

    assert len(sessions) >= 6
    assert [(session.shown, session.happened) for session in sessions if not session.agrees] == []


async def check_source(name: str, source: str, folder: Path) -> ConformanceReport:
    (folder / name).write_text(source, encoding="utf-8")
    return await check_tool(command_for(folder / name), tool=name, samples=[{"times": 3}])


@pytest.mark.parametrize("name", ["bell.sh", "bell.mjs", "bell.py"])
async def test_the_tools_of_the_tutorial_pass_the_kit(name, tmp_path):
    report = await check_source(name, files_shown(PAGE)[name][0], tmp_path)

    assert (report.failures, report.warnings) == ((), ())


async def test_the_tool_that_the_tutorial_breaks_fails_by_the_rules_it_explains(tmp_path):
    _, broken = files_shown(PAGE)["bell.sh"]

    report = await check_source("bell.sh", broken, tmp_path)

    assert {finding.rule for finding in report.failures} == {"json-lines", "event-fields"}
