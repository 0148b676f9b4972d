"""Writes the rows that the text matcher is trained on: `python -m evals.answers.fit_match DATA MODEL`.

Rows come from the dossiers for fitting (which passage answers a question, which offer an action means) and
from the topics of the bundled campaigns (other words for one question). `evals/answers/match.py` trains.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from narratoria.inference.installed_models import find_embedder
from narratoria.inference.numpy_encoder import LONGEST_OF_PAIR, open_encoder
from narratoria.narrator.evidence import shared_words

HERE = Path(__file__).parent
CAMPAIGNS = Path("src/narratoria/bundled/campaigns")
FOLDS, MASK = 5, 103


def read_groups() -> Iterator[dict[str, Any]]:
    """Yield each text with its candidates and those that are meant; `key` keeps a world in one fold."""
    for name in ("dossiers-fit", "offers-fit"):
        for line in (HERE / "cases" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            world = json.loads(line)
            for row in world.get("questions", ()):
                yield _group("q", world["world"], row["text"], world["evidence"], row["answers"])
            for row in world.get("actions", ()):
                meant = [] if row["means"] is None else [row["means"]]
                yield _group("o", world["world"], row["text"], world["offers"], meant)
    dice = random.Random(1)
    for path in sorted(CAMPAIGNS.glob("*/characters/npcs/*/profile.json")):
        topics = json.loads(path.read_text(encoding="utf-8")).get("topics", ())
        for number, topic in enumerate(topics):
            for wording in topic.get("also", ()):
                candidates = [
                    dice.choice([one["ask"], *(text for text in one.get("also", ()) if text != wording)])
                    for one in topics
                ]
                yield _group("t", path.parent.name, wording, candidates, [number])


def _group(task: str, key: str, text: str, candidates: list[str], meant: list[int]) -> dict[str, Any]:
    return {"task": task, "key": key, "text": text, "candidates": candidates, "meant": meant}


def write_data(target: Path, model: Path) -> None:
    folder = find_embedder()
    assert folder is not None
    encoder, texts = open_encoder(folder), dict[str, int]()
    rows = [
        {
            "task": group["task"],
            "fold": int(hashlib.sha256(group["key"].encode()).hexdigest(), 16) % FOLDS,
            "q": texts.setdefault(group["text"], len(texts)),
            "ps": [texts.setdefault(one, len(texts)) for one in group["candidates"]],
            "meant": group["meant"],
            "shared": [round(one, 3) for one in shared_words(group["text"], group["candidates"])],
        }
        for group in read_groups()
    ]
    pieces = [encoder.pieces(text)[:LONGEST_OF_PAIR] for text in texts]
    used = sorted({piece for row in pieces for piece in row} | {0, MASK})
    place = {piece: at for at, piece in enumerate(used)}
    document = {
        "groups": rows,
        "texts": [[place[piece] for piece in row] for row in pieces],
        "masked": place[MASK],
        "special": sum(piece < 1000 for piece in used) - 1,
    }
    target.write_text(json.dumps(document), encoding="utf-8")
    tensors = {name: np.asarray(tensor, np.float16) for name, tensor in encoder._tensors.items()}
    tensors["token_embd.weight"] = np.asarray(encoder._tokens[used], np.float16)
    np.savez(model, **tensors)
    print(len(rows), "groups,", len(texts), "texts,", len(used), "word pieces")


if __name__ == "__main__":
    write_data(Path(sys.argv[1]), Path(sys.argv[2]))
