"""`python -m evals.damaged_store [KIND …] [--files N]`: refused or opened, and no traceback."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from evals.damaged_store.home import make_home
from evals.damaged_store.use import USES, Tally, use_damaged

FILES, SHOWN = 2000, 5


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.damaged_store", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(USES)}; all")
    parser.add_argument("--files", type=int, default=FILES, help="in all, as many of each kind")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first file")
    given = parser.parse_args(arguments)
    if unknown := set(given.kinds) - set(USES):
        parser.error(f"there is no kind {min(unknown)}; there are {', '.join(USES)}")
    kinds = given.kinds or list(USES)
    with tempfile.TemporaryDirectory() as folder:
        whole = make_home(Path(folder))
    tallies = {}
    for kind in kinds:
        tallies[kind] = use_damaged(kind, whole[kind], given.files // len(kinds), given.first)
        print(report({kind: tallies[kind]}), flush=True)
    print(report(tallies).splitlines()[0])
    sys.exit(any(tally.tracebacks for tally in tallies.values()))


def report(tallies: Mapping[str, Tally]) -> str:
    """Return the counts in words, with the first tracebacks."""
    every = tallies.values()
    files, refused, opened = (
        sum(getattr(one, name) for one in every) for name in ("files", "refused", "opened")
    )
    lines = [
        f"{files:,} damaged files ({', '.join(tallies)}): {refused:,} refused, {opened:,} opened, "
        f"{sum(len(tally.tracebacks) for tally in every)} tracebacks"
    ]
    for kind, tally in tallies.items():
        if kind == "databases":
            lines.append(f"  `store check` sees {tally.seen:,} of them")
        lines += [f"  {way}: {count} refused" for way, count in tally.by_way.most_common()]
        lines += tally.tracebacks[:SHOWN]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
