"""`narratoria tool check`, from the path to the report."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.warm_process import run_warm

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "examples"
ZOO = REPOSITORY / "tests" / "tools" / "v0"


@pytest.fixture
def check(tmp_path):
    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "M_CONTROL_HOME": str(tmp_path / "home")}
        command = ("tool", "check", *map(str, arguments))
        return run_warm("narratoria.cli", *command, encoding="utf-8", cwd=tmp_path, env=environment)

    return run


@pytest.fixture
def hello(tmp_path):
    """A copy of an m-control tool, with a manifest to spoil."""
    folder = tmp_path / "hello"
    shutil.copytree(EXAMPLES / "mctl" / "hello-python", folder)

    def edit(**fields: object) -> Path:
        path = folder / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **fields}, indent=2))
        return folder

    return edit


def test_a_good_tool_is_exit_code_0_and_a_list_of_what_holds(check):
    done = check(EXAMPLES / "tools" / "torch.py", "--input", '{"name": "lantern"}')

    *rules, _, verdict = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert all(line.startswith("✓ ") for line in rules[:-1])
    assert verdict.endswith("rules hold.")


def test_a_broken_tool_is_exit_code_1_with_place_reason_and_advice(check):
    done = check(ZOO / "plain_text.sh")

    assert done.returncode == 1
    at = done.stdout.index("✗ Every line of standard output is one whole JSON object")
    assert "[json-lines]" in done.stdout[at:]
    assert "line 1 (every input): `Hello! I am working on it.`" in done.stdout[at:]
    assert "→ Put text for people into a log event" in done.stdout[at:]
    assert done.stdout.splitlines()[-1].endswith("begin with the first ✗.")


def test_a_warning_alone_is_exit_code_0(check):
    done = check(ZOO / "crlf.py")

    assert done.returncode == 0
    assert "! Lines end in \\n alone. [unix-newlines]" in done.stdout
    assert "1 warning worth a look" in done.stdout


@pytest.mark.parametrize("path", ["nowhere.py", EXAMPLES, REPOSITORY / "README.md"])
def test_what_cannot_be_run_is_exit_code_2_and_a_sentence(check, path):
    done = check(path)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"narratoria: {path}: ")
    assert "Traceback" not in done.stderr


def test_the_report_is_available_as_json(check):
    done = check(ZOO / "two_dones.py", "--json")
    report = json.loads(done.stdout)

    (finding,) = [finding for finding in report["findings"] if finding["verdict"] == "fail"]
    assert done.returncode == 1
    assert (report["ok"], report["dialect"], finding["rule"], finding["line"]) == (
        False,
        "narratoria_v0",
        "one-done",
        3,
    )
    assert finding["inputs"] == report["inputs"]
    assert finding["expected"]
    assert finding["advice"]


def test_what_could_not_be_judged_is_told_by_its_own_sentence(check):
    done = check(EXAMPLES / "tools" / "plain.py")

    unseen = "There was no occasion to see this: Events arrive while it works, not all at its end. [streams]"
    assert unseen in done.stdout.splitlines()


@pytest.mark.slow
def test_an_example_that_takes_its_time_is_seen_to_stream(check):
    done = check(EXAMPLES / "tools" / "tale.py", "--input", "{}", "--input", '{"pause": 1}')

    assert done.returncode == 0
    assert "✓ Events arrive while it works, not all at its end." in done.stdout.splitlines()
    assert "no occasion" not in done.stdout


@pytest.mark.parametrize("path", ["hello-node", "hello-python/manifest.json"])
def test_a_manifest_or_its_folder_is_checked_as_an_m_control_tool(check, path):
    done = check(EXAMPLES / "mctl" / path, "--json", "--input", '{"name": "Ada"}')
    report = json.loads(done.stdout)

    assert (done.returncode, report["dialect"]) == (0, "mctl_v1")
    rules = {finding["rule"]: finding["verdict"] for finding in report["findings"]}
    assert {rules[name] for name in ("manifest", "started-first", "tool-id", "reads-request")} == {"pass"}


def test_a_tool_that_does_not_use_its_manifests_id_is_told(check, hello):
    done = check(hello(id="another"))

    assert done.returncode == 1
    assert "toolId is 'hello-python', not 'another'" in done.stdout


def test_a_broken_manifest_is_exit_code_1_with_all_its_problems(check, hello):
    done = check(hello(id="Not Kebab", runtime="cobol"))

    assert done.returncode == 1
    assert "manifest.json:3 /id" in done.stdout
    assert "'cobol' is not a runtime" in done.stdout


def test_an_unknown_field_of_a_manifest_is_a_warning(check, hello):
    done = check(hello(colour="blue"))

    assert done.returncode == 0
    assert "/colour is not a field of a manifest" in done.stdout


def test_a_missing_setting_is_exit_code_2_and_says_where_to_put_it(check, hello):
    done = check(hello(requiredConfig=["hello.token"]))

    assert done.returncode == 2
    assert "needs hello.token, which is not set" in done.stderr
