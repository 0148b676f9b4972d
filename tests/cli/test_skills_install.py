"""`narratoria skills new`, `install` and `remove`, as a person at a terminal meets them."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest


def skills(cave: Any, *args: str, **more: Any) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = cave.narratoria("skills", *args, **more)
    assert "Traceback" not in done.stderr
    return done


def package(cave: Any, name: str = "weather", **fields: Any) -> Path:
    """The archive of a skill with one script."""
    scripts = [{"name": "forecast", "path": "forecast.py"}]
    manifest = {
        "name": name,
        "version": "1.0.0",
        "description": f"What {name} does.",
        "scripts": scripts,
        **fields,
    }
    path: Path = cave.root / f"{name}.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("skill.json", json.dumps(manifest))
        file.writestr(
            "scripts/forecast.py", "from narratoria import sdk\nsdk.run(lambda request: {'sky': 'grey'})\n"
        )
    return path


def installed(cave: Any) -> list[str]:
    root = cave.home / "skills"
    return sorted(path.name for path in root.glob("[!.]*")) if root.exists() else []


def granted(cave: Any, name: str = "weather") -> Any:
    document = json.loads((cave.home / "skills.json").read_text())
    return document["skills"].get(name, {}).get("permissions")


# new


@pytest.mark.parametrize("language", ["python", "bash", "node"])
def test_a_new_skill_is_found_valid_and_keeps_to_the_protocol(cave: Any, language: str) -> None:
    made = skills(cave, "new", "hello-you", "--language", language)
    assert made.returncode == 0
    assert {"skill.json", "SKILL.md", "prompt.md", "config-schema.json"} <= {
        line.strip() for line in made.stdout.splitlines()
    }
    valid = skills(cave, "validate", "hello-you", "--json")
    assert json.loads(valid.stdout) == {"ok": True, "skills": ["hello-you"], "problems": [], "warnings": []}
    (script,) = (cave.root / "skills" / "hello-you" / "scripts").iterdir()
    checked = cave.narratoria("tool", "check", str(script), "--input", '{"who": "Ada"}')
    assert (checked.returncode, "all" in checked.stdout.splitlines()[-1]) == (0, True), checked.stdout


def test_a_new_skill_runs_in_a_plan_with_its_settings_and_nothing_else_is_to_be_done(
    cave: Any, call: Any
) -> None:
    skills(cave, "new", "hello-you")
    skills(cave, "config", "set", "hello-you", "greeting=Ahoy")
    plan = cave.plan(call("greet", "hello-you/greet", input={"who": "Ada"}))
    done = cave.narratoria("run", plan, "--json")
    assert json.loads(done.stdout)["toolResults"][0]["output"]["tell"] == "Ada greets you back."


@pytest.mark.parametrize("name", ["Hello You", "../x", "", "hällo", "a" * 65, ".x"])
def test_a_name_that_will_not_do_is_refused_and_nothing_is_made(cave: Any, name: str) -> None:
    done = skills(cave, "new", "--", name)
    assert done.returncode == 2
    assert list(cave.root.iterdir()) == []


def test_a_new_skill_never_overwrites_one(cave: Any) -> None:
    skills(cave, "new", "hello", "--dir", "mine")
    (cave.root / "mine" / "hello" / "prompt.md").write_text("changed")
    again = skills(cave, "new", "hello", "--dir", "mine")
    assert (again.returncode, "is there already" in again.stderr) == (2, True)
    assert (cave.root / "mine" / "hello" / "prompt.md").read_text() == "changed"


# install


def test_permissions_are_shown_and_granted_all_or_none_or_the_skill_is_left(cave: Any) -> None:
    source = str(package(cave, permissions=["network", "store:read"]))
    left = skills(cave, "install", source, stdin=b"cancel\n")
    assert (left.returncode, installed(cave)) == (1, [])
    assert "reach the network, and send what it knows to anybody there  [network]" in left.stdout

    none = skills(cave, "install", source, stdin=b"none\n")
    assert (none.returncode, installed(cave), granted(cave)) == (0, ["weather"], [])

    everything = skills(cave, "install", source, stdin=b"all\n")
    assert (everything.returncode, granted(cave)) == (0, ["network", "store:read"])


def test_nobody_at_the_terminal_is_no_consent(cave: Any) -> None:
    for permissions in ([], ["model"]):
        done = skills(cave, "install", str(package(cave, permissions=permissions)))
        assert (done.returncode, installed(cave)) == (1, [])
    assert "Nothing was installed." in done.stdout


def test_yes_grants_everything_and_grant_says_what(cave: Any) -> None:
    source = str(package(cave, permissions=["network", "store:read", "files:~/Music"]))
    skills(cave, "install", source, "--yes", "--grant", "store:read")
    assert granted(cave) == ["store:read"]
    skills(cave, "install", source, "--yes")
    assert granted(cave) == ["files:~/Music", "network", "store:read"]


def test_more_than_was_asked_for_cannot_be_granted(cave: Any) -> None:
    source = str(package(cave, permissions=["model"]))
    unasked = skills(cave, "install", source, "--yes", "--grant", "network")
    unknown = skills(cave, "install", source, "--yes", "--grant", "internet")
    assert (unasked.returncode, unknown.returncode, installed(cave)) == (2, 2, [])
    assert "does not ask for network; it asks for model" in unasked.stderr
    assert "'internet' is not a permission" in unknown.stderr


def test_an_upgrade_keeps_settings_and_data_and_marks_what_is_new(cave: Any) -> None:
    skills(cave, "install", str(package(cave, permissions=["model"])), "--yes")
    folder = cave.home / "skills" / "weather"
    (folder / "config.json").write_text("{}")
    (folder / "data").mkdir()
    (folder / "data" / "kept").write_text("kept")
    newer = str(package(cave, version="1.1.0", permissions=["model", "network"]))
    done = skills(cave, "install", newer, stdin=b"all\n")
    assert "replaces 1.0.0" in done.stdout
    assert "[network]  (new)" in done.stdout
    assert "[model]\n" in done.stdout
    assert (folder / "data" / "kept").read_text() == "kept"
    assert (folder / "config.json").exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("1.10.0", "1.9.0", "replaces 1.10.0, which is newer: this is a downgrade"),
        ("1.0.0", "1.0.0-rc.1", "which is newer: this is a downgrade"),
        ("1.0.0", "1.0.0", "replaces the same version, 1.0.0"),
    ],
)
def test_a_downgrade_and_a_replacement_are_asked_about(cave: Any, old: str, new: str, words: str) -> None:
    skills(cave, "install", str(package(cave, version=old)), "--yes")
    asked = skills(cave, "install", str(package(cave, version=new)), stdin=b"n\n")
    assert (asked.returncode, words in asked.stdout) == (1, True), asked.stdout
    assert json.loads((cave.home / "skills" / "weather" / "skill.json").read_text())["version"] == old


def test_a_bundled_skill_is_neither_replaced_nor_removed(cave: Any) -> None:
    replaced = skills(cave, "install", str(package(cave, "dice-roller")), "--yes")
    removed = skills(cave, "remove", "dice-roller", "--yes")
    assert (replaced.returncode, removed.returncode, installed(cave)) == (2, 2, [])
    assert "comes with Narratoria" in replaced.stderr
    assert "narratoria skills disable dice-roller" in removed.stderr


def test_an_archive_that_is_refused_is_told_why_and_changes_nothing(cave: Any) -> None:
    source = package(cave)
    with zipfile.ZipFile(source, "a") as file:
        file.writestr("../../evil.py", "")
    done = skills(cave, "install", str(source), "--yes")
    assert done.returncode == 2
    assert "'../../evil.py' leads out of the archive's folder" in done.stderr
    assert installed(cave) == []


# remove


def test_a_removed_skill_is_forgotten_with_what_it_was_allowed(cave: Any) -> None:
    skills(cave, "install", str(package(cave, permissions=["model"])), "--yes")
    assert skills(cave, "remove", "weather", stdin=b"n\n").returncode == 1
    assert installed(cave) == ["weather"]
    assert skills(cave, "remove", "weather", stdin=b"y\n").returncode == 0
    assert (installed(cave), granted(cave)) == ([], None)


def test_data_is_kept_when_that_is_asked_for(cave: Any) -> None:
    skills(cave, "install", str(package(cave)), "--yes")
    (cave.home / "skills" / "weather" / "data").mkdir()
    done = skills(cave, "remove", "weather", "--keep-data", "--yes")
    assert "are kept" in done.stdout
    assert [path.name for path in (cave.home / "skills" / "weather").iterdir()] == ["data"]
    again = skills(cave, "remove", "weather", "--yes")
    assert (again.returncode, "no skill 'weather'" in again.stderr) == (2, True)


def test_a_broken_skill_can_be_removed_too(cave: Any) -> None:
    (cave.home / "skills" / "odd").mkdir(parents=True)
    (cave.home / "skills" / "odd" / "skill.json").write_text("{")
    assert skills(cave, "remove", "odd", "--yes").returncode == 0
    assert installed(cave) == []


@pytest.mark.parametrize("name", ["..", "../logs", "/etc", "nobody", ""])
def test_nothing_else_is_removed(cave: Any, name: str) -> None:
    (cave.home / "logs").mkdir(parents=True)
    (cave.home / "logs" / "kept").touch()
    assert skills(cave, "remove", "--yes", "--", name).returncode == 2
    assert (cave.home / "logs" / "kept").exists()


# used at once: what is dropped into a folder needs no code and no command


def test_a_folder_that_is_dropped_in_is_used_by_the_next_plan(cave: Any, call: Any) -> None:
    folder = cave.root / "skills" / "tea"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: tea\ndescription: Makes tea.\n---\n")
    (folder / "scripts" / "brew.sh").write_text('echo "brewing $NARRATORIA_INPUT_KIND for $1"\n')
    plan = cave.plan(call("brew", "tea/brew", input={"kind": "oolong", "args": ["two"]}))
    done = cave.narratoria("run", plan, "--json")
    (result,) = json.loads(done.stdout)["toolResults"]
    assert (result["state"], result["output"]) == ("success", {"text": "brewing oolong for two"})
    assert [event["type"] for event in result["attempts"][0]["events"]] == ["log", "done"]


def test_a_tool_of_m_control_that_is_dropped_in_is_a_skill(cave: Any, call: Any) -> None:
    cave.mcontrol("lamp", MCTL, folder=cave.root / "skills")
    done = cave.narratoria("run", cave.plan(call("light", "lamp")), "--json")
    (result,) = json.loads(done.stdout)["toolResults"]
    assert (result["skill"], result["output"]) == ("lamp", {"lit": True})
    skills(cave, "disable", "lamp")
    assert "disabled" in cave.narratoria("run", cave.plan(call("light", "lamp/lamp"))).stderr


MCTL = """
ts = "2026-01-01T00:00:00Z"
print(json.dumps({"ts": ts, "toolId": "lamp", "type": "result", "payload": {"lit": True}}))
"""


ALMANAC = Path(__file__).parents[1] / "tools" / "mcp" / "almanac.py"


def test_an_mcp_server_becomes_a_skill_and_installing_it_writes_down_its_tools(cave: Any) -> None:
    pytest.importorskip("mcp")
    made = cave.narratoria("skills", "new", "almanac", "--mcp", "almanac.py --quiet", "--dir", "made")
    assert made.returncode == 0, made.stderr
    assert "narratoria skills inputs made/almanac --write" in made.stdout
    folder = cave.root / "made" / "almanac"
    manifest = json.loads((folder / "skill.json").read_text())
    assert manifest["mcp"] == {"command": "almanac.py", "args": ["--quiet"]}
    missing = cave.narratoria("skills", "validate", "made/almanac")
    assert missing.returncode == 1
    assert "neither a file of the skill nor a program on the PATH" in missing.stderr
    shutil.copy(ALMANAC, folder)
    done = cave.narratoria("skills", "install", "made/almanac", "--yes")
    assert done.returncode == 0, done.stderr
    assert "almanac/read_stars takes place, hour\n" in done.stdout
    assert cave.narratoria("skills", "validate", "almanac").returncode == 0
    shown = json.loads(cave.narratoria("skills", "show", "almanac", "--json").stdout)
    assert "tell_tide" in [script["name"] for script in shown["scripts"]]
    run = cave.narratoria("tool", "run", str(cave.home / "skills" / "almanac" / "almanac.py"))
    assert "is an MCP server, which is no tool by itself" in run.stderr


def test_an_mcp_server_elsewhere_is_asked_only_where_its_host_is_granted(cave: Any) -> None:
    pytest.importorskip("mcp")
    address = "http://127.0.0.1:9/mcp"
    cave.narratoria("skills", "new", "sky", "--mcp", address, "--dir", "made")
    kept_back = cave.narratoria("skills", "install", "made/sky", stdin=b"none\n")
    assert "reach 127.0.0.1, and send what it is asked about there  [network:127.0.0.1]" in kept_back.stdout
    assert "cannot be reached" not in kept_back.stderr
    listed = cave.narratoria("skills", "list")
    assert "needs attention" in next(line for line in listed.stdout.splitlines() if line.startswith("sky"))
    assert "narratoria skills grant sky network:127.0.0.1" in listed.stderr
    unasked = cave.narratoria("skills", "inputs", "sky")
    assert unasked.returncode != 0
    granted = cave.narratoria("skills", "install", "made/sky", "--yes")
    assert "the MCP server cannot be reached" in granted.stderr
    plain = cave.narratoria("skills", "new", "open", "--mcp", "http://example.org/mcp", "--dir", "made")
    assert plain.returncode == 2
    assert "unencrypted; write https" in plain.stderr
