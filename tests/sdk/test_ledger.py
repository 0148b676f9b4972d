"""Opinions in a skill's own file: all of a call or none of it, once, and fading as the story goes on."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from narratoria.sdk.decay import UNIT
from narratoria.sdk.ledger import Ledger


def changed(subject: str, **fields: object) -> dict[str, object]:
    return {"subject": subject, **fields}


def test_changes_add_up_and_keep_their_reasons(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path), "story")
    ledger.add("a", [changed("Watch", change=-20.0, reason="stole a purse"), changed("Guild", score=5.0)], 0)
    ledger.add("b", [changed("Watch", change=15.0)], 0)
    held = ledger.read(0)
    assert {name: opinion["score"] for name, opinion in held.items()} == {"Watch": -5.0, "Guild": 5.0}
    told = [(one["reason"], one["scoreBefore"], one["scoreAfter"]) for one in held["Watch"]["changes"]]
    assert told == [("stole a purse", 0.0, -20.0), ("", -20.0, -5.0)]


def test_a_call_that_is_run_again_counts_once(tmp_path: Path) -> None:
    for _ in range(3):
        Ledger(str(tmp_path), "story").add("theft", [changed("Watch", change=-20.0)], 0)
    assert Ledger(str(tmp_path), "story").read(0)["Watch"]["score"] == -20.0


def test_stories_do_not_share_their_opinions(tmp_path: Path) -> None:
    Ledger(str(tmp_path), "one").add("a", [changed("Watch", change=1.0)], 0)
    assert Ledger(str(tmp_path), "../one").read(0) == {}
    assert Ledger(str(tmp_path), "").read(0) == {}


def test_a_score_stays_within_its_scale(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path), "story")
    ledger.add("a", [changed("Watch", change=150.0), changed("Guild", score=-9.0, low=-3.0, high=3.0)], 0)
    held = ledger.read(0)
    assert (held["Watch"]["score"], held["Guild"]["score"]) == (100.0, -3.0)
    assert held["Watch"]["changes"][0]["change"] == 100.0


def test_what_a_crash_left_half_written_is_no_change_and_harms_none(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path), "story")
    ledger.add("a", [changed("Watch", change=1.0)], 0)
    (file,) = tmp_path.glob("ledger-*.jsonl")
    whole = file.read_bytes()
    file.write_bytes(whole + whole[: len(whole) // 2])
    assert ledger.read(0)["Watch"]["score"] == 1.0
    ledger.add("b", [changed("Watch", change=2.0)], 0)
    assert ledger.read(0)["Watch"]["score"] == 3.0
    assert len(file.read_bytes().splitlines()) == 2


def test_many_at_once_lose_no_change(tmp_path: Path) -> None:
    def work(name: str) -> None:
        for number in range(10):
            Ledger(str(tmp_path), "story").add(f"{name}{number}", [changed("Watch", change=1.0)], 0)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Ledger(str(tmp_path), "story").read(0)["Watch"]["score"] == 40.0


def test_an_opinion_fades_with_the_time_of_the_story(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path), "story")
    ledger.add("a", [changed("Watch", change=-20.0, rate=0.5)], 100.0)
    assert ledger.read(100.0)["Watch"]["score"] == -20.0
    assert ledger.read(100.0 + UNIT)["Watch"]["score"] == pytest.approx(-10.0)
    ledger.add("b", [changed("Watch", change=-10.0)], 100.0 + UNIT)
    assert ledger.read(100.0 + UNIT)["Watch"]["score"] == pytest.approx(-20.0)
