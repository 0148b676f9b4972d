"""Finds what a premise says is about to happen, and when."""

from __future__ import annotations

import re

from narratoria.campaign.enrich.nouns import Noun
from narratoria.campaign.enrich.premise_words import WORDS
from narratoria.campaign.lore import sentences

_COUNT = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a few|forty|thirty|twenty)"
_WHEN = re.compile(
    rf"\b(?:in {_COUNT} (?:more )?(?:minute|hour|day|night|week|month|year)s?|"
    r"tomorrow|tonight|by (?:dawn|noon|"
    r"dusk|midnight|morning|nightfall)|(?:on|by|this|next|until) (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    rf"before the (?:{'|'.join(sorted(WORDS.events))})|"
    r"before (?:dawn|winter|spring|the (?:snow|frost|rain|harvest)))\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    rf"\b(?P<event>{'|'.join(sorted(WORDS.events))})\b(?! (?:ring|dress|cake|room|hall|bell|house)\b)",
    re.IGNORECASE,
)
_HAS_NO_SUBJECT = re.compile(r"(?:wants?|has|have|is|are|must|will|needs?|means?) ")
LONGEST_DEADLINE = 30  # words of a sentence that holds all through a story


def find_deadline(text: str) -> str:
    """Return the clause that says when something happens; empty without one."""
    for paragraph in text.split("\n"):
        for sentence in sentences(paragraph):
            clauses = (
                re.split(r"(?<=[a-z0-9]), (?=[a-z])|; ", sentence)
                if len(sentence.split()) > 12
                else [sentence]
            )
            for clause in clauses:
                is_whole = not _HAS_NO_SUBJECT.match(clause) or len(sentence.split()) > LONGEST_DEADLINE
                wording = clause if is_whole else sentence
                if _WHEN.search(wording) and 2 < len(wording.split()) <= LONGEST_DEADLINE:
                    plain = re.sub(r"^(?:and|but|so) ", "", wording.strip()).rstrip(".!?…,")
                    return f"{plain[:1].upper()}{plain[1:]}."
    return ""


def find_event(text: str) -> Noun | None:
    """Return what is about to happen: what the deadline names, else the first event of the text."""
    match = _EVENT.search(find_deadline(text)) or _EVENT.search(text)
    return Noun(match["event"].casefold()) if match else None
