from __future__ import annotations

import json
import os
import pty
import subprocess
from typing import Any

import pytest

SECRET = "sk-test-51Hx9Q2eVf7"
SCHEMA = {
    "type": "object",
    "required": ["apiKey"],
    "properties": {
        "style": {
            "type": "string",
            "enum": ["terse", "vivid"],
            "default": "vivid",
            "description": "Tone.",
        },
        "apiKey": {
            "type": "string",
            "title": "API key",
            "minLength": 8,
            "x-sensitive": True,
            "x-env-var": "TELLER_KEY",
            "x-category": "Hosted",
        },
        "words": {"type": "integer", "minimum": 10, "default": 120},
        "banned": {"type": "array", "items": {"type": "string"}},
        "scale": {"type": "object", "properties": {"min": {"type": "integer", "default": -1}}},
    },
}


@pytest.fixture
def teller(cave: Any) -> Any:
    cave.skill("teller", 'emit("done", ok=True, output=request["context"]["config"])')
    (cave.home / "skills" / "teller" / "config-schema.json").write_text(json.dumps(SCHEMA, indent=1))
    agreed = {"skills": {"teller": {"permissions": ["env:TELLER_KEY"]}}}
    (cave.home / "skills.json").write_text(json.dumps(agreed))
    return cave


def skills(cave: Any, *args: str, **more: Any) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = cave.narratoria("skills", *args, **more)
    assert SECRET not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def as_json(cave: Any, *args: str, **more: Any) -> Any:
    done = skills(cave, *args, "--json", **more)
    return json.loads(done.stdout)


def test_the_list_says_what_can_be_used_and_why_not(teller: Any) -> None:
    done = skills(teller, "list")
    assert done.returncode == 0
    assert "needs attention" in next(line for line in done.stdout.splitlines() if line.startswith("teller"))
    assert "--ask apiKey" in done.stderr
    assert "TELLER_KEY" in done.stderr
    listed = {skill["name"]: skill for skill in as_json(teller, "list")["skills"]}
    assert (listed["teller"]["condition"], listed["teller"]["configurable"]) == ("misconfigured", True)
    assert listed["teller"]["problems"][0]["pointer"] == "/apiKey"
    ready = {skill["name"]: skill for skill in as_json(teller, "list", TELLER_KEY=SECRET)["skills"]}
    assert ready["teller"]["condition"] == "ready"


def test_a_broken_skill_is_listed_as_a_problem_with_its_line(teller: Any) -> None:
    folder = teller.home / "skills" / "broken"
    folder.mkdir()
    (folder / "skill.json").write_text('{\n"name": "broken",\n"version": "one"}')
    problems = as_json(teller, "list")["problems"]
    assert {(problem["pointer"], problem["line"]) for problem in problems} >= {("/version", 3)}
    done = skills(teller, "validate", "broken")
    assert (done.returncode, "skill.json:3 /version" in done.stderr) == (1, True)


def test_a_skill_is_shown_with_its_settings_and_without_its_secrets(teller: Any) -> None:
    skills(teller, "config", "set", "teller", "--ask", "apiKey", "words=30", stdin=SECRET.encode() + b"\n")
    page = skills(teller, "show", "teller").stdout
    for words in (
        "teller",
        "act",
        "Tone.",
        "one of terse, vivid",
        "vivid (default)",
        "••••",
        "Hosted",
    ):
        assert words in page
    settings = {field["key"]: field for field in as_json(teller, "show", "teller")["settings"]}
    assert (settings["apiKey"]["value"], settings["apiKey"]["widget"]) == ("••••", "password")
    assert (settings["words"]["value"], settings["words"]["source"]) == (30, "config")
    assert (settings["style"]["value"], settings["style"]["source"]) == ("vivid", "default")


def test_what_a_skill_asks_for_and_was_granted_is_shown(teller: Any) -> None:
    manifest = teller.home / "skills" / "teller" / "skill.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "permissions": ["model"]}))
    (teller.home / "skills.json").write_text('{"skills": {"teller": {"permissions": []}}}')
    shown = as_json(teller, "show", "teller")
    assert (shown["permissions"], shown["granted"]) == (["env:TELLER_KEY", "model"], [])
    assert "granted  nothing" in skills(teller, "show", "teller").stdout


