from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from narratoria import contracts

ECHO = "emit('started')\nemit('result', **request)\n"


def gone(pid: str) -> bool:
    """Whether this process has ended, or does so within a moment: an orphan is reaped by somebody else."""
    try:
        process = psutil.Process(int(pid))
        return process.status() == psutil.STATUS_ZOMBIE or process.wait(10) is None
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return process.status() == psutil.STATUS_ZOMBIE


def result_of(done) -> dict:
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


# input


def test_the_tool_gets_its_id_its_config_its_workspace_and_its_input(workshop):
    workshop.tool("echo", ECHO)

    answer = result_of(workshop.mctl("run", "echo", "name=Ada"))

    assert answer == {
        "context": {"toolId": "echo", "config": {}, "workspaceRoot": str(workshop.root)},
        "input": {"name": "Ada"},
    }


def test_values_are_json_where_they_parse_and_strings_where_they_do_not(workshop):
    workshop.tool("echo", ECHO)

    pairs = [
        "n=3",
        "on=true",
        "none=null",
        "list=[1, 2]",
        'quoted="3"',
        "word=hello world",
        "empty=",
        "nan=NaN",
    ]
    answer = result_of(workshop.mctl("run", "echo", *pairs, "equation=a=b"))

    assert answer["input"] == {
        "n": 3,
        "on": True,
        "none": None,
        "list": [1, 2],
        "quoted": "3",
        "word": "hello world",
        "empty": "",
        "nan": "NaN",
        "equation": "a=b",
    }


def test_pairs_with_dots_make_objects_and_go_over_the_input_option(workshop):
    workshop.tool("echo", ECHO)

    given = '{"pr": {"id": 1, "draft": true}, "keep": "me"}'
    answer = result_of(workshop.mctl("run", "echo", "pr.id=42", "pr.by.name=Ada", "--input", given))

    assert answer["input"] == {"pr": {"id": 42, "draft": True, "by": {"name": "Ada"}}, "keep": "me"}


def test_the_input_comes_from_a_file_or_from_stdin(workshop):
    workshop.tool("echo", ECHO)
    (workshop.root / "in.json").write_text('{"from": "ä file"}', encoding="utf-8")

    from_file = workshop.mctl("run", "echo", "--input", "@in.json")
    from_stdin = workshop.mctl("run", "echo", "--input", "-", stdin=b'{"from": "stdin"}')

    assert result_of(from_file)["input"] == {"from": "ä file"}
    assert result_of(from_stdin)["input"] == {"from": "stdin"}


def test_the_input_need_not_be_an_object(workshop):
    workshop.tool("echo", ECHO)

    assert result_of(workshop.mctl("run", "echo", "--input", "[1, 2]"))["input"] == [1, 2]


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["word"], b"'word' is not of the form key=value"),
        (["=1"], b"'=1' is not of the form key=value"),
        (["a..b=1"], b"'a..b=1' is not of the form key=value"),
        (["--input", "{"], b"--input is not JSON"),
        (["--input", "@gone.json"], b"@gone.json: cannot be read"),
        (["--input", '{"a": NaN}'], b"NaN is not JSON"),
        (["--input", "[" * 100_000], b"is not JSON: nested more than 100 deep"),
        (["--input", "[]", "a=1"], b"key=value needs an object"),
        (["--timeout", "0"], b"--timeout"),
    ],
)
def test_arguments_that_make_no_sense_are_told_and_nothing_is_run(workshop, args, complaint):
    workshop.tool("echo", "open('ran', 'w').close()\n")

    done = workshop.mctl("run", "echo", *args)

    assert done.returncode == 2
    assert complaint in done.stderr
    assert b"Traceback" not in done.stderr
    assert not (workshop.root / "ran").exists()


# config


def test_a_tool_sees_the_keys_it_declares_and_no_others(workshop):
    workshop.tool("echo", ECHO, requiredConfig=["azdo.token"], optionalConfig=["azdo.org", "azdo.unset"])
    workshop.config(at_home=True, tools={"azdo": {"token": "home", "org": "ours", "secret": "s"}, "x": 1})
    workshop.config(tools={"azdo.token": "project"})

    done = workshop.mctl("run", "echo")

    assert result_of(done)["context"]["config"] == {"azdo.token": "project", "azdo.org": "ours"}


def test_a_missing_key_stops_the_run_and_names_the_file_to_edit(workshop):
    workshop.tool("echo", "open('ran', 'w').close()\n", requiredConfig=["azdo.token"])
    path = workshop.config()

    done = workshop.mctl("run", "echo", "--json")

    assert done.returncode == 2
    assert done.stdout == b""
    assert f"mctl: {path} /tools/azdo/token: echo needs azdo.token".encode() in done.stderr
    assert not (workshop.root / "ran").exists()


