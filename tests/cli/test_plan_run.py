"""`narratoria run`, as a real process with real tools."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from narratoria import contracts

LIGHT = """\
emit("log", level="info", message="Striking a flint")
emit("state_patch", patch={"torch": {"lit": True}})
emit("done", ok=True, output={"name": "torch", "seen": request["context"]["state"]})
"""
LOOK = 'emit("done", ok=True, output={"saw": request["input"]["by"]})\n'
FAIL = 'print("squinting", file=sys.stderr)\nemit("error", errorCode="TOO_DARK", errorMessage="too dark")\n'
FAIL += 'emit("done", ok=False)\n'
MARK = 'open("ran", "a").write("x")\nemit("done", ok=True)\n'


def gone(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        return process.status() == psutil.STATUS_ZOMBIE or process.wait(30) is None
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return process.status() == psutil.STATUS_ZOMBIE


def until_there(path: Path) -> str:
    deadline = time.monotonic() + 30
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.02)
    return path.read_text()


# a plan that runs


def test_a_plan_that_succeeds_shows_its_progress_on_stderr_and_its_result_on_stdout(cave, call):
    cave.tool("light.py", LIGHT)
    cave.tool("look.py", LOOK)
    by = {"$from": "light", "path": "/name"}
    plan = cave.plan(call("light", "light.py"), call("look", "look.py", "light", input={"by": by}))

    done = cave.narratoria("run", plan, "--allow-path")

    assert done.returncode == 0
    assert done.stdout.startswith(f"plan {cave.plan_id}: success in ")
    assert '  look   ✓ success  {"saw": "torch"}\n' in done.stdout
    assert done.stdout.endswith('state {\n  "torch": {\n    "lit": true\n  }\n}\n')
    progress = done.stderr.splitlines()
    assert progress[:4] == [
        f"plan {cave.plan_id}: 2 tools",
        "light  started",
        "light  info   Striking a flint",
        'light  patch  {"torch": {"lit": true}}',
    ]
    assert progress[-1].startswith("look   ✓ ")


def test_json_is_exactly_the_execution_result_and_nothing_else_is_said(cave, call):
    plan = cave.plan(call("light", cave.skill("torches", LIGHT)))

    done = cave.narratoria("run", plan, "--json")

    assert (done.returncode, done.stderr) == (0, "")
    assert contracts.check("execution-result", done.stdout) == ()
    result = json.loads(done.stdout)
    assert (result["planId"], result["success"]) == (cave.plan_id, True)
    assert result["toolResults"][0]["skill"] == "torches"


def test_the_session_starts_from_the_state_that_is_given(cave, call):
    cave.tool("light.py", LIGHT)
    (cave.root / "state.json").write_text('{"torch": {"oil": 3}, "hero": "Ada"}')
    plan = cave.plan(call("light", "light.py"))

    done = cave.narratoria("run", plan, "--allow-path", "--json", "--state", "state.json")

    result = json.loads(done.stdout)
    assert result["toolResults"][0]["output"]["seen"] == {"torch": {"oil": 3}, "hero": "Ada"}
    assert result["aggregatedState"] == {"torch": {"oil": 3, "lit": True}, "hero": "Ada"}


def test_a_plan_that_fails_exits_with_1_and_tells_why(cave, call):
    cave.tool("look.py", FAIL)
    plan = cave.plan(call("look", "look.py", retries=1), call("tell", "look.py", "look"))

    done = cave.narratoria("run", plan, "--allow-path")

    assert done.returncode == 1
    assert "  look  ✗ failed   TOO_DARK: too dark\n" in done.stdout
    assert "  tell  – skipped  DEPENDENCY_FAILED: needs 'look', which failed\n" in done.stdout
    assert f"`narratoria trace {cave.plan_id[:8]}`" in done.stdout
    assert "look  ✗ TOO_DARK: too dark (again in 1 ms)\nlook  started again (retry 1)\n" in done.stderr
    assert "look  stderr squinting\n" in done.stderr


def test_the_plan_may_come_from_stdin(cave, call):
    plan = cave.plan(call("light", cave.skill("torches", LIGHT)))
    done = cave.narratoria("run", "-", "--json", stdin=(cave.root / plan).read_bytes())
    assert json.loads(done.stdout)["success"] is True


def test_a_plan_without_tools_succeeds(cave):
    assert cave.narratoria("run", cave.plan()).returncode == 0


@pytest.mark.parametrize(
    "tool_id", ["a b", "torche/Zünden", "灯", "'; rm -rf /", "$(touch ran)", "-n", "🔥" * 50]
)
def test_an_id_may_hold_any_printable_characters(cave, call, tool_id):
    plan = cave.plan(call(tool_id, cave.skill("torches", LIGHT)))
    done = cave.narratoria("run", plan)
    assert done.returncode == 0
    assert tool_id in done.stdout
    assert cave.narratoria("trace", cave.plan_id).returncode == 0


def test_a_plan_that_takes_too_long_is_stopped_at_its_deadline(cave, call):
    cave.tool("wait.py", "time.sleep(600)\n")
    plan = cave.plan(call("wait", "wait.py"), call("light", "wait.py"))

    done = cave.narratoria("run", plan, "--allow-path", "--timeout", "0.5", "--json")

    assert done.returncode == 1
    assert [tool["state"] for tool in json.loads(done.stdout)["toolResults"]] == ["timeout", "skipped"]


def test_words_of_a_tool_cannot_move_the_cursor(cave, call):
    cave.tool("paint.py", 'emit("log", level="info", message="\\x1b[2Jgone")\nemit("done", ok=True)\n')
    done = cave.narratoria("run", cave.plan(call("paint", "paint.py")), "--allow-path")
    assert "\x1b" not in done.stdout + done.stderr
    assert "�[2Jgone" in done.stderr


# which tools


def test_a_relative_path_starts_at_the_plan_and_then_here(cave, call):
    cave.tool("near.py", 'emit("done", ok=True, output={"from": "plan"})\n', folder=cave.root / "plans")
    cave.tool("near.py", 'emit("done", ok=True, output={"from": "here"})\n')
    cave.tool("far.py", 'emit("done", ok=True, output={"from": "here"})\n')
    plan = cave.plan(call("near", "near.py"), call("far", "far.py"), name="plans/plan.json")

    done = cave.narratoria("run", plan, "--allow-path", "--json")

    assert [tool["output"]["from"] for tool in json.loads(done.stdout)["toolResults"]] == ["plan", "here"]


MCONTROL = """\
def tell(kind, **payload):
    print(json.dumps({"type": kind, "ts": "2026-01-01T00:00:00Z", "toolId": "tides", "payload": payload}))
