# ruff: noqa: E501  # a pattern is read whole
"""Defines the patterns by which the continuity gate reads a sentence."""

from __future__ import annotations

import re
from functools import lru_cache

from narratoria.narrator.word_lists import WORDS

SPEAKING = "|".join(WORDS.gate.speaking)
# “says Hob”, and not “you asked Hob”
NOT_ASKED = "".join(rf"(?<!\b{who} )" for who in ("you", "You", "he", "she", "they", "I", "we", "who", "to"))
_IRREGULAR = WORDS.gate.irregular_verbs
# what ends in -s or -ed and is no deed, after a name
_NOT_ACTS = WORDS.gate.not_acts
TITLES = WORDS.gate.titles
# what, said before a deed in its clause, makes it one of another time: remembered, dreamt of, or long done
_PAST_BEFORE = re.compile(
    r"\b(?:remember\w*|memor\w+|recall\w*|comes? back to you|forgotten|(?:the|your|his|her|their|our|poor) late|grave|tomb|buried|ghost|dream\w*|"
    r"once|used to|had|would have|years ago|back then|in those days|before (?:he|she|they) died|portrait|photograph|"
    r"painting|as if|as though|no longer|last words?|mourn\w*|funeral|imagin\w+|if|perhaps)\b",
    re.IGNORECASE,
)
_PAST_AFTER = re.compile(
    r"\b(?:grave|tomb|coffin|buried|portrait|photograph|painting|no longer|no more|(?:years|long) ago|back then|"
    r"in those days|before (?:he|she|they) died|in (?:your|his|her|their) (?:dreams?|mind|memory|head))\b",
    re.IGNORECASE,
)
_LYING_STILL = WORDS.gate.lying_still
_DEAD_AFTER = re.compile(r"\b(?:dead|died|killed|asleep|cold)\b", re.IGNORECASE)
# the same for somebody who is only not here: thought of, spoken of, written by
_AWAY_BEFORE = re.compile(
    r"\b(?:remember\w*|recall\w*|comes? back to you|forgotten|think of|imagin\w+|once|used to|had|would|will|might|may|could|must be|perhaps|maybe|"
    r"if|when(?! you)|whenever|until(?! you)|as if|as though|distant|letter|message|note|rumou?r|told you|always|never|"
    r"(?:told|tells?|says?|said|hears?|heard|knows?|knew|believes?|supposes?|swears?|writes?|wrote) that)\b",
    re.IGNORECASE,
)
_AWAY_ANYWHERE = re.compile(
    r"\b(?:somewhere|elsewhere|by now|far away|far off|in the distance|miles|they say|you heard|not here|from afar|"
    r"through the (?:wire|phone|radio|telephone)|in (?:his|her|their|a|the) (?:last )?(?:letter|message|note))\b",
    re.IGNORECASE,
)
# “is gone”, and not “whispers, and is gone”
_IS_AWAY = re.compile(
    r"\s+(?:\w+\s+){0,2}(?:gone|away|absent|missing|nowhere|not (?:here|there|with|among))\b"
)


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
    r"(decided?|choose|chose|agreed?|promised?|swear|swore|vow(?:ed)?|accept(?:ed)?|refused?|resolved?|"
    r"make up your mind|made up your mind|forgave|forgive|consent(?:ed)?|surrender(?:ed)?|confess(?:ed)?|"
    r"fall in love|fell in love|betray(?:ed)?|give up|gave up|pledge[d]?|kill(?:ed)?|attack(?:ed)?)\b(?! to be)"
)
NARRATOR_I = re.compile(
    r"(?<![\w.“])(?:I|I'm|I've|I'll|I'd|[Mm]yself)\b(?!\. ?[A-Z]\.)(?=\s+[a-z])|\b[Mm]y\s+[a-z]+"
)
YOU_USE = re.compile(
    r"\b[Yy]ou (?:\w+ly )?(?:draw|drew|unsheathe|pull out|pulled out|take out|took out|produce|brandish|wield|"
    r"raise|raised|level|aim|fire|load|grip|heft|swing|hand over|unfold|uncork|light|lit|drink|strap on|put on|"
    r"slip on|reach for|pocket|sheathe)\s+(?:your|the|a|an|his|her)\s+(?:[a-z]+-)?(?:\w+\s+){0,2}?(?P<thing>[a-z]+)"
    r"(?=[\s,.;:!?—]+(?:and|from|at|to|out|in|with|towards?|into|against|over|on|of|as|for|by|up|off|then|before|while)\b|[.,;!?])"
    r"|\b(?:from|out of) your (?:pocket|pack|bag|belt|coat|sleeve|satchel)[^.]{0,20}\byou (?:draw|take|pull|produce) (?:a|an|the|your)\s+(?:\w+\s+)?(?P<thing2>[a-z]+)"
)
NOT_A_THING = WORDS.gate.not_items
BEING_SOMEWHERE = "|".join(WORDS.gate.being_somewhere)
DENIED = re.compile(
    r"\b(?:not|never|nobody|no one|nothing|none|no|cannot|n't|without|neither|nor|as if|as though|almost|nearly|could have|might have|afraid)\b|n't\b",
    re.IGNORECASE,
)
DENIED_AFTER = re.compile(
    r"\s+(?:is|are|was|were|it is|there is)?\s*(?:not|never|none|no)\b|[^.]*,\s+(?:but|yet)\s+(?:it|that|this|there)\b[^.]*\b(?:not|no|never|only|just|\w+n't)\b",
    re.IGNORECASE,
)
# a wind dies down, and it was the wire that died
_DYING = r"(?<!\bit )\b(?:dies|died)\b(?! (?:away|down|out)\b)|\b(?:dead|dying|kill(?:s|ed|ing)?|corpse|slain|murder(?:s|ed)?|lifeless|breathes (?:his|her|their) last|bleeds? to death|perish(?:es|ed)?|drown(?:s|ed))\b"
_MAGIC = r"\b(?:magic\w*|spells?|wizards?|witch(?:es)?|sorcer\w+|enchant\w*|incantation|conjur\w+|levitat\w+|teleport\w*|summons? (?:a|the) (?:demon|spirit|ghost)|glowing runes?|wand)\b"
_LYING = (
    r"\b(?:(?:is|are|was|were|been) lying to you|lied|(?:tells?|told) (?:you )?(?:a|another) lie|deceiv\w+)\b"
)
_BLOOD = r"\b(?:blood\w*|gore|gory|entrails|dismember\w*|decapitat\w*)\b"
_GUN = r"\b(?:guns?|pistols?|rifles?|revolvers?|shotguns?|bullets?)\b"
_KNOWN_CONSTRAINTS: tuple[tuple[str, str], ...] = (
    (
        r"\b(?:nobody|no one|no-one|none) (?:\w+ )?(?:dies|is killed|may die|can die)|\bno (?:death|deaths|killing)\b|\bnever dies?\b",
        _DYING,
    ),
    (r"\b(?:no|nothing|not|never|without)\b[^.]*\bmagic", _MAGIC),
    (r"\b(?:nobody|no one)\b[^.]*\b(?:lying|lies)\b", _LYING),
    (r"\b(?:no|never)\b[^.]*\b(?:blood|gore)\b", _BLOOD),
    (r"\b(?:no|never|not)\b[^.]*\b(?:guns?|firearms?|pistols?)\b", _GUN),
)
_NEGATIVE = re.compile(
    r"\b(?:no|never|nobody|no one|nothing|not|cannot|must not|may not|without)\b", re.IGNORECASE
)
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
    for pattern, forbidden in _KNOWN_CONSTRAINTS:
        if re.search(pattern, constraint, re.IGNORECASE):
            return re.compile(forbidden, re.IGNORECASE)
    match = _NEGATIVE.search(constraint)
    if not match:
        return None
    stems = [
        word.casefold()[:6]
        for word in re.findall(r"[^\W\d_]{4,}", constraint)
        if word.casefold() not in _STOP
    ]
    if not 2 <= len(stems) <= 4:
        return None  # one word would refuse too much, and many are never said together
    return re.compile("".join(rf"(?=.*\b{re.escape(stem)})" for stem in stems), re.IGNORECASE | re.DOTALL)


NOT_PROSE = re.compile(
    r"(?im)^\s*(?:[-*•]\s|\d+[.)]\s|#+\s|(?:choices?|options?|scene|narrator|player|assistant|user|note|output|paragraph \d)\s*:).*$"
    r"|\bas an? (?:AI|language model)\b|\bWhat (?:do|will|would) you do(?: next)?\?|\b(?:dungeon|game) master\b|"
    r"\bdice roll\b|\b\d?d(?:6|20)\b|<\|?\w+\|?>|```|\bthe player\b|\b(?:partial )?success\b(?= roll|:)"
)
# capitalised without being a name
CAPITALISED = WORDS.gate.capitalised
# words that may stand first in a sentence before a verb of speaking or a name
OPENERS = WORDS.gate.openers
