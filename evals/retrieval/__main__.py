"""`python -m evals.retrieval [run|fit] [--locomo DIR] [--crd3 DIR] [--srd DIR]`."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

import narratoria.store.search
from evals.retrieval import report
from evals.retrieval.bundled import read_bundled
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
        asked = await ask_all(read_cases("held-out"), embedder)
        answers = _print("held-out cases", asked, fitted_on)
        print(report.by_kind(asked, answers), end="\n\n")
        print(report.criteria(asked, answers["ours"]), end="\n\n", flush=True)
        bundled = await ask_all(read_bundled(), embedder)
        answers = _print("the lore of the bundled campaigns, divided as for a story", bundled, fitted_on)
        print(report.lore_criterion(answers["ours"]), end="\n\n", flush=True)
        for name, found in corpora.items():
            _print(f"{name} ({_size(found)})", await ask_all(found, embedder), fitted_on)
    finally:
        await embedder.close()


async def _fit() -> None:
    embedder = Embedder(find_embedder() or install_embedder(paths.INSTALLED_MODELS))
    try:
        asked = await ask_all(read_cases("fit"), embedder)
    finally:
        await embedder.close()
    found = fit_calibration(asked, embedder.model_id)
    file = Path(narratoria.store.search.__path__[0]) / CALIBRATION_FILE
    file.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")
    print(f"{file}: {found.pairs} pairs, {found.relevant} of them relevant, from {found.queries} queries")
    print(report.calibration(answer("ours", asked, asked, found)) + " (on the pairs it was fitted on)")


def _print(title: str, asked: Sequence[Asked], fitted_on: Sequence[Asked]) -> report.Answers:
    ours = load_calibration()
    answers = {method: answer(method, asked, fitted_on, ours) for method in METHODS}
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
