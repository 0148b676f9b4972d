"""Puts a question as each provider expects it, and reads what it streams."""

from __future__ import annotations

import json
from collections import namedtuple

NOTHING: Mapping[str, float] = {}
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, NamedTuple

    from _provider_features import ProviderFeatures

    class ProviderQuestion(NamedTuple):
        system: str
        stable: str  # the beginning of the prompt that stays the same from turn to turn
        prompt: str  # the rest of it
        max_tokens: int
        temperature: float
        schema: dict[str, Any] | None = None  # that the answer is held to, where the provider can

    class AnswerPart(NamedTuple):
        text: str = ""  # empty: it is at work, thinking or waiting
        end: str = ""  # stop, length, refusal or tool; empty: more is to come
        counts: Mapping[str, float] = NOTHING  # of the provider: input, cached, output, money

else:
    ProviderQuestion = namedtuple(
        "ProviderQuestion", "system stable prompt max_tokens temperature schema", defaults=(None,)
    )
    AnswerPart = namedtuple("AnswerPart", "text end counts", defaults=("", "", NOTHING))

OLLAMA_CONTEXT = 8192  # its own default cuts off the beginning of a longer prompt without a word
OLLAMA_KEEP = "30m"  # that the model stays loaded after an answer
TOOL = "answer"
_ENDS = {
    "length": "length",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
    "tool_calls": "tool",
    "function_call": "tool",
    "tool_use": "tool",
}


class Unreadable(Exception):
    """The provider sent what is no answer; the message says what, and `gave_up` that it says so itself."""

    def __init__(self, message: str, *, gave_up: bool = False) -> None:
        super().__init__(message)
        self.gave_up = gave_up


# asking


def put_question(
    provider: str, model: str, question: ProviderQuestion, features: ProviderFeatures
) -> dict[str, Any]:
    """Return the body of the request."""
    common: dict[str, Any] = {"model": model, "stream": True}
    if provider == "claude":
        return {**common, **_for_claude(question)}
    prompt = question.stable + question.prompt
    common["messages"] = [
        {"role": "system", "content": question.system},
        {"role": "user", "content": prompt},
    ]
    if provider == "ollama":
        options = {
            "num_predict": question.max_tokens,
            "temperature": question.temperature,
            "num_ctx": OLLAMA_CONTEXT,
        }
        schema = {"format": question.schema} if question.schema else {}
        return {**common, "options": options, "keep_alive": OLLAMA_KEEP, **schema}
    common |= {"max_tokens": question.max_tokens, "temperature": question.temperature}
    common["stream_options"] = {"include_usage": True}
    if features.usage == "priced":
        common["usage"] = {"include": True}
    if features.cache == "cache_prompt":
        common["cache_prompt"] = True
    if question.schema and features.schema:
        described = {"name": TOOL, "schema": question.schema}
        common["response_format"] = {"type": "json_schema", "json_schema": described}
    return common


def _for_claude(question: ProviderQuestion) -> dict[str, Any]:
    marked = {"cache_control": {"type": "ephemeral"}}
    system = [{"type": "text", "text": question.system, **({} if question.stable else marked)}]
    content: Any = question.prompt
    if question.stable:
        content = [
            {"type": "text", "text": question.stable, **marked},
            {"type": "text", "text": question.prompt},
        ]
    body: dict[str, Any] = {
        "max_tokens": question.max_tokens,
        "temperature": min(question.temperature, 1.0),
        "system": system,
        "messages": [{"role": "user", "content": content}],
    }
    if question.schema:
        body["tools"] = [{"name": TOOL, "description": "Give the answer.", "input_schema": question.schema}]
        body["tool_choice"] = {"type": "tool", "name": TOOL}
    return body


def put_otherwise(body: dict[str, Any], refusal: str) -> dict[str, Any]:
    """Return the request without what this model refuses, or under the name that it wants instead."""
    if "max_tokens" in body and "max_completion_tokens" in refusal:
        return {**_less(body, "max_tokens"), "max_completion_tokens": body["max_tokens"]}
    for name in ("temperature", "stream_options", "cache_prompt", "response_format", "format", "keep_alive"):
        if name in body and name in refusal:
            return _less(body, name)
    if "response_format" in body and ("json_schema" in refusal or "schema" in refusal.lower()):
        return _less(body, "response_format")
    if "tools" in body and "tool" in refusal:
        return _less(body, "tools", "tool_choice")
    return body


def _less(body: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in names}


# reading


def read_parts(provider: str, lines: Iterator[bytes], *, wants_tool: bool = False) -> Iterator[AnswerPart]:
    """Yield the parts of a streamed answer, and nothing after its end but what was counted."""
    if provider == "ollama":
        yield from _read_ndjson(lines)
    elif provider == "claude":
        for event in _events(lines):
            yield AnswerPart() if event is None else _claude_part(event, wants_tool=wants_tool)
    else:
        for event in _events(lines):
            yield AnswerPart() if event is None else _openai_part(event)


