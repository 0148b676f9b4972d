"""`python -m evals.retrieval [run|fit] [--locomo DIR] [--crd3 DIR] [--srd DIR]`."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

import narratoria.store.search
from evals.retrieval import report
from evals.retrieval.bundled import read_bundled
from evals.retrieval.conversations import searches_of_many
from evals.retrieval.corpus import Corpus, read_cases
from evals.retrieval.folders import READERS
from evals.retrieval.methods import METHODS, Asked, answer, ask_all, fit_calibration
from narratoria import paths
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder, install_embedder
from narratoria.store.search.ranking import CALIBRATION_FILE, load_calibration


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    folders = {name: getattr(options, name) for name in READERS if getattr(options, name)}
    asyncio.run(_fit() if options.command == "fit" else _run(folders))


async def _run(folders: dict[str, Path]) -> None:
    corpora = {name: READERS[name](folder) for name, folder in folders.items()}
    embedder = Embedder(find_embedder() or install_embedder(paths.INSTALLED_MODELS))
    try:
        fitted_on = await ask_all(read_cases("fit"), embedder)
        stated_on = [*fitted_on, *await ask_all(searches_of_many("fit"), embedder)]
        fitted = Fitted(fitted_on, stated_on)
        asked = await ask_all(read_cases("held-out"), embedder)
        answers = _print("held-out cases", asked, fitted)
        print(report.by_kind(asked, answers), end="\n\n")
        print(report.criteria(asked, answers["ours"]), end="\n\n", flush=True)
        bundled = await ask_all(read_bundled(), embedder)
        answers = _print("the lore of the bundled campaigns, divided as for a story", bundled, fitted)
        print(report.lore_criterion(answers["ours"]), end="\n\n", flush=True)
        merged, *conversations = searches_of_many("held-out")
        for title, many in (("held-out stories as one", [merged]), ("held-out conversations", conversations)):
            _print(f"{title} ({_size(many)})", await ask_all(many, embedder), fitted)
        for name, corpus in corpora.items():
            _print(f"{name} ({_size(corpus)})", await ask_all(corpus, embedder), fitted)
    finally:
        await embedder.close()


async def _fit() -> None:
    embedder = Embedder(find_embedder() or install_embedder(paths.INSTALLED_MODELS))
    try:
        asked = await ask_all(read_cases("fit"), embedder)
        stated_on = [*asked, *await ask_all(searches_of_many("fit"), embedder)]
    finally:
        await embedder.close()
    found = fit_calibration(asked, stated_on, embedder.model_id)
    file = Path(narratoria.store.search.__path__[0]) / CALIBRATION_FILE
    file.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")
    print(f"{file}: {found.pairs} pairs, {found.relevant} of them relevant, from {found.queries} queries")
    print(report.calibration(answer("ours", asked, asked, found)) + " (on the pairs it was fitted on)")


@dataclass(frozen=True, slots=True)
class Fitted:
    """Holds what scores, and what is stated of them, were fitted on."""

    asked: Sequence[Asked]
    stated_on: Sequence[Asked]


def _print(title: str, asked: Sequence[Asked], fitted: Fitted) -> report.Answers:
    ours = load_calibration()
    answers = {method: answer(method, asked, fitted.asked, ours, fitted.stated_on) for method in METHODS}
    none = sum(not one.query.relevant for one in asked)
    print(f"## {title}: {len(asked)} queries, {none} of them without an answer\n")
    print(report.comparison(answers), end="\n\n")
    print(report.calibration(answers["ours"]), end="\n\n", flush=True)
    return answers


def _size(corpora: Sequence[Corpus]) -> str:
    return f"{len(corpora)} corpora, {sum(len(corpus.records) for corpus in corpora)} records"


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval", description=__doc__)
    parser.add_argument("command", nargs="?", choices=["run", "fit"], default="run")
    for name in READERS:
        parser.add_argument(
            f"--{name}", type=Path, metavar="DIR", help=f"a folder of the shape of {name.upper()}"
        )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
