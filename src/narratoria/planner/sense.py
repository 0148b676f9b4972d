"""Judges whether words make sense together: whether their order is one that players write."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection
from functools import cache
from importlib.resources import files
from itertools import pairwise

import msgspec

LEAST_WORDS = 4  # a shorter line is a terse command, and its order says nothing
_TOKEN = re.compile(r"[a-z]+(?:['’][a-z]+)?|\d+|[,.!?;:…—–\"“”()]")
_BEGINNING = re.compile(  # however strange the rest, somebody does or asks something
    r"(?:^|[.?!])\W*(?:i|i'm|i'll|you|who|what|where|when|why|how|which|do|does|did|can|could|would|is|are)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,'’] )[A-Z][a-z]+")  # within a sentence
_STOPS = frozenset(',.!?;:…—–"“”()')


class SenseModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Holds how probable each little word is after another, and what each sign of sense weighs."""

    words: frozenset[str]  # little words that stand for themselves
    pairs: dict[str, dict[str, float]]  # natural logarithm of how probable the second is after the first
    unseen: float  # of a pair that never stood together
    weights: tuple[float, ...]
    threshold: float  # of the weighed signs: above it, no sense is made


@cache
def load_sense_model() -> SenseModel:
    """Return the model that ships, fitted by `python -m evals.answers.fit_sense`."""
    data = files("narratoria.planner").joinpath("data/sense.json").read_bytes()
    return msgspec.json.decode(data, type=SenseModel)


def makes_sense(text: str, vocabulary: Collection[str], names: Collection[str]) -> bool:
    """Return whether the words of a line stand in an order that players write; names count as known."""
    model = load_sense_model()
    if len(re.findall(r"[^\W\d_]+", text)) < LEAST_WORDS or _BEGINNING.search(text):
        return True
    text = _without_accents(text)
    signs = signs_of(text, model, vocabulary, {*names, *map(str.casefold, _NAME.findall(text))})
    score = sum(weight * sign for weight, sign in zip(model.weights, signs, strict=True))
    return score < model.threshold


def _without_accents(text: str) -> str:
    """Return “Gavle” for “Gävle”: the little model knows plain letters alone."""
    return "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))


def signs_of(
    text: str, model: SenseModel, vocabulary: Collection[str], names: Collection[str]
) -> tuple[float, ...]:
    """Return what tells sense from nonsense: strange words, unlikely pairs, pairs never seen, and length."""
    tokens = _TOKEN.findall(text.casefold().replace("’", "'"))
    words = [token for token in tokens if token not in _STOPS]
    is_known = [_is_known(word, vocabulary) or word in names for word in words]
    strange = 1 - sum(is_known) / max(1, len(words))
    classes = ["^", *(_class_of(token, model.words) for token in tokens), "$"]
    costs = [-model.pairs.get(a, {}).get(b, model.unseen) for a, b in pairwise(classes)]
    mean = sum(costs) / len(costs)
    never = sum(cost >= -model.unseen for cost in costs) / len(costs)
    length = 1 / math.sqrt(len(costs))
    return (1.0, strange, mean, never, length, mean * length, never * length, strange**0.5)


def _class_of(token: str, words: Collection[str]) -> str:
    if token in words or token in ("^", "$"):
        return token
    if token in _STOPS:
        return ","
    if token.isdigit():
        return "9"
    ending = next((end for end in ("ing", "ed", "ly", "s") if token.endswith(end) and len(token) > 4), "")
    return f"-{ending}"


def _is_known(word: str, vocabulary: Collection[str]) -> bool:
    bare = word.split("'", maxsplit=1)[0]
    stems = (bare, *(bare.removesuffix(end) for end in ("s", "es", "ed", "d", "ing", "ly", "er")))
    return bare.isdigit() or any(stem in vocabulary or f"{stem}e" in vocabulary for stem in stems)
