"""Loads the stop words, which say nothing about what a text is about.

`data/stop-words.json` holds them and `data/stop-words.schema.json` says what each list is for.
"""

from __future__ import annotations

from importlib.resources import files

import msgspec


class StopWordsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that are left out always, in a question alone, and in what names somebody or something alone."""

    common: frozenset[str]
    in_questions: frozenset[str]
    in_mentions: frozenset[str]


_FILE = msgspec.json.decode(
    files("narratoria.inference").joinpath("data/stop-words.json").read_bytes(), type=StopWordsFile
)
QUESTION_STOP_WORDS = _FILE.common | _FILE.in_questions
MENTION_STOP_WORDS = _FILE.common | _FILE.in_mentions
