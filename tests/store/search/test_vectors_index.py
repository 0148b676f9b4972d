"""The index in memory finds what a plain scan finds, whatever was put, replaced and removed before."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narratoria.store.search.vectors import VectorIndex, Vectors

DIMENSIONS = 8


def vectors(seed: int, windows: int) -> Vectors:
    return np.random.default_rng(seed).normal(size=(windows, DIMENSIONS)).astype(np.float32)


def scan(records: dict[int, Vectors], query: Vectors) -> dict[int, float]:
    """Each record's best window, one by one."""

    def cosine(row: Vectors) -> float:
        return float(row @ query / (np.linalg.norm(row) * np.linalg.norm(query)))

    return {record: max(map(cosine, windows)) for record, windows in records.items()}


changes = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 40), st.integers(1, 4)),
        st.tuples(st.just("remove"), st.integers(0, 40), st.just(0)),
    ),
    min_size=1,
    max_size=300,
)


@settings(max_examples=60, deadline=None)
@given(changes, st.sets(st.integers(0, 60)), st.integers(0, 12))
def test_after_any_changes_the_nearest_under_a_filter_are_those_of_a_plain_scan(
    changes, among, limit
) -> None:
    index, records = VectorIndex(DIMENSIONS), {}
    for step, (what, record, windows) in enumerate(changes):
        if what == "put":
            records[record] = vectors(step, windows)
            index.put(record, records[record])
        else:
            records.pop(record, None)
            index.remove([record])
    query = vectors(9_999, 1)[0]
    for filtered in (None, among):
        left = {r: w for r, w in records.items() if filtered is None or r in filtered}
        expected = scan(left, query)
        found = index.cosines(query, None if filtered is None else list(filtered))
        assert dict(zip(found.ids.tolist(), found.values.tolist(), strict=True)) == pytest.approx(
            expected, abs=1e-5
        )
        nearest = found.nearest(limit)
        assert [r for r, _ in nearest] == sorted(expected, key=lambda r: -expected[r])[:limit]
    assert len(index) == len(records)
    assert index.missing(list(among)) == sorted(among - records.keys())


def test_all_the_true_ten_nearest_of_ten_thousand_are_found_under_narrow_filters() -> None:
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(10_000, 64)).astype(np.float32)
    index = VectorIndex(64)
    index.put_all(dict(enumerate(rows[:, None, :])))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    for share in (0.005, 0.05, 0.5, 1.0):
        among = rng.choice(10_000, int(10_000 * share), replace=False)
        query = rng.normal(size=64).astype(np.float32)
        true = among[np.argsort(-(unit[among] @ query))[:10]]
        assert {record for record, _ in index.cosines(query, among).nearest(10)} == set(true.tolist())


def test_equal_records_come_in_the_order_of_their_numbers() -> None:
    index = VectorIndex(2)
    index.put_all({number: np.array([[1.0, 0.0]], np.float32) for number in (5, 3, 9, 1)})
    assert [record for record, _ in index.cosines(np.array([1.0, 0.0], np.float32)).nearest(3)] == [1, 3, 5]


def test_a_vector_of_nothing_is_near_to_nothing() -> None:
    index = VectorIndex(2)
    index.put(1, np.zeros((1, 2), np.float32))
    assert index.cosines(np.array([1.0, 0.0], np.float32)).nearest(1) == [(1, 0.0)]
    assert index.cosines(np.zeros(2, np.float32)).nearest(1) == [(1, 0.0)]


@pytest.mark.parametrize("windows", [np.zeros((1, 3)), np.zeros((0, 2)), np.array([[np.nan, 1.0]])])
def test_what_is_no_vector_of_this_index_is_refused_by_name_and_changes_nothing(windows) -> None:
    index = VectorIndex(2)
    index.put(1, np.array([[1.0, 0.0]], np.float32))
    with pytest.raises(ValueError, match="record 7"):
        index.put_all({1: np.array([[0.0, 1.0]], np.float32), 7: windows})
    assert index.cosines(np.array([1.0, 0.0], np.float32)).nearest(5) == [(1, 1.0)]


def test_memory_goes_back_when_most_records_are_gone() -> None:
    index = VectorIndex(DIMENSIONS)
    index.put_all({record: vectors(record, 2) for record in range(5_000)})
    full = index.bytes
    index.remove(range(4_900))
    assert index.bytes < full / 20
    kept = scan({record: vectors(record, 2) for record in range(4_900, 5_000)}, vectors(1, 1)[0])
    assert dict(index.cosines(vectors(1, 1)[0]).nearest(100)) == pytest.approx(kept, abs=1e-5)


def test_replacing_records_again_and_again_does_not_grow_the_index() -> None:
    index = VectorIndex(DIMENSIONS)
    for seed in range(200):
        index.put_all({record: vectors(seed + record, 1) for record in range(100)})
    assert index.bytes < 6 * 100 * DIMENSIONS * 4


def test_readers_see_whole_changes_while_a_writer_puts_and_removes() -> None:
    """Two records are always put as a pair and removed as one: nobody may ever see half of it."""
    index = VectorIndex(DIMENSIONS)
    row = vectors(1, 1)
    stop = threading.Event()
    torn: list[object] = []

    def read() -> None:
        while not stop.is_set():
            found = index.cosines(row[0])
            seen = set(found.ids.tolist())
            if any((number ^ 1) not in seen for number in seen) or (seen and found.values.min() < 0.999):
                torn.append(seen)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for turn in range(1_500):
        first = (turn % 50) * 2
        index.put_all({first: row, first + 1: row})
        if turn % 3 == 0:
            gone = (turn * 7 % 50) * 2
            index.remove([gone, gone + 1])
    stop.set()
    for reader in readers:
        reader.join()
    assert not torn
