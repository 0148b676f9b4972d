"""`narratoria doctor` says what is in order, what is not, and what to do."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.warm_process import run_warm

from narratoria.skills.sandbox import probe


def doctor(home: Path, *options: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NARRATORIA_HOME": str(home), "NO_COLOR": "1", **env}
    return run_warm("narratoria.cli", "doctor", *options, env=environment, cwd=cwd, text=True)


def test_a_machine_in_order_gets_a_clean_bill(tmp_path: Path) -> None:
    done = doctor(tmp_path / "home", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for words in (
        "Python 3.",
        str(tmp_path / "home"),
        "skills run in a sandbox",
        "dice-roller",
        "Nothing is wrong.",
    ):
        assert words in done.stdout
    assert not (tmp_path / "home" / "skills" / "dice-roller").exists()


def test_a_broken_skill_is_named_and_the_exit_code_tells(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "skills" / "broken"
    folder.mkdir(parents=True)
    (folder / "skill.json").write_text('{"name": 7}')
    done = doctor(tmp_path / "home", cwd=tmp_path)
    assert done.returncode == 1
    assert str(folder / "skill.json") in done.stdout
    assert "wrong." in done.stdout


def test_a_home_that_cannot_be_made_is_wrong_and_there_is_advice(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = doctor(tmp_path / "file" / "home", cwd=tmp_path)
    assert done.returncode == 1
    assert "set NARRATORIA_HOME" in done.stdout


def test_damaged_settings_are_wrong_for_everybody_who_plays(tmp_path: Path) -> None:
    ada = tmp_path / "people" / "ada"
    ada.mkdir(parents=True)
    for folder in (tmp_path, ada):
        (folder / "settings.json").write_text("{torn")
    done = doctor(tmp_path, cwd=tmp_path)
    assert done.returncode == 1
    assert f"{tmp_path / 'settings.json'} is damaged" in done.stdout
    assert f"{ada / 'settings.json'} is damaged" in done.stdout


def test_turns_that_could_not_be_brought_in_are_named_with_their_file_and_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "playthroughs" / "unsaved"
    folder.mkdir(parents=True)
    heading = {
        "format": "narratoria-unsaved",
        "version": 1,
        "line": "comet-1",
        "campaign": "comet",
        "seed": 7,
    }
    lines = [{**heading, "title": "The Comet"}, {"number": 6}, {"number": 7}]
    file = folder / "comet-1.apart-1"
    file.write_text("\n".join(map(json.dumps, lines)))
    done = doctor(tmp_path / "home", cwd=tmp_path)
    assert f"turns 6 to 7 of “The Comet” (comet-1) wait in {file}" in done.stdout
    assert "finds turn 5" in done.stdout
    assert done.returncode == 0, "the story goes on without them"


def test_the_same_as_json(tmp_path: Path) -> None:
    done = doctor(tmp_path / "home", "--json", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert report["ok"] is True
    assert report["sandbox"]["backend"] == probe().best
    assert report["sandbox"]["available"] == list(probe().backends)
    assert {finding["verdict"] for finding in report["findings"]} <= {"ok", "note"}


@pytest.mark.skipif(not Path("/usr/bin/prlimit").exists(), reason="there is no prlimit to keep on the PATH")
def test_a_box_that_is_missing_is_told_with_its_reason(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("env", "prlimit", "true"):
        (programs / name).symlink_to(f"/usr/bin/{name}")
    done = doctor(tmp_path / "home", cwd=tmp_path, PATH=str(programs))
    assert "not used: bubblewrap: not installed: bwrap" in done.stdout


def test_the_models_are_looked_at_and_a_broken_one_is_wrong(tmp_path: Path) -> None:
    done = doctor(tmp_path / "home", cwd=tmp_path)
    assert "SmolLM2 135M Instruct is too small to tell them and only helps to choose" in done.stdout
    assert "memories are found by meaning" in done.stdout
    (tmp_path / "no.gguf").write_bytes(b"not a model")
    done = doctor(tmp_path / "home", cwd=tmp_path, NARRATORIA_MODEL=str(tmp_path / "no.gguf"))
    assert done.returncode == 1
    assert "no.gguf" in done.stdout
