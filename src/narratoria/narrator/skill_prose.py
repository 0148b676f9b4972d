"""Tells what a skill has said as sentences of a story: its own words first, else what its values say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from narratoria.narrator.grammar import capital

TELL, SUMMARY, TEXT = "tell", "summary", "text"
OWN_KEYS = frozenset((TELL, SUMMARY, TEXT, "fact", "about", "choices", "effects", "json"))
CONTAINERS = frozenset(("flags", "state", "world", "data", "result", "output"))  # say nothing by their names
LONGEST = 600  # characters of what a skill has told in one scene
MOST_SENTENCES = 3  # made of values
LONGEST_VALUE = 160  # characters of a value that stands in a sentence
_SENTENCE = re.compile(r"[A-Z“\"‘'0-9].*[.!?…][”\"’']?$", re.DOTALL)
_TECHNICAL = re.compile(r"[{}<>\\]|://|^[\w.-]*/[\w./-]*$|^[\w-]*[\d_][\w-]*$|^[0-9a-f-]{16,}$")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def tell_result(
    output: Mapping[str, Any], patches: Sequence[Mapping[str, Any]] = (), summary: str = ""
) -> str:
    """Return what the player is told of a skill's result; empty where it holds nothing that can be told."""
    for text in (output.get(TELL), summary, output.get(SUMMARY), output.get(TEXT)):
        if prose := as_prose(text):
            return prose
    values = [*_sentences(output), *(sentence for patch in patches for sentence in _sentences(patch))]
    return " ".join(list(dict.fromkeys(values))[:MOST_SENTENCES])


def as_prose(text: Any) -> str:
    """Return a text of a skill as prose, cut at the end of a sentence; empty for what is no prose."""
    if isinstance(text, list):
        text = "\n\n".join(one for one in text if isinstance(one, str))
    if not isinstance(text, str) or not re.search(r"[^\W\d_]{2}", text) or text.lstrip()[:1] in ("{", "["):
        return ""
    paragraphs = [" ".join(block.split()) for block in text.split("\n\n") if block.strip()]
    return "\n\n".join(_cut(paragraph) for paragraph in paragraphs[:2])


def _cut(paragraph: str) -> str:
    text = capital(paragraph)
    if len(text) > LONGEST:
        ends = [match.end() for match in re.finditer(r"[.!?…][”\"’']?(?=\s)", text[:LONGEST])]
        text = text[: ends[-1]] if ends else text[: LONGEST - 1].rstrip() + "…"
    return text if text.endswith((".", "!", "?", "…", "”", '"', "’")) else f"{text}."


def _sentences(values: Mapping[str, Any], subject: str = "") -> Iterator[str]:
    """Yield a sentence for each value that can stand in one, those that are sentences by themselves first."""
    texts = {key: value for key, value in values.items() if key not in OWN_KEYS}
    yield from (
        str(value).strip()
        for value in texts.values()
        if isinstance(value, str) and _SENTENCE.fullmatch(value.strip()) and len(value) <= LONGEST
    )
    for key, value in texts.items():
        name = as_words(key)
        if isinstance(value, Mapping):
            yield from _sentences(value, subject if key in CONTAINERS else name)
        elif isinstance(value, bool):
            yield _state_sentence(subject, name, is_so=value)
        elif isinstance(value, str) and _can_stand(value):
            yield f"{capital(_the(name))}{_of(subject)} is {value.strip()}."


def _can_stand(value: str) -> bool:
    text = value.strip()
    is_short = bool(text) and len(text) <= LONGEST_VALUE and "\n" not in text
    return is_short and not _TECHNICAL.search(text) and not _SENTENCE.fullmatch(text)


def _state_sentence(subject: str, name: str, *, is_so: bool) -> str:
    """Return `lantern: {lit: true}` as "The lantern is lit.", and `torchLit: true` likewise."""
    words = name.split()
    if not subject and len(words) > 1:
        subject, name = " ".join(words[:-1]), words[-1]
    return f"{capital(_the(subject)) if subject else 'It'} is {'' if is_so else 'not '}{name}."


def _of(subject: str) -> str:
    return f" of {_the(subject)}" if subject else ""


def _the(subject: str) -> str:
    return subject if re.match(r"(?:the|a|an|your|my)\b", subject, re.IGNORECASE) else f"the {subject}"


def as_words(key: str) -> str:
    """Return a key as words: `torchLit`, `torch_lit` and `torch-lit` as "torch lit"."""
    if " " in key:
        return key.strip()
    return " ".join(word.lower() for word in _WORD.findall(key)) or key
