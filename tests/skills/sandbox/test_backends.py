"""Inside the box a tool works as it does outside: what is its own is there, and it ends as it would have."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from narratoria import paths
from narratoria.protocol.command import Command, command_for
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, encode_request
from narratoria.protocol.process import Outcome, run
from narratoria.skills.permissions import NOTHING, Permissions
from narratoria.skills.sandbox import confine, probe
from narratoria.skills.sandbox.backends import Backend, seatbelt_profile
from narratoria.skills.sandbox.policy import build_policy

TOOLS = Path(__file__).parents[2] / "tools"
BOXES: tuple[Backend, ...] = ("bubblewrap", "namespaces", "landlock", "plain")
BRIEF = Limits(timeout=1.5, exit_grace=0.3, kill_grace=0.5)
PATIENT = Limits(timeout=40, exit_grace=5, kill_grace=2)


@pytest.fixture(params=BOXES)
def backend(request: pytest.FixtureRequest) -> Backend:
    wanted: Backend = request.param
    if wanted not in probe().backends:
        pytest.skip(f"{wanted} does not work here: {probe().reasons[wanted]}")
    return wanted


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    path.mkdir()
    return path


async def outcome_of(
    command: Command,
    home: Path,
    backend: Backend,
    given: dict[str, Any],
    limits: Limits = PATIENT,
    **more: Any,
) -> Outcome:
    request = encode_request(request_id="r", tool="t", operation="o", input=given)
    with confine(command, home=home, backend=backend, **more) as confined:
        return await run(confined, request, NARRATORIA_V0, limits=limits)


async def does(what: str, *arguments: Any, home: Path, backend: Backend, **more: Any) -> Any:
    command = more.pop("command", None) or command_for(TOOLS / "escapes" / "attempt.py")
    given = {"try": what, "with": arguments, "in": str(home)}
    read_only = [TOOLS, *more.pop("read_only", ())]
    outcome = await outcome_of(command, home, backend, given, read_only=read_only, **more)
    assert outcome.failure is None, (outcome.failure, outcome.stderr_tail)
    return outcome.output


async def test_its_own_folders_can_be_written_and_the_campaign_read(
    home: Path, backend: Backend, tmp_path: Path
) -> None:
    campaign, assets = tmp_path / "campaign", tmp_path / "assets"
    for folder in (campaign, assets):
        folder.mkdir()
    (campaign / "lore.md").write_text("long ago")
    places_ = {"read_only": [campaign], "writable": [assets]}
    for path in (home / "kept", assets / "map.png"):
        assert (await does("write", str(path), home=home, backend=backend, **places_))["could"]
        assert path.read_text() == "the tool was here"
    read = await does("read", str(campaign / "lore.md"), home=home, backend=backend, **places_)
    assert read["result"] == "long ago"


async def test_a_file_that_is_touched_is_there(home: Path, backend: Backend) -> None:
    assert (await does("touch", str(home / "new"), home=home, backend=backend))["could"]
    await does("run_program", "touch", str(home / "newer"), home=home, backend=backend)
    assert (home / "new").exists()
    assert (home / "newer").exists()


async def test_there_is_a_temporary_folder_that_is_gone_afterwards(home: Path, backend: Backend) -> None:
    program = ("sh", "-c", 'echo here > "$TMPDIR/file" && cat "$TMPDIR/file" && echo "$TMPDIR"')
    found = await does("run_program", *program, home=home, backend=backend)
    here, folder = found["result"].split()
    assert here == "here"
    assert not (Path(folder) / "file").exists()


@pytest.mark.parametrize("program", [("bash", "-c", "echo yes"), ("node", "-e", "console.log('yes')")])
async def test_programs_of_the_system_run(home: Path, backend: Backend, program: tuple[str, ...]) -> None:
    assert (await does("run_program", *program, home=home, backend=backend))["result"] == "yes\n"


async def test_a_script_finds_the_sdk(home: Path, backend: Backend) -> None:
    command = replace(
        command_for(TOOLS / "escapes" / "attempt.py"), env={"PYTHONPATH": str(paths.PACKAGE.parent)}
    )
    found = await does("use_the_sdk", home=home, backend=backend, command=command)
    assert found["result"] == "narratoria.sdk"


async def test_a_channel_that_is_handed_over_works(home: Path, backend: Backend) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = command_for(TOOLS / "escapes" / "attempt.py")
        command = replace(command, pass_fds=(theirs.fileno(),))
        ours.sendall(b"ping")
        await does("echo_to", theirs.fileno(), home=home, backend=backend, command=command)
        theirs.close()
        ours.settimeout(5)
        assert ours.recv(100) == b"ping"
        assert ours.recv(100) == b""  # nobody in the box holds the other end any more


@pytest.mark.parametrize(("suffix", "writable"), [("", False), (":write", True)])
async def test_granted_files_can_be_used_as_granted(
    home: Path, backend: Backend, tmp_path: Path, suffix: str, writable: bool
) -> None:
    if backend == "plain":
        pytest.skip("without a box files are not kept from a tool")
    folder = tmp_path / "music"
    folder.mkdir()
    (folder / "song").write_text("la")
    granted = Permissions.parse([f"files:{folder}{suffix}"])
    read = await does("read", str(folder / "song"), home=home, backend=backend, permissions=granted)
    assert read["result"] == "la"
    written = await does("write", str(folder / "new"), home=home, backend=backend, permissions=granted)
    assert written["could"] == writable == (folder / "new").exists()


# the zoo, in a box: how a tool ends is told as if there were none


ENDINGS = [
    ("hangs", BRIEF, ("TIMEOUT", -15)),
    ("ignores_sigterm", BRIEF, ("TIMEOUT", -9)),
    ("finishes_when_told_to_stop", replace(BRIEF, kill_grace=5), ("TIMEOUT", 0)),
    ("stops_itself", BRIEF, ("TIMEOUT", -15)),
    ("closes_everything_and_sleeps", BRIEF, ("TIMEOUT", -15)),
    ("moves_to_other_groups", BRIEF, ("TIMEOUT", -15)),
    ("forks_a_chain", BRIEF, ("TIMEOUT", -9)),
    ("kills_itself", PATIENT, ("KILLED_BY_SIGNAL", -9)),
    ("kills_its_group", PATIENT, ("KILLED_BY_SIGNAL", -9)),
    ("segfaults", PATIENT, ("KILLED_BY_SIGNAL", -11)),
    ("aborts", PATIENT, ("KILLED_BY_SIGNAL", -6)),
    ("exits_255", PATIENT, ("NONZERO_EXIT", 255)),
    ("daemon_holds_the_pipe", PATIENT, (None, 0)),
    ("daemon_forgets_its_environment", PATIENT, (None, 0)),
    ("starts_a_background_job", PATIENT, (None, 0)),
    ("leaves_zombies", PATIENT, (None, 0)),
]


@pytest.mark.parametrize(("name", "limits", "ending"), ENDINGS, ids=[ending[0] for ending in ENDINGS])
async def test_a_misbehaving_tool_comes_to_the_same_end_in_a_box(
    home: Path, backend: Backend, name: str, limits: Limits, ending: tuple[str | None, int]
) -> None:
    (tool,) = (TOOLS / "v0").glob(f"{name}.*")
    outcome = await outcome_of(command_for(tool), home, backend, {}, limits, read_only=[TOOLS])
    assert (outcome.failure.code if outcome.failure else None, outcome.exit_code) == ending


@pytest.mark.parametrize(
    ("content", "mode", "reason"),
    [
        (None, 0, "No such file"),
        ("#!/bin/sh\n", 0o644, "Permission denied"),
        ("#!/nowhere/perl\n", 0o755, "/nowhere/perl"),
        ("", 0o755, "Exec format error"),
    ],
)
async def test_a_tool_that_cannot_start_is_told_as_such(
    home: Path, backend: Backend, content: str | None, mode: int, reason: str
) -> None:
    path = home.parent / "tool"
    if content is not None:
        path.write_text(content)
        path.chmod(mode)
    outcome = await outcome_of(
        Command((str(path),), cwd=path.parent), home, backend, {}, read_only=[path.parent]
    )
    assert outcome.failure
    assert outcome.failure.code == "NOT_STARTED"
    assert reason in outcome.failure.message


async def test_many_boxes_at_once_are_each_their_own(home: Path, backend: Backend) -> None:
    async def one(number: int) -> Any:
        return await does("run_program", "echo", str(number), home=home, backend=backend)

    found = await asyncio.gather(*(one(number) for number in range(12)))
    assert [answer["result"] for answer in found] == [f"{number}\n" for number in range(12)]


# what a machine gives


def runnable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


async def test_a_skill_called_bin_does_not_open_the_folders_of_the_others(
    tmp_path: Path, backend: Backend, home: Path
) -> None:
    """An interpreter in bin/ is shown with the folders beside it; a tool in bin/ is not."""
    if backend == "plain":
        pytest.skip("limits alone hide nothing")
    (tmp_path / "skills" / "other" / "data").mkdir(parents=True)
    secret = tmp_path / "skills" / "other" / "data" / "secret"
    secret.write_text("sesame")
    said = '{"version":"0","type":"done","ok":true,"output":{"read":"%s"}}\\n'
    script = runnable(
        tmp_path / "skills" / "bin" / "read.sh", f"#!/bin/sh\nprintf '{said}' \"$(cat {secret})\"\n"
    )
    outcome = await outcome_of(command_for(script), home, backend, {}, read_only=[script.parent])
    assert outcome.failure is None, (outcome.failure, outcome.stderr_tail)
    assert outcome.output == {"read": ""}


def test_the_profile_for_macos_denies_by_default_and_quotes_names(tmp_path: Path) -> None:
    odd = tmp_path / 'a "quoted" (name)'
    odd.mkdir()
    place = build_policy(Command(("true",)), NOTHING, home=odd, read_only=(), writable=())
    text = seatbelt_profile(place)
    assert "(deny default)" in text
    assert "network" not in text
    assert f'(subpath "{tmp_path}/a \\"quoted\\" (name)")' in text
    assert text.count("(") - text.count(")") == 0
    assert "network-outbound" in seatbelt_profile(replace(place, network=True))
