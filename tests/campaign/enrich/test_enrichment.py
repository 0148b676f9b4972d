"""A campaign of a few words is filled up so that it can be played; its author's files stay the same."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.campaign.mill import problems_in

from narratoria import app, paths
from narratoria.campaign.check import check_campaign
from narratoria.campaign.enrich.enrichment import (
    delete_generated_files,
    enrich_campaign,
    enrich_with_model,
    enrichment_folder,
    is_enriched,
)
from narratoria.campaign.enrich.generate import GRAMMAR
from narratoria.campaign.folder import is_generated_name, is_sparse, scan_folder
from narratoria.campaign.ingest import checksum
from narratoria.campaign.load import generated_content_warning, load_campaign
from narratoria.campaign.validate import validate_campaign

COMET = paths.BUNDLED_CAMPAIGNS / "comet-tea-room"
BREAD = {"manifest.json": json.dumps({"title": "Bread", "version": "1.0.0", "description": "I am bread."})}


def _campaign(folder: Path, files: dict[str, str] | None = None) -> Path:
    written = files or {
        name: (COMET / name).read_text() for name in ("manifest.json", "world/setting.md", "plot/premise.md")
    }
    for name, content in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def _contents(folder: Path) -> dict[str, str]:
    return {file: checksum(folder / file) for file in scan_folder(folder).files}


def test_three_files_become_a_campaign_in_which_all_can_be_reached(tmp_path):
    folder = _campaign(tmp_path / "comet")
    enrich_campaign(folder)
    campaign = load_campaign(folder)
    compiled = check_campaign(folder)

    assert [finding.code for finding in problems_in(validate_campaign(folder))] == ["generated"]
    assert {fate.verdict for fate in (*compiled.beats, *compiled.endings)} == {"reachable"}
    assert len(campaign.people) >= 4
    assert len(campaign.beats) >= 8
    assert len(campaign.endings) == 3
    assert sum(len(person.topics) for person in campaign.people.values()) >= 8
    assert len(campaign.places) >= 5
    assert all(place.ways for place in campaign.places.values())
    assert campaign.template.presets
    assert campaign.rules.prose
    assert campaign.start == "tea-room"


def test_what_is_invented_is_made_of_the_authors_words(tmp_path):
    folder = _campaign(tmp_path / "comet")
    enrich_campaign(folder)
    campaign = load_campaign(folder)

    assert campaign.places["tea-room"].arrival.startswith("The comet has a name in nobody's language")
    beats = " ".join(f"{beat.description} {beat.title}" for beat in campaign.beats)
    assert "envelope" in beats or "note" in beats
    asked = " ".join(topic.answer for person in campaign.people.values() for topic in person.topics)
    assert "a samovar that was old when the comet last went round" in asked
    assert "note" in campaign.template.starting_items


def test_every_generated_file_says_so_and_says_from_what(tmp_path):
    """SC-047"""
    folder = _campaign(tmp_path / "comet")
    made = enrich_campaign(folder)
    campaign = load_campaign(folder)

    assert set(campaign.generated) == set(made.written)
    assert all(is_generated_name(file) for file in made.written)
    for origin in campaign.generated.values():
        assert origin.source_model == GRAMMAR
        assert origin.generated_at.endswith("Z")
        assert "The comet has a name in nobody's language" in origin.seed_data
        assert origin.version
    assert generated_content_warning(campaign) == (
        f"Campaign contains {len(made.written)} AI-generated asset(s). "
        "Review generated flags and provenance metadata to verify correctness."
    )


def test_no_file_of_a_person_is_touched(tmp_path):
    """SC-048"""
    folder = _campaign(tmp_path / "comet")
    (folder / "notes.txt").write_text("mine")
    before = _contents(folder)
    times = {file: (folder / file).stat().st_mtime_ns for file in before}

    made = enrich_campaign(folder)

    after = _contents(folder)
    assert {file: after[file] for file in before} == before == dict(made.author_files)
    assert {file: (folder / file).stat().st_mtime_ns for file in before} == times


def test_what_an_author_has_is_not_invented_beside_it(tmp_path):
    beats = {"beats": [{"id": "mine", "title": "Mine", "description": "Mine."}]}
    folder = _campaign(tmp_path / "own", {**BREAD, "plot/beats.json": json.dumps(beats)})
    made = enrich_campaign(folder)

    assert not any(file.startswith("plot/beats") for file in made.written)
    assert [beat.id for beat in load_campaign(folder).beats] == ["mine"]


def test_the_same_seed_gives_the_same_files_and_another_one_others(tmp_path):
    def made(name: str, seed: int) -> dict[str, object]:
        folder = _campaign(tmp_path / name / "comet")
        enrich_campaign(folder, seed=seed)
        campaign = load_campaign(folder)
        return {"people": campaign.people, "beats": campaign.beats, "places": campaign.places}

    first, again, other = made("a", 1), made("b", 1), made("c", 2)
    assert first == again
    assert first["people"] != other["people"]


def test_a_second_time_changes_nothing_and_what_was_deleted_stays_so(tmp_path):
    folder = _campaign(tmp_path / "comet")
    first = enrich_campaign(folder)
    unwanted = next(file for file in first.written if file.startswith("lore/things"))
    (folder / unwanted).unlink()

    assert enrich_campaign(folder).written == ()
    assert not (folder / unwanted).exists()
    assert set(delete_generated_files(folder)) == set(first.written) - {unwanted}
    assert enrich_campaign(folder).written == first.written


def test_campaigns_side_by_side_are_not_told_the_same_story(tmp_path):
    bread = {"manifest.json": BREAD["manifest.json"]}
    rolls = {"manifest.json": BREAD["manifest.json"].replace("I am bread.", "I am a bun.")}
    for name, files in (("bread", bread), ("bun", rolls)):
        enrich_campaign(_campaign(tmp_path / name, files))
    one, other = load_campaign(tmp_path / "bread"), load_campaign(tmp_path / "bun")
    assert {beat.id for beat in one.beats} & {beat.id for beat in other.beats} == set()
    looks = [{person.appearance for person in campaign.people.values()} for campaign in (one, other)]
    assert looks[0] & looks[1] == set()


def test_three_content_files_are_enough_to_be_left_alone(tmp_path):
    folder = _campaign(tmp_path / "comet")
    assert is_sparse(scan_folder(folder))
    (folder / "world/constraints.md").write_text("- Nobody is hurt.\n")
    assert not is_sparse(scan_folder(folder))


ENRICH = """
import os, signal, sys
from pathlib import Path
from narratoria.campaign.enrich.enrichment import enrich_campaign

