"""Control groups: made only where one was given, with the kernel's ceilings, and gone afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from narratoria.protocol.control_groups import (
    CONTROLLERS,
    GIVEN_GROUP,
    Controller,
    GroupSupport,
    enter_groups,
    find_group_support,
    make_control_group,
    read_group_support,
)
from narratoria.protocol.process_limits import MIB, ProcessTreeLimits, find_exceeded_ceiling

MOUNTINFO, OWN = Path("/proc/self/mountinfo"), Path("/proc/self/cgroup")


def mount_line(folder: Path, *, root: str = "/", kind: str = "cgroup2", options: str = "rw") -> str:
    return f"30 25 0:26 {root} {folder} rw,nosuid shared:4 - {kind} {kind} {options}\n"


@pytest.fixture
def unified(tmp_path: Path) -> Path:
    """A folder that looks like a group of version 2 with all that is needed."""
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids")
    (tmp_path / "cgroup.subtree_control").write_text("memory pids")
    (tmp_path / "cgroup.procs").write_text("")
    return tmp_path


def test_no_group_is_made_where_none_was_given(unified: Path) -> None:
    support = read_group_support(mounts=mount_line(unified), own="0::/\n", given="")
    assert support == GroupSupport((), "no control group was given to Narratoria")
    with make_control_group(support, memory=MIB, processes=5) as group:
        assert group is None
        assert enter_groups(group, "sh") == ()
    assert {path.name for path in unified.iterdir()} == {
        *("cgroup.controllers", "cgroup.subtree_control", "cgroup.procs")
    }


def test_a_group_of_version_2_has_all_ceilings(unified: Path) -> None:
    support = read_group_support(mounts=mount_line(unified), own="0::/elsewhere\n", given="/")
    assert support.limits("memory")
    assert support.limits("pids")
    with make_control_group(support, memory=64 * MIB, processes=7) as group:
        assert group
        (folder,) = group.folders
        written = {path.name: path.read_text() for path in folder.iterdir()}
        for path in folder.iterdir():
            path.unlink()  # the kernel's files go with the folder; these do not
    assert written == {
        "memory.max": str(64 * MIB),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "7",
    }
    assert not folder.exists()


def test_groups_of_version_1_have_a_folder_for_each_controller(tmp_path: Path) -> None:
    for name in CONTROLLERS:
        (tmp_path / name / "given").mkdir(parents=True)
    mounts = "".join(mount_line(tmp_path / name, kind="cgroup", options=f"rw,{name}") for name in CONTROLLERS)
    support = read_group_support(mounts=mounts, own="3:memory:/\n2:pids:/\n", given="/given")
    assert {hierarchy.version for hierarchy in support.hierarchies} == {1}
    with make_control_group(support, memory=64 * MIB, processes=7) as group:
        assert group
        written = {path.name: path.read_text() for folder in group.folders for path in folder.iterdir()}
        for folder in group.folders:
            for path in folder.iterdir():
                path.unlink()
    assert written["memory.limit_in_bytes"] == written["memory.memsw.limit_in_bytes"] == str(64 * MIB)
    assert written["pids.max"] == "7"


def test_only_a_part_of_what_is_needed_is_told(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    mounts = mount_line(tmp_path, kind="cgroup", options="rw,pids")
    support = read_group_support(mounts=mounts, own="2:pids:/\n", given="/given")
    assert support.limits("pids")
    assert not support.limits("memory")
    assert "memory" in support.reason


@pytest.mark.parametrize("given", ["/nowhere", "/../..", "given"])
def test_a_group_that_is_not_there_is_told_and_not_made(unified: Path, given: str) -> None:
    support = read_group_support(mounts=mount_line(unified), own="0::/\n", given=given)
    assert not support.hierarchies
    assert given in support.reason


def test_a_group_is_found_below_what_a_container_sees_of_the_tree(unified: Path) -> None:
    mounts = mount_line(unified, root="/docker/1")
    assert read_group_support(mounts=mounts, own="0::/docker/1\n", given="/docker/1").hierarchies
    assert not read_group_support(mounts=mounts, own="0::/docker/1\n", given="/docker/2").hierarchies


def test_a_runtime_in_its_own_group_moves_to_a_leaf_before_it_asks_for_controllers(unified: Path) -> None:
    (unified / "cgroup.subtree_control").write_text("")
    (unified / "cgroup.procs").write_text("17\n")
    read_group_support(mounts=mount_line(unified), own="0::/\n", given="/")
    assert (unified / "narratoria-runtime" / "cgroup.procs").read_text() == "17"
    assert (unified / "cgroup.subtree_control").read_text() == "+memory +pids"


@pytest.mark.parametrize(
    ("file", "text"),
    [("memory.events", "low 0\noom 3\noom_kill 1\n"), ("memory.oom_control", "under_oom 0\noom_kill 2\n")],
)
def test_a_process_that_the_kernel_ended_for_its_memory_is_told_as_such(
    unified: Path, file: str, text: str
) -> None:
    support = read_group_support(mounts=mount_line(unified), own="0::/\n", given="/")
    with make_control_group(support, memory=64 * MIB, processes=7) as group:
        assert group
        limits = ProcessTreeLimits(memory=64 * MIB, group=group)
        assert find_exceeded_ceiling(limits) == ""
        (group.folders[0] / file).write_text(text)
        assert find_exceeded_ceiling(limits) == "used more than 64 MiB of memory and was stopped"
        for path in group.folders[0].iterdir():
            path.unlink()


# with the kernel's own groups: below the one that was given to whoever runs the tests, or where this process
# is in the root of a tree, which is nobody's


def own_tree(controller: Controller) -> tuple[Path, str] | None:
    """A tree with this controller and a group in it in which these tests may make others, if there is one."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return None
    own = {
        name: group
        for line in OWN.read_text().splitlines()
        for _, names, group in [line.split(":", 2)]
        for name in names.split(",")
    }
    given = os.environ.get(GIVEN_GROUP, "").rstrip("/")
    for line in MOUNTINFO.read_text().splitlines():
        fields, kind = line.split(" - ")[0].split(), line.split(" - ")[1].split()
        place = Path(fields[4])
        if kind[0] == "cgroup":
            has_controller, own_group = controller in kind[-1].split(","), own.get(controller)
        elif kind[0] == "cgroup2":
            offered, own_group = place / "cgroup.controllers", own.get("")
            has_controller = controller in offered.read_text().split()
        else:
            continue
        if has_controller:
            is_ours = bool(given) or own_group == "/"
            return (place, given) if is_ours and os.access(f"{place}{given}", os.W_OK) else None
    return None