def test_a_config_of_another_version_stops_everything(workshop):
    workshop.tool("echo", ECHO)
    path = workshop.config(configVersion=2)

    for command in (["run", "echo"], ["list"]):
        done = workshop.mctl(*command)
        assert done.returncode == 2
        assert f"{path}:2 /configVersion: is 2, and this mctl reads version 1 only".encode() in done.stderr


def test_the_runtime_of_the_config_is_the_one_that_runs(workshop):
    workshop.tool("echo", "emit('result', flags=sys.flags.utf8_mode, executable=sys.executable)\n")
    workshop.config(runtimes={"python": [sys.executable, "-X", "utf8"]})

    assert result_of(workshop.mctl("run", "echo"))["flags"] == 1


def test_the_workspace_is_the_project_also_from_a_subfolder(workshop):
    workshop.tool("echo", "emit('result', cwd=os.getcwd(), root=request['context']['workspaceRoot'])\n")
    workshop.config()
    (workshop.root / "src").mkdir()

    answer = result_of(workshop.mctl("run", "echo", cwd=workshop.root / "src"))

    assert answer == {"cwd": str(workshop.root), "root": str(workshop.root)}


# finding the tool


def test_an_unknown_tool_is_told_with_a_guess_at_what_was_meant(workshop):
    workshop.tool("hello-world", ECHO)

    done = workshop.mctl("run", "helo-world")

    assert done.returncode == 2
    assert b"there is no tool 'helo-world'" in done.stderr
    assert b"did you mean hello-world?" in done.stderr


def test_an_unknown_tool_whose_manifest_was_refused_is_told_why(workshop):
    folder = workshop.tool("lamp", ECHO, runtime="ruby")

    done = workshop.mctl("run", "lamp")

    assert done.returncode == 2
    assert f"{folder / 'manifest.json'}:7 /runtime: 'ruby' is not a runtime".encode() in done.stderr


def test_a_tool_can_be_named_by_its_manifest(workshop):
    folder = workshop.tool("echo", ECHO)

    answer = result_of(workshop.mctl("run", str(folder / "manifest.json"), cwd=workshop.root.parent))

    assert answer["context"]["toolId"] == "echo"


# what is shown


def test_logs_and_the_last_result_go_to_stdout_and_trouble_to_stderr(workshop):
    workshop.tool(
        "talk",
        "emit('started')\n"
        "emit('log', level='info', message='Fetching PR #42')\n"
        "emit('log', level='warn', message='slow \\x1b[2Jtoday')\n"
        "emit('result', n=1)\n"
        "print('a trace', file=sys.stderr)\n"
        "emit('result', n='zwei ü')\n",
    )

    done = workshop.mctl("run", "talk")

    assert done.returncode == 0
    assert done.stdout.decode() == 'info  Fetching PR #42\nwarn  slow �[2Jtoday\n{\n  "n": "zwei ü"\n}\n'
    assert done.stderr == b"a trace\n"


@pytest.mark.parametrize(
    ("recoverable", "advice"), [(True, b"You can fix this and run the tool again"), (False, b"report it")]
)
def test_an_expected_failure_is_shown_with_its_code_and_what_it_means_for_the_user(
    workshop, recoverable, advice
):
    workshop.tool(
        "fails",
        f"emit('error', message='PAT expired', code='AUTH_FAILED', recoverable={recoverable})\nsys.exit(1)\n",
    )

    done = workshop.mctl("run", "fails")

    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.startswith(b"error AUTH_FAILED: PAT expired\n")
    assert advice in done.stderr
    assert done.stderr.count(b"PAT expired") == 1


