"""Power cuts while the turns that the store did not take are written: none that was acknowledged is lost."""

from __future__ import annotations

import contextlib
import os
import random
from pathlib import Path
from typing import Any

import pytest
from tests.faults.simulated_disk import PowerCut, SimulatedDisk

from narratoria import files
from narratoria.engine.persistence import unsaved_turns
from narratoria.engine.persistence.turn_record import TurnInput
from narratoria.engine.persistence.unsaved_turns import (
    UnsavedTurn,
    UnsavedTurnLog,
    UnsavedTurnsHeader,
    find_unsaved_turns,
)
from narratoria.engine.scene import Choice

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a folder is synced as POSIX does it")

CUTS = 500


def turn(number: int, version: int) -> UnsavedTurn:
    return UnsavedTurn(number=number, input=TurnInput(choice=Choice(text=f"{version} " + "word " * 150)))


def version_of(one: UnsavedTurn) -> int:
    assert one.input
    return int(one.input.choice.text.split()[0])


def play(disk: SimulatedDisk, rng: random.Random, acknowledged: dict[int, int]) -> None:
    """Turns are written, written again, taken by the store; a folder may be full from some time on."""
    header = UnsavedTurnsHeader(branch="mill-1", campaign="mill", title="The mill", seed=7)
    log = UnsavedTurnLog(header, (disk.root / "unsaved", disk.root / "beside"))
    number = 0
    for version in range(1, 25):
        kind = rng.random()
        if kind < 0.1 and acknowledged:
            acknowledged.clear()  # the store has all of them, and says so before the file goes
            log.remove()
        elif kind < 0.15:
            disk.failing.symmetric_difference_update({str(disk.root / "unsaved")})
        else:
            number += kind < 0.6 or number == 0
            if log.append(turn(number, version)):
                acknowledged[number] = version


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    def make(number: int, cut_after: int) -> SimulatedDisk:
        simulated = SimulatedDisk(tmp_path / f"disk-{number}", cut_after=cut_after)
        simulated.root.mkdir()
        monkeypatch.setattr(unsaved_turns, "os", simulated)
        monkeypatch.setattr(files, "os", simulated)
        monkeypatch.setattr(Path, "unlink", lambda path, **_: simulated.unlink(path))
        return simulated

    return make


def read_back(folders: tuple[Path, ...]) -> dict[int, int]:
    turns: dict[int, int] = {}
    for content in find_unsaved_turns(folders):
        for one in content.turns:
            turns[one.number] = max(turns.get(one.number, 0), version_of(one))
    return turns


def test_no_acknowledged_turn_is_lost_in_500_power_cuts(
    disk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts, checked = 0, 0
    while cuts < CUTS:
        rng = random.Random(cuts)
        simulated = disk(cuts, rng.randrange(1, 90))
        acknowledged: dict[int, int] = {}
        with contextlib.suppress(PowerCut):
            play(simulated, rng, acknowledged)
        after = tmp_path / f"after-{cuts}"
        with monkeypatch.context() as real:
            real.setattr(unsaved_turns, "os", os)
            simulated.after_cut(after, rng)
            there = read_back((after / "unsaved", after / "beside"))
        missing = {one: version for one, version in acknowledged.items() if there.get(one, 0) < version}
        assert not missing, (cuts, simulated.steps, missing, there)
        cuts += 1
        checked += len(acknowledged)
    assert checked > CUTS  # otherwise nothing was at stake


def test_the_simulated_disk_loses_what_nobody_synced(disk: Any, tmp_path: Path) -> None:
    """Otherwise it would prove nothing."""
    simulated = disk(0, 1 << 30)
    file = simulated.root / "file"
    descriptor = simulated.open(file, os.O_CREAT | os.O_RDWR | os.O_APPEND)
    simulated.write(descriptor, b"x" * 3000)
    states = set()
    for seed in range(40):
        simulated.after_cut(tmp_path / str(seed), random.Random(seed))
        after = tmp_path / str(seed) / "file"
        states.add(after.read_bytes().count(b"x") if after.exists() else -1)
    assert {-1, 0, 3000} <= states
    assert any(0 < count < 3000 for count in states)
    simulated.fsync(descriptor)
    simulated.fsync(simulated.open(simulated.root, os.O_RDONLY))
    simulated.after_cut(tmp_path / "synced", random.Random(1))
    assert (tmp_path / "synced" / "file").read_bytes() == b"x" * 3000
