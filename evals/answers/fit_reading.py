"""Writes the rows that the reading model is trained on, and makes the file that ships of what came back.

`python -m evals.answers.fit_reading data FOLDER`, where there is onnx, writes labelled actions, groups of
candidates and the layers that ship at present, from which training goes on, for the machine that trains
(`evals/answers/train_reading.py`). `python -m evals.answers.fit_reading take FOLDER`, where there are torch,
onnx and onnxruntime, turns the trained parts in FOLDER into the layers of `inference/reading_model.py`; the
words stay as they are. Worlds of fold 0 are left out of the training and score it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals.answers.fit_match import read_groups
from narratoria.inference.installed_models import find_embedder
from narratoria.inference.numpy_encoder import LONGEST_OF_PAIR, open_encoder
from narratoria.inference.reading_model import LONGEST_TYPED, READING_MODEL_FILES
from narratoria.planner.intent import load_acts

HERE = Path(__file__).parent
CASES = HERE / "cases"
WEIGHTS = Path(
    "src/narratoria/weights"
)  # name the file in inference/reading_model.py and in the README there
SCORED = ("typed-score", "intents-score")  # what nobody who fits has read; only totals are printed
FOLDS, LEFT_OUT = 10, 0
PARTS = 2  # files of the layers: each is small enough for one journey
LAYERS, PRODUCTS_OF_LAYER = 12, 8
PRODUCTS = {0: "q", 1: "k", 2: "v", 5: "o", 6: "up", 7: "down"}  # of a layer's, those with weights
SPECIAL = ("[CLS]", "[SEP]", "[PAD]", "[MASK]")


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
    rows += [
        Row(row["text"], row["act"], tuple(row["also"]), True)
        for person in read_lines("replies-fit")
        for row in person["lines"]
    ]
    return [row for row in rows if row.act in load_acts()]


def fold_of(key: str) -> int:
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % FOLDS


def read_layers(path: Path) -> dict[str, NDArray[Any]]:
    """Return the layers and heads of a trained model by the names of the trainer, in eight bits."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    weights = {
        node.name.removesuffix("_quant"): node.input[1]
        for node in graph.node
        if node.op_type == "MatMulInteger"
    }
    layers: dict[str, NDArray[Any]] = {}

    def add_rounded(name: str, product: str) -> None:
        quantized = weights[product]
        layers[name] = np.ascontiguousarray(stored[quantized].T)
        layers[f"{name}#scale"] = stored[quantized.replace("_quantized", "_scale")][:, None]

    prefix = next(name for name in stored if name.endswith("places")).removesuffix("places")
    layers["places"] = stored[f"{prefix}places"]
    older = {"first_norm": "en", "attention_norm": "an", "norm": "ln", "weight": "w", "bias": "b"}

    def find(*path: str) -> NDArray[Any]:
        names = (
            f"{prefix}parts.{'|'.join(path)}",
            f"{prefix}p.{'|'.join(older.get(one, one) for one in path)}",
        )
        return next(stored[name] for name in names if name in stored)

    layers["parts.distance"] = stored.get(f"{prefix}parts.distance", stored.get(f"{prefix}p.rel"))
    for part in ("weight", "bias"):
        layers[f"parts.first_norm|{part}"] = find("first_norm", part)
    for layer in range(LAYERS):
        for norm in ("attention_norm", "norm"):
            for part in ("weight", "bias"):
                layers[f"parts.{layer}|{norm}|{part}"] = find(str(layer), norm, part)
        for at, name in PRODUCTS.items():
            number = layer * PRODUCTS_OF_LAYER + at
            add_rounded(f"parts.{layer}|{name}|weight", f"/MatMul_{number}" if number else "/MatMul")
            layers[f"parts.{layer}|{name}|bias"] = find(str(layer), name, "bias")
    for head, before in (("labels", "acts"), ("middle", "mid"), ("tasks", "out")):
        if f"{prefix}{head}.weight" in stored:
            layers |= {f"{head}.{part}": stored[f"{prefix}{head}.{part}"] for part in ("weight", "bias")}
        else:
            add_rounded(f"{head}.weight", f"/{before}/Gemm_MatMul")
            layers[f"{head}.bias"] = stored[f"{prefix}{before}.bias"]
    return layers


def write_data(folder: Path) -> None:
    embedder = find_embedder()
    assert embedder is not None
    encoder = open_encoder(embedder)
    acts, labels = list(load_acts()), read_labels()
    texts: dict[str, int] = {}

    def typed_pieces(text: str) -> list[int]:
        return [int(one) for one in encoder.pieces(text)[:LONGEST_TYPED]]

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
            "typed": group["task"] in "our" or group.get("typed", False),
        }
        for group in read_groups()
    ]
    all_pieces = [[int(one) for one in encoder.pieces(text)[:LONGEST_OF_PAIR]] for text in texts]
    special = {name: int(encoder.words[name]) for name in SPECIAL}
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
    layers_file, words_file = (WEIGHTS / name for name in READING_MODEL_FILES)
    with np.load(words_file, allow_pickle=False) as stored:
        tensors = {"words": stored["words"][used], "words#scale": stored["scales"][used][:, None]}
    tensors |= read_layers(layers_file)
    parts: list[dict[str, NDArray[Any]]] = [{} for _ in range(PARTS)]
    for name in sorted(tensors, key=lambda one: -tensors[one].nbytes):
        min(parts, key=lambda part: sum(one.nbytes for one in part.values()))[name] = tensors[name]
    for at, part in enumerate(parts):
        np.savez(folder / f"start-{at}.npz", **part)
    print(len(rows), "actions,", len(groups), "groups,", len(used), "word pieces")


def take(folder: Path) -> None:
    """Keep the trained layers under the name of their content."""
    from evals.answers.train_reading import write_layers

    layers = WEIGHTS / "layers.onnx"
    write_layers(folder, layers)
    named = layers.with_stem(hashlib.sha256(layers.read_bytes()).hexdigest()[:16])
    layers.replace(named)
    print(named, named.stat().st_size)


if __name__ == "__main__":
    command, path = sys.argv[1:]
    (write_data if command == "data" else take)(Path(path))