def test_success_without_a_result_is_said_to_be_that(workshop):
    workshop.tool("quiet", "emit('started')\n")

    done = workshop.mctl("run", "quiet")

    assert (done.returncode, done.stdout) == (0, b"")
    assert b"finished without a result" in done.stderr


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_warning_comes_while_the_tool_still_runs_and_only_once(workshop, options):
    workshop.tool(
        "sloppy",
        "emit('started')\n"
        "print('not an event', flush=True)\n"
        "while not os.path.exists('go on'): time.sleep(0.01)\n"
        "emit('result', fine=True)\n",
    )
    running = subprocess.Popen(
        [sys.executable, "-m", "narratoria.mctl", "run", "sloppy", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=workshop.root,
        env=workshop.env,
    )

    first = running.stderr.readline()  # comes before the tool may end, or never
    (workshop.root / "go on").touch()
    _, rest = running.communicate(timeout=60)

    assert first.startswith(b"mctl: warning: sloppy: malformed line 2")
    assert (rest, running.returncode) == (b"", 0)


def test_a_malformed_line_is_a_warning_and_the_run_goes_on(workshop):
    workshop.tool("sloppy", "emit('started')\nprint('progress: 50%')\nemit('result', ok=True)\n")

    done = workshop.mctl("run", "sloppy")

    assert result_of(done) == {"ok": True}
    assert b"mctl: warning: sloppy: malformed line 2" in done.stderr


def test_strict_makes_a_malformed_line_a_failure(workshop):
    workshop.tool("sloppy", "emit('started')\nprint('progress: 50%')\nemit('result', ok=True)\n")

    done = workshop.mctl("run", "sloppy", "--strict")

    assert done.returncode == 2
    assert b"mctl: sloppy: INVALID_LINE: line 2" in done.stderr


# --json

ODD_BYTES = (
    b'{"type":"started","ts":"2025-02-25T10:00:00.000Z","toolId":"odd","payload":{}}\r\n'
    b'  { "type" : "log",\t"ts":"2025-02-25T10:00:00Z", "toolId":"odd","payload":{"level":"info",'
    b'"message":"\xc3\xa4\xe2\x80\xa8\xf0\x9f\x94\xa6 \\u00e4"}, "extra": 1e400}  \n'
    b"\n"
    b"this is not an event\n"
    b"\xff\xfe not even text\n"
    b'{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"odd","payload":{"b":1,"a":1.0}}'
)


def test_json_passes_every_byte_through_as_it_came(workshop):
    workshop.tool("odd", f"import sys\nsys.stdout.buffer.write({ODD_BYTES!r})\n", bare=True)

    done = workshop.mctl("run", "odd", "--json")

    assert done.returncode == 0
    assert done.stdout == ODD_BYTES
    assert b"malformed line 4" in done.stderr
    assert b"malformed line 5" in done.stderr


def test_json_passes_megabytes_through_in_order(workshop):
    workshop.tool(
        "long", "for n in range(9000):\n    emit('log', level='info', message=str(n) + 'x' * 500)\n"
    )

    done = workshop.mctl("run", "long", "--json")

    assert done.returncode == 0
    numbers = [int(json.loads(line)["payload"]["message"].rstrip("x")) for line in done.stdout.splitlines()]
    assert numbers == list(range(9000))


def test_json_leaves_an_expected_failure_to_the_tools_own_words(workshop):
    workshop.tool("fails", "emit('error', message='no', code='NO', recoverable=True)\nsys.exit(1)\n")

    done = workshop.mctl("run", "fails", "--json")

    assert done.returncode == 1
    assert [json.loads(line)["payload"]["code"] for line in done.stdout.splitlines()] == ["NO"]
    assert done.stderr == b""


@pytest.mark.parametrize("half_a_line", [False, True])
def test_json_adds_one_error_event_on_a_line_of_its_own_when_a_guardrail_is_hit(workshop, half_a_line):
    start = '{"type":' if half_a_line else ""
    workshop.tool(
        "hangs", f"emit('started')\nprint({start!r}, end='', flush=True)\ntime.sleep(600)\n", timeoutMs=2000
    )

    done = workshop.mctl("run", "hangs", "--json")

    assert done.returncode == 2
    *_, last = done.stdout.splitlines()
    assert contracts.check("mctl-event", last) == ()
    event = json.loads(last)
    assert (event["type"], event["toolId"]) == ("error", "hangs")
    assert event["payload"]["code"] == "RUNNER_GUARDRAIL"
    assert len(done.stdout.splitlines()) == (3 if half_a_line else 2)
    assert b"mctl: hangs: RUNNER_GUARDRAIL: ran longer than 2 s" in done.stderr


def test_a_reader_that_goes_away_ends_the_tool(workshop):
    workshop.tool(
        "endless",
        "import pathlib; pathlib.Path('pid').write_text(str(os.getpid()))\n"
        "while True:\n    emit('log', level='info', message='x' * 1000)\n    time.sleep(0.01)\n",
    )
    mctl = f"{sys.executable} -m narratoria.mctl run endless --json"

    done = subprocess.run(
        ["bash", "-c", f"{mctl} | head -n 1; exit ${{PIPESTATUS[0]}}"],
        cwd=workshop.root,
        env=workshop.env,
        capture_output=True,
        timeout=30,
        check=False,
    )

    assert done.returncode == 141
    assert done.stderr == b""
    assert gone((workshop.root / "pid").read_text())


# exit codes and guardrails


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("emit('result', ok=True)", 0),
        ("pass", 0),
        ("sys.exit(1)", 1),
        ("emit('result', ok=True); sys.exit(1)", 1),
        ("sys.exit(2)", 2),
        ("emit('result', ok=True); sys.exit(3)", 2),
        ("sys.exit(255)", 2),
        ("os.kill(os.getpid(), 9)", 2),
        ("for n in range(10_001): emit('log', level='debug', message='x')", 2),
        ("print('x' * 10_000_001, flush=True)", 2),
    ],
)
@pytest.mark.parametrize("mode", [[], ["--json"]], ids=["pretty", "json"])
def test_the_exit_code_says_how_it_went(workshop, script, code, mode):
    workshop.tool("lamp", script)

    done = workshop.mctl("run", "lamp", *mode)

    assert done.returncode == code
    assert b"Traceback" not in done.stderr