def step(done, of, file):
    if done == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

enrich_campaign(Path(sys.argv[1]), seed=3, on_step=step)
"""


@pytest.mark.parametrize("after", [0, 7, 20])
def test_a_killed_enrichment_is_gone_on_with_as_it_was_begun(tmp_path, after):
    whole, killed = _campaign(tmp_path / "whole/comet"), _campaign(tmp_path / "killed/comet")
    enrich_campaign(whole, seed=3)
    ended = subprocess.run([sys.executable, "-c", ENRICH, str(killed), str(after)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert not is_enriched(killed)
    left = [file for file in scan_folder(killed).files if is_generated_name(file)]
    assert len(left) == after
    assert validate_campaign(killed).ok, "what is there is whole"

    made = enrich_campaign(killed, seed=99)  # the seed it was begun with counts

    assert len(made.written) == len(load_campaign(whole).generated) - after
    there, here = load_campaign(whole), load_campaign(killed)
    assert (here.people, here.beats, here.places) == (there.people, there.beats, there.places)
    assert not list(killed.rglob("*.tmp"))


def test_a_campaign_that_came_along_is_filled_up_in_a_copy(tmp_path, monkeypatch):
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    before = _contents(COMET)

    campaign = app.open_campaign("comet-tea-room")

    assert campaign.folder == tmp_path / "home/campaigns/comet-tea-room" == enrichment_folder(COMET)
    assert campaign.people
    assert _contents(COMET) == before
    assert {file: _contents(campaign.folder)[file] for file in before} == before
    assert app.open_campaign("comet-tea-room") == campaign


def test_without_room_to_write_a_campaign_is_played_as_it_is(tmp_path, monkeypatch):
    (tmp_path / "home").write_text("not a folder")
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))

    assert app.open_campaign("comet-tea-room").people == {}


class Contrary:
    """Always takes the last of the answers, until it is tired of it."""

    name = "contrary"

    def __init__(self, patience: int) -> None:
        self.asked: list[tuple[str, ...]] = []
        self._patience = patience

    async def weigh(self, text: str, answers: Sequence[str]) -> int:
        assert "samovar" in text
        if len(self.asked) >= self._patience:
            await asyncio.sleep(60)
        self.asked.append(tuple(answers))
        return len(answers) - 1


async def test_a_model_chooses_among_what_could_be_written_for_as_long_as_there_is_time(tmp_path):
    folder = _campaign(tmp_path / "comet")
    judge = Contrary(patience=2)

    made = await enrich_with_model(judge, folder, budget=0.5)

    assert made.source_model == f"contrary choosing for {GRAMMAR}"
    written = "".join((folder / file).read_text() for file in made.written)
    assert len(judge.asked) == 2
    assert all(
        answers[-1] in json.dumps(written, ensure_ascii=False) or answers[-1] in written
        for answers in judge.asked
    )
    assert validate_campaign(folder).ok


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=80)


@settings(max_examples=12)
@given(title=TEXT.filter(str.strip), description=TEXT, premise=TEXT, seed=st.integers(0, 10))
def test_whatever_little_an_author_gives_it_can_be_played(title, description, premise, seed):
    with tempfile.TemporaryDirectory() as place:
        manifest = json.dumps({"title": title, "version": "1.0.0", "description": description})
        files = {"manifest.json": manifest, "plot/premise.md": f"{premise}\n"}
        folder = _campaign(Path(place) / "little", files)
        if not validate_campaign(folder).ok:
            return
        enrich_campaign(folder, seed=seed)

        report = validate_campaign(folder)
        assert [
            finding for finding in problems_in(report) if finding.code not in ("generated", "empty-page")
        ] == []
        assert report.campaign is not None
        assert len(report.campaign.people) >= 4


@pytest.mark.slow
async def test_twenty_turns_of_it_never_leave_a_player_without_a_scene(tmp_path):
    folder = _campaign(tmp_path / "bread", BREAD)
    told: set[str] = set()
    async with app.open_isolated_library(tmp_path / "play") as library:
        telling = await library.begin(app.open_campaign(str(folder)), seed=4)
        scene = await telling.resume()
        for turn in range(20):
            assert scene.choices
            assert scene.paragraphs
            told.add(" ".join(scene.paragraphs))
            # the story's own next step at first, then about
            scene = await telling.choose(0 if turn % 3 else len(scene.choices) - 1)
    assert len(told) >= 18, "what is told again is the beginning, after an end"
