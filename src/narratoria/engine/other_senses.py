"""Reads a look that is put as a question as one for somebody, and a question that nobody hears as a look."""

from __future__ import annotations

import re

import msgspec

from narratoria.narrator.answer import LOOKS
from narratoria.planner.intent import Intent, Mention, ReadingContext
from narratoria.planner.mentions import find_thing

_QUESTION = re.compile(
    r"\?|^\W*(?:who|what|which|where|when|why|how|is|are|was|were|did|does)\b", re.IGNORECASE
)
_IS_THERE = re.compile(
    r"^\W*(?:and\s+|so\s+)?(?:is|are|isn't|aren't)\s+there\s+(?:a|an|any|some|no)\s+\w", re.IGNORECASE
)
_ANYWHERE = re.compile(
    r"\s+(?:anywhere|somewhere|nearby|about|around|here|in here|around here)\W*$", re.IGNORECASE
)


def find_other_sense(intent: Intent, context: ReadingContext) -> Intent | None:
    """Return what an intent may mean where nothing bears on it as it was read, or None."""
    return _as_question(intent, context) or _as_look(intent, context)


def _as_look(intent: Intent, context: ReadingContext) -> Intent | None:
    """Return a question whether there is something here, or one nobody hears, as a look; else None."""
    is_company = any(one.present for one in context.people)
    if intent.act == "think_back" and not is_company and _QUESTION.search(intent.text):
        thing = intent.thing or find_thing(intent.text, context)
        return msgspec.structs.replace(intent, act="examine", thing=thing, topic="", kind="")
    if intent.act != "ask" or not _IS_THERE.match(intent.text) or (intent.person and intent.person.text):
        return None
    text = _ANYWHERE.sub("", intent.text)
    thing = find_thing(text, context, [one.name for one in context.people])
    return (
        msgspec.structs.replace(intent, act="examine", person=None, thing=thing, kind="") if thing else None
    )


def _as_question(intent: Intent, context: ReadingContext) -> Intent | None:
    """Return a look that is put as a question as a question to whoever is here, or None."""
    present = [one for one in context.people if one.present]
    if intent.act not in LOOKS or not present or not _QUESTION.search(intent.text):
        return None
    listener = next((one for one in present if one.id == context.last_person), present[0])
    mention = Mention("", listener.id, listener.name)
    return msgspec.structs.replace(intent, act="ask", person=mention, thing=None, topic=intent.text)
