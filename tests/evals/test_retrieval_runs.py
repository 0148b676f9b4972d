"""The retrieval cases are sound, collections of known shapes can be run, and the held-out figures stay up."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from evals.retrieval.conversations import make_conversations, searches_of_many
from evals.retrieval.corpus import read_cases, read_topic
from evals.retrieval.folders import read_crd3, read_locomo, read_srd
from evals.retrieval.methods import METHODS, answer, ask_all
from evals.retrieval.metrics import Answer, Figures, figures
from evals.retrieval.report import standing

from narratoria import paths
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import install_embedder
from narratoria.store.search.ranking import load_calibration

ROOT = Path(__file__).parents[2]
EVERY = [*read_cases("fit"), *read_cases("held-out")]
FLOORS = {  # a little under what they are; a change that goes below is a change for the worse
    "recall_at_5": 0.83,
    "recall_at_10": 0.93,
    "ndcg_at_10": 0.80,
    "mrr": 0.79,
    "hit_at_5": 0.89,
    "precision": 0.93,
    "recall": 0.36,
    "no_answer": 0.94,
}


def test_there_are_enough_cases_of_every_kind_in_both_splits() -> None:
    for split in ("fit", "held-out"):
        corpora = read_cases(split)
        queries = [query for corpus in corpora for query in corpus.queries]
        assert len(queries) >= 150
        assert sum(len(corpus.records) for corpus in corpora) >= 140
        assert sum(not query.relevant for query in queries) >= 30
        kinds = Counter(query.kind for query in queries)
        assert {"paraphrase", "entity", "typo", "last", "scene", "theme", "negative", "none"} <= kinds.keys()


def test_no_record_and_no_query_is_in_both_splits_or_twice() -> None:
    for texts in (
        [record.text for corpus in EVERY for record in corpus.records],
        [query.id for corpus in EVERY for query in corpus.queries],
        [record.id for corpus in EVERY for record in corpus.records],
    ):
        assert max(Counter(texts).values()) == 1


def test_queries_without_an_answer_are_those_called_so() -> None:
    for corpus in EVERY:
        for query in corpus.queries:
            assert query.kind.endswith("none") == (not query.relevant), query
            assert set(query.relevant.values()) <= {1, 2}


def test_a_label_for_a_record_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.records.jsonl").write_text('{"id":"a","text":"x"}\n')
    (tmp_path / "t.queries.jsonl").write_text('{"id":"q","query":"x","relevant":{"b":2}}\n')
    with pytest.raises(ValueError, match="no such record: b"):
        read_topic(tmp_path, "t")


def test_the_figures_of_a_known_order_are_those_computed_by_hand() -> None:
    found = Answer(np.array([0, 2, 0, 1]), np.array([0.9, 0.8, 0.1, 0.75]), np.array([0.9, 0.8, 0.1, 0.75]))
    nothing = Answer(np.zeros(2, int), np.array([0.2, 0.1]), np.array([0.2, 0.1]))
    result = figures([found, nothing])
    assert result.recall_at_5 == 1.0
    assert result.mrr == 0.5
    assert result.ndcg_at_10 == pytest.approx((3 / np.log2(3) + 1 / 2) / (3 + 1 / np.log2(3)))
    assert (result.precision, result.recall, result.no_answer) == (pytest.approx(2 / 3), 1.0, 1.0)


def test_a_method_is_called_ahead_level_or_behind_by_its_better_peer() -> None:
    ours = Figures(*[0.5] * 14)
    lower, higher = Figures(*[0.4] * 14), Figures(*[0.6] * 14)
    assert set(standing({"a": lower, "b": lower, "ours": ours}).values()) == {"ahead"}
    assert set(standing({"a": ours, "b": lower, "ours": ours}).values()) == {"level"}
    assert set(standing({"a": higher, "b": lower, "ours": ours}).values()) == {"behind"}


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    turns = [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a puppy called Biscuit."},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "My train to Lisbon leaves at six."},
    ]
    questions = [
        {"question": "What is Ana's dog called?", "answer": "Biscuit", "evidence": ["D1:1"], "category": 1},
        {
            "question": "Where did Ana go to school?",
            "adversarial_answer": "?",
            "evidence": ["D1:2"],
            "category": 5,
        },
        {"question": "A picture of what?", "answer": "a cake", "evidence": ["D9:9"], "category": 2},
    ]
    conversation = {"speaker_a": "Ana", "speaker_b": "Ben", "session_1_date_time": "May", "session_1": turns}
    folder = tmp_path / "locomo"
    folder.mkdir()
    sample = {"sample_id": "conv-1", "conversation": conversation, "qa": questions}
    (folder / "locomo10.json").write_text(json.dumps([sample]))
    return folder


@pytest.fixture
def crd3(tmp_path: Path) -> Path:
    folder = tmp_path / "crd3" / "c=2"
    folder.mkdir(parents=True)

    def turn(name: str, *said: str) -> dict[str, object]:
        return {"NAMES": [name], "UTTERANCES": list(said), "NUMBER": 0}

    chunks = [
        {"CHUNK": "The party haggles over a boat.", "TURNS": [turn("GM", "Forty gold", "for the skiff.")]},
        {
            "CHUNK": "A storm breaks the mast.",
            "TURNS": [turn("GM", "Lightning!"), turn("ANA", "I cut the sail.")],
        },
    ]
    (folder / "C1E001_2_0.json").write_text(json.dumps(chunks))
    (folder / "C1E001_2_1.json").write_text(json.dumps(chunks[:1]))
    return tmp_path / "crd3"


@pytest.fixture
def srd(tmp_path: Path) -> Path:
    folder = tmp_path / "srd"
    folder.mkdir()
    (folder / "combat.md").write_text(
        "# Combat\n\n## Grappling\n\nYou hold a foe with a free hand.\n\n## Cover\n\nWalls shield you.\n"
    )
    return folder


def test_a_locomo_folder_becomes_turns_and_questions_with_their_evidence(locomo: Path) -> None:
    (corpus,) = read_locomo(locomo)
    assert corpus.records[0].text == "Ana: I adopted a puppy called Biscuit."
    assert [query.relevant for query in corpus.queries] == [{"D1:1": 2}, {}]


def test_a_crd3_folder_becomes_one_corpus_an_episode_with_each_chunk_once(crd3: Path) -> None:
    (corpus,) = read_crd3(crd3)
    assert corpus.name == "C1E001"
    assert [record.text for record in corpus.records] == [
        "GM: Forty gold for the skiff.",
        "GM: Lightning!\nANA: I cut the sail.",
    ]
    assert corpus.queries[1].query == "A storm breaks the mast."


def test_an_srd_folder_is_asked_its_headings_or_the_queries_in_it(srd: Path) -> None:
    (by_heading,) = read_srd(srd)
    assert [(query.query, list(query.relevant)) for query in by_heading.queries] == [
        ("Grappling", ["srd-0"]),
        ("Cover", ["srd-1"]),
    ]
    (srd / "queries.jsonl").write_text(
        '{"query": "how do I wrestle?", "relevant": ["combat.md#Grappling"]}\n'
    )
    (asked,) = read_srd(srd)
    assert asked.queries[0].relevant == {"combat.md#Grappling": 2}
    assert asked.records[0].searched == "Grappling\nYou hold a foe with a free hand."


def test_an_empty_folder_is_refused_with_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no \*\.md in it"):
        read_srd(tmp_path)


def test_an_unknown_command_is_refused_with_those_there_are() -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "evals.retrieval", "guess"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 2
    assert "run" in finished.stderr
    assert "fit" in finished.stderr


@pytest.mark.slow
async def test_on_held_out_stories_ours_keeps_its_figures_and_is_behind_no_peer_on_any() -> None:
    embedder = Embedder(install_embedder(paths.INSTALLED_MODELS))
    try:
        fitted_on = await ask_all(read_cases("fit"), embedder)
        stated_on = [*fitted_on, *await ask_all(searches_of_many("fit"), embedder)]
        asked = await ask_all(read_cases("held-out"), embedder)
    finally:
        await embedder.close()
    ours_by = load_calibration()
    found = {method: figures(answer(method, asked, fitted_on, ours_by, stated_on)) for method in METHODS}
    ours = asdict(found["ours"])
    assert {name: ours[name] for name, floor in FLOORS.items() if ours[name] < floor} == {}
    assert ours["calibration_error"] < 0.02
    assert "behind" not in standing(found).values()


@pytest.mark.slow
async def test_what_is_found_first_is_right_about_as_often_as_it_is_said_to_be() -> None:
    """In stories of some forty records, in all of them at once, and in conversations of hundreds of turns."""
    embedder = Embedder(install_embedder(paths.INSTALLED_MODELS))
    stories, merged, talks = (
        read_cases("held-out"),
        searches_of_many("held-out")[:1],
        make_conversations("held-out"),
    )
    try:
        for corpora in (stories, merged, talks):
            asked = await ask_all(corpora, embedder)
            found = figures(answer("ours", asked, (), load_calibration()))
            assert abs(found.first_relevance - found.first_right) < 0.12, found
            assert found.first_error < 0.12, found
            assert found.no_answer >= 0.9, found
    finally:
        await embedder.close()


def test_conversations_are_the_same_each_time_and_those_of_the_splits_share_no_matter() -> None:
    fit, held = make_conversations("fit"), make_conversations("held-out")
    assert make_conversations("fit") == fit
    answers = [
        {
            record.text.split(": ", 1)[1]
            for corpus in corpora
            for record in corpus.records
            if "-m" in record.id
        }
        for corpora in (fit, held)
    ]
    assert answers[0].isdisjoint(answers[1])
    for corpus in (*fit, *held):
        known = {record.id for record in corpus.records}
        assert len(known) == len(corpus.records)
        assert all(set(query.relevant) <= known for query in corpus.queries)
        assert any(not query.relevant for query in corpus.queries)
    assert max(len(corpus.records) for corpus in held) >= 500


@pytest.mark.slow
def test_the_runner_prints_a_table_for_the_cases_and_for_each_folder_it_is_given(
    locomo: Path, crd3: Path, srd: Path
) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "evals.retrieval", "--locomo", locomo, "--crd3", crd3, "--srd", srd],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    for title in ("held-out cases", "locomo (1 corpora, 2 records)", "crd3", "srd", "SC-024", "SC-042"):
        assert title in finished.stdout
    assert finished.stdout.count("\n| ours |") == 7
