"""`narratoria maker`, and how a stranger's file comes in."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.campaign import mill

from narratoria.cli.commands import narratoria
from narratoria.engine.persistence.save import sign_save
from narratoria.signatures import create_key

SAVE = Path(__file__).parents[1] / "fuzz" / "seeds" / "save.json"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(*words: str | Path) -> str:
    result = CliRunner().invoke(narratoria, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return result.output


def test_a_key_is_made_shown_and_known_by_others(home: Path) -> None:
    assert "You have no key" in run("maker", "list")
    key = run("maker", "create", "Ada").split()[3]
    assert f"{key}  Ada (you)" in run("maker", "list")
    run("maker", "know", "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=", "Noor")
    assert "Noor" in run("maker", "list")
    run("maker", "forget", "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
    assert "Noor" not in run("maker", "list")
    refused = CliRunner().invoke(narratoria, ["maker", "know", "AAAA", "Noor"])
    assert refused.exit_code == 2


def test_a_file_is_read_without_being_brought_in(home: Path, tmp_path: Path) -> None:
    run("maker", "create", "Ada")
    run("campaign", "pack", mill.build(tmp_path / "the-mill"), "--to", tmp_path / "mill.zip", "--sign")
    shown = run("campaign", "read", tmp_path / "mill.zip")
    assert "It is signed by Ada." in shown
    assert not (home / "campaigns").exists()
    assert "not signed" in run("stories", "read", SAVE)
    assert not (home / "narratoria.db").exists()


def test_a_pipe_has_decided_and_is_told_of_a_stranger(home: Path, tmp_path: Path) -> None:
    create_key(tmp_path / "stranger", "Ada")
    (tmp_path / "sent.json").write_bytes(sign_save(SAVE.read_bytes(), tmp_path / "stranger"))
    assert "somebody you do not know" in run("stories", "import", tmp_path / "sent.json")


def test_only_what_can_be_brought_in_again_is_signed(home: Path) -> None:
    result = CliRunner().invoke(narratoria, ["stories", "export", "x", "--sign"])
    assert result.exit_code == 2
    assert "only --format json" in result.output


@pytest.mark.parametrize(("answer", "code"), [(b"n\n", 1), (b"y\n", 0)])
def test_a_stranger_s_file_is_shown_and_asked_about_before_it_comes_in(
    home: Path, answer: bytes, code: int
) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "narratoria.cli", "stories", "import", str(SAVE)]
    env = {**os.environ, "TERM": "xterm"}
    env.pop("NO_COLOR", None)
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, env=env) as process:
        os.write(ours, answer)
        shown, _ = process.communicate(timeout=120)
    os.close(ours)
    os.close(theirs)
    assert b"not signed" in shown
    assert process.returncode == code
    assert (home / "narratoria.db").exists() is (code == 0)