def test_a_crash_is_told_after_the_tools_own_stderr(workshop):
    workshop.tool("lamp", "print('oil on fire', file=sys.stderr)\nsys.exit(3)\n")

    done = workshop.mctl("run", "lamp")

    assert done.stderr.startswith(b"oil on fire\nmctl: lamp: CRASHED: crashed: exit code 3\n")


def test_a_tool_whose_entry_is_gone_is_told_so(workshop):
    folder = workshop.tool("lamp")
    (folder / "main.py").unlink()

    done = workshop.mctl("run", "lamp")

    assert done.returncode == 2
    assert b"main.py is not there" in done.stderr


@pytest.mark.parametrize(
    ("config", "manifest", "args", "limit"),
    [
        ({"timeouts": {"default": 300}}, {}, [], b"0.3 s"),
        ({"timeouts": {"default": 60000}}, {"timeoutMs": 310}, [], b"0.31 s"),
        ({"timeouts": {"default": 60000, "tools": {"hangs": 320}}}, {"timeoutMs": 60000}, [], b"0.32 s"),
        ({"timeouts": {"tools": {"hangs": 60000}}}, {"timeoutMs": 60000}, ["--timeout", "0.33"], b"0.33 s"),
    ],
)
def test_a_hanging_tool_is_stopped_after_the_time_that_holds_for_it(workshop, config, manifest, args, limit):
    workshop.tool("hangs", "time.sleep(600)\n", **manifest)
    workshop.config(**config)

    done = workshop.mctl("run", "hangs", *args)

    assert done.returncode == 2
    assert b"error RUNNER_GUARDRAIL: ran longer than " + limit in done.stderr
    assert b"timeouts.tools" in done.stderr


# signals

FAMILY = (
    "import pathlib, subprocess\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    "pathlib.Path('pids.part').write_text(f'{os.getpid()} {child.pid}')\n"
    "os.rename('pids.part', 'pids')\n"
    "time.sleep(600)\n"
)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize("mode", [[], ["--json"]], ids=["pretty", "json"])
def test_a_signal_ends_the_tools_whole_tree_and_then_mctl(workshop, number, code, mode):
    workshop.tool("family", FAMILY)
    mctl = subprocess.Popen(
        [sys.executable, "-m", "narratoria.mctl", "run", "family", *mode],
        cwd=workshop.root,
        env=workshop.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 30
    while not (workshop.root / "pids").exists() and time.monotonic() < deadline:
        time.sleep(0.02)

    mctl.send_signal(number)
    _, stderr = mctl.communicate(timeout=30)

    assert mctl.returncode == code
    assert b"Traceback" not in stderr
    assert all(gone(pid) for pid in (workshop.root / "pids").read_text().split())


@pytest.mark.parametrize("control", ["\x07", "\x1b[2J", "\x7f", "\x9b2J"])
def test_a_result_is_shown_as_the_same_json_without_control_characters(workshop, control):
    workshop.tool("cunning", f"emit('started')\nemit('result', text={control!r} + 'ä')\n")

    done = workshop.mctl("run", "cunning")

    assert result_of(done) == {"text": f"{control}ä"}
    assert "ä" in done.stdout.decode()
    assert control[0] not in done.stdout.decode()


# the examples


@pytest.mark.parametrize("tool", ["hello-python", "hello-node"])
@pytest.mark.parametrize("given", ["[1]", "null", "3"])
def test_an_example_says_what_input_it_wants(workshop, tool, given):
    root = {"M_CONTROL_TOOLS_ROOT": str(Path(__file__).parents[2] / "examples" / "mctl")}

    done = workshop.mctl("run", tool, "--input", given, env=root)

    assert done.returncode == 1
    assert b"input must be an object" in done.stderr
    assert b"You can fix this" in done.stderr