@pytest.fixture
def given(request: pytest.FixtureRequest) -> Iterator[str]:
    tree = own_tree(request.param)
    if tree is None:
        pytest.skip(
            f"no control group with {request.param} is given to these tests; {GIVEN_GROUP} may name one"
        )
    place, outer = tree
    group = f"{outer}/narratoria-test-{uuid.uuid4().hex[:8]}"
    folder = Path(f"{place}{group}")
    folder.mkdir()
    yield group
    for inner in (*folder.glob("*/"), folder):
        inner.rmdir()


FORKS = """
import os, time
for _ in range(60):
    if not os.fork():
        os.closerange(0, 3)
        time.sleep(60)
        os._exit(0)
"""


@pytest.mark.parametrize("given", ["pids"], indirect=True)
def test_the_kernel_refuses_more_processes_than_the_ceiling(given: str) -> None:
    support = read_group_support(mounts=MOUNTINFO.read_text(), own=OWN.read_text(), given=given)
    with make_control_group(support, memory=64 * MIB, processes=10) as group:
        assert group
        command = (*enter_groups(group, "sh"), sys.executable, "-c", FORKS)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "BlockingIOError" in done.stderr
        assert len(group.list_processes()) <= 10
        folders = group.folders
    assert not any(folder.exists() for folder in folders)  # and who was left in it is dead


@pytest.mark.parametrize("given", ["pids"], indirect=True)
def test_the_groups_of_a_runtime_that_was_killed_are_removed_by_the_next(given: str) -> None:
    support = read_group_support(mounts=MOUNTINFO.read_text(), own=OWN.read_text(), given=given)
    (hierarchy,) = (one for one in support.hierarchies if "pids" in one.controllers)
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    abandoned = hierarchy.folder / f"narratoria-{gone.pid}-0"
    abandoned.mkdir()
    read_group_support(mounts=MOUNTINFO.read_text(), own=OWN.read_text(), given=given)
    assert not abandoned.exists()


