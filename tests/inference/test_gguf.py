"""A model file is read before native code sees it, and no bytes make the reader fail in its own way."""

from __future__ import annotations

import contextlib
import os
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from narratoria.errors import ModelUnavailable
from narratoria.inference.gguf import read_gguf_header


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def tiny_model() -> bytes:
    pairs = [
        text("general.architecture") + struct.pack("<I", 8) + text("llama"),
        text("general.alignment") + struct.pack("<II", 4, 32),
        text("llama.context_length") + struct.pack("<II", 4, 2048),
        text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 3) + text("<s>") + text("a") + text("<x>"),
        text("tokenizer.ggml.token_type") + struct.pack("<IIQ3i", 9, 5, 3, 3, 1, 4),
    ]
    tensor = text("w") + struct.pack("<IQQIQ", 2, 8, 4, 0, 0)
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(pairs)) + b"".join(pairs) + tensor
    return head + bytes(-len(head) % 32) + bytes(8 * 4 * 4)


def test_a_model_tells_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(tiny_model())
    header = read_gguf_header(path)
    assert (header.architecture, header.context, header.parameters) == ("llama", 2048, 32)
    assert header.control == ("<s>", "<x>")
    assert header.name == "tiny"


@pytest.mark.parametrize("missing", [1, 64, 127])
def test_a_file_that_lacks_even_its_last_byte_is_cut_off(tmp_path: Path, missing: int) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(tiny_model()[:-missing])
    with pytest.raises(ModelUnavailable, match="cut off"):
        read_gguf_header(path)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.dictionaries(st.integers(4, len(tiny_model()) - 1), st.integers(0, 255), max_size=8),
    length=st.integers(0, len(tiny_model())),
)
def test_any_damage_is_read_or_refused(tmp_path: Path, changes: dict[int, int], length: int) -> None:
    damaged = bytearray(tiny_model())
    for place, value in changes.items():
        damaged[place] = value
    path = tmp_path / "damaged.gguf"
    path.write_bytes(damaged[:length])
    with contextlib.suppress(ModelUnavailable):
        read_gguf_header(path)


def test_what_a_token_of_context_takes_is_told(model_file: Path) -> None:
    assert (
        read_gguf_header(model_file).state_bytes == 30 * 3 * 64 * 2 * 2
    )  # layers, heads, width; keys and values


def test_a_pipe_is_no_model_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    with pytest.raises(ModelUnavailable, match="is not a file"):
        read_gguf_header(tmp_path / "pipe.gguf")


def test_a_file_of_a_few_bytes_is_told_as_cut_off_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "short.gguf").write_bytes(b"GGUF\3")
    with pytest.raises(ModelUnavailable, match="it ends within its header; fetch it again"):
        read_gguf_header(tmp_path / "short.gguf")


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        read_gguf_header(tmp_path)
