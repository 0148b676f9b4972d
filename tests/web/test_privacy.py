"""The privacy report: what ran, who used the network, and what keeps skills in."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from narratoria.web.privacy import SHOWN, _noted, _without_password, note_network


def test_the_privacy_report_says_what_ran_and_what_keeps_it_in(server: Any) -> None:
    server.begin()
    report = server.get("/api/privacy")
    assert {one["skill"] for one in report["ran"]} >= {"player-choices"}
    assert report["sandbox"]["kind"]
    assert report["sandbox"]["enforced"]
    assert report["places"]["home"] == str(server.home)


def test_attempts_are_written_down_for_the_users_own_eyes(tmp_path: Path) -> None:
    note_network(tmp_path, who="weather", what="look at the sky", allowed=False)
    note_network(tmp_path, who="Narratoria", what="fetch a model", allowed=True)
    noted = [(one.who, one.what, one.allowed) for one in _noted(tmp_path)]
    assert noted == [("weather", "look at the sky", False), ("Narratoria", "fetch a model", True)]
    assert stat.S_IMODE((tmp_path / "logs" / "network.jsonl").stat().st_mode) == 0o600


def test_torn_lines_are_left_out_and_the_newest_are_read(tmp_path: Path) -> None:
    for number in range(SHOWN + 5):
        note_network(tmp_path, who=str(number), what="ask", allowed=True)
    log = tmp_path / "logs" / "network.jsonl"
    log.write_bytes(log.read_bytes() + b'{"when": "2026\n\xff\n[]\n')
    noted = [one.who for one in _noted(tmp_path)]
    assert noted == [str(number) for number in range(8, SHOWN + 5)]


def test_a_home_that_cannot_be_written_to_stops_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file where the folder should be")
    note_network(home, who="Narratoria", what="fetch a model", allowed=True)
    assert list(_noted(home)) == []


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("/home/ada/.narratoria/memory.db", "/home/ada/.narratoria/memory.db"),
        ("postgresql://ada:pa@ss@db:5432/stories", "postgresql://…@db:5432/stories"),
        ("postgresql://db/stories", "postgresql://db/stories"),
    ],
)
def test_no_password_of_a_store_is_shown(place: str, shown: str) -> None:
    assert _without_password(place) == shown
