"""A tool that is run by hand has a store: one that is thrown away, or a named story's."""

from __future__ import annotations

import json
import os
import pty
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.engine.played_story import begin_story
from tests.warm_process import start_warm

from narratoria import app
from narratoria.cli.tool_run import find_owner
from narratoria.skills.sandbox import probe

EXAMPLES = Path(__file__).parents[2] / "examples" / "tools"
NOTE = json.dumps({"note": "Helped the miller mend her wheel", "about": "the mill"})


def skill_of(cave: Any, **script: Any) -> Path:
    """A skill that keeps notes, in the project's own folder."""
    folder = cave.root / "skills" / "notes"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / "keep.py").write_text((EXAMPLES / "remember.py").read_text(), encoding="utf-8")
    manifest = {
        "name": "notes",
        "version": "1.0.0",
        "description": "Keeps notes.",
        "scripts": [{"name": "keep", "path": "keep.py", **script}],
        "permissions": ["store:read", "store:write"],
    }
    (folder / "skill.json").write_text(json.dumps(manifest), encoding="utf-8")
    return Path(folder / "scripts" / "keep.py")


@pytest.mark.parametrize("name", ["remember.py", "remember.mjs"])
def test_a_tool_stores_and_finds_in_a_store_that_is_thrown_away(cave: Any, name: str) -> None:
    for _ in range(2):
        done = cave.narratoria("tool", "run", str(EXAMPLES / name), "--input", NOTE)
        assert done.returncode == 0, done.stdout + done.stderr
        assert '{"recalled": ["Helped the miller mend her wheel"]}' in done.stdout, "and only this run's"
    assert not (cave.home / "narratoria.db").exists()


def test_a_skills_script_is_run_as_the_skill(cave: Any) -> None:
    keep = skill_of(cave)
    done = cave.narratoria("tool", "run", str(keep), "--input", NOTE)
    assert "Remembered: Helped the miller" in done.stdout, done.stderr
    owner = find_owner(keep)
    assert owner is not None
    assert (owner[0].name, owner[1].name) == ("notes", "keep")


def test_an_input_that_does_not_fit_is_refused_before_the_script_is_started(cave: Any) -> None:
    keep = skill_of(cave, input={"properties": {"note": {"type": "string"}}, "required": ["note"]})
    done = cave.narratoria("tool", "run", str(keep), "--input", '{"note": 3}')
    assert done.returncode == 2
    assert "note: a string is expected, not a number (3)" in done.stderr
    assert done.stdout == ""


async def test_a_named_storys_store_and_state_are_used(cave: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(cave.home))
    async with app.open_library() as library:
        session = await begin_story(library)
        story = session.story.id
    keep = skill_of(cave)
    refused = cave.narratoria("tool", "run", str(keep), "--input", NOTE, "--story", story)
    assert "needs the permission 'store:write'" in refused.stderr + refused.stdout
    cave.narratoria("skills", "grant", "notes", "--all")
    done = cave.narratoria("tool", "run", str(keep), "--input", NOTE, "--story", story)
    assert done.returncode == 0, done.stdout + done.stderr

    plan = cave.plan({"toolId": "ask", "toolPath": "notes/keep", "input": {"about": "the mill"}})
    ran = cave.narratoria("run", plan, "--story", story)
    assert "Helped the miller mend her wheel" in ran.stdout, ran.stderr
    assert '"name": "Ada"' in ran.stdout, "the state is the story's"
    fresh = cave.narratoria("run", plan)
    assert '{"recalled": []}' in fresh.stdout, fresh.stderr


def test_a_story_that_is_not_there_is_named(cave: Any) -> None:
    done = cave.narratoria("tool", "run", str(EXAMPLES / "torch.py"), "--story", "nobody-1")
    assert done.returncode == 2
    assert "nobody-1" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_script_of_an_installed_skill_runs_in_its_box(cave: Any) -> None:
    keep = skill_of(cave)
    secret = cave.home.parent / "secret.txt"
    secret.write_text("nobody's business")
    keep.write_text(
        "import json, pathlib, sys\n"
        "try:\n"
        f"    said = pathlib.Path({str(secret)!r}).read_text()\n"
        "except OSError:\n"
        "    said = 'closed'\n"
        'print(json.dumps({"version": "0", "type": "done", "ok": True, "summary": said}))\n'
    )
    done = cave.narratoria("tool", "run", str(keep), "--json")
    if not probe().isolates:
        pytest.skip("no box isolates here")
    assert json.loads(done.stdout)["summary"] == "closed", done.stderr


def test_at_a_terminal_one_is_asked_before_something_runs_without_a_box_and_escapes_are_filtered(
    cave: Any, tmp_path: Path
) -> None:
    tool = tmp_path / "loud.py"
    tool.write_text(
        "import sys\n"
        "sys.stderr.write('\\x1b]0;owned\\x07hello\\n')\n"
        'print(\'{"version": "0", "type": "done", "ok": true}\')\n'
    )
    refused = in_terminal(cave, "n\n", "tool", "run", str(tool))
    assert b"runs without a box" in refused
    assert b"hello" not in refused
    agreed = in_terminal(cave, "", "tool", "run", str(tool), "--yes")
    assert b"runs without a box" not in agreed
    assert b"hello" in agreed
    assert b"\x1b]0;" not in agreed


def in_terminal(cave: Any, typed: str, *args: str) -> bytes:
    """Return what the command shows in a terminal."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "NARRATORIA_HOME": str(cave.home)}
    process = start_warm(
        "narratoria.cli", *args, stdin=theirs, stdout=theirs, stderr=theirs, env=env, cwd=cave.root
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    shown = b""
    with suppress(OSError):  # the other end is closed: it is over
        while chunk := os.read(ours, 4096):
            shown += chunk
    os.close(ours)
    process.wait(60)
    return shown
