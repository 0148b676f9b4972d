"""Own words are counted as routed, missed or misled, against the beats that are open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from evals.answers.routing import RoutedCase, main, read_case_file, score_routing

OPEN = ("read-letter", "ask-voke")


def test_precision_counts_what_was_routed_and_recall_what_was_wanted() -> None:
    cases = [
        RoutedCase("I open it", OPEN, "read-letter", "read-letter"),
        RoutedCase("what is in it?", OPEN, "read-letter", ""),
        RoutedCase("I ask the doctor", OPEN, "ask-voke", "read-letter"),
        RoutedCase("I sing", OPEN, "", "ask-voke"),
        RoutedCase("I wait", OPEN, "", ""),
    ]
    figures = score_routing(cases)
    assert figures["precision"] == pytest.approx(1 / 3)
    assert figures["recall"] == pytest.approx(1 / 3)
    assert (figures["missed"], figures["another beat"], figures["a beat where none is wanted"]) == (1, 1, 1)


def test_cases_come_from_any_file_or_by_name(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"words": "I wait"}\n\n', encoding="utf-8")
    assert read_case_file(str(file)) == [{"words": "I wait"}]
    assert len(read_case_file("own-words-unseen")) == 120


def test_open_beats_are_those_of_the_place_or_those_that_a_case_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = {"campaign": "tomorrows-post", "place": "post-office"}
    cases = [
        {**here, "words": "Open the letter addressed in your own hand", "beat": "read-letter"},
        {**here, "words": "Open the letter addressed in your own hand", "beat": "read-letter", "open": []},
        {**here, "words": "I hum a tune", "beat": ""},
    ]
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    main([str(file), "--list"])
    printed = capsys.readouterr().out
    assert "precision                    1.000" in printed
    assert "recall                       1.000" in printed
    assert "a beat is wanted             1" in printed
