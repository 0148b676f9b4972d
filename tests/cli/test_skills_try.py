"""Whoever works on a skill sees what it does to a story, and has its input written down."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DRAW = """\
from narratoria import sdk


def main(place: str, mood: str = "hopeful") -> dict:
    return {"tell": f"A white crow circles over {place}.", "about": "omen", "choices": ["Follow the crow"]}


sdk.run(main)
"""


@pytest.fixture
def omens(cave: Any, write_omens: Callable[[Path, str], None]) -> Any:
    write_omens(cave.root / "skills", DRAW)
    return cave


def test_the_inputs_of_a_typed_function_are_written_down(omens: Any) -> None:
    shown = omens.narratoria("skills", "inputs", "omens")
    assert json.loads(shown.stdout)["draw"]["required"] == ["place"]
    written = omens.narratoria("skills", "inputs", "omens", "--write")
    assert written.stdout == "omens/draw takes place, mood\n"
    manifest = json.loads((omens.root / "skills" / "omens" / "skill.json").read_text())
    assert manifest["scripts"][0]["input"]["properties"]["mood"] == {"type": "string", "default": "hopeful"}
    assert omens.narratoria("skills", "validate", "omens").returncode == 0


def test_plan_input_events_effects_and_both_scenes_are_shown(omens: Any) -> None:
    omens.narratoria("skills", "inputs", "omens", "--write")
    done = omens.narratoria("skills", "try", "omens", "I look at the stars")
    assert done.returncode == 0, done.stderr
    assert "plan    omens/draw is chosen" in done.stdout
    assert 'input   {"place": "the Tea Room", "mood": "hopeful"}' in done.stdout
    assert "kept    A white crow circles over the Tea Room. (by omens/draw)" in done.stdout
    assert "offers  Follow the crow" in done.stdout
    with_it, without = done.stdout.split("without omens")
    assert "A white crow circles over the Tea Room." in with_it.split("with omens")[1]
    assert "crow" not in without


def test_a_skill_that_is_not_chosen_runs_all_the_same_and_that_is_said(omens: Any) -> None:
    omens.narratoria("skills", "inputs", "omens", "--write")
    done = omens.narratoria("skills", "try", "skills/omens", "I tie my shoes", "--json")
    document = json.loads(done.stdout)
    assert document["chosen"] is False
    assert document["result"]["output"]["tell"] == "A white crow circles over the Tea Room."
    assert document["scene"] != document["sceneWithout"]


def test_a_skill_whose_input_cannot_be_filled_says_what_is_missing(omens: Any) -> None:
    script = omens.root / "skills" / "omens" / "scripts" / "draw.py"
    script.write_text(
        DRAW.replace("place: str", "spell: str").replace("{place}", "{spell}"), encoding="utf-8"
    )
    omens.narratoria("skills", "inputs", "omens", "--write")
    done = omens.narratoria("skills", "try", "omens", "I look at the stars")
    assert done.returncode == 1
    assert "omens/draw is left out: input: 'spell' is missing" in done.stdout


def test_a_text_that_is_not_told_says_why(omens: Any) -> None:
    script = omens.root / "skills" / "omens" / "scripts" / "draw.py"
    script.write_text(
        DRAW.replace("A white crow circles over {place}.", "“I love Imani!” you say."), encoding="utf-8"
    )
    omens.narratoria("skills", "inputs", "omens", "--write")
    done = omens.narratoria("skills", "try", "omens", "I look at the stars")
    assert done.returncode == 1
    assert "refused omens/draw: its text is not told: the player's words are the player's own" in done.stdout
    assert done.stderr == ""


def test_a_skill_that_there_is_not_is_named(omens: Any) -> None:
    done = omens.narratoria("skills", "try", "omen", "I look up")
    assert done.returncode == 2
    assert "did you mean 'omens'?" in done.stderr


def test_a_skill_that_is_broken_is_named_with_its_line(omens: Any) -> None:
    manifest = omens.root / "skills" / "omens" / "skill.json"
    manifest.write_text('{"name": "omens",\n"description": "Draws omens.",\n"version": 1}')
    done = omens.narratoria("skills", "try", "omens", "I look up")
    assert (done.returncode, f"{manifest}:3 /version" in done.stderr) == (2, True)


def test_a_skill_without_scripts_says_whether_it_is_chosen(omens: Any) -> None:
    folder = omens.root / "skills" / "guild-colours"
    folder.mkdir()
    front = "name: guild-colours\ndescription: Applies the colours of the guild to signs and banners."
    (folder / "SKILL.md").write_text(f"---\n{front}\n---\nMadder and gold.\n")
    meant = omens.narratoria("skills", "try", "guild-colours", "I paint the banner in the guild's colours")
    assert (meant.returncode, "guild-colours is chosen: it has no scripts" in meant.stdout) == (0, True)
    other = omens.narratoria("skills", "try", "guild-colours", "I tie my shoes")
    assert (other.returncode, "guild-colours is not chosen" in other.stdout) == (1, True)


def test_the_tools_of_an_mcp_server_are_shown_written_and_read_anew(cave: Any) -> None:
    pytest.importorskip("mcp")
    servers = Path(__file__).parents[1] / "tools" / "mcp"
    folder = cave.root / "skills" / "gull"
    folder.mkdir(parents=True)
    shutil.copy(servers / "faulty.py", folder)
    manifest = {"name": "gull", "version": "1.0.0", "description": "Knows gulls."}
    server = {"command": "faulty.py", "args": ["sound"]}
    (folder / "skill.json").write_text(json.dumps({**manifest, "mcp": server}))
    shown = cave.narratoria("skills", "inputs", "gull")
    assert json.loads(shown.stdout)["ask"]["required"] == ["action"], shown.stderr
    assert cave.narratoria("skills", "inputs", "gull", "--write").stdout == "gull/ask takes action\n"
    document = json.loads((folder / "skill.json").read_text())
    document["mcp"]["args"] = ["changed"]
    (folder / "skill.json").write_text(json.dumps(document))
    again = cave.narratoria("skills", "inputs", "gull", "--write")
    assert again.stdout == "gull/ask_anew takes words\ngull/ask is gone\n"
    document["mcp"]["args"] = ["empty"]
    (folder / "skill.json").write_text(json.dumps(document))
    none = cave.narratoria("skills", "inputs", "gull")
    assert none.returncode == 2
    assert "the MCP server lists no tools" in none.stderr
