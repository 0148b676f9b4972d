"""`python -m evals.planning fit`: the data to train the router with, and `router.npz` out of the result."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import narratoria.narrator
from evals.planning import cases, voices
from evals.planning.augment import varied
from evals.planning.cases import LABELS, Case, context_of
from evals.planning.offered import open_catalogue
from narratoria.errors import ModelUnavailable
from narratoria.inference.encoder import Encoder
from narratoria.inference.models import find_embedder
from narratoria.narrator.reading import read
from narratoria.narrator.router import SCENES, Copy, Head, save
from narratoria.narrator.spelling import Spelling

TARGET = Path(narratoria.narrator.__file__).with_name("router.npz")
PIECES = 96
VARIANTS = 8
FOLDS = 6
FIRST = 8


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.planning fit", description=__doc__)
    parser.add_argument("--data", metavar="FILE", help="write what adapt.py trains with")
    parser.add_argument("--adapted", metavar="FILE", help="what adapt.py made: write the router from it")
    parser.add_argument("--folds", metavar="FILE", help="what adapt.py --folds said: choose thresholds by it")
    options = parser.parse_args(arguments)
    rows = written()
    if options.data:
        write_data(Path(options.data), rows)
    if options.adapted:
        write_router(Path(options.adapted), Path(options.folds) if options.folds else None, rows)


def written() -> tuple[Case, ...]:
    return (*cases.load("fit"), *cases.more(), *voices.load())


def usual_words(rows: Sequence[Case], known: Encoder) -> list[str]:
    """What players say, without what they mistype."""
    told = [case for case in rows if "typo" not in case.tags and case.setting != "blockhouse"]
    counted = Counter(word for case in told for word in re.findall("[a-z]{3,}", case.action))
    return sorted(word for word, times in counted.items() if times > 1 or word in known.words)


def names() -> list[str]:
    skills = open_catalogue().skills
    return [name for skill in skills for name in (skill.name, *(script.name for script in skill.scripts))]


def installed() -> Path:
    folder = find_embedder()
    if folder is None:
        raise ModelUnavailable("the embedding model is not installed; `make install` brings it")
    return folder


def write_data(file: Path, rows: Sequence[Case]) -> None:
    encoder = Encoder(installed())
    spelling = Spelling(encoder.words, usual_words(rows, encoder))
    every = (*rows, *varied(rows, VARIANTS))
    skills = names()
    readings = [read(case.action, context_of(case), skills, spelling.mend) for case in every]
    signs = sorted(readings[0].signs)
    pieces = [encoder.pieces(reading.masked or " ")[:PIECES] for reading in readings]
    groups = sorted({case.setting for case in rows})
    first = {case.id for case in cases.load("fit")}
    np.savez_compressed(
        file,
        ids=np.array([[*row, *[0] * (PIECES - len(row))] for row in pieces], np.int32),
        mask=np.array([[1] * len(row) + [0] * (PIECES - len(row)) for row in pieces], np.int8),
        signs_of=np.array([[reading.signs[sign] for sign in signs] for reading in readings], np.float32),
        wanted=targets(every),
        weights=np.array([2.0 if number < len(rows) else 1.0 for number in range(len(every))], np.float32),
        group=np.array([groups.index(case.setting) for case in every]),
        original=np.array([number < len(rows) for number in range(len(every))]),
        first=np.array([case.id in first for case in every]),
    )
    print(f"{len(rows)} rows, {len(every)} with their variants, {len(signs)} signs: {file}")


def write_router(adapted: Path, folds: Path | None, rows: Sequence[Case]) -> None:
    encoder = Encoder(installed())
    signs = tuple(sorted(read("", {}).signs))
    with np.load(adapted, allow_pickle=False) as made:
        count = len({name.partition("/")[0] for name in made.files})
        copies = tuple(
            Copy(
                {
                    name.partition("/")[2]: made[name]
                    for name in made.files
                    if name.startswith(f"{number}/blk")
                },
                made[f"{number}/head"].astype(np.float64),
            )
            for number in range(count)
        )
    least = thresholds(folds, rows) if folds else np.ones(len(LABELS))
    head = Head(LABELS, signs, copies, least, tuple(usual_words(rows, encoder)))
    TARGET.write_bytes(save(head))
    print(f"written: {TARGET} ({TARGET.stat().st_size / 1e6:.1f} MB), thresholds {np.round(least, 2)}")


def targets(rows: Sequence[Case]) -> NDArray[np.float64]:
    needed = [[label in case.scripts for label in LABELS] for case in rows]
    harmless = [[label in case.scripts | case.may_use for label in LABELS] for case in rows]
    scenes = [[case.scene_type == scene for scene in SCENES] for case in rows]
    return np.hstack([needed, harmless, scenes]).astype(np.float64)


def thresholds(folds: Path, rows: Sequence[Case]) -> NDArray[np.float64]:
    """For each label the sum of needed and harmless from which most rows of other settings come out right."""
    with np.load(folds, allow_pickle=False) as stored:
        said = stored["said"].astype(np.float64).mean(0)[: len(rows)]
    wanted, count = targets(rows), len(LABELS)
    chances = 1 / (1 + np.exp(-said))
    need = chances[:, :count]
    sums = need + np.maximum(need, chances[:, count : 2 * count])
    # the rows of fit.jsonl were labelled one by one, and players say such things as often as they do there
    first = {case.id for case in cases.load("fit")}
    counts = np.array([FIRST if case.id in first else 1 for case in rows])
    found = np.ones(count)
    grid = np.arange(0.4, 1.81, 0.05)
    for _ in range(3):
        for label in range(count):
            tried = []
            for level in grid:
                found[label] = level
                tried.append(
                    _right(sums, wanted, found, counts) - 2 * abs(level - 1)
                )  # a small gain is chance
            found[label] = grid[int(np.argmax(tried))]
    print(
        f"right scripts in other settings: {_right(sums, wanted, np.ones(count)) / len(rows):.1%}, ", end=""
    )
    print(f"with thresholds {_right(sums, wanted, found) / len(rows):.1%}; ", end="")
    of_first = (counts == FIRST).astype(np.int64)
    plain, fitted = (_right(sums, wanted, levels, of_first) for levels in (np.ones(count), found))
    print(f"of fit.jsonl {plain / of_first.sum():.1%}, with thresholds {fitted / of_first.sum():.1%}")
    return found


def _right(
    sums: NDArray[np.float64],
    wanted: NDArray[np.float64],
    levels: NDArray[np.float64],
    counts: NDArray[np.int64] | int = 1,
) -> int:
    chosen, count = sums > levels, len(levels)
    missed = (wanted[:, :count] > 0.5) & ~chosen
    wrong = chosen & (wanted[:, count : 2 * count] < 0.5)
    return int((~(missed | wrong).any(axis=1) * counts).sum())
