"""A sample of damaged files of every kind: each is refused or opened, and none ends in a traceback."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from evals.damaged_store.__main__ import report
from evals.damaged_store.damage import WAYS
from evals.damaged_store.home import make_home
from evals.damaged_store.use import USES, use_damaged

FILES = {
    "databases": 10 * len(WAYS),
    "turn logs": 30,
    "saved stories": 40,
    "campaign packs": 60,
    "settings": 26,
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Mapping[str, bytes]]:
    return make_home(tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize("kind", USES)
def test_damaged_files_are_refused_or_opened_and_none_ends_in_a_traceback(
    kind: str, whole: Mapping[str, Mapping[str, bytes]]
) -> None:
    tally = use_damaged(kind, whole[kind], FILES[kind], first=1000)
    assert tally.tracebacks == [], report({kind: tally})
    assert tally.refused + tally.opened == FILES[kind]
    assert tally.refused


def test_whole_files_are_opened(whole: Mapping[str, Mapping[str, bytes]]) -> None:
    for kind in USES:
        assert use_damaged(kind, whole[kind], 1, damage=False).opened == 1, kind
