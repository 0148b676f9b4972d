"""`python -m evals.planning.tuning`: what `tune.py` trains a language model with, and the adapter it makes.

`data MODEL.gguf FOLDER` writes FOLDER/data.npz and FOLDER/model.bin, the weights without what nobody says;
`adapter MODEL.gguf TUNED.npz OUT.gguf` writes what is loaded beside the model. Both need the package `gguf`,
which nothing that ships does.
"""

from __future__ import annotations

import argparse
import http.client
import json
import socket
import tempfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import xllamacpp
from numpy.typing import NDArray

from evals.planning.augment import varied
from evals.planning.cases import Case, context_of
from evals.planning.fit import names, targets, written
from narratoria.planner.player_action import remove_orders
from narratoria.planner.trained_vote import LETTERS, NOTHING, build_question

VARIANTS = 2
LONGEST = 224  # tokens
BESIDE = 8000  # tokens that nobody says, which are to be less likely than the letters


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.planning.tuning", description=__doc__)
    doing = parser.add_subparsers(dest="what", required=True)
    data = doing.add_parser("data")
    data.add_argument("model", type=Path)
    data.add_argument("folder", type=Path)
    data.add_argument("--variants", type=int, default=VARIANTS)
    adapter = doing.add_parser("adapter")
    adapter.add_argument("model", type=Path)
    adapter.add_argument("tuned", type=Path)
    adapter.add_argument("out", type=Path)
    options = parser.parse_args(arguments)
    if options.what == "data":
        write_data(options.model, options.folder, written(), options.variants)
    else:
        write_adapter(options.model, options.tuned, options.out)


def write_data(model: Path, folder: Path, rows: Sequence[Case], variants: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    every = (*rows, *varied(rows, variants))
    skills = frozenset(names())
    texts = [build_question(remove_orders(case.action, skills), context_of(case)) for case in every]
    tokens = list(tokenized(model, [*texts, *(f"Answer:{letter}" for letter in (*LETTERS, NOTHING))]))
    letters = [line[-1] for line in tokens[len(texts) :]]
    tokens = [line[-LONGEST:] for line in tokens[: len(texts)]]
    said = {token for line in tokens for token in line} | set(letters)
    kept = _with_others(said, model)
    place = {token: i for i, token in enumerate(kept)}
    groups = sorted({case.setting for case in rows})
    np.savez_compressed(
        folder / "data.npz",
        ids=np.array(
            [[*(place[t] for t in line), *[0] * (LONGEST - len(line))] for line in tokens], np.uint16
        ),
        lengths=np.array([len(line) for line in tokens], np.int16),
        letters=np.array([place[letter] for letter in letters], np.int32),
        wanted=targets(every).astype(np.int8),
        weights=np.array([2.0 if i < len(rows) else 1.0 for i in range(len(every))], np.float32),
        group=np.array([groups.index(case.setting) for case in every], np.int16),
        original=np.array([i < len(rows) for i in range(len(every))]),
        names=np.array([case.id for case in rows]),
    )
    _write_weights(model, folder / "model.bin", kept)
    mean = sum(map(len, tokens)) / len(tokens)
    print(f"{len(every)} rows of {mean:.0f} tokens, {len(kept)} words kept: {folder}")


def tokenized(model: Path, texts: Sequence[str]) -> Iterator[list[int]]:
    """As the model itself reads them."""
    with tempfile.TemporaryDirectory() as folder:
        params = xllamacpp.CommonParams()
        params.model.path, params.n_ctx, params.n_parallel = str(model), 256, 1
        params.hostnames, params.ui, params.warmup, params.verbosity = (
            [f"{folder}/model.sock"],
            False,
            False,
            -1,
        )
        server = xllamacpp.Server(params)
        connection = _Local(f"{folder}/model.sock")
        for text in texts:
            body = json.dumps({"content": text, "add_special": True, "parse_special": False})
            connection.request("POST", "/tokenize", body, {"Content-Type": "application/json"})
            yield json.loads(connection.getresponse().read())["tokens"]
        connection.close()
        del server


class _Local(http.client.HTTPConnection):
    """To a socket of this machine."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)


def _with_others(said: set[int], model: Path) -> list[int]:
    size = _vocabulary(model)
    chance = np.random.default_rng(3)
    others = chance.choice(size, min(BESIDE, size), replace=False)
    return sorted(said | {int(token) for token in others})


def _vocabulary(model: Path) -> int:
    table = next(t for t in _reader(model).tensors if t.name == "token_embd.weight")
    return int(table.shape[1])


def _gguf() -> Any:
    return import_module("gguf")


def _reader(model: Path) -> Any:
    return _gguf().GGUFReader(model)


def _write_weights(model: Path, file: Path, kept: Sequence[int]) -> None:
    reader = _reader(model)
    told = {name: field.contents() for name, field in reader.fields.items() if "tokenizer" not in name}
    family = told["general.architecture"]
    arrays: list[tuple[str, str, tuple[int, int], NDArray[np.uint8]]] = []
    for tensor in reader.tensors:
        columns = int(tensor.shape[0])
        rows = int(np.prod(tensor.shape[1:], initial=1))
        raw = np.ascontiguousarray(tensor.data).view(np.uint8).reshape(rows, -1)
        if tensor.name in {"token_embd.weight", "output.weight"}:
            raw = raw[list(kept)]
            rows = len(kept)
        arrays.append((tensor.name, tensor.tensor_type.name, (rows, columns), raw.reshape(-1)))
    if not any(name == "output.weight" for name, *_ in arrays):
        table = next(array for array in arrays if array[0] == "token_embd.weight")
        arrays.append(("output.weight", *table[1:]))
    listed, offset, written_at = [], 0, dict[int, int]()
    for name, kind, shape, raw in arrays:
        at = written_at.setdefault(id(raw), offset)
        listed.append((name, kind, shape, at, raw.size))
        offset += raw.size if at == offset else 0
    header = {
        "tensors": listed,
        "layers": told[f"{family}.block_count"],
        "heads": told[f"{family}.attention.head_count"],
        "shared": told[f"{family}.attention.head_count_kv"],
        "epsilon": told[f"{family}.attention.layer_norm_rms_epsilon"],
        "base": told[f"{family}.rope.freq_base"],
        "halves": family != "llama",
    }
    with file.open("wb") as opened:
        opened.write(json.dumps(header).encode() + b"\n")
        done = set[int]()
        for *_, raw in arrays:
            if id(raw) not in done:
                opened.write(raw.tobytes())
                done.add(id(raw))


def write_adapter(model: Path, tuned: Path, out: Path) -> None:
    family = _reader(model).fields["general.architecture"].contents()
    writer = _gguf().GGUFWriter(out, family)
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    with np.load(tuned) as made:
        ranks = {made[name].shape[0] for name in made.files if name.endswith(".a")}
        writer.add_float32("adapter.lora.alpha", float(made["alpha"]) * ranks.pop())
        for name in made.files:
            if name.startswith("blk."):
                stem, _, which = name.rpartition(".")
                writer.add_tensor(f"{stem}.weight.lora_{which}", made[name].astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
