"""Tells what the player knows already, carries, or could do next."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Sequence

from narratoria.narrator.answer_request import Answer, AnswerContext, AnswerRequest, Listener
from narratoria.narrator.composer_lines import SAYINGS
from narratoria.narrator.evidence import best_window, key_words, load_evidence_chooser
from narratoria.narrator.grammar import call_name, quote_speech
from narratoria.narrator.phrase_memory import fill_slots
from narratoria.narrator.word_lists import Temper

ABOUT_BELONGINGS = re.compile(
    r"\b(?:inventory|carry|carrying|pockets?|(?:have|got) (?:on|with) me|my (?:things|stuff|bag))\b"
    r"|^i$",
    re.IGNORECASE,
)
MEMORY_WORDS = frozenset(
    key_words(
        "remember remind recall think over happened know known found learned so far story about again case "
        "doing here"
    )
)
GENERAL = re.compile(  # everything is asked for, and nothing in particular
    r"\bso far\b|\bremind me (?:what|why|who|where)\b|\b(?:what|why) am i\b|\bwhere was i\b|\brecap\b|"
    r"\bwhat(?:'s| is) going on\b",
    re.IGNORECASE,
)

TRIFLE = re.compile(  # nobody thinks over a walk, or a look round
    r"You (?:went|go|walked|came|looked|waited|listened|rested|took a closer look|took stock|talked to|"
    r"began|greeted|examined|thought)\b[^.]*\.$"
)
TALK = re.compile(r"You (?:told|asked|showed)\b|[^.]{1,60} told you\b")  # what was done weighs more than that
COMPANY = (  # whom one meets where one is sent
    "{names} should be there.",
    "You'll find {names} there.",
    "Ask for {names}.",
    "There you'd have {names} to talk to.",
)
SIGHT = re.compile(
    r"(?:It|They|There|This|That|These|On|In|Under|Behind|Along|Beside) "
)  # of a thing, not an event
WHAT_HAPPENED = re.compile(r"\bthink (?:over|about) what(?: has|'s)? happened\W*$", re.IGNORECASE)
ADVISING_TEMPERS: tuple[Temper, ...] = ("plain", "terse", "formal")
ENOUGH, LATEST = 2, 4  # events that are enough to think over, and how many are gone over


def think_back(request: AnswerRequest, context: AnswerContext) -> Answer | None:
    """Return what the player knows of it, or the latest events where they ask for nothing in particular."""
    if ABOUT_BELONGINGS.search(request.topic or ""):
        text = f"You carry {join_names(context.items)}." if context.items else "You carry nothing of note."
        return Answer(text=text, fact="The player counted what they carry.", source="journal")
    threshold = load_evidence_chooser().threshold
    candidates = [one for one in request.evidence if one.relevance >= threshold and not one.secret]
    is_general = bool(GENERAL.search(request.words)) and " about " not in request.words
    events = [one for one in candidates if one.source in ("memory", "journal", "skill")]
    topic_words = set(key_words(request.topic)) - MEMORY_WORDS
    journal = [line for line in context.journal if topic_words & set(key_words(line))]
    windows = [best_window(request.topic, one.text) for one in events[:3]]
    sentences = list(dict.fromkeys((*windows, *journal[-3:])))
    lore = next(  # what nobody has told the player is not known to them
        (one for one in candidates if one.is_repeat and one.source in ("lore", "profile", "topic")), None
    )
    if lore:
        sentences.append(best_window(request.topic, lore.text))
    if WHAT_HAPPENED.search(request.words) and len(context.journal) >= ENOUGH:
        events_told = [line for line in context.journal if not TRIFLE.match(line)]
        deed_lines = [line for line in events_told if not TALK.match(line)]
        lines = deed_lines if len(deed_lines) >= ENOUGH else events_told or context.journal
        sentences = list(lines[-LATEST:])
    elif not topic_words or is_general or (not sentences and GENERAL.search(request.words)):
        events_told = [line for line in context.journal if not SIGHT.match(line)]
        sentences = [*context.premise, *events_told[-3:]]
    if not sentences:
        return None
    sentences = leave_out_contained(sentences)
    beginning = [one for one in sentences if one in context.premise]
    afterwards = [one for one in sentences if one not in context.premise]
    evidence = (*events[:3], *([lore] if lore else ()))
    return Answer(
        text="\n\n".join(" ".join(map(_with_stop, part)) for part in (beginning, afterwards) if part),
        fact="The player thought back on what had happened.",
        source=f"evidence:{evidence[0].id}" if evidence else "journal",
        evidence=tuple(one.id for one in evidence),
    )


def _with_stop(sentence: str) -> str:
    """Return a sentence with its full stop; one that ends in another mark, or in speech, as it is."""
    return sentence if re.search(r"[.!?…][”’\"')*]*$", sentence.rstrip()) else f"{sentence.rstrip()}."


def leave_out_contained(texts: Sequence[str]) -> list[str]:
    """Return the texts that stand in no other: a scene is kept whole, and its fact alone."""
    bare = [text.rstrip(".").casefold() for text in texts]
    return [
        text
        for at, text in enumerate(texts)
        if not any(
            bare[at] in other and (bare[at] != other or before < at)
            for before, other in enumerate(bare)
            if before != at
        )
    ]


def suggest(context: AnswerContext, adviser: Listener | None = None) -> Answer:
    """Return what could be done, inside the story; somebody who is asked names the way they would take."""
    if adviser and context.onward:
        return _point_onward(context, adviser)
    offers = join_names([f"{offer}" for offer in context.offers[:3]], last="or")
    return Answer(text=f"You take stock. You could {offers}.", fact="The player took stock.", source="offers")


def join_names(names: Sequence[str], last: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def _point_onward(context: AnswerContext, adviser: Listener) -> Answer:
    """Return where somebody would go in the player's place, and whom one meets there."""
    dice = random.Random(f"{context.seed}/advice")
    lines = [line for temper in ADVISING_TEMPERS for line in SAYINGS.to_go[temper]]
    last_told = {line: context.used.get(_advice_id(line), -1) for line in lines}
    line = dice.choice([line for line in lines if last_told[line] == min(last_told.values())])
    advice = fill_slots(line, {"place": context.onward})
    there = [
        call_name(context.names[who])
        for who, place in context.last_seen.items()
        if place == context.onward and who != adviser.id
    ]
    company = f" “{dice.choice(COMPANY).format(names=join_names(there))}”" if there else ""
    return Answer(
        text=f"{quote_speech(advice, f'says {adviser.short}')}{company}",
        fact=f"{adviser.name} told the player to try {context.onward}.",
        source="offers",
        units=(_advice_id(line),),
    )


def _advice_id(line: str) -> str:
    """Return what a line of advice is remembered by among the units that were told."""
    return f"advice/{zlib.crc32(line.encode()):08x}"
