"""Renders a conversation as the text a model was trained to read; nobody's words can end their turn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from narratoria.inference.gguf import GgufHeader


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    text: str


# A text is continued as it stands; of messages, a last one by the assistant is continued, else it answers.
Prompt: TypeAlias = str | Sequence[Message]


@dataclass(frozen=True, slots=True)
class _ChatForm:
    """Describes how a family of models marks the speakers."""

    opening: str  # with {role}
    closing: str
    roles: tuple[str, str, str] = ("system", "user", "assistant")
    has_system: bool = True


# a mark that stands in the template: the form it is of
_FORMS = {
    "<|im_start|>": _ChatForm("<|im_start|>{role}\n", "<|im_end|>\n"),
    "<|start_header_id|>": _ChatForm("<|start_header_id|>{role}<|end_header_id|>\n\n", "<|eot_id|>"),
    "<|assistant|>": _ChatForm("<|{role}|>\n", "<|end|>\n"),
    "<start_of_turn>": _ChatForm(
        "<start_of_turn>{role}\n", "<end_of_turn>\n", ("user", "user", "model"), has_system=False
    ),
}
_PLAIN = _ChatForm("{role}: ", "\n\n", ("Instructions", "Question", "Answer"))


def render(prompt: Prompt, header: GgufHeader) -> str:
    """Return the prompt as the text to give to this model."""
    if isinstance(prompt, str):
        return defuse(prompt, header)
    form = next((form for mark, form in _FORMS.items() if mark in header.chat_template), _PLAIN)
    messages = list(prompt) if form.has_system else _folded(prompt)
    text = ""
    for number, message in enumerate(messages):
        text += _opening(form, message.role) + defuse(message.text, header)
        if message.role != "assistant" or number < len(messages) - 1:
            text += form.closing
    return text if messages and messages[-1].role == "assistant" else text + _opening(form, "assistant")


def defuse(text: str, header: GgufHeader) -> str:
    """Return the text with everything broken up that this model would read as a control mark."""
    marks = [mark for mark in header.control if mark in text]
    if not marks:
        return text
    pattern = "|".join(map(re.escape, sorted(marks, key=len, reverse=True)))
    return re.sub(pattern, lambda mark: f"{mark[0][0]} {mark[0][1:]}", text)


def _opening(form: _ChatForm, role: str) -> str:
    name = form.roles[("system", "user", "assistant").index(role)]
    return form.opening.format(role=name)


def _folded(messages: Sequence[Message]) -> list[Message]:
    """Put the system's words before the user's first, for models without a system role."""
    system_text = "\n\n".join(message.text for message in messages if message.role == "system")
    rest = [message for message in messages if message.role != "system"]
    if system_text and rest and rest[0].role == "user":
        return [Message("user", f"{system_text}\n\n{rest[0].text}"), *rest[1:]]
    return [Message("user", system_text), *rest] if system_text else rest
