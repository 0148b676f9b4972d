from __future__ import annotations

import json

import pytest


def test_the_table_shows_id_version_runtime_and_description(workshop):
    workshop.tool("lamp", description="Lights a lamp.", version="0.2.0")
    workshop.tool("a-longer-name")

    done = workshop.mctl("list")

    assert done.returncode == 0
    heading, first, second = done.stdout.decode().splitlines()
    assert heading.split() == ["ID", "VERSION", "RUNTIME", "DESCRIPTION"]
    assert first.split() == ["a-longer-name", "1.0.0", "python", "Does", "what", "a-longer-name", "does."]
    assert second.index("Lights") == heading.index("DESCRIPTION")
    assert done.stderr == b""


def test_json_gives_an_array_that_says_it_all(workshop):
    folder = workshop.tool("lamp", requiredConfig=["oil"], timeoutMs=5, tags=["light"])

    (listed,) = json.loads(workshop.mctl("list", "--json").stdout)

    assert listed == {
        "id": "lamp",
        "version": "1.0.0",
        "name": "Lamp",
        "description": "Does what lamp does.",
        "runtime": "python",
        "entry": str(folder / "main.py"),
        "manifest": str(folder / "manifest.json"),
        "requiredConfig": ["oil"],
        "optionalConfig": [],
        "timeoutMs": 5,
        "tags": ["light"],
    }


def test_broken_manifests_are_warned_of_on_stderr_and_do_not_hide_the_rest(workshop):
    workshop.tool("lamp")
    broken = workshop.tool("broken", id="Broken One") / "manifest.json"

    done = workshop.mctl("list", "--json")

    assert done.returncode == 0
    assert [tool["id"] for tool in json.loads(done.stdout)] == ["lamp"]
    assert f"mctl: warning: {broken}:3 /id: 'Broken One' is not in kebab-case".encode() in done.stderr


def test_the_environments_root_goes_before_the_project(workshop, tmp_path):
    workshop.tool("lamp", version="1.0.0")
    other = tmp_path / "other"
    (workshop.root / "tools").rename(other)
    workshop.tool("lamp", version="2.0.0")

    done = workshop.mctl("list", "--json", env={"M_CONTROL_TOOLS_ROOT": str(other)})

    assert [tool["version"] for tool in json.loads(done.stdout)] == ["1.0.0"]
    assert b"lamp is taken by" in done.stderr


def test_an_empty_list_says_where_it_looked(workshop):
    done = workshop.mctl("list")

    assert (done.returncode, done.stdout) == (0, b"")
    assert f"No tools in {workshop.root / 'tools'}".encode() in done.stderr


@pytest.mark.parametrize("command", [[], ["init"], ["list"], ["run"], ["doctor"]])
def test_every_command_explains_itself(workshop, command):
    done = workshop.mctl(*command, "--help")

    assert done.returncode == 0
    assert done.stdout.startswith(b"Usage: mctl")
