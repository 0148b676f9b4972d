"""Compiles the patterns by which the continuity gate reads a sentence.

`data/gate-patterns.json` and `data/words.json` hold their words, and the schemas beside them say what for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

import msgspec

from narratoria.narrator.repertoire import load_repertoire
from narratoria.narrator.word_lists import WORDS


class ConstraintPatterns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The wordings of a constraint, and what a sentence must not say under it."""

    constraint: tuple[str, ...]
    forbids: tuple[str, ...]


class GatePatterns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Alternatives of regular expressions, by what they are looked for."""

    past_before: tuple[str, ...]
    past_after: tuple[str, ...]
    dead_after: tuple[str, ...]
    away_before: tuple[str, ...]
    away_anywhere: tuple[str, ...]
    being_away: tuple[str, ...]
    decisions: tuple[str, ...]
    uses: tuple[str, ...]
    after_used_item: tuple[str, ...]
    containers: tuple[str, ...]
    denials: tuple[str, ...]
    negations: tuple[str, ...]
    constraints: tuple[ConstraintPatterns, ...]
    not_prose: tuple[str, ...]
    talk_of_model: tuple[str, ...]
    talk_to_user: tuple[str, ...]
    commits: tuple[str, ...]
    fails: tuple[str, ...]
    succeeds: tuple[str, ...]
    of_elsewhere: tuple[str, ...]


def _compile_words(alternatives: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that matches any of the alternatives as whole words, in any case."""
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


_PATTERNS = msgspec.json.decode(
    files("narratoria.narrator").joinpath("data/gate-patterns.json").read_bytes(), type=GatePatterns
)
SPEAKING = "|".join(WORDS.gate.speaking)
# “says Hob”, and not “you asked Hob”
NOT_ASKED = "".join(rf"(?<!\b{who} )" for who in ("you", "You", "he", "she", "they", "I", "we", "who", "to"))
_IRREGULAR = WORDS.gate.irregular_verbs
# what ends in -s or -ed and is no act, after a name
_NOT_ACTS = WORDS.gate.not_acts
TITLES = WORDS.gate.titles
_PAST_BEFORE = _compile_words(_PATTERNS.past_before)
_PAST_AFTER = _compile_words(_PATTERNS.past_after)
_LYING_STILL = WORDS.gate.lying_still
_DEAD_AFTER = _compile_words(_PATTERNS.dead_after)
_AWAY_BEFORE = _compile_words(_PATTERNS.away_before)
_AWAY_ANYWHERE = _compile_words(_PATTERNS.away_anywhere)
# “is gone”, and not “whispers, and is gone”
_IS_AWAY = re.compile(rf"\s+(?:\w+\s+){{0,2}}(?:{'|'.join(_PATTERNS.being_away)})\b")


def is_of_the_past(before: str, act: str, after: str) -> bool:
    """Return whether an act of the dead is told as one of the past."""
    if _PAST_BEFORE.search(before) or _PAST_AFTER.search(after) or act == "died":
        return True
    if act in _LYING_STILL and _DEAD_AFTER.search(after):
        return True
    return not act.endswith("s") and re.search(r"\bonce\b", after) is not None


def is_elsewhere(before: str, act: str, after: str) -> bool:
    """Return whether an act of somebody absent is told as done elsewhere, or not yet, or perhaps."""
    if _AWAY_BEFORE.search(before) or _AWAY_ANYWHERE.search(before) or _AWAY_ANYWHERE.search(after):
        return True
    if act == "is":
        return _IS_AWAY.match(after) is not None
    return not act.endswith("s") and re.search(r"\bonce\b", after) is not None


