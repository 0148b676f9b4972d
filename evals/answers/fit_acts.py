"""Fits the head that tells acts apart, on labelled actions.

`python -m evals.answers.fit_acts data FILE MODEL` writes the rows and the embedder's tensors for the machine
that trains (`evals/answers/adapt.py`); `python -m evals.answers.fit_acts take ADAPTED` keeps what came back.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from narratoria.inference.installed_models import find_embedder
from narratoria.inference.numpy_encoder import Encoder
from narratoria.planner.act_classifier import word_vector
from narratoria.planner.intent import load_acts

HERE = Path(__file__).parent
ROWS = HERE / "cases" / "intents-fit.jsonl"
WEIGHTS = Path("src/narratoria/weights")  # name the file in planner/act_classifier.py and in the README there
WORDS, LONGEST = 256, 64


def labelled() -> list[tuple[str, str, tuple[str, ...]]]:
    """Return every fitting row: the words, the act, and further acts that are accepted."""
    rows = [(text, name, ()) for name, act in load_acts().items() for text in act.examples]
    for line in ROWS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        rows.append((row["text"], row["act"], tuple(row.get("also", ()))))
    return rows


def write_data(target: Path, model: Path) -> None:
    folder = find_embedder()
    assert folder is not None
    encoder, acts = Encoder(folder), list(load_acts())
    rows = [row for row in labelled() if row[1] in acts]
    pieces = [encoder.pieces(text)[:LONGEST] for text, *_ in rows]
    used = sorted({piece for row in pieces for piece in row} | {0, 103})
    place = {piece: at for at, piece in enumerate(used)}
    ids, mask = np.zeros((len(rows), LONGEST), np.int32), np.zeros((len(rows), LONGEST), np.float32)
    wanted, accepted = (
        np.zeros((len(rows), len(acts)), np.float32),
        np.zeros((len(rows), len(acts)), np.float32),
    )
    fold = np.zeros(len(rows), np.int32)
    for at, ((text, act, also), row) in enumerate(zip(rows, pieces, strict=True)):
        ids[at, : len(row)] = [place[piece] for piece in row]
        mask[at, : len(row)] = 1
        others = [other for other in also if other in acts]
        wanted[at, acts.index(act)] = 1.0 if not others else 0.75
        for other in others:
            wanted[at, acts.index(other)] += 0.25 / len(others)
        accepted[at, [acts.index(one) for one in (act, *others)]] = 1
        fold[at] = int(hashlib.sha256(text.encode()).hexdigest(), 16) % 5
    signs = np.stack([word_vector(text, WORDS) for text, *_ in rows])
    real = np.array([at >= sum(len(act.examples) for act in load_acts().values()) for at in range(len(rows))])
    np.savez_compressed(
        target,
        ids=ids,
        mask=mask,
        wanted=wanted,
        accepted=accepted,
        fold=fold,
        signs=signs,
        real=real.astype(np.int8),
        masked=place[103],
        ordinary=sum(piece < 1000 for piece in used),
    )
    tensors = {name: np.asarray(tensor, np.float16) for name, tensor in encoder._tensors.items()}
    tensors["token_embd.weight"] = np.asarray(encoder._tokens[used], np.float16)
    np.savez(model, **tensors)
    print(len(rows), "rows,", len(used), "word pieces")


def take(adapted: Path) -> None:
    made = dict(np.load(adapted))
    made.pop("said", None)
    target = WEIGHTS / "acts.npz"
    np.savez_compressed(target, acts=np.array(list(load_acts())), **made)
    named = target.with_stem(hashlib.sha256(target.read_bytes()).hexdigest()[:16])
    target.replace(named)
    print(named, named.stat().st_size)


if __name__ == "__main__":
    if sys.argv[1] == "data":
        write_data(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        take(Path(sys.argv[2]))
