"""Writes the rows that the reading model is trained on, and makes the files that ship of what came back.

`python -m evals.answers.fit_reading data FOLDER BASE` writes labelled actions and groups of candidates, and
the base model (`BASE`: all-mpnet-base-v2 as its publisher ships it) in eight bits, for the machine that
trains (`evals/answers/train_reading.py`). `python -m evals.answers.fit_reading take FOLDER BASE`, where there
are torch, onnx and onnxruntime, turns the trained parts in FOLDER into the two files of
`inference/reading_model.py`. Worlds of fold 0 are left out of the training and score it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals.answers.fit_match import read_groups
from narratoria.inference.installed_models import find_embedder
from narratoria.inference.numpy_encoder import LONGEST_OF_PAIR, Encoder, open_encoder
from narratoria.inference.reading_model import LONGEST_TYPED
from narratoria.planner.intent import load_acts

HERE = Path(__file__).parent
CASES = HERE / "cases"
WEIGHTS = Path(
    "src/narratoria/weights"
)  # name the files in inference/reading_model.py and in the README there
SCORED = ("typed-score", "intents-score")  # what nobody who fits has read; only totals are printed
FOLDS, LEFT_OUT = 10, 0
LARGE = 100_000  # numbers of a matrix that travels in eight bits
PARTS = 2  # files of the base model
# the embedder's word pieces that the base model calls otherwise
SPECIAL = {"[CLS]": "<s>", "[SEP]": "</s>", "[PAD]": "<pad>", "[MASK]": "<mask>"}


@dataclass(frozen=True, slots=True)
class Row:
    """One action with its label, an act or a kind of one, and further acts that are accepted."""

    text: str
    label: str
    also: tuple[str, ...] = ()
    is_typed: bool = False  # written as players type, in whatever words came

    @property
    def act(self) -> str:
        return self.label.partition("/")[0]


def read_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def read_labels() -> list[str]:
    """Return every act and every kind of one."""
    return [*load_acts(), *sorted(kind["id"] for kind in read_lines("kinds-fit"))]


def read_rows() -> list[Row]:
    """Return every labelled action for fitting."""
    rows = [Row(text, name) for name, act in load_acts().items() for text in act.examples]
    rows += [Row(text, kind["id"]) for kind in read_lines("kinds-fit") for text in kind["examples"]]
    rows += [Row(row["text"], row["act"], tuple(row.get("also", ()))) for row in read_lines("intents-fit")]
    rows += [
        Row(row["text"], row["label"], tuple(row.get("also", ())), True) for row in read_lines("typed-fit")
    ]
    return [row for row in rows if row.act in load_acts()]


def fold_of(key: str) -> int:
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % FOLDS


def base_pieces(encoder: Encoder, base: Path) -> NDArray[np.int32]:
    """Return for each word piece of the embedder the number that the base model has for it."""
    words = (base / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    numbers = {word: number for number, word in enumerate(words)}
    return np.array([numbers[SPECIAL.get(word, word)] for word in encoder.words], np.int32)


def read_base(base: Path) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a safetensors file that the layers are made of."""
    raw = (base / "model.safetensors").read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    tensors = {}
    for name, about in header.items():
        if name == "__metadata__" or "position_ids" in name or "pooler" in name:
            continue
        begin, end = about["data_offsets"]
        numbers = np.frombuffer(raw[8 + size + begin : 8 + size + end], np.float32)
        tensors[name] = numbers.reshape(about["shape"])
    return tensors