tell("started")
tell("log", level="info", message="looking it up")
tell("result", high=request["input"].get("day", 0) * 50)
"""


@pytest.mark.parametrize(
    "named", ["tides", "tools/tides/manifest.json", "./tools/x/../tides/manifest.json", "absolute"]
)
def test_an_mcontrol_tool_is_named_by_its_id_or_its_manifest(cave, call, named):
    manifest = cave.mcontrol("tides", MCONTROL)
    cave.tool("look.py", LOOK)
    path = str(manifest) if named == "absolute" else named
    by = {"$from": "tides", "path": "/high"}
    look = call("look", cave.skill("eyes", LOOK), "tides", input={"by": by})
    plan = cave.plan(call("tides", path, input={"day": 3}), look)

    done = cave.narratoria("run", plan, "--json")

    assert done.returncode == 0, done.stderr
    tides, look = json.loads(done.stdout)["toolResults"]
    assert (tides["output"], tides["skill"], look["output"]) == ({"high": 150}, "tides", {"saw": 150})
    assert [event["message"] for event in tides["events"]] == ["looking it up"]


def test_an_mcontrol_tool_that_was_not_discovered_runs_by_its_manifest_if_that_is_allowed(cave, call):
    cave.mcontrol("tides", MCONTROL, folder=cave.root / "elsewhere")
    plan = cave.plan(call("tides", "elsewhere/tides/manifest.json", input={"day": 1}))

    refused = cave.narratoria("run", plan)
    done = cave.narratoria("run", plan, "--allow-path", "--json")

    assert refused.returncode == 2
    assert json.loads(done.stdout)["toolResults"][0]["output"] == {"high": 50}


def test_a_manifest_that_breaks_its_contract_is_a_reason_to_reject_the_plan(cave, call):
    manifest = cave.mcontrol("tides", MCONTROL, folder=cave.root / "elsewhere")
    manifest.write_text('{"manifestVersion": 1}')
    done = cave.narratoria("run", cave.plan(call("tides", "elsewhere/tides/manifest.json")), "--allow-path")
    assert done.returncode == 2
    assert "/tools/0/toolPath: " in done.stderr
    assert "elsewhere/tides/manifest.json:1: 'id' is missing" in done.stderr


def test_a_broken_config_of_mcontrol_stops_the_run_with_its_place(cave, call):
    (cave.root / ".m-control").mkdir()
    (cave.root / ".m-control" / "config.json").write_text('{"configVersion": 2}')
    done = cave.narratoria("run", cave.plan())
    assert done.returncode == 2
    assert "config.json:1 /configVersion" in done.stderr


# a plan that may not run


def rejected(cave, text: str | bytes, *options: str) -> list[str]:
    """The problems of a plan of which nothing was run."""
    (cave.root / "plan.json").write_bytes(text.encode() if isinstance(text, str) else text)
    done = cave.narratoria("run", "plan.json", *options)
    assert (done.returncode, done.stdout) == (2, "")
    *problems, last = done.stderr.splitlines()
    assert last == "narratoria: the plan was rejected; nothing was run"
    assert not list(cave.root.rglob("ran")) + list(cave.home.rglob("ran"))
    assert cave.journal == []
    return problems


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "plan.json:1: the document is empty; a JSON document is expected"),
        ("light the torch", "plan.json:1: a JSON value is expected; found 'l'"),
        (b"\xff\xfe{", "plan.json:1: the document is UTF-16; save it as UTF-8"),
        ("[1, 2]", "plan.json:1: an object is expected, not an array"),
        ('"plan"', "plan.json:1: an object is expected, not a string ('plan')"),
        ("null", "plan.json:1: an object is expected, not null"),
        ("[" * 100_000, "plan.json:1: nested more than 100 deep"),
        ("{" * 1000, "plan.json:1: a key in double quotes is expected; found '{'"),
    ],
    ids=["nothing", "words", "utf-16", "array", "string", "null", "deep", "torn"],
)
def test_what_is_no_plan_at_all_is_rejected_with_its_line(cave, text, problem):
    assert rejected(cave, text) == [problem]


def test_every_problem_of_a_plan_is_listed_with_its_line_and_pointer(cave, call):
    torches = cave.skill("torches", MARK)
    (cave.root / "tool.py").write_text("")
    tools = [
        call("light", torches),
        call("light", torches),
        call("look", "eyes/look", "lihgt"),
        call("tell", "tool.py", "tell", input={"by": {"$from": "look", "path": "name"}}),
    ]
    cave.plan(*tools)

    problems = rejected(cave, (cave.root / "plan.json").read_text())

    lines = (cave.root / "plan.json").read_text().splitlines()
    places = dict(problem.split(": ", 1) for problem in problems)
    assert {place.split(" ")[1]: message for place, message in places.items()} == {
        "/tools/1/toolId": "'light' is already the id of tool 0; rename one",
        "/tools/2/dependencies/0": "'lihgt' is not a tool of this plan; did you mean 'light'?",
        "/tools/3/dependencies": "circular dependency: tell → tell",
        "/tools/2/toolPath": "no skill owns 'eyes/look'",
        "/tools/3/toolPath": "no skill owns 'tool.py'; it is a file: --allow-path would run it",
        "/tools/3/input/by/$from": "takes a value from 'look', which is not among its dependencies; "
        "add it there",
        "/tools/3/input/by/path": "'name' is not a JSON pointer; write \"/key/0\", or leave it out "
        "for the whole output",
    }
    for place in places:
        file, pointer = place.split(" ")
        name, line = file.split(":")
        key = pointer.rsplit("/", 1)[1]
        assert name == "plan.json"
        assert key.isdigit() or f'"{key}"' in lines[int(line) - 1]


def test_ten_thousand_tools_are_too_many(cave, call):
    cave.plan(
        *(call(f"t{n}", cave.skill("torches", MARK) if n == 0 else "torches/act") for n in range(10_000))
    )
    (problem,) = rejected(cave, (cave.root / "plan.json").read_bytes())
    assert problem.startswith("plan.json:3 /tools: ")
    assert "at most 5000" in problem


def test_thousands_of_problems_are_a_list_that_can_be_read(cave, call):
    cave.skill("torches", MARK)
    cave.plan(call("light", "torches/act"), *(call(f"t{n}", f"nobody/{n}") for n in range(2_100)))
    problems = rejected(cave, (cave.root / "plan.json").read_bytes())
    assert len(problems) == 101
    assert problems[-1] == "… and 2,000 more"


@pytest.mark.parametrize("big", ["input", "file"])
def test_ten_megabytes_are_too_much(cave, call, big):
    cave.skill("torches", MARK)
    cave.plan(call("light", "torches/act", input={"map": "x" * 10_000_000}))
    text = (cave.root / "plan.json").read_bytes() if big == "input" else b" " * 10_000_000
    assert rejected(cave, text) == ["plan.json: is longer than 8,388,608 bytes, and no more are read"]


def test_a_plan_that_never_ends_is_not_waited_for(cave):
    done = cave.narratoria("run", "/dev/zero")
    assert done.returncode == 2
    assert "is longer than 8,388,608 bytes" in done.stderr


@pytest.mark.parametrize(
    "path",
    [
        "/bin/true",
        "../ran.py",
        "../../../../../../bin/true",
        "torches/../../ran.py",
        "~/ran.py",
        "torches",
        "x" * 4000,
    ],
)
def test_a_path_that_no_skill_owns_is_never_run(cave, call, path):
    cave.skill("torches", MARK)
    cave.tool("ran.py", MARK, folder=cave.root.parent)
    cave.plan(call("light", "torches/act"), call("odd", path))
    (problem,) = rejected(cave, (cave.root / "plan.json").read_bytes())
    assert "/tools/1/toolPath: no skill owns '" in problem


@pytest.mark.parametrize("path", ["nowhere.py", ".", "plan.json", "x" * 4000, "x/" * 2000 + "y", "tools"])
def test_a_path_that_leads_to_no_program_is_rejected_even_where_paths_are_allowed(cave, call, path):
    cave.skill("torches", MARK)
    (cave.root / "tools").mkdir()
    cave.plan(call("light", "torches/act"), call("odd", path))
    (problem,) = rejected(cave, (cave.root / "plan.json").read_bytes(), "--allow-path")
    assert "/tools/1/toolPath: " in problem


@pytest.mark.parametrize("odd", ["", "a\nb", "a\0b", "\x1b[31m", "\u202eabc", "x" * 201], ids=ascii)
def test_an_id_with_characters_that_do_not_print_is_rejected(cave, call, odd):
    cave.skill("torches", MARK)
    cave.plan(call("light", "torches/act"), call(odd, "torches/act"))
    (problem,) = rejected(cave, (cave.root / "plan.json").read_bytes())
    assert problem.startswith("plan.json:")
    assert " /tools/1/toolId: " in problem
    assert problem.isprintable()


def test_a_skill_that_the_plan_itself_disables_is_not_run(cave, call):
    cave.plan(call("light", cave.skill("torches", MARK)), disabledSkills=["torches"])
    (problem,) = rejected(cave, (cave.root / "plan.json").read_bytes())
    assert "which is disabled" in problem


def test_a_skill_that_could_not_be_read_is_mentioned_when_a_tool_is_missing(cave, call):
    cave.skill("torches", MARK)
    (cave.home / "skills" / "torches" / "skill.json").write_text("{}")
    cave.plan(call("light", "torches/act"))
    warning, *_, problem = rejected(cave, (cave.root / "plan.json").read_bytes())
    assert warning.startswith("narratoria: warning: ")
    assert "skill.json" in warning
    assert problem.endswith("no skill owns 'torches/act'")


@pytest.mark.parametrize(
    ("state", "problem"),
    [
        ("[]", "state.json:1: an object is expected, not an array"),
        ('{\n"a": 1,\n}', "state.json:3: a comma before a closing bracket is not allowed; remove the comma"),
        (None, "state.json: cannot be read: No such file or directory"),
        ('{"a":' * 101 + "1" + "}" * 101, "state.json:1: nested more than 100 deep"),
    ],
    ids=["array", "comma", "missing", "deep"],
)
def test_a_state_that_is_none_is_told_beside_the_problems_of_the_plan(cave, call, state, problem):
    cave.skill("torches", MARK)
    if state is not None:
        (cave.root / "state.json").write_text(state)
    cave.plan(call("light", "torches/act"), call("look", "eyes/look"))
    first, second = rejected(cave, (cave.root / "plan.json").read_bytes(), "--state", "state.json")
    assert first == problem
    assert "eyes/look" in second


def test_the_deepest_state_that_is_read_can_be_used(cave, call):
    (cave.root / "state.json").write_text('{"a":' * 100 + "1" + "}" * 100)
    plan = cave.plan(call("light", cave.skill("torches", MARK)))
    assert cave.narratoria("run", plan, "--state", "state.json").returncode == 0


@pytest.mark.parametrize(("name", "reason"), [("none.json", "No such file"), (".", "Is a directory")])
def test_a_plan_that_cannot_be_read_says_so(cave, name, reason):
    done = cave.narratoria("run", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{name}: cannot be read: {reason}" in done.stderr


@pytest.mark.parametrize("timeout", ["0", "-1", "nan", "soon"])
def test_a_time_that_is_none_is_refused(cave, timeout):
    done = cave.narratoria("run", cave.plan(), "--timeout", timeout)
    assert done.returncode == 2
    assert "--timeout" in done.stderr


# written down


def test_a_run_is_written_down_with_its_result(cave, call):
    plan = cave.plan(call("look", cave.skill("eyes", FAIL)), metadata={"generationAttempt": 2})

    done = cave.narratoria("run", plan, "--json")

    (line,) = cave.journal
    assert line["result"] == json.loads(done.stdout)
    assert (line["kind"], line["planId"], line["attempt"], line["outcome"]) == (
        "execution",
        cave.plan_id,
        2,
        "failed",
    )
    assert (line["skills"], line["disabledSkills"]) == (["eyes"], ["eyes"])
    assert line["health"] == {"eyes": {"state": "healthy", "failures": 1}}
    assert stat.S_IMODE((cave.home / "logs" / "plans.jsonl").stat().st_mode) == 0o600


def test_a_plan_log_that_cannot_be_written_costs_one_line_on_stderr(cave, call):
    plan = cave.plan(call("light", cave.skill("torches", LIGHT)))
    (cave.home / "logs").write_text("not a folder")

    done = cave.narratoria("run", plan, "--json")

    assert (done.returncode, json.loads(done.stdout)["success"]) == (0, True)
    assert done.stderr.count("\n") == 1
    assert "the plan log in" in done.stderr


# stopping


def start(cave, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*cave.command, "run", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cave.root,
        env=cave.env,
        text=True,
    )


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_plan_that_is_stopped_lets_what_runs_finish_and_starts_nothing_more(cave, call, number):
    cave.tool("slow.py", f'open("started", "w").write("x")\ntime.sleep(1)\n{MARK}')
    cave.tool("next.py", 'open("next", "w").write("x")\nemit("done", ok=True)\n')
    running = start(cave, cave.plan(call("slow", "slow.py"), call("next", "next.py")), "--allow-path")
    until_there(cave.root / "started")

    running.send_signal(number)
    stdout, stderr = running.communicate(timeout=30)

    assert (running.returncode, stdout) == (128 + number, "")
    assert "stopping: what runs has 5 s to finish; Ctrl-C again ends it at once\n" in stderr
    assert (cave.root / "ran").exists()
    assert not (cave.root / "next").exists()
    assert [(line["outcome"], line["planId"]) for line in cave.journal] == [("cancelled", cave.plan_id)]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_second_ctrl_c_ends_even_a_tool_that_will_not_listen(cave, call):
    cave.tool(
        "deaf.py",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        'open("pid", "w").write(str(os.getpid()))\ntime.sleep(600)\n',
    )
    running = start(cave, cave.plan(call("deaf", "deaf.py")), "--allow-path", "--json")
    pid = int(until_there(cave.root / "pid"))

    running.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        running.wait(0.5)
    running.send_signal(signal.SIGINT)
    stdout, stderr = running.communicate(timeout=30)

    assert (running.returncode, stdout, stderr) == (130, "", "")
    assert gone(pid)


def test_nobody_reading_the_result_is_no_traceback(cave, call):
    plan = cave.plan(call("light", cave.skill("torches", LIGHT)))
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*cave.command, "run", plan, "--json"],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
        cwd=cave.root,
        env=cave.env,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")
    assert [line["outcome"] for line in cave.journal] == ["success"]
