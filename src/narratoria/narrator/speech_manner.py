"""Reads how somebody speaks off their sayings, and puts any sentence into that manner."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from narratoria.contracts.scene_facts import PersonFacts
from narratoria.narrator.grammar import capital
from narratoria.narrator.word_lists import WORDS, Temper

# what an author calls it, in the order in which it decides
_TEMPERS: tuple[tuple[Temper, str], ...] = tuple(
    (temper, "|".join(signs)) for temper, signs in WORDS.manner.tempers.items()
)
_PAIRS: tuple[tuple[str, str], ...] = tuple(WORDS.manner.contractions.items())  # contracted, and whole
_HAVE = ("I have", "you have", "nobody has", "anybody has", "I am")
# what follows a verb that is nothing but a helper
_PARTICIPLE = r"(?:never|not|been|come|found|had|heard|made|no|paid|said|told|\w+(?:ed|en|n|t)|to)\b"
_HAS = re.compile(
    r"\b(it|that|there|who|what)['’]s(?= (?:been|become|come|gone|got|had|happened)\b)", re.IGNORECASE
)
_HAD = re.compile(
    r"\b(I|you|it)['’]d(?= (?:been|better|done|given|gone|had|heard|known|left|lost|made|said|seen|told)\b)",
    re.IGNORECASE,
)
_NEGATED_QUESTION = re.compile(
    r"\b(do|does|did|is|was|were|wo|would|could|ca|have)n['’]t (I|you|he|she|it|we|they)\b", re.IGNORECASE
)
_WHOLE = {"wo": "will", "Wo": "Will", "ca": "can", "Ca": "Can"}
_DIALECT: tuple[tuple[str, str], ...] = (
    (r"\bI(?:'ve| have) never\b", "I never"),
    (r"\bI(?:'ve| have) been\b", "I been"),
    (r"\bI did\b(?! not\b)", "I done"),
    (r"(\b(?:never|not|no)\b[^.!?…]*|n't\b[^.!?…]*)\banybody\b", r"\1nobody"),
    (r"\bthose\b", "them"),
    (r"\bisn't\b", "ain't"),
)
_SPEAKS_DIALECT = re.compile(r"\bI (?:been|done|seen|ain['’]t)\b|\b[Ww]hat you got\b")
_BREAKS_OFF = re.compile(r"\b(?:the|an?|my|your|our|their|whose|who|when|and|because)[.]", re.IGNORECASE)
_STOPPING = re.compile(r"(?<=\s)(?:the|a|my|your|who|when|that|of|for|to|with)\s+(?=\w+\W*$)", re.IGNORECASE)
_GAP = "——"
_TITLES = ("Mr.", "Mrs.", "Ms.", "Dr.", "St.")  # with a full stop that ends no sentence
_AFTER_TITLE = "".join(rf"(?<!\b{re.escape(title)})" for title in _TITLES)
_SENTENCE = re.compile(rf"(?<=[.!?…]){_AFTER_TITLE}\s+")
_FULL_STOP = re.compile(rf"\.{_AFTER_TITLE}(?=\s|$)")
_SEVERAL = 2  # once may be chance
_NAMES_NOBODY = re.compile(
    r"\b(?:no|none of them|without(?: any)?|never (?:calls?|gives?|says?|uses?)(?: \w+){0,3}) names?\b"
)


@dataclass(frozen=True, slots=True)
class Manner:
    temper: Temper = "plain"
    contracts: bool = True  # “I'm”
    dialect: bool = False  # “I been”
    breaks_off: bool = False  # “You have the. For the metal.”
    leaves_gaps: bool = False  # “You have a ——.”
    exclaims: bool = False
    opener: str = ""  # “Founder.”
    names_nobody: bool = False

    @classmethod
    def of(cls, person: PersonFacts) -> Manner:
        greetings = list(person.greetings.values())
        sayings = [*person.sayings, *greetings]
        style = person.voice.casefold()
        text = " ".join(sayings)
        temper = _temper(style)
        return cls(
            temper=temper,
            contracts=_contracts(text) if sayings else temper != "formal",
            dialect=len(_SPEAKS_DIALECT.findall(text)) >= _SEVERAL,
            breaks_off=len(_BREAKS_OFF.findall(text)) >= _SEVERAL,
            leaves_gaps=sum(_GAP in saying for saying in sayings) >= _SEVERAL,
            exclaims=sum("!" in saying for saying in sayings) >= _SEVERAL,
            opener=_opener(sayings, greetings),
            names_nobody=_NAMES_NOBODY.search(style) is not None,
        )

    def says(self, text: str) -> str:
        """Return the text as the person would say it; the author's own lines are never changed."""
        text = _swap_contractions(text, contract=self.contracts)
        if self.dialect:
            for plain, instead in _DIALECT:
                text = re.sub(plain, instead, text)
        if self.leaves_gaps:
            text = re.sub(r"\b(?:I'm|I am|I've|I'd|I'll|I|me|my|myself)\b", _GAP, text)
        if self.breaks_off:
            text = " ".join(_break_off(sentence) for sentence in _SENTENCE.split(text))
        if self.exclaims:
            text = _FULL_STOP.sub("!", text, count=1)
        return text


