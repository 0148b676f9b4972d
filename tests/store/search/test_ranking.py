"""Ranking weighs meaning and words, forgives slips, keeps what is pinned, and cannot be broken by a query."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narratoria.store.search.ranking import (
    FULL_TEXT_TERMS,
    MEANING,
    OWN_WORDS,
    WORDS,
    Candidate,
    Ranked,
    full_text_query,
    load_calibration,
    measure_places,
    rank,
)

FILLER = [
    "You mended the roof of the barn before the rain came.",
    "A pedlar sold you a map of the northern hills.",
    "You lost a night's sleep to the singing in the inn.",
    "The mayor opened the harvest fair with a long speech.",
    "You caught three trout below the mill and gave one away.",
    "Snow closed the pass for eleven days.",
    "The cooper's daughter beat you at draughts.",
    "A stray dog followed you as far as the bridge.",
]


def among_filler(*candidates: Candidate) -> list[Candidate]:
    filler = [Candidate(100 + place, text, 0.1) for place, text in enumerate(FILLER)]
    return [*filler, *candidates]


def ids(ranked: list[Ranked]) -> list[int]:
    return [found.id for found in ranked]


def test_of_two_equally_near_records_the_one_with_the_name_asked_for_comes_first() -> None:
    records = among_filler(
        Candidate(1, "Captain Orla searched your packs at the gate.", 0.45),
        Candidate(2, "Captain Bren searched your packs at the gate.", 0.45),
    )
    assert ids(rank("Captain Bren at the gate", records, limit=2, threshold=0.0)) == [2, 1]


def test_a_record_that_shares_no_word_is_found_by_meaning_alone() -> None:
    records = among_filler(Candidate(1, "You helped the smith repair his cracked anvil.", 0.62))
    (found,) = rank("assistance given to craftspeople", records, limit=3)
    assert (found.id, found.cosine, found.full_text) == (1, 0.62, 0.0)
    assert found.relevance >= 0.7


def test_the_same_record_is_stated_as_less_relevant_among_more_and_beside_one_as_likely() -> None:
    meant = Candidate(1, "You helped the smith repair his cracked anvil.", 0.62)
    rival = Candidate(2, "The carter taught you how one shoes a mule.", 0.62)
    alike = Candidate(3, "You helped the smith to repair his cracked anvil!", 0.62)
    many = [Candidate(200 + n, f"{FILLER[n % 8]} {n}", 0.2) for n in range(400)]
    query = "assistance given to craftspeople"
    few, more, beside, again = (
        rank(query, among_filler(meant, *others), limit=1, threshold=0.0)[0]
        for others in ([], many, [rival], [alike])
    )
    assert few.score == more.score == beside.score == again.score
    assert more.relevance < few.relevance
    assert beside.relevance < few.relevance
    assert again.relevance == pytest.approx(few.relevance, abs=0.02), "what says the same is no rival"


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=60))
def test_a_likelier_record_is_never_stated_as_less_relevant(likely: list[float]) -> None:
    scores = np.array(likely)
    for stated in (load_calibration().stated, load_calibration().stated_by_words):
        places = measure_places(scores, [[str(n)] for n in range(len(likely))])
        relevance = stated.probabilities(places)
        assert np.all(np.diff(relevance[np.argsort(scores, kind="stable")]) >= 0)


def test_what_is_asked_for_in_its_own_words_is_meant_however_many_are_like_it() -> None:
    alike = [Candidate(n, f"Edda stole a silver bell before Falk, on night n{n}.", 0.9) for n in range(300)]
    (found,) = rank("Edda stole a silver bell before Falk, on night n7", alike, limit=5)
    assert found.id == 7
    assert found.relevance >= OWN_WORDS


def test_the_only_record_there_is_does_not_answer_for_being_alone() -> None:
    (found,) = rank("sailing south", [Candidate(1, FILLER[1], 0.2)], limit=1, threshold=0.0)
    assert found.relevance <= found.score < 0.5


def test_a_least_score_leaves_out_by_the_score_alone() -> None:
    records = among_filler(Candidate(1, "You helped the smith repair his cracked anvil.", 0.62))
    ranked = rank("assistance given to craftspeople", records, limit=20, threshold=1.0, least_score=0.2)
    assert [one.id for one in ranked] == [1]
    assert ranked[0].score >= 0.2


def test_a_word_that_many_texts_hold_does_not_make_each_of_them_an_answer() -> None:
    lake = [Candidate(n, f"{text} It was by the lake.", 0.3) for n, text in enumerate(FILLER)]
    meant = Candidate(50, "The water rose over the meadows in a single spring.", 0.45)
    found = {
        one.id: one.relevance
        for one in rank("what was there before the lake", [*lake, meant], limit=20, threshold=0.0)
    }
    assert max(found[one.id] for one in lake) < 0.7
    rare = rank("who was the pedlar", [*lake, meant], limit=20, threshold=0.0)
    assert rare[0].id == 1, "a word that one text holds still finds it"


def test_a_misspelt_name_still_finds_its_owner() -> None:
    records = among_filler(Candidate(1, "Ysolde Marrow sold you lamp oil.", 0.3))
    right = rank("Ysolde Marrow", records, limit=1, threshold=0.0)[0]
    slip = rank("Ysodle Marow", records, limit=1, threshold=0.0)[0]
    assert right.id == slip.id == 1
    assert 0 < slip.full_text < right.full_text


def test_the_names_and_places_a_record_is_filed_under_count_as_its_words() -> None:
    records = [
        *among_filler(
            Candidate(1, "You were given a bed and no questions.", 0.3, about="Father Anselm San Rocco")
        ),
        Candidate(2, "You were given a bed and no questions.", 0.3),
    ]
    assert ids(rank("Father Anselm", records, limit=1, threshold=0.0)) == [1]


def test_asked_for_the_last_time_the_later_of_two_alike_comes_first() -> None:
    records = among_filler(
        Candidate(1, "Hobb rowed you over the river.", 0.5, order=3),
        Candidate(2, "Hobb rowed you over the river.", 0.5, order=9),
    )
    assert ids(rank("What happened last time with Hobb?", records, limit=2, threshold=0.0)) == [2, 1]
    assert ids(rank("Hobb", records, limit=2, threshold=0.0)) == [1, 2]


def test_without_a_vector_a_record_is_judged_by_its_words() -> None:
    records = [Candidate(place, text, None) for place, text in enumerate(FILLER)]
    found = rank("the cooper's daughter at draughts", records, limit=2, threshold=0.3)
    assert ids(found) == [6]
    assert found[0].cosine is None


def test_nothing_below_the_threshold_is_returned_and_relevance_falls() -> None:
    records = among_filler(
        *(Candidate(n, f"The ferry sank at the weir, day {n}.", 0.2 + n / 20) for n in range(9))
    )
    found = rank("the ferry sank", records, limit=20, threshold=0.5)
    assert found
    assert all(one.relevance >= 0.5 for one in found)
    assert [one.relevance for one in found] == sorted((one.relevance for one in found), reverse=True)
    assert not rank("the ferry sank", records, limit=20, threshold=1.01)


def test_a_relevant_pinned_memory_is_never_cut_off_by_more_relevant_ones() -> None:
    pinned = Candidate(1, "You held the river stairs until dawn.", 0.6, pinned=True)
    others = [Candidate(n, "You held the river stairs against raiders until dawn.", 0.8) for n in range(2, 8)]
    found = rank("holding the river stairs", among_filler(pinned, *others), limit=3)
    assert len(found) == 3
    assert found[-1].id == 1


def test_a_pinned_memory_that_is_not_relevant_stays_away() -> None:
    pinned = Candidate(1, "You won the regatta in a borrowed boat.", 0.05, pinned=True)
    found = rank(
        "the anvil", among_filler(pinned, Candidate(2, "You mended the smith's anvil.", 0.6)), limit=5
    )
    assert ids(found) == [2]


def test_what_is_far_behind_the_nearest_is_less_relevant_than_it_would_be_alone() -> None:
    record = Candidate(1, "A stranger came to town.", 0.4)
    nearer = Candidate(2, "Two travellers asked for a room.", 0.7)
    alone = {one.id: one.relevance for one in rank("visitors", [record], limit=2, threshold=0.0)}
    behind = {one.id: one.relevance for one in rank("visitors", [record, nearer], limit=2, threshold=0.0)}
    assert alone[1] > behind[1]


@pytest.mark.parametrize("copies", [1, 2, 12])
def test_a_close_record_is_relevant_in_a_young_story_too_and_beside_others_as_close(copies: int) -> None:
    close = [Candidate(n, "You held the river stairs against raiders.", 0.75) for n in range(copies)]
    assert len(rank("defending the steps", close, limit=20)) == copies


def test_nothing_to_choose_from_is_no_result() -> None:
    assert rank("anything", [], limit=5) == []


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), st.lists(st.text(max_size=60), min_size=1, max_size=6), st.integers(-1, 4))
def test_any_text_can_be_asked_of_any_texts(query: str, texts: list[str], limit: int) -> None:
    candidates = [Candidate(n, text, None if n % 2 else 0.5) for n, text in enumerate(texts)]
    found = rank(query, candidates, limit=limit, threshold=0.0)
    assert len(found) == max(0, min(limit, len(texts)))
    assert all(0.0 <= one.relevance <= 1.0 for one in found)


@pytest.fixture(scope="module")
def full_text() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter unicode61 remove_diacritics 2')"
    )
    connection.executemany("INSERT INTO t(text) VALUES (?)", [(text,) for text in FILLER])
    return connection


def count(connection: sqlite3.Connection, expression: str) -> int:
    return connection.execute("SELECT count(*) FROM t WHERE t MATCH ?", (expression,)).fetchone()[0]


@settings(max_examples=200, deadline=None)
@given(query=st.one_of(st.text(max_size=60), st.text(alphabet="\"*()^:-+ NEARORANDTf'", max_size=40)))
def test_no_query_breaks_the_full_text_expression(query: str, full_text: sqlite3.Connection) -> None:
    expression = full_text_query(query, lambda _: 1)
    assert expression is None or count(full_text, expression) >= 0
    known = full_text_query(query, lambda word: count(full_text, f'"{word}"'))
    assert known is None or count(full_text, known) > 0


def test_the_expression_asks_for_the_rarest_words_only(full_text: sqlite3.Connection) -> None:
    held = {"you": 900, "harvest": 1, "fair": 2, "speech": 3, "bridge": 40, "mill": 50, "trout": 0}
    expression = full_text_query("trout mill bridge speech fair harvest", lambda word: held[word])
    assert expression == '"harvest" OR "fair" OR "speech" OR "bridge"'
    assert expression.count('"') == 2 * FULL_TEXT_TERMS
    assert count(full_text, expression) == 2


def test_a_query_of_unknown_words_asks_for_nothing() -> None:
    assert full_text_query('zyzzyva" OR NEAR(', lambda _: 0) is None


def test_the_shipped_calibration_is_for_what_the_ranking_measures_and_says_where_it_is_from() -> None:
    calibration = load_calibration()
    assert calibration.meaning.features == MEANING
    assert calibration.words.features == WORDS
    assert calibration.embedder.startswith("sentence-transformers/all-MiniLM-L6-v2@")
    assert calibration.pairs > calibration.relevant > 100
    assert calibration.queries > 100
