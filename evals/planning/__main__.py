"""`python -m evals.planning`: how often a planner chooses the right skills for what players say."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import msgspec

from evals.planning import cases, fit
from evals.planning.ask import ask_all
from evals.planning.cases import Case
from evals.planning.offered import open_catalogue
from evals.planning.planners import PLANNERS, open_planner
from evals.planning.report import as_text, confusions
from evals.planning.score import scores
from narratoria.planning.plan import Planner


def main(arguments: Sequence[str] | None = None) -> None:
    listed = list(sys.argv[1:] if arguments is None else arguments)
    if listed[:1] == ["fit"]:
        fit.main(listed[1:])
        return
    parser = _parser()
    options = parser.parse_args(listed)
    try:
        planners = {name: open_planner(name) for name in options.planner or ["patterns"]}
    except LookupError as error:
        parser.error(str(error))
    sets = {Path(file).stem: cases.read_file(Path(file)) for file in options.file}
    sets = sets or {options.split: cases.load(options.split)}
    asyncio.run(_score(planners, sets, options))


async def _score(
    planners: Mapping[str, Planner], sets: Mapping[str, tuple[Case, ...]], options: argparse.Namespace
) -> None:
    catalogue = open_catalogue()
    found = []
    for (name, planner), (split, rows) in product(planners.items(), sets.items()):
        asked = [case for case in rows if not options.tag or options.tag in case.tags]
        answers = await ask_all(planner, asked, catalogue)
        found.append(scores(name, split, answers))
        if not options.json:
            print(as_text(found[-1]))
            print(confusions(answers, options.show), flush=True)
    if options.json:
        print(msgspec.json.encode(found).decode())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals.planning", description=__doc__)
    names = ", ".join(PLANNERS)
    parser.add_argument(
        "--planner", action="append", metavar="NAME", help=f"{names} or module:factory; may be repeated"
    )
    parser.add_argument("--split", choices=cases.SPLITS, default="heldout")
    parser.add_argument(
        "--file",
        action="append",
        default=[],
        metavar="CASES",
        help="cases of your own, as JSON lines; may be repeated",
    )
    parser.add_argument("--tag", choices=cases.TAGS, help="only the cases with this tag")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="the first N cases that went wrong")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    return parser


if __name__ == "__main__":
    main()
