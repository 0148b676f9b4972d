"""The kit as a whole: many inputs, processes side by side, and a report."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from narratoria.errors import NotRunnable
from narratoria.protocol.command import Command, command_for
from narratoria.protocol.conformance import ConformanceReport, check_mctl_tool, check_tool
from narratoria.protocol.dialect import Limits

REPOSITORY = Path(__file__).parents[3]
EXAMPLES = REPOSITORY / "examples"
ZOO = REPOSITORY / "tests" / "tools"
PATIENT = Limits(timeout=40, kill_grace=0.5)

START = """
import json, os, signal, sys, time
def emit(kind, **fields):
    print(json.dumps({"version": "0", "type": kind, **fields}), flush=True)
def refuse():
    emit("error", errorCode="BAD_REQUEST", errorMessage="It cannot be read")
    emit("done", ok=False)
    sys.exit()
def read():
    try:
        request = json.loads(sys.stdin.buffer.read() or b"{}")
        return request if isinstance(request["input"], dict) else refuse()
    except (ValueError, TypeError, LookupError):
        refuse()
"""

# what a tool can do wrong that no single ordinary run shows, by the one rule it breaks
SOURCES = {
    "request-id": "read(); emit('done', ok=True, requestId='mine')",
    "succeeds": "read(); refuse()",
    "unicode-input": """
request = read()
sys.stdout.reconfigure(encoding="latin-1")
print(json.dumps({"version": "0", "type": "log", "level": "info", "message": str(request["input"])},
      ensure_ascii=False))
emit("done", ok=True)
""",
    "large-input": "import subprocess; subprocess.run(['true', str(read())]); emit('done', ok=True)",
    "extra-fields": """
if len(read()) > 4:
    refuse()
emit("done", ok=True)
""",
    "unknown-operation": """
if read()["operation"] != "tool":
    sys.exit("what?")
emit("done", ok=True)
""",
    "empty-stdin": """
text = sys.stdin.read()
assert text, "I need a request"
emit("done", ok=True)
""",
    "malformed-request": """
text = sys.stdin.read()
if text:
    json.loads(text)
emit("done", ok=True)
""",
    "side-by-side": """
read()
try:
    os.mkdir("lock")
except FileExistsError:
    sys.exit("locked")
time.sleep(0.3)
os.rmdir("lock")
emit("done", ok=True)
""",
    "stops-when-told": """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
read()
emit("done", ok=True)
""",
    "streams": """
read()
if not os.path.exists("ran"):  # once is enough
    open("ran", "w").close()
    time.sleep(3.2)
