"""Which boxes this machine has, why it lacks the others, and what each promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from narratoria import paths
from narratoria.skills.sandbox import probe


def test_the_probe_names_a_way_for_every_machine_and_a_reason_for_every_way_that_fails() -> None:
    found = probe()
    assert found.backends[-1] == "plain"
    assert found.best == found.backends[0]
    assert set(found.reasons).isdisjoint(found.backends)
    assert all(found.reasons.values())


def test_without_bubblewrap_the_next_best_way_is_taken_and_the_reason_told(tmp_path: Path) -> None:
    """In a process of its own, whose PATH has everything but bubblewrap."""
    for name in ("env", "prlimit", "true"):
        (tmp_path / name).symlink_to(Path("/usr/bin") / name)
    code = "from narratoria.skills.sandbox import probe; p = probe(); print(p.best, p.reasons['bubblewrap'])"
    environment = {"PATH": str(tmp_path), "PYTHONPATH": str(paths.PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split(maxsplit=1)[0] in ("namespaces", "landlock", "plain")
    assert "not installed: bwrap" in done.stdout


def test_a_plain_run_promises_nothing_it_does_not_hold() -> None:
    held = {guarantee.what for guarantee in probe().guarantees("plain") if guarantee.held}
    assert not any("out of reach" in what or "network" in what or "outlives" in what for what in held)
