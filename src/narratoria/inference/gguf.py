"""Reads the header of a GGUF file and checks that the file is whole, before native code sees it."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import Any

from narratoria.errors import ModelUnavailable

_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_CONTROL, _USER_DEFINED = 3, 4  # kinds of token
_MOST_DIMENSIONS = 4
# tensor type: (numbers in a block, bytes of a block); a type that is not here is not measured
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GgufHeader:
    architecture: str
    name: str
    context: int  # tokens it was trained to read
    parameters: int
    chat_template: str
    licence: str
    size: int  # bytes of the file
    state_bytes: int = 0  # that one token of context takes; 0: not told
    control: tuple[str, ...] = ()  # what must never be read as such in anybody's text


@dataclass(frozen=True, slots=True)
class Tensor:
    name: str
    shape: tuple[int, ...]  # the outermost dimension first
    kind: int
    begin: int  # the byte of the file at which its numbers stand

    @property
    def end(self) -> int:
        block, width = _BLOCKS.get(self.kind, (1, 0))
        return self.begin + prod(self.shape) // block * width


def read_gguf_header(path: Path) -> GgufHeader:
    """Read a GGUF file's header; raise ModelUnavailable if it is missing, no GGUF, or too short.

    A file that has not changed is read once: every page says who tells, and a header names all tokens.
    """
    try:
        about = path.stat()
    except OSError:
        return _read(path)[0]  # says why
    return _read_unchanged(path, (about.st_ino, about.st_size, about.st_mtime_ns))


@lru_cache(maxsize=8)
def _read_unchanged(path: Path, _identity: tuple[int, int, int]) -> GgufHeader:
    return _read(path)[0]


def read_tensors(path: Path) -> tuple[Tensor, ...]:
    """Return the position of each tensor; raise ModelUnavailable like `read_gguf_header`."""
    return _read(path)[1]


def _read(path: Path) -> tuple[GgufHeader, tuple[Tensor, ...]]:
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise ModelUnavailable(f"{path} cannot be read: it is not a file")
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ModelUnavailable(f"{path} is not a GGUF file")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _GgufReader(data).read(path)
    except FileNotFoundError:
        raise ModelUnavailable(f"{path}: there is no such model file") from None
    except OSError as error:
        raise ModelUnavailable(f"{path} cannot be read: {error.strerror or error}") from None
    except struct.error:
        raise ModelUnavailable(f"{path} is cut off: it ends within its header; fetch it again") from None
    except (ValueError, TypeError, ArithmeticError, KeyError, RecursionError) as error:
        raise ModelUnavailable(f"{path} is cut off or damaged: {error}; fetch it again") from None


class _GgufReader:
    def __init__(self, data: mmap.mmap) -> None:
        self._data, self._at = data, 4

    def read(self, path: Path) -> tuple[GgufHeader, tuple[Tensor, ...]]:
        version, tensor_count, pair_count = self._unpack("<IQQ")
        if version not in {2, 3}:
            raise ModelUnavailable(f"{path} is a GGUF of version {version}, which this program cannot read")
        if tensor_count > len(self._data) or pair_count > len(self._data):
            raise ValueError("it announces more than it can hold")
        metadata = {self._text(): self._value() for _ in range(pair_count)}
        tensors = self._tensors(tensor_count, int(metadata.get("general.alignment", 32)))
        if (needed := max((tensor.end for tensor in tensors), default=self._at)) > len(self._data):
            raise ValueError(f"it has {len(self._data):,} of {needed:,} bytes")
        architecture = str(metadata.get("general.architecture", ""))
        header = GgufHeader(
            architecture=architecture,
            name=str(metadata.get("general.name", "")) or path.stem,
            context=int(metadata.get(f"{architecture}.context_length", 0)),
            parameters=sum(prod(tensor.shape) for tensor in tensors),
            chat_template=str(metadata.get("tokenizer.chat_template", "")),
            licence=str(metadata.get("general.license", "")),
            size=len(self._data),
            state_bytes=_state_bytes(metadata, architecture),
            control=tuple(
                _control(
                    metadata.get("tokenizer.ggml.tokens", []), metadata.get("tokenizer.ggml.token_type", [])
                )
            ),
        )
        return header, tensors

    def _tensors(self, count: int, alignment: int) -> tuple[Tensor, ...]:
        tensors = []
        for _ in range(count):
            name = self._text()
            (dimensions,) = self._unpack("<I")
            if dimensions > _MOST_DIMENSIONS:
                raise ValueError(f"a tensor of {dimensions} dimensions")
            shape = self._unpack(f"<{dimensions}Q")[::-1]
            kind, offset = self._unpack("<IQ")
            tensors.append(Tensor(name, shape, kind, offset))
        start = -(-self._at // alignment) * alignment  # offsets count from here
        return tuple(replace(tensor, begin=start + tensor.begin) for tensor in tensors)

    def _value(self) -> Any:
        (kind,) = self._unpack("<I")
        return self._of(kind)

    def _of(self, kind: int) -> Any:
        if kind == _STRING:
            return self._text()
        if kind != _ARRAY:
            return self._unpack(f"<{_SCALARS[kind]}")[0]
        inner, length = self._unpack("<IQ")
        if length > len(self._data):
            raise ValueError("it announces more than it can hold")
        if inner in _SCALARS:
            return self._unpack(f"<{length}{_SCALARS[inner]}")
        return [self._of(inner) for _ in range(length)]

    def _text(self) -> str:
        (length,) = self._unpack("<Q")
        if length > len(self._data) - self._at:
            raise ValueError("a text runs past its end")
        self._at += length
        return self._data[self._at - length : self._at].decode("utf-8", errors="replace")

    def _unpack(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return values


def _state_bytes(metadata: Mapping[str, Any], architecture: str) -> int:
    """Return the size of the keys and values of all layers for one token, two bytes each."""
    keys = ("block_count", "embedding_length", "attention.head_count", "attention.head_count_kv")
    match [metadata.get(f"{architecture}.{key}") for key in keys]:
        case [int(layers), int(width), int(heads), int(shared)] if heads > 0:
            return layers * width // heads * shared * 2 * 2
        case _:  # not told, or another figure for each layer
            return 0


def _control(tokens: Sequence[str], kinds: Sequence[int]) -> Iterator[str]:
    for token, kind in zip(tokens, kinds, strict=False):
        if (kind == _CONTROL and token.strip()) or (kind == _USER_DEFINED and token[:1] in {"<", "["}):
            yield token