def _temper(style: str) -> Temper:
    own_style = re.sub(
        r"\b(?:never|not|hardly|no longer) (?:too |very |in )?\w+", "", style
    )  # “quiet, never loud”
    return next((one for one, words in _TEMPERS if re.search(rf"\b(?:{words})", own_style)), "plain")


def _contracts(text: str) -> bool:
    """Return whether they contract words more often than not, where they could."""
    run_together = len(re.findall(r"\w['’](?:m|ve|d|ll|re|t|s (?:a|the|no|not|all|it|for)\b)", text))
    whole = "|".join(re.escape(whole) for _, whole in _PAIRS)
    return run_together >= len(re.findall(rf"\b(?:{whole})\b", text, re.IGNORECASE))


def _swap_contractions(text: str, *, contract: bool) -> str:
    if not contract:
        text = _HAD.sub(r"\1 had", _HAS.sub(r"\1 has", text))
        text = _NEGATED_QUESTION.sub(lambda match: f"{_WHOLE.get(match[1], match[1])} {match[2]} not", text)
        text = re.sub(r"\b([Ii]t)['’]d\b", r"\1 would", text)
    for short, whole in _PAIRS:
        old, new = (whole, short) if contract else (short, whole)
        # “I have a note” is left as it is, and so is “nobody's fool”: only before a verb is it a helper
        helper = rf"(?=\s+{_PARTICIPLE})" if whole in _HAVE else r"(?=\s+(?!(?:it|he|she|I|you)\b)\w)"
        # nor is anything run together at the end of a sentence, in “Who is it?” or in “what it is to wait”
        before = r"(?!(?<=\bwhat )it is to\b)" if contract else ""
        after = helper if contract or whole.endswith(" has") else ""
        for one, instead in ((old, new), (capital(old), capital(new))):
            pattern = re.escape(one).replace("'", "['’]")
            text = re.sub(rf"{before}\b{pattern}\b{after}", instead, text)
    return text


def _break_off(sentence: str) -> str:
    match = _STOPPING.search(sentence) if len(sentence.split()) > 4 else None
    return f"{sentence[: match.end()].rstrip()}." if match else sentence


def _opener(sayings: Sequence[str], greetings: Sequence[str]) -> str:
    """Return a word of its own with which they begin, such as what they call the player.

    One that stands in no greeting may be what a single saying is about: “Snow. It never stops.”
    """
    openers = [_SENTENCE.split(saying)[0] for saying in sayings]
    greeting_openers = {_SENTENCE.split(greeting)[0] for greeting in greetings}
    return next(
        (
            one
            for one in openers
            if _is_opener(one) and (one in greeting_openers or openers.count(one) >= _SEVERAL)
        ),
        "",
    )


def _is_opener(sentence: str) -> bool:
    word = sentence.removesuffix(".")
    return sentence.endswith(".") and word.istitle() and word.isalpha() and word not in _NO_OPENERS


# what answers, asks or is said on meeting
_NO_OPENERS = WORDS.manner.not_openers
