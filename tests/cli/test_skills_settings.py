"""`narratoria skills grant` and `revoke`: what a skill may do is decided at any time."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

ASKED = ["model", "network", "files:/srv/maps:write"]


def skills(cave: Any, *args: str, **more: Any) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = cave.narratoria("skills", *args, **more)
    assert "Traceback" not in done.stderr
    return done


def granted(cave: Any) -> Any:
    return json.loads(skills(cave, "show", "weather", "--json").stdout)["granted"]


@pytest.fixture
def weather(cave: Any) -> Any:
    """A skill that somebody put into the folder: it was never installed."""
    cave.skill("weather", 'emit("done", ok=True, output=request["context"]["config"])')
    manifest = cave.home / "skills" / "weather" / "skill.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "permissions": ASKED}))
    return cave


def test_what_a_skill_asks_for_can_be_granted_without_installing_it(weather: Any) -> None:
    done = skills(weather, "grant", "weather", "network")
    assert (done.returncode, granted(weather)) == (0, ["network"])
    may, may_not = done.stdout.split("may not:")
    assert "[network]" in may
    assert "[model]" in may_not
    skills(weather, "grant", "weather", "model")
    assert granted(weather) == ["network", "model"]


def test_all_that_it_asks_for_is_granted_at_once(weather: Any) -> None:
    assert "may not" not in skills(weather, "grant", "weather", "--all").stdout
    assert sorted(granted(weather)) == sorted(ASKED)


def test_what_may_be_written_can_be_granted_to_be_read_alone(weather: Any) -> None:
    done = skills(weather, "grant", "weather", "files:/srv/maps")
    assert (done.returncode, granted(weather)) == (0, ["files:/srv/maps"])
    assert "[files:/srv/maps:write]" in done.stdout.split("may not:")[1]


@pytest.mark.parametrize("name", ["store:write", "netwrok", "files:/srv"])
def test_what_it_does_not_ask_for_cannot_be_granted(weather: Any, name: str) -> None:
    done = skills(weather, "grant", "weather", "model", name)
    assert (done.returncode, granted(weather)) == (2, None)
    assert name in done.stderr


def test_without_a_permission_it_is_shown_how_things_stand(weather: Any) -> None:
    done = skills(weather, "grant", "weather")
    assert (done.returncode, granted(weather)) == (0, None)
    assert "narratoria skills grant weather files:/srv/maps:write model network" in done.stdout


def test_one_permission_is_taken_back_or_all_of_them(weather: Any) -> None:
    skills(weather, "grant", "weather", "--all")
    skills(weather, "revoke", "weather", "network")
    assert sorted(granted(weather)) == ["files:/srv/maps:write", "model"]
    assert "nothing beyond its own folder" in skills(weather, "revoke", "weather").stdout
    assert granted(weather) == []


def test_taking_back_what_was_not_granted_is_told_and_changes_nothing(weather: Any) -> None:
    skills(weather, "grant", "weather", "model")
    done = skills(weather, "revoke", "weather", "modle")
    assert (done.returncode, granted(weather)) == (2, ["model"])
    assert "it was granted model" in done.stderr


@pytest.mark.parametrize("what", ["grant", "revoke"])
def test_there_is_nothing_to_decide_about_a_skill_of_the_package(weather: Any, what: str) -> None:
    done = skills(weather, what, "dice-roller")
    assert (done.returncode, "skills disable dice-roller" in done.stderr) == (2, True)


def test_the_network_is_left_to_the_user_for_a_skill_of_the_package_too(weather: Any) -> None:
    done = skills(weather, "grant", "storyteller", "network")
    assert (done.returncode, "✓ reach the network" in done.stdout) == (0, True)
    assert "narratoria skills grant" not in skills(weather, "show", "storyteller").stdout.split("Scripts")[0]
    back = skills(weather, "revoke", "storyteller", "network")
    assert (back.returncode, "– reach the network" in back.stdout) == (0, True)


def test_the_page_of_a_skill_says_how_to_grant_until_it_is_granted(weather: Any) -> None:
    assert "narratoria skills grant weather --all" in skills(weather, "show", "weather").stdout
    skills(weather, "grant", "weather", "--all")
    assert "skills grant" not in skills(weather, "show", "weather").stdout


# variables of the user that a skill's own schema names

TOKEN = "ghp-test-1f8Kq0"


@pytest.fixture
def curious(weather: Any) -> Any:
    schema = {
        "type": "object",
        "properties": {"sky": {"type": "string", "default": "grey", "x-env-var": "GITHUB_TOKEN"}},
    }
    (weather.home / "skills" / "weather" / "config-schema.json").write_text(json.dumps(schema))
    return weather


def sky(cave: Any, call: Any) -> str:
    run = cave.narratoria("run", cave.plan(call("a", "weather/act")), "--json", GITHUB_TOKEN=TOKEN)
    value: str = json.loads(run.stdout)["toolResults"][0]["output"]["sky"]
    return value


def test_a_variable_reaches_a_skill_only_while_the_user_agrees(curious: Any, call: Any) -> None:
    assert sky(curious, call) == "grey"
    granted = skills(curious, "grant", "weather", "env:GITHUB_TOKEN")
    assert "your environment variable GITHUB_TOKEN  [env:GITHUB_TOKEN]" in granted.stdout
    assert sky(curious, call) != "grey"
    skills(curious, "revoke", "weather")
    assert sky(curious, call) == "grey"


def test_the_page_of_a_skill_says_that_a_variable_was_not_read_and_what_to_do(curious: Any) -> None:
    done = skills(curious, "show", "weather", GITHUB_TOKEN=TOKEN)
    assert "be given your environment variable GITHUB_TOKEN" in done.stdout
    assert "narratoria skills grant weather env:GITHUB_TOKEN" in done.stderr
    assert TOKEN not in done.stdout + done.stderr


def test_only_variables_that_the_schema_names_can_be_granted(curious: Any) -> None:
    done = skills(curious, "grant", "weather", "env:AWS_SECRET")
    assert (done.returncode, "env:AWS_SECRET" in done.stderr) == (2, True)


def test_an_installation_shows_the_variables_and_grants_them_with_the_rest(curious: Any) -> None:
    folder = curious.home / "skills" / "weather"
    elsewhere = folder.rename(curious.root / "weather")
    declined = skills(curious, "install", str(elsewhere), stdin=b"cancel\n")
    assert (declined.returncode, "[env:GITHUB_TOKEN]" in declined.stdout) == (1, True)
    skills(curious, "install", str(elsewhere), "--yes")
    assert "env:GITHUB_TOKEN" in granted(curious)
