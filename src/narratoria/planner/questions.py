"""Tells the questions among a player's words: for others, for oneself, or about a thing here."""

from __future__ import annotations

import re

from narratoria.planner.intent import ReadingContext
from narratoria.planner.late_pattern import compile_late
from narratoria.planner.mentions import WORD, find_thing

LEAST_WORDS = 3  # of a question that can stand by itself

_SUBJECT = (
    r"(?:i|you|u|we|they|he|she|it|this|that|these|those|there|the|a|an|my|your|his|her|our|their|"
    r"any\w*|some\w*|every\w*|nobody)"
)
_QUESTION = compile_late(
    r"^\W*(?:and\s+|but\s+|so\s+|then\s+|hey\s+|please\s+)?(?:"
    r"(?:who|what|why|which|whose|whom|how)\b(?!\s+(?:a|an|nice|lovely|ever)\b)|"
    r"(?:who|what|where|when|why|how)['’]?(?:s|re|d)\b|"
    r"(?:where|when)\s+(?:is|are|was|were|do|does|did|will|would|can|could|should|have|has|had|exactly)\b|"
    r"(?:is|are|was|were|isn['’]?t|aren['’]?t|wasn['’]?t|weren['’]?t|does|did|doesn['’]?t|didn['’]?t|has|hasn['’]?t)\s+\w|"
    r"(?:do|don['’]?t|have|haven['’]?t)\s+(?:i|you|u|we|they|he|she|it|any(?:one|body)|these|those)\b|"
    r"(?:had|can|can['’]?t|could|couldn['’]?t|will|won['’]?t|would|wouldn['’]?t|"
    rf"should|shall|am|may|must)\s+{_SUBJECT}\b|"
    r"any\s+(?:idea|chance|news|luck)\b|got\s+any\b|\w+,?\s+(?:who|what|where|when|why|how)\s+(?!to\b)\w+|"
    r"if\s+.*\b(?:how|what|who|where|when)\s+(?:would|could|should|will|does|do)\b|(?:i|i['’]d)\s+(?:(?:really|just)\s+)?(?:want|like|need|would\s+like|wish)\s+to\s+"
    r"(?:know|hear|understand|learn)\b"
    r")",
    re.IGNORECASE,
)
_ASKS_ANYWHERE = compile_late(
    r"\b(?:who|what|where|when|why|how|which)(?:['’]?(?:s|re|d))?\b|^\W*(?:you|u|got|ever)\s+\w",
    re.IGNORECASE,
)
_BARE = compile_late(
    r"^\W*(?:\w+,?\s+)?(?:got\s+any|who|what|where|when|why|how)\b(?!\s+about\b)", re.IGNORECASE
)
_OWN_KNOWLEDGE = compile_late(
    r"\b(?:did|didn['’]?t|have|haven['’]?t|had|am|was|wasn['’]?t)\s+i\b|"
    r"\b(?:do|don['’]?t|should|would)\s+i\s+(?:\w+\s+)?(?:know|remember|recall|have|own|carry|hold|think|feel|believe|"
    r"suspect|understand|need|owe|find|recogni[sz]e)\b|"
    r"\bi(?:['’]ve|\s+have|\s+had|\s+was)?\s+(?:\w+\s+)?(?:know|knew|remember|recall|carrying|forget|forgot|forgotten|"
    r"found|learned|learnt|heard|seen)\b|"
    r"\b(?:told|said\s+to|gave|showed|asked|promised|warned|wrote|sent)\s+(?:to\s+)?me\b|"
    r"\bremind\s+me\b|\brecap\b|\bremember\b(?!\s*\?*$)|\bmy\s+(?:inventory|belongings|pockets?|bag|notes|memory)\b|\bso\s+far\b",
    re.IGNORECASE,
)
_OTHERS = compile_late(r"\b(?:you|your|yours|u|ur|ya)\b", re.IGNORECASE)
_ABOUT_THING = compile_late(
    r"^\W*(?:and\s+|so\s+)?(?:"
    r"what(?:['’]?s|\s+is|\s+are|\s+hangs|\s+lies|\s+stands|\s+sits)?\b|which\s+\w+|is\s+there|are\s+there|"
    r"any(?:thing)?\b|does\s+anything)"
    r"(?:\s+[\w'’-]+){0,5}?\s+"
    r"(?P<where>on|in|under|underneath|inside|behind|beneath|beside|above|upon|at\s+the\s+(?:back|bottom|foot|top)\s+of|"
    r"(?:odd|strange|special|wrong|unusual|funny|different|peculiar|interesting|remarkable|suspicious)\s+(?:about|with))\s+(?P<thing>.+)$",
    re.IGNORECASE,
)
_NOT_SEEN = compile_late(
    r"^\W*what\b.*\bfor\W*$|^\W*what\s*(?:happen|did|do|does|would|if|was|were|has|have|time|kind|about)",
    re.IGNORECASE,
)


def is_question(clause: str) -> bool:
    """Return whether a clause is put as a question, with or without its mark."""
    return clause.rstrip(' "”)!').endswith("?") or _QUESTION.match(clause) is not None


def is_bare_question(clause: str) -> bool:
    """Return whether a clause asks somebody something without asking them to do anything."""
    return _BARE.match(clause) is not None


def is_full_question(clause: str) -> bool:
    """Return whether a clause is a question that can stand by itself, and no "why?" after another."""
    return len(WORD.findall(clause)) >= LEAST_WORDS and (
        is_question(clause) or _ASKS_ANYWHERE.search(clause) is not None
    )


def is_about_own_knowledge(clause: str) -> bool:
    """Return whether a question is about what the player knows, carries or did: nobody else is asked."""
    return _OWN_KNOWLEDGE.search(clause) is not None and _OTHERS.search(clause) is None


def is_about_thing_here(clause: str, context: ReadingContext) -> bool:
    """Return whether a question asks what is on, in, under or odd about a thing of the place."""
    match = _ABOUT_THING.match(clause)
    if match is None or _NOT_SEEN.match(clause) or _OTHERS.search(clause):
        return False
    mention = find_thing(match["thing"], context)
    things = {thing.id for thing in context.things if thing.holder in ("", "player")}
    return mention is not None and mention.id in things
