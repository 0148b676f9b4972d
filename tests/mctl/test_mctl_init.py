from __future__ import annotations

import os
import stat

import pytest

from narratoria import contracts


def test_init_writes_a_valid_config_here(workshop):
    done = workshop.mctl("init")

    path = workshop.root / ".m-control" / "config.json"
    assert done.returncode == 0
    assert f"Wrote {path}".encode() in done.stdout
    assert contracts.check("mctl-config", path.read_bytes()) == ()
    assert workshop.mctl("doctor").returncode == 0


def test_init_global_writes_it_at_home(workshop):
    assert workshop.mctl("init", "--global").returncode == 0

    assert contracts.check("mctl-config", (workshop.home / "config.json").read_bytes()) == ()
    assert not (workshop.root / ".m-control").exists()


def test_a_fresh_project_config_hides_nothing_of_the_homes(workshop):
    workshop.config(at_home=True, paths={"toolsRoots": ["/elsewhere"]}, timeouts={"default": 5})
    workshop.mctl("init")

    assert b"/elsewhere" in workshop.mctl("doctor").stdout


def test_init_never_overwrites_unless_forced(workshop):
    path = workshop.config(tools={"precious": 1})
    before = path.read_bytes()

    refused = workshop.mctl("init")
    untouched = path.read_bytes()
    forced = workshop.mctl("init", "--force")

    assert refused.returncode == 2
    assert b"is already there" in refused.stderr
    assert untouched == before
    assert forced.returncode == 0
    assert b"precious" not in path.read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="file modes are a POSIX matter")
def test_the_config_is_for_its_owners_eyes(workshop):
    workshop.mctl("init")

    mode = (workshop.root / ".m-control" / "config.json").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
