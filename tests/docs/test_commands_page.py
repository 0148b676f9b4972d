"""The page about commands has all of them, with all their options, and its examples (commands.toml) run."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from tests.docs.blocks import REPOSITORY, blocks_of
from tests.docs.walk import run_installed_commands

from narratoria import paths
from narratoria.inference.catalogue import EMBEDDED
from narratoria.inference.installed_models import install_model

sys.path.append(str(REPOSITORY / "docs"))
from generate_commands import walk

REFERENCE = REPOSITORY / "docs" / "reference"
PAGE = (REFERENCE / "commands.md").read_text(encoding="utf-8")
EXAMPLES: Mapping[str, Mapping[str, str]] = tomllib.loads(
    (REFERENCE / "commands.toml").read_text(encoding="utf-8")
)
COMMANDS = [*walk("narratoria"), *walk("mctl")]
STORY, BRANCH = "tomorrows-post-1a2b3c4d", "tomorrows-post-5e6f7a8b"  # as the page calls them


def section(name: str) -> str:
    return re.split(r"^##+ ", PAGE.partition(f"# {name}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def test_there_are_commands_to_look_at():
    assert len(COMMANDS) > 60
    assert {"narratoria play", "narratoria skills config set", "mctl run"} <= {one.name for one in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name.replace(" ", "-"))
def test_a_command_stands_there_with_its_usage_its_options_its_exit_codes_and_an_example(command):
    told = section(command.name)
    assert told.strip(), f"{command.name} has no section"
    for parameter in command.command.params:
        if isinstance(parameter, click.Option):
            for spelled in (*parameter.opts, *parameter.secondary_opts):
                assert re.search(rf"`{re.escape(spelled)}[ `]", told), f"{command.name} {spelled}"
            assert parameter.help, f"{command.name} {parameter.opts[0]} says nothing of itself"
    if not command.is_group:
        assert f"```text\n{command.name}" in told
        assert "Exit codes: `0" in told
        assert EXAMPLES[command.name]["run"] in told


def test_every_example_is_that_of_a_command_and_calls_it():
    leaves = {command.name for command in COMMANDS if not command.is_group}
    assert set(EXAMPLES) == leaves
    assert [name for name, example in EXAMPLES.items() if name not in example["run"]] == []


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the examples speak of, and a home of its own."""
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("M_CONTROL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("M_CONTROL_TOOLS_ROOT", str(REPOSITORY / "examples" / "mctl"))
    monkeypatch.delenv("NARRATORIA_MODEL", raising=False)
    folder = tmp_path / "desk"
    folder.mkdir()
    shutil.copy(REPOSITORY / "examples" / "tools" / "torch.sh", folder)
    page = REPOSITORY / "docs" / "how-to" / "import-a-campaign.md"
    files = {block.name: block.text for block in blocks_of(page)}
    (folder / "well.twee").write_text(files["well.twee"], encoding="utf-8")
    roll = {"toolId": "roll", "toolPath": "dice-roller/roll-dice", "input": {"formula": "2d6"}}
    plan = {"requestId": "3f0c8a52-9f0e-4e0c-8a55-0c7ab7d6a009", "tools": [roll]}
    (folder / "roll.json").write_text(json.dumps(plan), encoding="utf-8")
    (folder / "my-own.gguf").symlink_to(install_model(EMBEDDED, paths.INSTALLED_MODELS).path)
    return folder


def stories(folder: Path) -> list[dict[str, Any]]:
    listed = run_installed_commands(["narratoria stories list --json"], folder)
    found: list[dict[str, Any]] = json.loads(listed.partition("\n")[2])
    return found


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_example_is_run_in_the_order_of_its_list_and_ends_well(desk: Path):
    names: dict[str, str] = {}
    wrong = {}
    for name, example in EXAMPLES.items():
        if "untested" in example:
            continue
        typed = example["run"]
        for shown, real in names.items():
            typed = typed.replace(shown, real)
        said = run_installed_commands([typed, "echo exit code $?"], desk)
        if f"exit code {example.get('exit', 0)}\n" not in said:
            wrong[typed] = said
        if name == "narratoria play":
            names[STORY] = stories(desk)[0]["id"]
        elif name == "narratoria stories branch":
            names[BRANCH] = next(one["id"] for one in stories(desk) if one["id"] != names[STORY])
    assert wrong == {}