def round_to_bytes(tensors: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return large matrices as whole numbers, with a scale for each row under `NAME#scale`."""
    rounded: dict[str, NDArray[Any]] = {}
    for name, tensor in tensors.items():
        if tensor.ndim != 2 or tensor.size <= LARGE:
            rounded[name] = np.asarray(tensor, np.float32)
            continue
        scale = np.abs(tensor).max(1, keepdims=True) / 127
        scale[scale == 0] = 1
        rounded[name] = np.round(tensor / scale).astype(np.int8)
        rounded[f"{name}#scale"] = scale.astype(np.float32)
    return rounded


def write_data(folder: Path, base: Path) -> None:
    embedder = find_embedder()
    assert embedder is not None
    encoder = open_encoder(embedder)
    numbers, acts, labels = base_pieces(encoder, base), list(load_acts()), read_labels()
    texts: dict[str, int] = {}

    def typed_pieces(text: str) -> list[int]:
        return [int(one) for one in numbers[encoder.pieces(text)[:LONGEST_TYPED]]]

    worlds = read_lines("typed-worlds-fit")
    left_out = {
        row["text"] for world in worlds if fold_of(world["world"]) == LEFT_OUT for row in world["lines"]
    }
    rows = [
        {
            "ids": typed_pieces(row.text),
            "label": labels.index(row.label),
            "also": [acts.index(one) for one in row.also if one in acts],
            "typed": row.is_typed,
            "left_out": row.text in left_out,
        }
        for row in read_rows()
    ]
    scored = {
        name: [
            {"ids": typed_pieces(row["text"]), "accepted": [*row["first"]["acts"], *row["second"]["acts"]]}
            for row in read_lines(name)
        ]
        for name in SCORED
    }
    groups = [
        {
            "task": group["task"],
            "left_out": fold_of(group["key"]) == LEFT_OUT,
            "text": texts.setdefault(group["text"], len(texts)),
            "candidates": [texts.setdefault(one, len(texts)) for one in group["candidates"]],
            "meant": group["meant"],
            "typed": group["task"] in "ou" or group.get("typed", False),
        }
        for group in read_groups()
    ]
    all_pieces = [[int(one) for one in numbers[encoder.pieces(text)[:LONGEST_OF_PAIR]]] for text in texts]
    special = {name: int(numbers[encoder.words[name]]) for name in SPECIAL}
    used = sorted(
        {one for row in (*rows, *(row for part in scored.values() for row in part)) for one in row["ids"]}
        | {one for pieces in all_pieces for one in pieces}
        | set(special.values())
    )
    place = {number: at for at, number in enumerate(used)}
    for row in (*rows, *(row for part in scored.values() for row in part)):
        row["ids"] = [place[one] for one in row["ids"]]
    document = {
        "acts": acts,
        "labels": labels,
        "rows": rows,
        "scored": scored,
        "groups": groups,
        "texts": [[place[one] for one in pieces] for pieces in all_pieces],
        "special": {name: place[number] for name, number in special.items()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "data.json.gz", "wt", encoding="utf-8") as file:
        json.dump(document, file)
    tensors = read_base(base)
    tensors["embeddings.word_embeddings.weight"] = tensors["embeddings.word_embeddings.weight"][used]
    parts: list[dict[str, NDArray[Any]]] = [{} for _ in range(PARTS)]
    for at, (name, tensor) in enumerate(sorted(round_to_bytes(tensors).items())):
        parts[at % PARTS][name] = tensor
    for at, part in enumerate(parts):
        np.savez(folder / f"base-{at}.npz", **part)
    print(len(rows), "actions,", len(groups), "groups,", len(used), "word pieces")


def take(folder: Path, base: Path) -> None:
    """Keep the trained layers and the words of the base model under the names of their content."""
    from evals.answers.train_reading import write_layers

    embedder = find_embedder()
    assert embedder is not None
    words = read_base(base)["embeddings.word_embeddings.weight"][base_pieces(open_encoder(embedder), base)]
    rounded = round_to_bytes({"words": words})
    stored = WEIGHTS / "words.npz"
    np.savez(
        stored,
        words=rounded["words"],
        scales=rounded["words#scale"][:, 0],
        labels=np.array(read_labels()),
    )
    layers = WEIGHTS / "layers.onnx"
    write_layers(folder, layers)
    for file in (layers, stored):
        named = file.with_stem(hashlib.sha256(file.read_bytes()).hexdigest()[:16])
        file.replace(named)
        print(named, named.stat().st_size)


if __name__ == "__main__":
    command, *paths = sys.argv[1:]
    (write_data if command == "data" else take)(*map(Path, paths))
