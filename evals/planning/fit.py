"""`python -m evals.planning fit`: the data to train the scorer with, and its weights out of the result."""

from __future__ import annotations

import argparse
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import narratoria
from evals.planning import cases, voices
from evals.planning.augment import varied
from evals.planning.cases import LABELS, SKILLS, Case, context_of, skill_of
from evals.planning.offered import open_catalogue
from narratoria.errors import ModelUnavailable
from narratoria.inference.installed_models import find_embedder
from narratoria.inference.numpy_encoder import Encoder
from narratoria.planner.plan_scripts import LEAST_NEED, SCENE_TYPES
from narratoria.planner.player_action import read_action
from narratoria.planner.skill_scorer import AdaptedCopy, ScorerHead, encode_head
from narratoria.planner.spelling import Spelling

WEIGHTS = Path(narratoria.__file__).with_name("weights")
PIECES = 96
VARIANTS = 6
TYPICAL = 8
SECOND_HAND = ("brinehallow", "perihelion", "valcourt")
OF_SKILL = np.array([[skill_of(label) == skill for skill in SKILLS] for label in LABELS], np.int64)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.planning fit", description=__doc__)
    parser.add_argument("--data", metavar="FILE", help="write what adapt.py trains with")
    parser.add_argument("--adapted", metavar="FILE", help="what adapt.py made: write the scorer from it")
    options = parser.parse_args(arguments)
    rows = written()
    if options.data:
        write_data(Path(options.data), rows)
    if options.adapted:
        write_scorer(Path(options.adapted), rows)


def written() -> tuple[Case, ...]:
    return (*cases.load("fit"), *cases.more(), *voices.load())


def usual_words(rows: Sequence[Case], known: Encoder) -> list[str]:
    """Return the words players use, without those they mistype."""
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
    player_actions = [read_action(case.action, context_of(case), skills, spelling.mend) for case in every]
    signs = sorted(player_actions[0].signs)
    pieces = [encoder.pieces(player_action.masked or " ")[:PIECES] for player_action in player_actions]
    groups = sorted({case.setting for case in rows})
    first = {case.id for case in cases.load("fit")}
    np.savez_compressed(
        file,
        ids=np.array([[*row, *[0] * (PIECES - len(row))] for row in pieces], np.int32),
        mask=np.array([[1] * len(row) + [0] * (PIECES - len(row)) for row in pieces], np.int8),
        signs_of=np.array(
            [[player_action.signs[sign] for sign in signs] for player_action in player_actions], np.float32
        ),
        wanted=targets(every),
        weights=np.array([2.0 if number < len(rows) else 1.0 for number in range(len(every))], np.float32),
        group=np.array([groups.index(case.setting) for case in every]),
        original=np.array([number < len(rows) for number in range(len(every))]),
        first=np.array([case.id in first for case in every]),
    )
    print(f"{len(rows)} rows, {len(every)} with their variants, {len(signs)} signs: {file}")


def write_scorer(adapted: Path, rows: Sequence[Case]) -> None:
    encoder = Encoder(installed())
    signs = tuple(sorted(read_action("", {}).signs))
    with np.load(adapted, allow_pickle=False) as made:
        names = sorted({name.partition("/")[0] for name in made.files if "/" in name})
        copies = tuple(
            AdaptedCopy(
                {file.partition("/")[2]: made[file] for file in made.files if file.startswith(f"{name}/blk")},
                made[f"{name}/head"].astype(np.float64),
            )
            for name in names
        )
        said = made["said"].astype(np.float64).mean(0)[: len(rows)]
    least = thresholds(said, rows)
    head = ScorerHead(LABELS, signs, copies, least, tuple(usual_words(rows, encoder)))
    content = encode_head(head)
    file = WEIGHTS / f"{hashlib.sha256(content).hexdigest()[:16]}.npz"
    file.write_bytes(content)
    print(f"written: {file} ({len(content) / 1e6:.1f} MB), thresholds {np.round(least, 2)}")
    print(
        f"To use it, set SCORER_FILE in planner/skill_scorer.py to {file.name!r}"
        " and remove the file before it."
    )


def targets(rows: Sequence[Case]) -> NDArray[np.float64]:
    needed = [[label in case.scripts for label in LABELS] for case in rows]
    harmless = [[label in case.scripts | case.may_use for label in LABELS] for case in rows]
    scenes = [[case.scene_type == scene for scene in SCENE_TYPES] for case in rows]
    return np.hstack([needed, harmless, scenes]).astype(np.float64)


def thresholds(said: NDArray[np.float64], rows: Sequence[Case]) -> NDArray[np.float64]:
    """For each label the sum of needed and harmless from which most rows of other settings come out right."""
    wanted, count, sums = targets(rows), len(LABELS), _sums(said)
    # these rows were labelled one by one, and players say such things as often as they do there
    first = {case.id for case in cases.load("fit")}
    typical = np.array([case.id in first or case.setting in SECOND_HAND for case in rows])
    counts = np.where(typical, TYPICAL, 1)
    found = np.ones(count)
    grid = np.arange(0.4, 1.81, 0.05)
    for _ in range(3):
        for label in range(count):
            tried = []
            for level in grid:
                found[label] = level
                # a small gain is chance
                tried.append(float((_right(sums, wanted, found) * counts).sum()) - 4 * abs(level - 1))
            found[label] = grid[int(np.argmax(tried))]
    for name, among in (("all", np.ones(len(rows), bool)), ("labelled one by one", typical)):
        for levels in (np.ones(count), found):
            skills, scripts = (_right(sums, wanted, levels, by)[among].mean() for by in (1, 0))
            print(f"in other settings, {name}: right skills {skills:.1%}, right scripts {scripts:.1%}")
    return found


def _sums(said: NDArray[np.float64]) -> NDArray[np.float64]:
    chances, count = 1 / (1 + np.exp(-said)), len(LABELS)
    need = chances[:, :count]
    return np.where(need > LEAST_NEED, need + np.maximum(need, chances[:, count : 2 * count]), 0)


def _right(
    sums: NDArray[np.float64],
    wanted: NDArray[np.float64],
    levels: NDArray[np.float64],
    of_skills: float = 0.7,
) -> NDArray[np.float64]:
    """Row by row whether the right skills are chosen, and for the rest of the weight the right scripts."""
    count = len(levels)
    chosen, needed, allowed = sums > levels, wanted[:, :count] > 0.5, wanted[:, count : 2 * count] > 0.5
    scripts = ~((needed & ~chosen) | (chosen & ~allowed)).any(axis=1)
    chosen, needed, allowed = (labels @ OF_SKILL > 0 for labels in (chosen, needed, allowed))
    skills = ~((needed & ~chosen) | (chosen & ~allowed)).any(axis=1)
    return np.asarray(of_skills * skills + (1 - of_skills) * scripts, np.float64)
