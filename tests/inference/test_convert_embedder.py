"""Published weights of an embedder, converted: every tensor in its place, and readable as GGUF."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from narratoria.inference.convert_embedder import _names, bert_to_gguf
from narratoria.inference.gguf import read_gguf_header

CONFIG = {
    "num_hidden_layers": 1,
    "max_position_embeddings": 8,
    "hidden_size": 4,
    "intermediate_size": 6,
    "num_attention_heads": 2,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
}
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "##s"]


def safetensors(dtype: str = "F32", leave_out: str = "") -> bytes:
    """Weights whose values are the number of their tensor."""
    header: dict[str, Any] = {}
    data = b""
    for number, (source, _) in enumerate(_names(1)):
        if source == leave_out:
            continue
        shape = [len(VOCABULARY), 4] if source.endswith("word_embeddings.weight") else [4]
        content = np.full(shape, number, "<f4").tobytes()
        header[source] = {
            "dtype": dtype,
            "shape": shape,
            "data_offsets": [len(data), len(data) + len(content)],
        }
        data += content
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + data


def test_the_converted_file_is_one_that_the_reader_of_gguf_takes(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(bert_to_gguf(CONFIG, VOCABULARY, safetensors()))
    header = read_gguf_header(file)
    assert header.architecture == "bert"


def test_words_are_marked_at_their_beginning_and_special_tokens_stay() -> None:
    converted = bert_to_gguf(CONFIG, VOCABULARY, safetensors())
    pieces = [
        struct.pack("<Q", len(piece.encode())) + piece.encode() for piece in ("[CLS]", "\u2581hello", "s")
    ]
    assert [piece in converted for piece in pieces] == [True, True, True]
    assert b"##s" not in converted


def test_matrices_are_halved_and_vectors_are_not() -> None:
    converted = bert_to_gguf(CONFIG, VOCABULARY, safetensors())
    vectors = len(list(_names(1))) - 1
    matrix = len(VOCABULARY) * 4 * 2 + 8  # bytes, up to the next boundary of 32
    data = converted[-(matrix + vectors * 32) :]
    assert data[:matrix] == bytes(matrix)
    for number in range(1, vectors + 1):
        vector = data[matrix + (number - 1) * 32 :][:32]
        assert vector == np.full(4, number, "<f4").tobytes() + bytes(16)


def test_a_tensor_that_is_missing_or_of_another_type_is_named() -> None:
    with pytest.raises(KeyError, match=r"embeddings\.LayerNorm\.bias"):
        bert_to_gguf(CONFIG, VOCABULARY, safetensors(leave_out="embeddings.LayerNorm.bias"))
    with pytest.raises(ValueError, match=r"word_embeddings\.weight is BF16, not F32"):
        bert_to_gguf(CONFIG, VOCABULARY, safetensors(dtype="BF16"))


def test_a_vocabulary_without_the_special_tokens_is_refused() -> None:
    with pytest.raises(ValueError, match="not in list"):
        bert_to_gguf(CONFIG, VOCABULARY[1:], safetensors())
