"""Fits the head that tells acts and their kinds apart, on labelled actions.

`python -m evals.answers.fit_acts data FILE MODEL [HAND]` writes the rows and the embedder's tensors for the
machine that trains (`evals/answers/adapt.py`), those of one hand as the fold that is left out;
`python -m evals.answers.fit_acts take ADAPTED` keeps what came back.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from narratoria.inference.installed_models import find_embedder
from narratoria.inference.numpy_encoder import Encoder
from narratoria.planner.act_classifier import word_vector
from narratoria.planner.intent import load_acts

HERE = Path(__file__).parent
ROWS = HERE / "cases" / "intents-fit.jsonl"
TYPED = HERE / "cases" / "typed-fit.jsonl"
KINDS = HERE / "cases" / "kinds-fit.jsonl"
WEIGHTS = Path("src/narratoria/weights")  # name the file in planner/act_classifier.py and in the README there
WORDS, LONGEST = 256, 64


@dataclass(frozen=True, slots=True)
class Row:
    """One action with its label, an act or a kind of one, and further acts that are accepted."""

    text: str
    label: str
    also: tuple[str, ...] = ()
    is_played: bool = True  # and no example of a list
    hand: int = 0  # who wrote it as players type, in whatever words came

    @property
    def act(self) -> str:
        return self.label.partition("/")[0]


def read_rows() -> list[Row]:
    """Return every fitting row."""
    rows = [Row(text, name, is_played=False) for name, act in load_acts().items() for text in act.examples]
    rows += [Row(text, kind["id"], is_played=False) for kind in read_kinds() for text in kind["examples"]]
    for line in ROWS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        rows.append(Row(row["text"], row["act"], tuple(row.get("also", ()))))
    for line in TYPED.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        rows.append(Row(row["text"], row["label"], tuple(row.get("also", ())), hand=row["hand"]))
    return [row for row in rows if row.act in load_acts()]


def read_kinds() -> list[dict[str, Any]]:
    """Return every kind of an act, with what it is about and its examples."""
    return [json.loads(line) for line in KINDS.read_text(encoding="utf-8").splitlines()]


def read_labels() -> list[str]:
    """Return every act and every kind of one."""
    return [*load_acts(), *sorted(kind["id"] for kind in read_kinds())]


def write_data(target: Path, model: Path, left_out: int | None = None) -> None:
    folder = find_embedder()
    assert folder is not None
    encoder, acts, labels, rows = Encoder(folder), list(load_acts()), read_labels(), read_rows()
    pieces = [encoder.pieces(row.text)[:LONGEST] for row in rows]
    used = sorted({piece for row in pieces for piece in row} | {0, 103})
    place = {piece: at for at, piece in enumerate(used)}
    ids, mask = np.zeros((len(rows), LONGEST), np.int32), np.zeros((len(rows), LONGEST), np.float32)
    wanted, accepted = (
        np.zeros((len(rows), len(acts)), np.float32),
        np.zeros((len(rows), len(acts)), np.float32),
    )
    fold, kind = np.zeros(len(rows), np.int32), np.full(len(rows), -1, np.int32)
    for at, (row, row_pieces) in enumerate(zip(rows, pieces, strict=True)):
        ids[at, : len(row_pieces)] = [place[piece] for piece in row_pieces]
        mask[at, : len(row_pieces)] = 1
        others = [other for other in row.also if other in acts]
        wanted[at, acts.index(row.act)] = 1.0 if not others else 0.75
        for other in others:
            wanted[at, acts.index(other)] += 0.25 / len(others)
        accepted[at, [acts.index(one) for one in (row.act, *others)]] = 1
        if left_out is None:
            fold[at] = int(hashlib.sha256(row.text.encode()).hexdigest(), 16) % 5
        else:
            fold[at] = row.hand != left_out
        kind[at] = labels.index(row.label) if "/" in row.label else -1
    np.savez_compressed(
        target,
        ids=ids,
        mask=mask,
        wanted=wanted,
        accepted=accepted,
        fold=fold,
        kind=kind,
        act_of=np.array([acts.index(label.partition("/")[0]) for label in labels], np.int32),
        signs=np.stack([word_vector(row.text, WORDS) for row in rows]),
        real=np.array([row.is_played for row in rows], np.int8),
        typed=np.array([row.hand > 0 for row in rows], np.int8),
        masked=place[103],
        ordinary=sum(piece < 1000 for piece in used),
    )
    tensors = {name: np.asarray(tensor, np.float16) for name, tensor in encoder._tensors.items()}
    tensors["token_embd.weight"] = np.asarray(encoder._tokens[used], np.float16)
    np.savez(model, **tensors)
    print(len(rows), "rows,", len(used), "word pieces,", len(labels), "labels")


def take(adapted: Path) -> None:
    made = dict(np.load(adapted))
    made.pop("said", None)
    target = WEIGHTS / "acts.npz"
    np.savez_compressed(target, labels=np.array(read_labels()), **made)
    named = target.with_stem(hashlib.sha256(target.read_bytes()).hexdigest()[:16])
    target.replace(named)
    print(named, named.stat().st_size)


if __name__ == "__main__":
    if sys.argv[1] == "data":
        hands = [int(one) for one in sys.argv[4:]]
        write_data(Path(sys.argv[2]), Path(sys.argv[3]), *hands)
    else:
        take(Path(sys.argv[2]))