_SPEECH = "|".join(WORDS.gate.player_speech)
YOU_SPEAK = re.compile(
    rf"\b[Yy]ou (?:\w+ly )?(?:{_SPEECH})\b|\byour (?:voice|answer|reply|words)\b[^.]*“…”", re.IGNORECASE
)
YOU_DECIDE = re.compile(
    r"\b[Yy]ou (?:have |finally |then |quickly |at last |must |will |now )*"
    rf"({'|'.join(_PATTERNS.decisions)})\b(?! to be)"
)
NARRATOR_I = re.compile(
    r"(?<![\w.“])(?:I|I'm|I've|I'll|I'd|[Mm]yself)\b(?!\. ?[A-Z]\.)(?=\s+[a-z])|\b[Mm]y\s+[a-z]+"
)
_GETTING = r"(?:draw|take|pull|produce|fish|bring|get|slip)(?: out)? (?:a|an|the|your)"
YOU_USE = re.compile(
    rf"\b[Yy]ou (?:\w+ly )?(?:{'|'.join(_PATTERNS.uses)})"
    r"\s+(?:your|the|a|an|his|her)\s+(?:[a-z]+-)?(?:\w+\s+){0,2}?(?P<thing>[a-z]+)"
    rf"(?=[\s,.;:!?—]+(?:{'|'.join(_PATTERNS.after_used_item)})\b|[.,;!?])"
    rf"|\b(?:[Ff]rom|[Oo]ut of) your (?:{'|'.join(_PATTERNS.containers)})"
    rf"[^.]{{0,20}}\byou {_GETTING}\s+(?:\w+\s+){{0,2}}?(?P<thing2>[a-z]+)"
    r"(?=[\s,.;:!?—]+(?:and|to|in|out|from|with)\b|[.,;])"
    rf"|\b[Yy]ou (?:\w+ly )?{_GETTING}\s+(?:[\w-]+\s+){{0,3}}?(?P<thing3>[a-z]+)"
    rf" (?:out of|out from|from) your (?:{'|'.join(_PATTERNS.containers)})"
)
NOT_A_THING = WORDS.gate.not_items
BEING_SOMEWHERE = "|".join(WORDS.gate.being_somewhere)
DENIED = re.compile(rf"\b(?:{'|'.join(_PATTERNS.denials)})\b|n't\b", re.IGNORECASE)
DENIED_AFTER = re.compile(
    r"\s+(?:is|are|was|were|it is|there is)?\s*(?:not|never|none|no)\b"
    r"|[^.]*,\s+(?:but|yet)\s+(?:it|that|this|there)\b[^.]*\b(?:not|no|never|only|just|\w+n't)\b",
    re.IGNORECASE,
)
_KNOWN_CONSTRAINTS = tuple(("|".join(one.constraint), "|".join(one.forbids)) for one in _PATTERNS.constraints)
_NEGATIVE = _compile_words(_PATTERNS.negations)
_STOP = WORDS.gate.stop_words


def is_act_verb(word: str) -> bool:
    """Return whether a word after a name says that somebody does something."""
    lowered = word.casefold()
    if lowered in _NOT_ACTS:
        return lowered == "is"  # “Hob is polishing a glass”
    return lowered in _IRREGULAR or re.fullmatch(r"[a-z]{2,}(?:[^s]s|ed)", lowered) is not None


@lru_cache(maxsize=256)
def forbidden_by(constraint: str) -> re.Pattern[str] | None:
    """Return what a sentence must not say under a constraint; None for one that cannot be read."""
    forbidden = [
        forbids for pattern, forbids in _KNOWN_CONSTRAINTS if re.search(pattern, constraint, re.IGNORECASE)
    ]
    if forbidden:
        return re.compile("|".join(forbidden), re.IGNORECASE)
    match = _NEGATIVE.search(constraint)
    if not match:
        return None
    head = re.split(r"\b(?:before|until|unless|whatever|except)\b", constraint)[0]
    stems = [
        word.casefold()[:5] for word in re.findall(r"[^\W\d_]{4,}", head) if word.casefold() not in _STOP
    ]
    if not 2 <= len(stems) <= 5:
        return None  # one word would refuse too much, and many are never said together
    together = "".join(rf"(?=.*\b{re.escape(stem)})" for stem in stems)
    return re.compile(rf"\A{together}", re.IGNORECASE | re.DOTALL)  # once, and not from every letter on


