"""The benchmarks still work; what they measure is nobody's promise here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from benchmarks import growth, page

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "name",
    [
        "protocol",
        "planning",
        "campaign",
        pytest.param("growth", marks=pytest.mark.slow),
        pytest.param("inference", marks=pytest.mark.slow),
        pytest.param("web", marks=pytest.mark.slow),
    ],
)
def test_a_benchmark_answers_each_of_its_questions_with_figures(name: str, tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    finished = run(name, "--tiny", "--json", str(figures))
    assert finished.returncode == 0, finished.stderr
    tables = json.loads(figures.read_text())["benchmarks"][name]
    assert len(tables) >= 4
    for table in tables:
        assert f"### {table['title']}" in finished.stdout
        assert all(row["best"] > 0 and row["ratio"] > 0 for row in table["rows"])
        assert any(row["ratio"] == 1 for row in table["rows"]), "the limit itself is a row"


@pytest.mark.slow
def test_a_typed_turn_is_measured_beside_a_picked_one(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    finished = run("typed", "--tiny", "--json", str(figures))
    assert finished.returncode == 0, finished.stderr
    beside, parts = json.loads(figures.read_text())["benchmarks"]["typed"]
    assert [row["name"] for row in beside["rows"]][:2] == ["a picked choice", "own words"]
    assert all(
        row["best"] > 0 and row["ratio"] > 0 and row["more"]["ratio of p95"] > 0 for row in beside["rows"]
    )
    assert sum(row["ratio"] for row in parts["rows"]) > 1


@pytest.mark.slow
def test_the_first_and_a_later_turn_are_measured_in_a_new_home_beside_bare_parts(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    finished = run("turn", "--tiny", "--json", str(figures))
    assert finished.returncode == 0, finished.stderr
    turns, *parts = json.loads(figures.read_text())["benchmarks"]["turn"]
    names = [row["name"] for row in turns["rows"]]
    assert names[0] == "a bare interpreter"
    assert names[-4:] == ["picked, turn 1", "typed, turn 1", "picked, turn 2", "typed, turn 2"]
    assert all(row["best"] > 0 for row in turns["rows"][-4:])
    assert [table["title"] for table in parts] == [
        "where a picked turn's time goes",
        "where a typed turn's time goes",
    ]
    for table in parts:
        assert table["rows"][0]["name"] == "the turn"
        assert all(row["more"]["limit, ms"] > 0 for row in table["rows"])


def test_calls_of_skills_are_measured_beside_a_bare_start(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    finished = run("skills", "--tiny", "--json", str(figures))
    assert finished.returncode == 0, finished.stderr
    (calls,) = json.loads(figures.read_text())["benchmarks"]["skills"]
    assert [row["ratio"] for row in calls["rows"]].count(1) == 1
    assert len(calls["rows"]) >= 5


def test_the_store_is_measured_beside_others_against_its_limits_and_with_many_at_once(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    finished = run("store", "--tiny", "--json", str(figures))
    assert finished.returncode == 0, finished.stderr
    beside, limits, cold, at_once = json.loads(figures.read_text())["benchmarks"]["store"]
    ours = [row for row in beside["rows"] if row["name"].endswith("Narratoria")]
    assert ours
    for row in ours:  # exact under every filter, whatever a machine's speed
        assert row["more"]["recall@10"] == row["more"]["recall@10 there"] == 1
    assert all(row["best"] > 0 and row["ratio"] > 0 for row in (*beside["rows"], *limits["rows"]))
    assert all(row["target"] == 1 for row in limits["rows"])
    assert len(cold["rows"]) == len(at_once["rows"]) == 3


def test_what_grows_as_its_cause_does_is_drawn_from_corner_to_corner() -> None:
    drawn = ET.fromstring(growth.picture({"flat": [(1, 1), (10, 1), (100, 1)], "even": [(1, 1), (100, 100)]}))
    flat, even = (
        line.attrib["points"].split() for line in drawn.iter("{http://www.w3.org/2000/svg}polyline")
    )
    assert len({point.partition(",")[2] for point in flat}) == 1
    assert even[0] == flat[0]
    assert int(even[1].partition(",")[2]) < int(flat[2].partition(",")[2])


def test_an_unknown_benchmark_is_refused_with_those_there_are() -> None:
    finished = run("speed")
    assert finished.returncode == 2
    assert "speed" in finished.stderr
    assert "planning" in finished.stderr


def test_the_page_and_its_picture_are_made_of_the_figures_that_are_kept() -> None:
    sections = page.kept()
    assert page.PAGE.read_text() == page.page(sections)
    if "growth" in sections:
        assert page.PICTURE.read_text() == growth.picture(growth.series(sections["growth"].tables))


def test_the_page_is_not_written_from_figures_that_say_nothing() -> None:
    assert run("--tiny", "--write-docs").returncode == 2


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
