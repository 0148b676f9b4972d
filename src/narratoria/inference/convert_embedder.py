"""Turns the sentence embedder's published weights into the one format that the native runtime reads."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_U32, _I32, _F32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9
_TENSOR_F32, _TENSOR_F16 = 0, 1
_ALIGNMENT = 32
_MEAN_POOLING = 1
_SPECIAL = {"unknown": "[UNK]", "seperator": "[SEP]", "padding": "[PAD]", "cls": "[CLS]", "mask": "[MASK]"}
_LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
_EMBEDDINGS = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.LayerNorm.weight": "token_embd_norm.weight",
    "embeddings.LayerNorm.bias": "token_embd_norm.bias",
}
_KEPT_WHOLE = ("position_embd.weight", "token_types.weight")  # the runtime wants these as f32


def bert_to_gguf(config: dict[str, Any], vocabulary: list[str], weights: bytes) -> bytes:
    """Convert a BERT model's config.json, vocab.txt and model.safetensors to GGUF, with matrices as f16."""
    read = _safetensors(weights)
    pairs = list(_pairs(config, vocabulary))
    infos: list[bytes] = []
    data: list[bytes] = []
    offset = 0
    for source, target in _names(config["num_hidden_layers"]):
        tensor = read(source)
        half = tensor.ndim == 2 and target not in _KEPT_WHOLE
        blob = (tensor.astype("<f2") if half else tensor).tobytes()
        infos.append(_info(target, tensor.shape, _TENSOR_F16 if half else _TENSOR_F32, offset))
        blob += bytes(-len(blob) % _ALIGNMENT)
        data.append(blob)
        offset += len(blob)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(pairs)) + b"".join((*pairs, *infos))
    return head + bytes(-len(head) % _ALIGNMENT) + b"".join(data)


def _safetensors(weights: bytes) -> Callable[[str], NDArray[np.float32]]:
    length = struct.unpack_from("<Q", weights)[0]
    header: dict[str, Any] = json.loads(weights[8 : 8 + length])
    start = 8 + length

    def read(name: str) -> NDArray[np.float32]:
        entry = header[name]
        if entry["dtype"] != "F32":
            raise ValueError(f"{name} is {entry['dtype']}, not F32")
        begin, end = entry["data_offsets"]
        return np.frombuffer(weights[start + begin : start + end], dtype="<f4").reshape(entry["shape"])

    return read


def _names(layers: int) -> Iterator[tuple[str, str]]:
    yield from _EMBEDDINGS.items()
    for layer in range(layers):
        for source, target in _LAYER.items():
            for part in ("weight", "bias"):
                yield f"encoder.layer.{layer}.{source}.{part}", f"blk.{layer}.{target}.{part}"


def _pairs(config: dict[str, Any], vocabulary: list[str]) -> Iterator[bytes]:
    yield _pair("general.architecture", _STRING, _text("bert"))
    yield _pair("general.name", _STRING, _text("all-MiniLM-L6-v2"))
    numbers = {
        "general.file_type": 1,
        "bert.block_count": config["num_hidden_layers"],
        "bert.context_length": config["max_position_embeddings"],
        "bert.embedding_length": config["hidden_size"],
        "bert.feed_forward_length": config["intermediate_size"],
        "bert.attention.head_count": config["num_attention_heads"],
        "bert.pooling_type": _MEAN_POOLING,
        "tokenizer.ggml.token_type_count": config["type_vocab_size"],
        **{f"tokenizer.ggml.{name}_token_id": vocabulary.index(token) for name, token in _SPECIAL.items()},
        "tokenizer.ggml.bos_token_id": vocabulary.index("[CLS]"),
        "tokenizer.ggml.eos_token_id": vocabulary.index("[SEP]"),
    }
    for key, number in numbers.items():
        yield _pair(key, _U32, struct.pack("<I", number))
    yield _pair("bert.attention.layer_norm_epsilon", _F32, struct.pack("<f", config["layer_norm_eps"]))
    yield _pair("bert.attention.causal", _BOOL, b"\0")
    yield _pair("tokenizer.ggml.model", _STRING, _text("bert"))
    yield _pair("tokenizer.ggml.pre", _STRING, _text("default"))
    yield _array(
        "tokenizer.ggml.tokens", _STRING, len(vocabulary), b"".join(map(_text, map(_piece, vocabulary)))
    )
    kinds = np.array([3 if token in _SPECIAL.values() else 1 for token in vocabulary], "<i4")
    yield _array("tokenizer.ggml.token_type", _I32, len(vocabulary), kinds.tobytes())
    scores = np.full(len(vocabulary), -1000.0, "<f4")
    yield _array("tokenizer.ggml.scores", _F32, len(vocabulary), scores.tobytes())


def _piece(token: str) -> str:
    """Mark the first piece of a word, as the runtime does; the published vocabulary marks the others."""
    if token.startswith("[") and token.endswith("]"):
        return token
    return token[2:] if token.startswith("##") else f"\u2581{token}"


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _pair(key: str, kind: int, value: bytes) -> bytes:
    return _text(key) + struct.pack("<I", kind) + value


def _array(key: str, kind: int, length: int, values: bytes) -> bytes:
    return _pair(key, _ARRAY, struct.pack("<IQ", kind, length) + values)


def _info(name: str, shape: tuple[int, ...], kind: int, offset: int) -> bytes:
    sizes = b"".join(struct.pack("<Q", size) for size in reversed(shape))
    return _text(name) + struct.pack("<I", len(shape)) + sizes + struct.pack("<IQ", kind, offset)
