"""How somebody speaks, read off what the author lets them say, and any sentence said in that manner."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Temper: TypeAlias = Literal["plain", "terse", "formal", "lively", "grumbling", "bargaining"]
# what an author calls it, in the order in which it decides
_TEMPERS: tuple[tuple[Temper, str], ...] = (
    ("bargaining", r"bargain|price|haggl|deal|trad(?:e|ing)"),
    ("grumbling", r"complain|grumbl|sour|gruff|weary|grudging|sarcas"),
    ("lively", r"happy|cheer|fast|loud|eager|excited|breathless|bubbl|merry|quick"),
    ("terse", r"short|clipped|few words|terse|curt|brief|blunt|laconic|plain word|report"),
    ("formal", r"full sentences|formal|careful|courteous|polite|measured|gentl|precise|stately"),
)
_PAIRS: tuple[tuple[str, str], ...] = (  # as it is contracted, and whole
    ("I'm", "I am"), ("I've", "I have"), ("I'd", "I would"), ("I'll", "I will"), ("I can't", "I cannot"),
    ("you'd", "you would"), ("you've", "you have"), ("you're", "you are"), ("you'll", "you will"),
    ("it's", "it is"), ("that's", "that is"), ("there's", "there is"), ("who's", "who is"),
    ("what's", "what is"), ("isn't", "is not"), ("wasn't", "was not"), ("weren't", "were not"),
    ("don't", "do not"), ("doesn't", "does not"), ("didn't", "did not"), ("won't", "will not"),
    ("wouldn't", "would not"), ("couldn't", "could not"), ("haven't", "have not"), ("can't", "cannot"),
    ("nobody's", "nobody has"),
)  # fmt: skip
_DIALECT: tuple[tuple[str, str], ...] = (
    (r"\bI(?:'ve| have) never\b", "I never"),
    (r"\bI(?:'ve| have) been\b", "I been"),
    (r"\bI did\b", "I done"),
    (r"\banybody\b", "nobody"),
    (r"\bthose\b", "them"),
    (r"\bisn't\b", "ain't"),
)
_SPEAKS_DIALECT = re.compile(r"\bI (?:been|done|seen|give|never|ain't)\b|\b[Ww]hat(?:'d)? (?:you got|they)\b")
_BREAKS_OFF = re.compile(r"\b(?:the|an?|my|your|our|their|whose|who|when|and|because)[.]", re.IGNORECASE)
_STOPPING = re.compile(r"(?<=\s)(?:the|a|my|your|who|when|that|of|for|to|with)\s+(?=\w+\W*$)", re.IGNORECASE)
_GAP = "——"
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")
_SEVERAL = 2  # once may be chance


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
    def of(cls, person: Mapping[str, Any]) -> Manner:
        greetings = person.get("greetings") or {}
        sayings = [str(saying) for saying in (*(person.get("sayings") or ()), *greetings.values())]
        style = str(person.get("voice") or "").casefold()
        text = " ".join(sayings)
        temper: Temper = next(
            (one for one, words in _TEMPERS if re.search(rf"\b(?:{words})", style)), "plain"
        )
        return cls(
            temper=temper,
            contracts=_contracts(text) if sayings else temper != "formal",
            dialect=len(_SPEAKS_DIALECT.findall(text)) >= _SEVERAL,
            breaks_off=len(_BREAKS_OFF.findall(text)) >= _SEVERAL,
            leaves_gaps=sum(_GAP in saying for saying in sayings) >= _SEVERAL,
            exclaims=sum("!" in saying for saying in sayings) >= _SEVERAL,
            opener=_opener(sayings),
            names_nobody=re.search(r"\b(?:no|none|never|without)\b.*\bnames?\b", style) is not None,
        )

    def says(self, text: str) -> str:
        """A sentence or more, as they would say it; the words of the author's own lines are left alone."""
        text = _swapped(text, contract=self.contracts)
        if self.dialect:
            for plain, instead in _DIALECT:
                text = re.sub(plain, instead, text)
        if self.leaves_gaps:
            text = re.sub(r"\b(?:I'm|I am|I've|I|me|my|myself)\b", _GAP, text)
        if self.breaks_off:
            text = " ".join(_broken_off(sentence) for sentence in _SENTENCE.split(text))
        if self.exclaims:
            text = re.sub(r"\.(?=\s|$)", "!", text, count=1)
        return text


def _contracts(text: str) -> bool:
    """Whether they run words together more often than not, where they could."""
    run_together = len(re.findall(r"\w['’](?:m|ve|d|ll|re|t|s (?:a|the|no|not|all|it|for)\b)", text))
    whole = "|".join(re.escape(whole) for _, whole in _PAIRS)
    return run_together >= len(re.findall(rf"\b(?:{whole})\b", text, re.IGNORECASE))


def _swapped(text: str, *, contract: bool) -> str:
    for short, whole in _PAIRS:
        old, new = (whole, short) if contract else (short, whole)
        # “I have a note” is left as it is: only before a verb is it nothing but a helper
        helper = r"(?=\s+(?:never|not|been|no|\w+(?:ed|en|n|t)|to)\b)" if whole in _HAVE else r"(?=\s+\w)"
        after = helper if contract else ""  # nor is anything run together at the end of a sentence
        text = re.sub(rf"\b{re.escape(old)}\b{after}", new, text)
        text = re.sub(rf"\b{re.escape(old[:1].upper() + old[1:])}\b{after}", new[:1].upper() + new[1:], text)
    return text


_HAVE = ("I have", "you have", "nobody has", "I am")


def _broken_off(sentence: str) -> str:
    found = _STOPPING.search(sentence) if len(sentence.split()) > 4 else None
    return f"{sentence[: found.end()].rstrip()}." if found else sentence


def _opener(sayings: Sequence[str]) -> str:
    """A word of its own with which they begin, such as what they call the player."""
    first = (_SENTENCE.split(saying)[0] for saying in sayings)
    return next((one for one in first if re.fullmatch(r"[A-Z][a-z]+\.", one) and one not in _REFUSING), "")


_REFUSING = ("No.", "Yes.", "You.", "Please.")
