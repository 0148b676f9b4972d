"""Runs the sentence embedder's layers in numpy: as it is, to search, and as small adapted copies, to choose.

A copy is a few thin matrices beside the weights that all share; it answers in the time of a sentence, in this
process, and two machines give the same answer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from narratoria.errors import ModelUnavailable
from narratoria.inference.gguf import read_tensors
from narratoria.inference.word_pieces import FIRST_IDEOGRAPH, LAST_IDEOGRAPH, LONGEST_WORD

Matrix = NDArray[np.float32]

LONGEST = 128  # word pieces of an input that are read to choose
AT_ONCE = 8  # texts that are encoded together
LONGEST_OF_PAIR = 96  # of each text where two are read as one
HEADS = 12
_FLOATS = {0: "<f4", 1: "<f2"}  # kinds of tensor

Thin = Mapping[str, tuple[Matrix, Matrix]]  # of a weight: copies × in × rank, and copies × rank × out


class Encoder:
    """Encodes texts with the embedder in `folder`; raises ModelUnavailable when it cannot be read."""

    def __init__(self, folder: Path) -> None:
        try:
            tensors = _tensors(folder / "model.gguf")
            words = (folder / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
        except (OSError, ValueError, ModelUnavailable) as error:
            raise ModelUnavailable(f"{folder} holds no embedder that can be adapted: {error}") from None
        self._ids = {word: number for number, word in enumerate(words)}
        self._tokens = tensors["token_embd.weight"]
        self._tensors = {
            name: np.asarray(tensor, np.float32)
            for name, tensor in tensors.items()
            if "token_embd.w" not in name
        }
        self._layers = sum(name.endswith("attn_q.weight") for name in self._tensors)
        self._pieces = lru_cache(maxsize=20_000)(self._split)

    @property
    def words(self) -> Mapping[str, int]:
        """Return the vocabulary, the most frequent first."""
        return self._ids

    def encode(self, text: str) -> Matrix:
        """Return the mean of the last layer over the word pieces."""
        mean: Matrix = self._run(text, {}, 1)[0]
        return mean

    def encode_adapted(self, text: str, thin: Thin) -> Matrix:
        """Encode with each copy at once: they share the weights, so four cost hardly more than one."""
        copies = next((len(down) for down, _ in thin.values()), 0)
        return self._run(text, thin, copies)

    def encode_batch(self, texts: Sequence[tuple[str, str]], thin: Thin) -> Matrix:
        """Encode texts, or pairs of texts as one, with a single copy; a lone text has an empty second."""
        return self._run_rows([self._pair(first, second) for first, second in texts], thin)

    def encode_texts(self, texts: Sequence[str], longest: int) -> Matrix:
        """Encode texts as the embedder does, each up to `longest` pieces, beside others of its length."""
        rows = [self.pieces(text, longest) for text in texts]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
        means = np.empty((len(rows), self._tokens.shape[1]), np.float32)
        for start in range(0, len(order), AT_ONCE):
            batch = order[start : start + AT_ONCE]
            means[batch] = self._run_rows([(rows[at], len(rows[at])) for at in batch], {})
        return means

    def _run_rows(self, rows: Sequence[tuple[list[int], int]], thin: Thin) -> Matrix:
        """Return the mean of the last layer for inputs, each with where its second text begins."""
        longest = max(len(pieces) for pieces, _ in rows)
        hidden = np.zeros((len(rows), longest, self._tokens.shape[1]), np.float32)
        mask = np.zeros((len(rows), longest), np.float32)
        for number, (pieces, begins) in enumerate(rows):
            hidden[number, : len(pieces)] = self._embed(pieces, begins)
            mask[number, : len(pieces)] = 1
        for layer in range(self._layers):
            hidden = self._layer(f"blk.{layer}.", hidden, thin, mask)
        mean: Matrix = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return mean

    def _pair(self, first: str, second: str) -> tuple[list[int], int]:
        """Return the pieces of two texts as one input, and where the second begins."""
        pieces = self.pieces(first)[:LONGEST_OF_PAIR]
        return (pieces + self.pieces(second)[1:LONGEST_OF_PAIR] if second else pieces), len(pieces)

    def _run(self, text: str, thin: Thin, copies: int) -> Matrix:
        hidden = np.repeat(self._embed(self.pieces(text))[None], copies, axis=0)
        for layer in range(self._layers):
            hidden = self._layer(f"blk.{layer}.", hidden, thin)
        mean: Matrix = hidden.mean(axis=1)
        return mean

    def pieces(self, text: str, longest: int = LONGEST) -> list[int]:
        pieces = (piece for word in _words(text) for piece in self._pieces_of(word))
        return [self._ids["[CLS]"], *islice(pieces, longest - 2), self._ids["[SEP]"]]

    def _pieces_of(self, word: str) -> tuple[int, ...]:
        # looking for pieces takes the square of a word's length: a scream would take the time of the turn
        return self._pieces(word) if len(word) <= LONGEST_WORD else (self._ids["[UNK]"],)

    def _split(self, word: str) -> tuple[int, ...]:
        start, ids = 0, []
        while start < len(word):
            end = len(word)
            while end > start and (f"##{word[start:end]}" if start else word[:end]) not in self._ids:
                end -= 1
            if end == start:
                return (self._ids["[UNK]"],)
            ids.append(self._ids[f"##{word[start:end]}" if start else word[:end]])
            start = end
        return tuple(ids)

    def _embed(self, pieces: Sequence[int], second: int | None = None) -> Matrix:
        """Return the first layer's input; the pieces from `second` on belong to another text."""
        own, tensors = self._tokens[list(pieces)].astype(np.float32), self._tensors
        hidden = own + tensors["position_embd.weight"][: len(pieces)] + tensors["token_types.weight"][0]
        if second is not None and second < len(pieces):
            hidden[second:] += tensors["token_types.weight"][1] - tensors["token_types.weight"][0]
        return self._normed("token_embd_norm", hidden)

    def _layer(self, at: str, hidden: Matrix, thin: Thin, mask: Matrix | None = None) -> Matrix:
        copies, length, width = hidden.shape
        heads = [
            self._linear(at + name, hidden, thin)
            .reshape(copies, length, HEADS, width // HEADS)
            .transpose(0, 2, 1, 3)
            for name in ("attn_q", "attn_k", "attn_v")
        ]
        query, key, value = heads
        weights = query @ key.transpose(0, 1, 3, 2) * np.float32((width // HEADS) ** -0.5)  # no wider type
        if mask is not None:
            weights += (mask[:, None, None, :] - 1) * np.float32(1e9)
        weights = np.exp(weights - weights.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed = (weights @ value).transpose(0, 2, 1, 3).reshape(copies, length, width)
        hidden = self._normed(at + "attn_output_norm", hidden + self._linear(at + "attn_output", mixed, thin))
        inner = _gelu(self._linear(at + "ffn_up", hidden, thin))
        return self._normed(at + "layer_output_norm", hidden + self._linear(at + "ffn_down", inner, thin))

    def _linear(self, name: str, hidden: Matrix, thin: Thin) -> Matrix:
        rows = hidden.reshape(-1, hidden.shape[-1])  # one product for all copies
        flat = rows @ self._tensors[f"{name}.weight"].T
        flat += self._tensors[f"{name}.bias"]
        result: Matrix = flat.reshape(*hidden.shape[:-1], -1)
        if name in thin:
            down, up = thin[name]
            if len(down) == 1:
                flat += (rows @ down[0]) @ up[0]
            else:
                result += (hidden @ down) @ up
        return result

    def _normed(self, name: str, hidden: Matrix) -> Matrix:
        centred: Matrix = hidden - hidden.mean(axis=-1, keepdims=True)
        centred /= np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-12)
        centred *= self._tensors[f"{name}.weight"]
        centred += self._tensors[f"{name}.bias"]
        return centred


def open_encoder(folder: Path) -> Encoder:
    """Return the encoder on the embedder in `folder`, once for all who use it: its weights are shared."""
    try:
        about = (folder / "model.gguf").stat()
    except OSError as error:
        raise ModelUnavailable(f"{folder} holds no embedder: {error}") from None
    return _open_encoder(folder, (about.st_size, about.st_mtime_ns))


@cache
def _open_encoder(folder: Path, _version: tuple[int, int]) -> Encoder:
    return Encoder(folder)


def _tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Map the tensors of a file of f32 and f16 by name; nothing is read before it is used."""
    mapped = np.memmap(path, np.uint8, "r")
    arrays = {}
    for tensor in read_tensors(path):
        if tensor.kind not in _FLOATS:
            raise ValueError(f"{tensor.name} is quantised")
        numbers = mapped[tensor.begin : tensor.end].view(_FLOATS[tensor.kind])
        arrays[tensor.name] = numbers.reshape(tensor.shape)
    return arrays


def thin_of(copies: Sequence[Mapping[str, Matrix]]) -> Thin:
    """Stack the thin matrices of copies; each copy holds `….down` and `….up` of the same weights."""
    names = [name.removesuffix(".down") for name in (copies[0] if copies else {}) if name.endswith(".down")]
    matrices = {}
    for name in names:
        downs, ups = ([copy[f"{name}.{part}"] for copy in copies] for part in ("down", "up"))
        (into, out), rank = (downs[0].shape[1], ups[0].shape[0]), max(len(down) for down in downs)
        # a copy of a lower rank is filled up with zeros
        both = np.zeros((len(copies), into, rank), np.float32), np.zeros((len(copies), rank, out), np.float32)
        for number, (down, up) in enumerate(zip(downs, ups, strict=True)):
            both[0][number, :, : len(down)] = down.T
            both[1][number, : len(down)] = up.T
        matrices[name] = both
    return matrices


def _words(text: str) -> Iterator[str]:
    plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
    word = ""
    for c in plain:
        if c.isalnum() and not FIRST_IDEOGRAPH <= c <= LAST_IDEOGRAPH:
            word += c
            continue
        if word:
            yield word
        word = ""
        if not c.isspace() and c.isprintable():
            yield c
    if word:
        yield word


def _gelu(values: Matrix) -> Matrix:
    # the tanh form: within 0.001 of the exact one, which numpy lacks; a power of 3 takes 300 × two products
    inner = values * values
    inner *= np.float32(0.044715)
    inner += np.float32(1)
    inner *= values
    inner *= np.float32(0.7978845608)
    np.tanh(inner, out=inner)
    inner += np.float32(1)
    inner *= values
    inner *= np.float32(0.5)
    return inner