def test_what_is_set_is_there_for_the_next_run_of_the_skill(teller: Any, call: Any) -> None:
    pairs = ["style=terse", "words=30", "banned=very,really", "scale.min=-7", "apiKey=${TELLER_KEY}"]
    done = skills(teller, "config", "set", "teller", *pairs)
    assert done.returncode == 0, done.stderr
    assert "style = terse\n" in done.stdout
    kept = json.loads((teller.home / "skills" / "teller" / "config.json").read_text())
    assert kept["apiKey"] == "${TELLER_KEY}"
    run = teller.narratoria("run", teller.plan(call("a", "teller/act")), "--json", TELLER_KEY=SECRET)
    assert SECRET not in run.stdout + run.stderr
    assert json.loads(run.stdout)["toolResults"][0]["output"] == {
        "style": "terse",
        "apiKey": "••••",
        "words": 30,
        "banned": ["very", "really"],
        "scale": {"min": -7},
    }
    assert SECRET not in (teller.home / "logs" / "plans.jsonl").read_text()


def test_one_value_is_printed_plainly(teller: Any) -> None:
    skills(teller, "config", "set", "teller", "style=terse", 'banned=["a b", "c"]', "apiKey=12345678")
    get = ["config", "get", "teller"]
    assert skills(teller, *get, "style").stdout == "terse\n"
    assert skills(teller, *get, "words").stdout == "120\n"
    assert skills(teller, *get, "scale.min").stdout == "-1\n"
    assert skills(teller, *get, "apiKey").stdout == "••••\n"
    assert as_json(teller, *get, "banned") == ["a b", "c"]
    assert as_json(teller, *get)["sources"]["words"] == "default"
    assert "words  = 120  (default)" in skills(teller, *get).stdout


