"""`python -m evals.damaged_store [--files N]`: refused or opened, and no traceback."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evals.damaged_store.use import Tally, make_database, use_damaged

FILES, SHOWN = 2000, 5


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.damaged_store", description=__doc__)
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first file")
    given = parser.parse_args(arguments)
    tally = asyncio.run(_run(given.files, given.first))
    print(report(tally, given.files))
    sys.exit(bool(tally.tracebacks))


async def _run(files: int, first: int) -> Tally:
    with tempfile.TemporaryDirectory() as folder:
        whole = await make_database(Path(folder))
    return await use_damaged(whole, files, first)


def report(tally: Tally, files: int) -> str:
    lines = [
        f"{files} damaged files: {tally.refused} refused when opened, {tally.refused_later} when the damage "
        f"was met, {tally.opened} opened and read; {len(tally.tracebacks)} tracebacks",
        f"`store check` sees {tally.seen} of them",
        *(f"  {way}: {count} refused" for way, count in tally.by_way.most_common()),
        *tally.tracebacks[:SHOWN],
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