def _events(lines: Iterator[bytes]) -> Iterator[dict[str, Any] | None]:
    """Yield server-sent events, of which one may take several lines; None for a sign of life."""
    data: list[bytes] = []
    for line in lines:
        if line.startswith(b"data:"):
            data.append(line[5:].lstrip())
        elif line.startswith(b":"):
            yield None
        elif not line and data:
            text, data = b"\n".join(data), []
            if text.strip() == b"[DONE]":
                return
            yield _decode(text)


def _openai_part(event: dict[str, Any]) -> AnswerPart:
    _raise_error(event)
    counts = _openai_counts(event.get("usage"))
    choices = event.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    delta = first.get("delta")
    delta = delta if isinstance(delta, dict) else {}
    if isinstance(delta.get("refusal"), str) and delta["refusal"]:
        return AnswerPart("", "refusal", counts)
    return AnswerPart(_text(delta.get("content")), _end(first.get("finish_reason")), counts)


def _claude_part(event: dict[str, Any], *, wants_tool: bool) -> AnswerPart:
    _raise_error(event)
    delta = event.get("delta")
    delta = delta if isinstance(delta, dict) else {}
    match event.get("type"):
        case "message_start":
            message = event.get("message")
            return AnswerPart(
                "", "", _claude_counts(message.get("usage") if isinstance(message, dict) else None)
            )
        case "content_block_delta":
            of_tool = wants_tool and delta.get("type") == "input_json_delta"
            return AnswerPart(_text(delta.get("partial_json" if of_tool else "text")))
        case "message_delta":
            end = _end(delta.get("stop_reason"))
            end = "" if end == "stop" or (end == "tool" and wants_tool) else end  # message_stop comes yet
            return AnswerPart("", end, _claude_counts(event.get("usage")))
        case "message_stop":
            return AnswerPart("", "stop")
    return AnswerPart()


def _read_ndjson(lines: Iterator[bytes]) -> Iterator[AnswerPart]:
    for line in lines:
        if not line.strip():
            continue
        chunk = _decode(line)
        _raise_error(chunk)
        message = chunk.get("message")
        message = message if isinstance(message, dict) else {"content": chunk.get("response")}
        if chunk.get("done") is True:
            counts = _counts(input=chunk.get("prompt_eval_count"), output=chunk.get("eval_count"))
            end = _end(chunk.get("done_reason")) or "stop"
            yield AnswerPart(_text(message.get("content")), end, counts)
            return
        yield AnswerPart(_text(message.get("content")), "tool" if message.get("tool_calls") else "")


def read_whole(text: bytes) -> AnswerPart:
    """Return the answer of a service that does not stream."""
    document = _decode(text)
    _raise_error(document)
    choices, content = document.get("choices"), document.get("content")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        message = choices[0].get("message")
        message = message if isinstance(message, dict) else {}
        end = "refusal" if message.get("refusal") else _end(choices[0].get("finish_reason")) or "stop"
        return AnswerPart(_text(message.get("content")), end, _openai_counts(document.get("usage")))
    if isinstance(content, list):
        blocks = [block for block in content if isinstance(block, dict)]
        answer = "".join(_text(block.get("text")) for block in blocks)
        answer = answer or "".join(json.dumps(block["input"]) for block in blocks if "input" in block)
        end = _end(document.get("stop_reason")) or "stop"
        return AnswerPart(
            answer, "stop" if answer and end == "tool" else end, _claude_counts(document.get("usage"))
        )
    return AnswerPart("", "stop")


def _openai_counts(usage: Any) -> dict[str, float]:
    if not isinstance(usage, dict):
        return {}
    details = usage.get("prompt_tokens_details")
    cached = (
        details.get("cached_tokens") if isinstance(details, dict) else usage.get("prompt_cache_hit_tokens")
    )
    return _counts(
        input=usage.get("prompt_tokens"),
        output=usage.get("completion_tokens"),
        cached=cached,
        money=usage.get("cost"),
    )


def _claude_counts(usage: Any) -> dict[str, float]:
    if not isinstance(usage, dict):
        return {}
    cached, written = usage.get("cache_read_input_tokens"), usage.get("cache_creation_input_tokens")
    fresh = usage.get("input_tokens")
    total = (
        sum(one for one in (fresh, cached, written) if isinstance(one, int)) if fresh is not None else None
    )
    return _counts(input=total, output=usage.get("output_tokens"), cached=cached)


def _counts(**values: Any) -> dict[str, float]:
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
    }


def _end(reason: Any) -> str:
    return _ENDS.get(reason, "stop") if isinstance(reason, str) and reason else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _raise_error(event: dict[str, Any]) -> None:
    if event.get("type") == "error" or event.get("error"):
        error = event.get("error")
        raise Unreadable(shorten(error.get("message") if isinstance(error, dict) else error), gave_up=True)


def _decode(text: bytes) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("sent what cannot be read") from None
    if not isinstance(document, dict):
        raise Unreadable("sent what cannot be read")
    return document


def read_message(text: bytes) -> str:
    """Return what a refusal says, in short."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    error = document.get("error") if isinstance(document, dict) else None
    return shorten(error.get("message") if isinstance(error, dict) else error)


def shorten(value: Any) -> str:
    text = " ".join(str(value or "").split())
    return text if len(text) <= 160 else f"{text[:160]}…"
