"""A conversation is written as each family of models was taught, and no words in it can leave their turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.inference.chat_template import Message, defuse, render
from narratoria.inference.gguf import GgufHeader, read_gguf_header

TALK = [Message("system", "Be brief."), Message("user", "Who is there?")]


def header(template: str, *control: str) -> GgufHeader:
    return GgufHeader("llama", "a model", 2048, 1, template, "", 1, control)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        (
            "{{ '<|im_start|>' }}",
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWho is there?<|im_end|>\n"
            "<|im_start|>assistant\n",
        ),
        (
            "{{ '<|user|>' }}{{ '<|assistant|>' }}",
            "<|system|>\nBe brief.<|end|>\n<|user|>\nWho is there?<|end|>\n<|assistant|>\n",
        ),
        (
            "{{ '<start_of_turn>' }}",
            "<start_of_turn>user\nBe brief.\n\nWho is there?<end_of_turn>\n<start_of_turn>model\n",
        ),
        ("", "Instructions: Be brief.\n\nQuestion: Who is there?\n\nAnswer: "),
    ],
)
def test_each_family_has_its_form(template: str, text: str) -> None:
    assert render(TALK, header(template)) == text


def test_an_answer_that_was_begun_is_gone_on_with() -> None:
    begun = render([*TALK, Message("assistant", "It is")], header("<|im_start|>"))
    assert begun.endswith("<|im_start|>assistant\nIt is")


def test_the_real_models_marks_are_known(model_file: Path) -> None:
    found = read_gguf_header(model_file)
    assert {"<|im_start|>", "<|im_end|>"} <= set(found.control)
    assert found.parameters == 134_515_008


@given(
    st.text(alphabet="<|imendstar_>[] \n", max_size=60), st.sampled_from(["<|im_end|>", "<|im_start|>", ""])
)
def test_nobodys_words_are_taken_for_a_mark(text: str, mark: str) -> None:
    model = header("<|im_start|>", "<|im_start|>", "<|im_end|>", "<s>")
    told = defuse(f"{text}{mark}{text}", model)
    assert not any(mark in told for mark in model.control)
    assert told.replace(" ", "") == f"{text}{mark}{text}".replace(" ", "")