HOLDS = """
import os, sys
if sys.argv[1] == "memfd":
    fd = os.memfd_create("hidden")
    for _ in range(256): os.write(fd, b"x" * 1048576)
else:
    held = b"x" * 256 * 1048576
"""


@pytest.mark.parametrize("given", ["memory"], indirect=True)
@pytest.mark.parametrize("how", ["memfd", "heap"])
def test_the_kernel_ends_who_uses_more_memory_than_the_ceiling(given: str, how: str) -> None:
    support = read_group_support(mounts=MOUNTINFO.read_text(), own=OWN.read_text(), given=given)
    with make_control_group(support, memory=64 * MIB, processes=10) as group:
        assert group
        command = (*enter_groups(group, "sh"), sys.executable, "-c", HOLDS, how)
        assert subprocess.run(command, check=False).returncode == -9
        assert group.has_run_out_of_memory()


@pytest.mark.parametrize("given", ["pids"], indirect=True)
def test_a_box_runs_in_a_group_of_its_own(
    given: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from narratoria.protocol.command import Command
    from narratoria.skills.sandbox import confine, probe

    backends = probe().backends
    monkeypatch.setenv(GIVEN_GROUP, given)
    find_group_support.cache_clear()
    try:
        for backend in backends:
            with confine(
                Command((sys.executable, "-c", FORKS), cwd=tmp_path), home=tmp_path, backend=backend
            ) as boxed:
                assert boxed.tree_limits
                group = boxed.tree_limits.group
                assert group
                (pids,) = (folder / "pids.max" for folder in group.folders if (folder / "pids.max").exists())
                pids.write_text("12")
                done = subprocess.run(
                    boxed.argv,
                    env=boxed.environment(),
                    pass_fds=boxed.pass_fds,
                    capture_output=True,
                    check=False,
                )
                assert b"BlockingIOError" in done.stderr, (backend, done)
            assert not pids.parent.exists()
    finally:
        find_group_support.cache_clear()


# ways of holding memory that only the kernel sees as one sum
HOLDS_IN_A_BOX = {
    "heap": "held = b'x' * (256 << 20)",
    "children": (
        "import os, time\n"
        "for _ in range(6):\n"
        "    if not os.fork():\n"
        "        held = b'x' * (24 << 20); time.sleep(60); os._exit(0)\n"
        "time.sleep(60)"
    ),
    "memfd": (
        "import os\nfd = os.memfd_create('hidden')\nfor _ in range(256): os.write(fd, b'x' * (1 << 20))"
    ),
    "shared": (
        "import mmap\n"
        "held = [mmap.mmap(-1, 16 << 20) for _ in range(16)]\n"
        "for one in held: one.write(b'x' * (16 << 20))"
    ),
}


@pytest.mark.parametrize("given", ["memory"], indirect=True)
@pytest.mark.parametrize("how", HOLDS_IN_A_BOX)
async def test_the_kernel_ends_a_box_that_uses_more_memory_than_its_ceiling_and_that_is_told(
    given: str, how: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from narratoria.protocol.command import Command
    from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
    from narratoria.protocol.process import run
    from narratoria.skills.sandbox import Resources, confine, probe

    backends = probe().backends
    monkeypatch.setenv(GIVEN_GROUP, given)
    find_group_support.cache_clear()
    try:
        for backend in backends:
            command = Command((sys.executable, "-c", HOLDS_IN_A_BOX[how]), cwd=tmp_path)
            resources = Resources(tree_memory=64 * MIB)
            with confine(command, home=tmp_path, backend=backend, resources=resources) as boxed:
                assert boxed.tree_limits
                group = boxed.tree_limits.group
                assert group
                assert group.limits("memory")
                outcome = await run(boxed, b"", NARRATORIA_V0)
            assert outcome.failure, backend
            assert outcome.failure.code == "RUNNER_GUARDRAIL", (backend, outcome)
            assert "used more than 64 MiB of memory" in outcome.failure.message
            assert not any(folder.exists() for folder in group.folders)
    finally:
        find_group_support.cache_clear()