NOT_PROSE = re.compile("|".join(_PATTERNS.not_prose), re.MULTILINE)
TALK_OF_MODEL = re.compile("|".join(_PATTERNS.talk_of_model), re.IGNORECASE)
TALK_TO_USER = re.compile("|".join(_PATTERNS.talk_to_user), re.MULTILINE)
FAILS = re.compile("|".join(_PATTERNS.fails))
SUCCEEDS = re.compile("|".join(_PATTERNS.succeeds))
OF_ELSEWHERE = _compile_words(_PATTERNS.of_elsewhere)
YOU_COMMIT = re.compile("|".join(_PATTERNS.commits))
# capitalised without being a name
CAPITALISED = WORDS.gate.capitalised
# words that may stand first in a sentence before a verb of speaking or a name
OPENERS = WORDS.gate.openers
WORLD_NAMES = WORDS.gate.world_names
TELLING = WORDS.gate.telling
# “from your belt you take your spyglass”, whatever is done with it
_THINGS = "|".join(sorted(WORDS.gate.carried_things, key=len, reverse=True))
_HANDLING = "draw|take out|pull out|produce|unsheathe|brandish|light|throw|unfold|put on|raise|aim|load"
YOUR_THING = re.compile(
    rf"\b(?:[Yy]our|[Yy]ou (?:\w+ly )?(?:{_HANDLING}) (?:a|an|the|your))"
    rf"\s+(?:(?!own\b)\w+\s+)?(?P<thing>{_THINGS})\b(?!-)"
)


@cache
def _ordinary_words() -> frozenset[str]:
    """Return the words that the repertoire writes without a capital: a label or a title is no new name."""
    text = " ".join(unit.text for unit in load_repertoire())
    return frozenset(re.findall(r"(?<![A-Za-z’'])[a-z]{3,}", text))


def is_no_invented_name(name: str) -> bool:
    """Return whether a capitalised word is an ordinary one, or a name of the world we all live in."""
    lowered = name.casefold()
    forms = {lowered, lowered.removesuffix("s"), lowered.removesuffix("es"), re.sub(r"ies$", "y", lowered)}
    if re.search(r"(?:ings?|tions?|ments?|ness|ity|[ae]nce|ship|hood|able|ful|ologist|ery)$", lowered):
        return True  # a label, and nobody's name
    return bool(forms & (CAPITALISED | WORLD_NAMES | TITLES | OPENERS | _ordinary_words()))


# what somebody has done who is there: “has sat down beside you”
COME_IN = (
    r"has (?:\w+ly )?(?:just )?(?:come|lowered|stepped|sat|settled|arrived|joined|appeared|followed|"
    r"leaned|leant|stopped|turned|drawn|taken a|taken the|risen|knelt|crouched|bent|climbed|walked|hurried|"
    r"put down)"
)
PLACE_BEFORE = re.compile(r"\b(?:in|at|from|to|of|since|near|for|on|over) $")
# “yes”, “never”, “I”: words by which one binds oneself
BINDING = frozenset(("i", "i'll", "i’ll", "we", "yes", "no", "never", "agreed", "aye", "nay", "done", "deal"))
_LOOKING = r"(?:see|look|hear|watch|think|remember|point|glance|gaze|stare|know|smell|imagine|nod|face|turn)"
_GOING = (
    r"(?:are|stand|sit|wake|arrive|step|walk|go|come|climb|run|hurry|slip|duck|push|cross|return|"
    r"find yourself|end up|emerge|follow \w+|make your way|head|descend|reach|enter|leave \w+|kneel|lean)"
)


@lru_cache(maxsize=256)
def _at_place(name: str) -> re.Pattern[str]:
    place = rf"(?:the\s+)?{re.escape(name)}\b(?!['’]s)"
    inside = r"(?:in|into|inside|at|to|on|onto|back in|back at|up in|up to|down in|down to|through|for)"
    return re.compile(
        rf"\byou (?:\w+ly )?(?:{BEING_SOMEWHERE})\s+{place}"
        rf"|\byou(?:['’]re| are)? (?:\w+ly |now |then |already |suddenly |both )*(?!{_LOOKING}){_GOING}\b"
        rf"[^.;:,“”]{{0,40}}?\b{inside}\s+{place}"
        rf"|\b(?:standing|sitting|kneeling|waiting) {inside}\s+{place}"
        rf"|{place},? where you (?:are|stand|sit)\b"
        rf"|\byour (?:back|feet|hands?|face|knees?|boots?)\b[^.,;]{{0,12}}\b(?:in|at|of)\s+{place}",
        re.IGNORECASE,
    )


def is_at_place(bare: str, name: str) -> bool:
    """Return whether a sentence has the player be at a place, or come to it."""
    match = _at_place(name).search(bare)
    return match is not None and not DENIED.search(match[0])