def test_exit_codes_tell_a_missing_value_from_a_missing_key(teller: Any) -> None:
    none = skills(teller, "config", "get", "teller", "banned")
    assert (none.returncode, none.stdout) == (1, "")
    wrong = skills(teller, "config", "get", "teller", "wrods")
    assert (wrong.returncode, "did you mean 'words'" in wrong.stderr) == (2, True)
    nobody = skills(teller, "show", "tellr")
    assert (nobody.returncode, "did you mean 'teller'" in nobody.stderr) == (2, True)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["words=3", "apiKey=12345678"], "/words: 3 is too small; it must be at least 10"),
        (["words=many", "apiKey=12345678"], "a whole number is expected"),
        (["style=loud", "apiKey=12345678"], "'loud' is not a style (terse, vivid)"),
        (["apiKey=hush"], "the secret that is set does not fit; it must be a text, at least 8 characters"),
        (["wrods=30"], "did you mean 'words'"),
        (["words=30"], "API key is needed"),
        (["words"], "is not KEY=VALUE"),
        ([], "nothing to set"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason_and_nothing_is_saved(
    args: list[str], words: str, teller: Any
) -> None:
    done = skills(teller, "config", "set", "teller", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "hush" not in done.stderr
    assert not (teller.home / "skills" / "teller" / "config.json").exists()


def test_a_value_can_be_forgotten(teller: Any) -> None:
    skills(teller, "config", "set", "teller", "words=30", "apiKey=12345678")
    done = skills(teller, "config", "set", "teller", "--unset", "words")
    assert done.stdout == "words = 120\n"
    assert "words" not in json.loads((teller.home / "skills" / "teller" / "config.json").read_text())


def test_a_secret_that_is_asked_for_at_a_terminal_is_not_echoed(teller: Any) -> None:
    ours, theirs = pty.openpty()
    argv = [*teller.command, "skills", "config", "set", "teller", "--ask", "apiKey"]
    process = subprocess.Popen(
        argv,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=teller.root,
        env=teller.env,
        start_new_session=True,
    )
    os.close(theirs)
    said = b""
    while b"apiKey:" not in said:
        said += os.read(ours, 1000)
    os.write(ours, SECRET.encode() + b"\n")
    try:
        while chunk := os.read(ours, 1000):
            said += chunk
    except OSError:
        pass  # Linux' way to say that nobody is there any more
    os.close(ours)
    assert process.wait(30) == 0
    assert SECRET.encode() not in said
    kept = json.loads((teller.home / "skills" / "teller" / "config.json").read_text())
    assert kept == {"apiKey": SECRET}


def test_a_skill_can_be_turned_off_and_on(teller: Any, call: Any) -> None:
    off = skills(teller, "disable", "teller")
    assert (off.returncode, off.stdout) == (0, "teller is off.\n")
    assert as_json(teller, "show", "teller")["condition"] == "disabled"
    run = teller.narratoria("run", teller.plan(call("a", "teller/act")), TELLER_KEY=SECRET)
    assert run.returncode == 2
    assert "'teller' is disabled" in run.stderr
    assert skills(teller, "enable", "teller", TELLER_KEY=SECRET).stdout == "teller is on.\n"
    again = teller.narratoria("run", teller.plan(call("a", "teller/act")), TELLER_KEY=SECRET)
    assert again.returncode == 0, again.stderr


def test_validation_lists_every_problem_and_says_so_by_its_exit_code(teller: Any) -> None:
    assert skills(teller, "validate", "teller", TELLER_KEY=SECRET).returncode == 0
    (teller.home / "skills" / "teller" / "config.json").write_text('{\n"words": 3,\n"style": "x",\n"old": 1}')
    done = skills(teller, "validate", TELLER_KEY=SECRET)
    assert done.returncode == 1
    assert "config.json:2 /words" in done.stderr
    assert "config.json:3 /style" in done.stderr
    assert "2 problems" in done.stdout
    report = as_json(teller, "validate", "teller", TELLER_KEY=SECRET)
    assert (report["ok"], len(report["problems"]), report["warnings"][0]["pointer"]) == (False, 2, "/old")


def test_a_folder_can_be_validated_before_it_is_installed(teller: Any) -> None:
    folder = teller.root / "fresh"
    folder.mkdir()
    (folder / "skill.json").write_text(
        json.dumps({"name": "fresh", "version": "1.0.0", "description": "New."})
    )
    assert skills(teller, "validate", str(folder)).returncode == 0
    (folder / "config-schema.json").write_text('{"type": "object",\n"properties": {"a": {"type": "strin"}}}')
    done = skills(teller, "validate", str(folder))
    assert (done.returncode, "config-schema.json:2 /properties/a/type" in done.stderr) == (1, True)
    assert skills(teller, "validate", str(teller.root / "nowhere")).returncode == 2


def test_a_broken_file_of_decisions_is_told_kept_and_replaced(teller: Any) -> None:
    (teller.home / "skills.json").write_text("{oops")
    assert "skills.json:1" in skills(teller, "list").stderr
    done = skills(teller, "disable", "teller")
    assert (done.returncode, "skills.json:1" in done.stderr) == (0, True)
    assert (teller.home / "skills.json.broken-1").read_text() == "{oops"
    assert as_json(teller, "show", "teller")["enabled"] is False


@pytest.mark.parametrize("command", ["", "validate", "enable", "config get", "config set"])
def test_help_gives_the_exit_codes(command: str, cave: Any) -> None:
    assert "Exit code" in cave.narratoria("skills", *command.split(), "--help").stdout


def test_the_text_of_a_skill_md_reaches_the_scripts_of_a_skill_that_a_plan_has_chosen(
    cave: Any, call: Any
) -> None:
    path = cave.skill(
        "guide", 'emit("done", ok=True, output={"told": request["context"].get("instructions")})'
    )
    plan = cave.plan(call("a", path))

    def told() -> Any:
        return json.loads(cave.narratoria("run", plan, "--json").stdout)["toolResults"][0]["output"]["told"]

    assert told() is None
    text = "---\nname: guide\ndescription: Leads.\n---\n# How\n\nGo left.\n"
    (cave.home / "skills" / "guide" / "SKILL.md").write_text(text)
    assert told() == "# How\n\nGo left."
    assert skills(cave, "show", "guide", "--instructions").stdout == "# How\n\nGo left.\n"
    assert "Go left" not in skills(cave, "show", "guide", "--json").stdout
