"""`python -m evals.planning fit`: fits the router's head, and says how well it transfers."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import narratoria.narrator
from evals.planning import cases
from evals.planning.cases import LABELS, Case, context_of
from evals.planning.offered import open_catalogue
from narratoria.errors import ModelUnavailable
from narratoria.inference.embedder import Embedder
from narratoria.inference.encoder import Encoder
from narratoria.inference.models import find_embedder
from narratoria.narrator.reading import Reading, read
from narratoria.narrator.router import LEAST_NEED, SCENES, Head, features, fit, fitted, save, sigmoid

TARGET = Path(narratoria.narrator.__file__).with_name("router.npz")
FOLDS = 6
PIECES = 96


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.planning fit", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say how well it transfers; write nothing")
    parser.add_argument(
        "--data", metavar="FILE", help="write what adapt.py adapts the encoder with, and stop"
    )
    parser.add_argument(
        "--adapted", metavar="FILE", help="what adapt.py made; else the copy that is there stays"
    )
    options = parser.parse_args(arguments)
    rows = (*cases.load("fit"), *cases.more())
    readings = [read(case.action, context_of(case), names()) for case in rows]
    signs = tuple(sorted(readings[0].signs))
    if options.data:
        write_data(Path(options.data), rows, readings, signs)
        return
    table = asyncio.run(embedded(readings))
    told, wanted = features(table, readings, signs), targets(rows)
    print(f"{len(rows)} rows, {told.shape[1]} features, {wanted.shape[1]} answers")
    print(f"in settings it was not fitted on: {transfer(rows, told, wanted):.1%} right scripts")
    if not options.check:
        adapted, weights = adaptation(Path(options.adapted) if options.adapted else None, signs)
        TARGET.write_bytes(save(Head(LABELS, signs, fit(told, wanted), adapted, weights)))
        print(f"written: {TARGET} ({TARGET.stat().st_size / 1000:.0f} kB)")


def names() -> list[str]:
    skills = open_catalogue().skills
    return [name for skill in skills for name in (skill.name, *(script.name for script in skill.scripts))]


def installed() -> Path:
    folder = find_embedder()
    if folder is None:
        raise ModelUnavailable("the embedding model is not installed; `make install` brings it")
    return folder


async def embedded(readings: Sequence[Reading]) -> NDArray[np.float32]:
    embedder = Embedder(installed(), threads=2)
    try:
        return await embedder.embed([reading.masked or " " for reading in readings])
    finally:
        await embedder.close()


def write_data(file: Path, rows: Sequence[Case], readings: Sequence[Reading], signs: Sequence[str]) -> None:
    encoder = Encoder(installed())
    pieces = [encoder.pieces(reading.masked or " ")[:PIECES] for reading in readings]
    ids = np.array([[*row, *[0] * (PIECES - len(row))] for row in pieces])
    mask = np.array([[1.0] * len(row) + [0.0] * (PIECES - len(row)) for row in pieces], np.float32)
    settings = sorted({case.setting for case in rows})
    np.savez(
        file,
        A=ids,
        Am=mask,
        X=np.array([[reading.signs[sign] for sign in signs] for reading in readings], np.float32),
        y=targets(rows),
        g=np.array([settings.index(case.setting) for case in rows]),
        isfit=np.array([case.id in {one.id for one in cases.load("fit")} for case in rows]),
        signs=np.array(signs),
    )


def adaptation(
    file: Path | None, signs: Sequence[str]
) -> tuple[dict[str, NDArray[np.float32]], NDArray[np.float64] | None]:
    """The encoder's adaptation from a file, or the one in use; none where the signs have changed since."""
    if file is None:
        head = fitted() if TARGET.exists() else None
        same = head is not None and head.signs == tuple(signs)
        return (dict(head.adapted), head.adapted_weights) if head and same else ({}, None)
    with np.load(file, allow_pickle=False) as made:
        return {name: made[name] for name in made.files if name.startswith("blk.")}, made["head"]


def targets(rows: Sequence[Case]) -> NDArray[np.float64]:
    needed = [[label in case.scripts for label in LABELS] for case in rows]
    harmless = [[label in case.scripts | case.may_use for label in LABELS] for case in rows]
    scenes = [[case.scene_type == scene for scene in SCENES] for case in rows]
    return np.hstack([needed, harmless, scenes]).astype(np.float64)


def transfer(rows: Sequence[Case], told: NDArray[np.float64], wanted: NDArray[np.float64]) -> float:
    """Right scripts in each setting, by a head fitted on the others."""
    settings = sorted({case.setting for case in rows})
    right = 0
    for fold in range(FOLDS):
        left_out = np.array([case.setting in settings[fold::FOLDS] for case in rows])
        scores = sigmoid(told[left_out] @ fit(told[~left_out], wanted[~left_out]))
        count = len(LABELS)
        for case, row in zip(
            [case for case in rows if case.setting in settings[fold::FOLDS]], scores, strict=True
        ):
            pairs = zip(LABELS, row[:count], row[count : 2 * count], strict=True)
            chosen = {label for label, need, ok in pairs if need + max(need, ok) > 1 and need > LEAST_NEED}
            right += case.scripts <= chosen <= case.scripts | case.may_use
    return right / len(rows)
