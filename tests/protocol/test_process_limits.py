"""What a tool's whole tree may use: processes, memory and room on the disk."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from narratoria.protocol import process_limits
from narratoria.protocol.process_limits import (
    MIB,
    ProcessTreeLimits,
    exceeds_disk_limit,
    find_exceeded_limit,
    list_limited_tree,
    list_process_tree,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel by way of /proc")

PARENT = """
import subprocess, sys
children = [subprocess.Popen(["sleep", "60"]) for _ in range(3)]
held = bytearray(60 * 2**20)
print("ready", flush=True)
sys.stdin.read()
for child in children: child.kill()
"""


@pytest.fixture(scope="module")
def tree() -> Iterator[int]:
    """A process with three children and 60 MiB of memory."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process.pid


def test_a_tree_within_its_limits_exceeds_none(tree: int) -> None:
    assert find_exceeded_limit(tree, ProcessTreeLimits(processes=4)) == ""


def test_children_count_as_processes(tree: int) -> None:
    assert "more than 3 processes" in find_exceeded_limit(tree, ProcessTreeLimits(processes=3))


def test_the_memory_of_all_counts(tree: int) -> None:
    assert "more than 50 MiB of memory" in find_exceeded_limit(tree, ProcessTreeLimits(memory=50 * MIB))


def test_what_lies_in_the_folders_counts_and_links_lead_nowhere(tree: int, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(b"x" * 2 * MIB)
    (tmp_path / "round").symlink_to(tmp_path)
    limits = ProcessTreeLimits(disk=MIB, folders=(tmp_path,))
    assert f"more than 1 MiB in {tmp_path}" in find_exceeded_limit(tree, limits)
    assert find_exceeded_limit(tree, replace(limits, disk=3 * MIB)) == ""


def test_a_file_with_a_hole_counts_with_what_it_holds(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        os.ftruncate(file.fileno(), 100 * MIB)
    assert not exceeds_disk_limit((tmp_path,), MIB)


def test_a_process_or_a_folder_that_is_gone_uses_nothing(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    assert find_exceeded_limit(gone.pid, ProcessTreeLimits(folders=(tmp_path / "gone",))) == ""


def test_a_tree_that_nobody_can_leave_is_found_without_looking_at_other_processes(tree: int) -> None:
    contained = list_limited_tree(tree, ProcessTreeLimits(is_contained=True))
    assert sorted(contained) == sorted(set(list_process_tree(tree)))
    assert len(contained) == 4
    assert "more than 3 processes" in find_exceeded_limit(
        tree, ProcessTreeLimits(processes=3, is_contained=True)
    )


WRITES = """
import os, sys
with open(sys.argv[1], "wb") as file:
    for _ in range(int(sys.argv[2])): file.write(os.urandom(2**20))
    os.fsync(file.fileno())
    os.unlink(sys.argv[1])
    print("written", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize(("mib", "is_stopped"), [(40, True), (4, False)])
def test_nobody_fills_the_disk_to_its_end(
    mib: int, *, is_stopped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Far below its own limit, a tool is stopped by the kernel's count of what is left for everybody."""
    pipe, limits = subprocess.PIPE, ProcessTreeLimits(folders=(tmp_path,))
    command = [sys.executable, "-c", WRITES, str(tmp_path / "file"), str(mib)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        assert find_exceeded_limit(writer.pid, limits) == ""
        monkeypatch.setattr(process_limits, "RESERVE", 2**62)  # as if hardly anything were left
        assert ("left in" in find_exceeded_limit(writer.pid, limits)) is is_stopped
        writer.kill()
