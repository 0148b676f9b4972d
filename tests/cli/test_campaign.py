from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.warm_process import run_warm

from narratoria import paths

BROKEN = '{\n "beats": [\n  {"id": "a", "title": "A", "description": "…", "priority": "urgent"}\n ]\n}'


def mill(root: Path, beats: str = "") -> Path:
    folder = root / "mill"
    (folder / "plot").mkdir(parents=True)
    (folder / "manifest.json").write_text('{"title": "The Mill", "version": "1.0.0"}', encoding="utf-8")
    if beats:
        (folder / "plot" / "beats.json").write_text(beats, encoding="utf-8")
    return folder


def narratoria(cave: Any, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_warm(
        "narratoria.cli", "campaign", *arguments, cwd=cave.root, env=cave.env, text=True, timeout=60
    )


@pytest.mark.parametrize("name", sorted(folder.name for folder in paths.BUNDLED_CAMPAIGNS.iterdir()))
def test_a_bundled_campaign_is_found_by_its_name_and_is_in_order(name: str, cave: Any) -> None:
    done = narratoria(cave, "validate", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("checked: nothing is wrong.\n")


def test_errors_are_shown_under_their_file_with_line_column_and_advice(cave: Any) -> None:
    mill(cave.root, BROKEN)
    done = narratoria(cave, "validate", "mill")
    assert done.returncode == 1
    assert "plot/beats.json\n" in done.stdout
    assert "3:61  error    'urgent' is not a priority (critical, high, medium, low, optional)" in done.stdout
    assert "/beats/0/priority" in done.stdout
    assert done.stdout.splitlines()[-1] == "2 files checked: 1 error."


def test_as_json_every_finding_has_its_place(cave: Any) -> None:
    mill(cave.root, BROKEN)
    document = json.loads(narratoria(cave, "validate", "mill", "--json").stdout)
    assert (document["ok"], document["errors"], document["files"]) == (False, 1, 2)
    found = next(finding for finding in document["findings"] if finding["severity"] == "error")
    assert (found["file"], found["line"], found["column"], found["pointer"], found["code"]) == (
        "plot/beats.json",
        3,
        61,
        "/beats/0/priority",
        "schema",
    )


def test_warnings_alone_are_no_failure(cave: Any) -> None:
    folder = mill(cave.root)
    (folder / "plot/premis.md").write_text("Once.\n")
    done = narratoria(cave, "validate", "mill")
    assert done.returncode == 0
    assert "did you mean plot/premise.md?" in done.stdout


def test_there_is_no_such_campaign(cave: Any) -> None:
    done = narratoria(cave, "validate", "atlantis")
    assert done.returncode == 2
    assert "there is no campaign 'atlantis'; give the path of its folder, or one of: " in done.stderr


def test_watching_tells_every_finding_in_a_line_that_editors_read_again_after_each_change(cave: Any) -> None:
    folder = mill(cave.root)
    watching = subprocess.Popen(
        [*cave.command, "campaign", "validate", "mill", "--watch"],
        cwd=cave.root,
        env={**cave.env, "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert watching.stdout is not None
        assert watching.stdout.readline() == "checking mill\n"
        assert watching.stdout.readline().startswith("mill:1:1: info: ")
        assert watching.stdout.readline() == "done: 1 file checked: nothing is wrong.\n"
        seen = ""
        for attempt in range(100):  # a change just before the watch begins is nobody's to hear
            (folder / "manifest.json").write_text(f'{{"title": "x{attempt}",\n "version": "1"}}')
            if (seen := _line_within(watching, 0.5)) is not None:
                break
        assert seen == "checking mill\n"
        expected = "mill/manifest.json:2:13: error: '1' is not a semantic version such as 1.0.0 [schema]\n"
        assert watching.stdout.readline() == expected
    finally:
        watching.terminate()
        watching.wait(timeout=30)
        watching.stdout.close()


def _line_within(process: subprocess.Popen[str], seconds: float) -> str | None:
    import select

    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], seconds)
    return process.stdout.readline() if ready else None


def test_check_says_what_can_be_reached_and_why_the_rest_cannot(cave: Any) -> None:
    beats = [
        {"id": "a", "title": "A", "description": "…"},
        {
            "id": "b",
            "title": "B",
            "description": "…",
            "priority": "critical",
            "conditions": {"requires_beat": "b"},
        },
    ]
    mill(cave.root, json.dumps({"beats": beats}))
    done = narratoria(cave, "check", "mill")
    assert done.returncode == 1
    assert "error    'b' can never happen: it requires 'b', which can never happen" in done.stdout
    assert done.stdout.splitlines()[-1] == "2 beats: 1 can be reached, 1 can never be reached."
    document = json.loads(narratoria(cave, "check", "mill", "--json").stdout)
    assert document["summary"]["beats"] == {"reachable": 1, "unclear": 0, "unreachable": 1}
    assert document["beats"][1]["reasons"] == ["it requires 'b', which can never happen"]


def test_check_does_not_look_at_a_campaign_with_errors(cave: Any) -> None:
    mill(cave.root, BROKEN)
    done = narratoria(cave, "check", "mill")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "Mend the errors first."


def test_info_counts_what_a_campaign_holds(cave: Any) -> None:
    shutil.copytree(paths.BUNDLED_CAMPAIGNS / "tomorrows-post", cave.home / "campaigns" / "mine")
    done = narratoria(cave, "info", "mine")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Tomorrow's Post" in done.stdout
    document = json.loads(narratoria(cave, "info", "mine", "--json").stdout)
    assert document["name"] == "mine"
    assert "read-letter" in document["beats"]
    assert document["generated"] == {}


def test_the_schemas_for_editors_need_nothing_from_elsewhere_and_accept_what_is_bundled(cave: Any) -> None:
    import jsonschema_rs

    done = narratoria(cave, "schemas", "schemas")
    assert done.returncode == 0
    story = paths.BUNDLED_CAMPAIGNS / "tomorrows-post"
    for name, file in (("manifest", "manifest.json"), ("plot-beats", "plot/beats.json")):
        schema = json.loads((cave.root / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))
        assert "urn:narratoria:contract:asset-metadata" not in json.dumps(schema)
        validator = jsonschema_rs.Draft202012Validator(schema)
        document = json.loads((story / file).read_text(encoding="utf-8"))
        assert validator.is_valid({**document, "$schema": f"../schemas/{name}.schema.json"})
        assert not validator.is_valid({**document, "titel": 1})


@pytest.mark.parametrize("command", ["validate", "check", "info"])
def test_a_folder_without_a_manifest_is_told_so(command: str, cave: Any) -> None:
    (cave.root / "empty").mkdir()
    done = narratoria(cave, command, "empty")
    assert done.returncode in (1, 2)
    assert "a campaign is a folder with a manifest.json in it" in done.stdout + done.stderr
