"""A sample of damaged databases: each is refused or opened, and none ends in a traceback."""

from __future__ import annotations

from pathlib import Path

from evals.damaged_store.__main__ import report
from evals.damaged_store.damage import WAYS
from evals.damaged_store.use import make_database, use_damaged

FILES = 10 * len(WAYS)


async def test_damaged_files_are_refused_or_opened_and_none_ends_in_a_traceback(tmp_path: Path) -> None:
    whole = await make_database(tmp_path)
    tally = await use_damaged(whole, FILES, first=1000)
    assert tally.tracebacks == [], report(tally, FILES)
    assert tally.refused + tally.refused_later + tally.opened == FILES
    assert tally.refused > FILES / 3