emit("log", level="info", message="beginning")
emit("done", ok=True)
""",
}


def broken(report: ConformanceReport) -> set[str]:
    return {finding.rule for finding in report.findings if finding.verdict != "pass"}


@pytest.fixture
def check_source(tmp_path):
    async def check(source: str, **options) -> ConformanceReport:
        path = tmp_path / "tool.py"
        path.write_text(START + source, encoding="utf-8")
        return await check_tool(command_for(path), tool="tool.py", limits=PATIENT, **options)

    return check


@pytest.mark.parametrize("path", sorted((EXAMPLES / "tools").iterdir()), ids=lambda path: path.name)
async def test_the_example_tools_pass_the_kit(path):
    report = await check_tool(command_for(path), tool=path.name)

    # a tool that needs the host says so where there is none, and the kit wonders what input it wants
    expected = ["succeeds"] if path.stem == "remember" else []
    assert [finding.rule for finding in report.findings if finding.verdict != "pass"] == expected
    assert report.verdict.startswith(f"{path.name} keeps to the protocol")


@pytest.mark.parametrize(("name", "program"), [("hello-python", "hello.py"), ("hello-node", "hello.mjs")])
async def test_the_m_control_examples_pass_the_kit(name, program, tmp_path):
    report = await check_mctl_tool(
        command_for(EXAMPLES / "mctl" / name / program),
        tool=name,
        tool_id=name,
        config={},
        workspace_root=tmp_path,
        samples=[{"name": "Ada"}],
    )

    assert [finding for finding in report.findings if finding.verdict != "pass"] == []


async def test_a_tool_with_none_of_the_faults_below_passes(check_source):
    report = await check_source("read(); emit('log', level='info', message='hm'); emit('done', ok=True)")

    assert broken(report) == set()
    assert set(report.unjudged) <= {"streams"}


@pytest.mark.parametrize("rule", SOURCES)
async def test_a_fault_is_told_by_its_own_rule(rule, check_source):
    report = await check_source(SOURCES[rule])

    assert broken(report) == {rule}


@pytest.mark.parametrize("name", ["daemon_holds_the_pipe.py", "starts_a_background_job.sh"])
async def test_what_a_tool_leaves_running_is_found_named_and_ended(name):
    report = await check_tool(command_for(ZOO / "v0" / name), tool=name, limits=PATIENT)

    (finding,) = report.failures
    assert finding.rule == "leaves-nothing"
    assert finding.happened.startswith("still running: ")


async def test_a_crash_with_a_bad_request_names_the_inputs_and_the_last_words_on_stderr(check_source):
    report = await check_source("json.loads(sys.stdin.read() or '{}'); emit('done', ok=True)")

    (finding, *_) = report.failures
    assert finding.rule == "malformed-request"
    assert "half a request" in finding.inputs or "text instead of JSON" in finding.inputs
    assert "JSONDecodeError" in finding.happened
    assert "`error`" in finding.advice


async def test_a_tool_that_hangs_is_met_once_and_the_rest_is_left_unjudged():
    report = await check_tool(command_for(ZOO / "v0" / "hangs.py"), tool="hangs.py", limits=Limits(timeout=1))

    assert {finding.rule for finding in report.failures} == {"ends-in-time"}
    assert report.inputs == ("empty object",)
    assert {"large-input", "malformed-request", "side-by-side"} <= set(report.unjudged)


async def test_an_input_of_the_author_is_tried_and_its_texts_carry_the_odd_ones(check_source):
    source = """
request = read()
if not isinstance(request["input"].get("spell"), str):
    refuse()
emit("done", ok=True, output=request["input"])
"""
    without = await check_source(source)
    with_sample = await check_source(source, samples=[{"spell": "light", "power": 3}])

    assert broken(without) == {"succeeds"}
    assert broken(with_sample) == set()
    assert "your input" in with_sample.inputs


async def test_an_input_of_the_author_that_fails_is_mentioned(check_source):
    report = await check_source("read(); refuse()", samples=[{"spell": "light"}])

    (finding,) = report.warnings
    assert (finding.rule, finding.inputs) == ("succeeds", ("your input",))
    assert report.ok


async def test_the_same_fault_with_many_inputs_is_one_finding():
    report = await check_tool(command_for(ZOO / "v0" / "two_dones.py"), tool="two_dones.py")

    (finding,) = report.failures
    assert set(finding.inputs) == set(report.inputs)
    assert report.verdict.startswith("two_dones.py breaks 1 of ")


async def test_a_fault_on_every_line_is_told_a_few_times(check_source):
    report = await check_source("for n in range(50): print('text', n)\nemit('done', ok=True)")

    assert len(report.failures) == 4
    assert report.failures[-1].happened == "… and 47 more like these"


async def test_an_m_control_tool_must_read_its_request(tmp_path):
    report = await check_mctl_tool(
        command_for(ZOO / "mctl" / "never_reads_stdin.py"),
        tool="never",
        tool_id="zoo",
        config={},
        workspace_root=tmp_path,
    )

    assert broken(report) == {"reads-request"}


async def test_what_cannot_be_started_is_not_judged(tmp_path):
    empty = tmp_path / "empty"
    empty.touch()
    empty.chmod(empty.stat().st_mode | stat.S_IXUSR)

    with pytest.raises(NotRunnable, match="could not be started"):
        await check_tool(Command((str(empty),)), tool="empty")
