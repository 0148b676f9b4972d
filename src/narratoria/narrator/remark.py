"""Words what somebody says first about what has happened since the player last spoke with them.

`data/remarks.json` holds the lines and `data/remarks.schema.json` says what they may hold.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec

from narratoria.narrator.answer_request import AnswerContext, Listener
from narratoria.narrator.first_person import in_first_person
from narratoria.narrator.grammar import TITLES, call_name, capital, quote_speech
from narratoria.narrator.repertoire import fill_slots, person_slots, thing_slots

Knowing: TypeAlias = Literal["own", "seen", "heard"]
Feeling: TypeAlias = Literal["any", "warm", "cold"]
RESTED = 60  # turns before a line is said again while another fits
MANNER_WEIGHT, FEELING_WEIGHT, KIND_WEIGHT = 2.0, 2.0, 3.0
NEAR = 2.0  # by how much a line may fit worse than the best and still be said
_SOMEBODY = re.compile(  # what an offer calls somebody who has not been named
    r"\bthe (?:(?:old|young|little|tall) )?(?:man|woman|boy|girl|child|lad|stranger|doctor|driver|clerk)\b"
    r"(?: (?:in|with|at|by|of) (?:the|a|an) \w+(?: case| hat| coat)?)?"
)
_VERB_NEXT = r"(?= (?:is|has|was|had|does|did|would|could|will|can|must|may|[a-z]+s|[a-z]+ed)\b)"
_BEFORE_SUBJECT = r"\b(that|what|why|how|where|when|whether|if|which|because|while|until|whom|whose \w+) "
_CIRCUMSTANCE = re.compile(r"\b((?:while|when) (?:\w+ ){1,3}?)(is|am|are)\b")
_THEN = {"is": "was", "am": "was", "are": "were"}


class RemarkLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way to begin, for a kind of happening and how the speaker knows of it."""

    id: str
    kind: str
    by: Knowing
    text: str
    feeling: Feeling = "any"
    manner: str = "any"


class RemarkData(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Holds the lines, and which acts and verbs they are for."""

    acts: frozenset[str]
    covert_acts: frozenset[str]
    covert_words: str
    verb_kinds: dict[str, str]
    act_clauses: dict[str, str]
    things: dict[str, tuple[str, ...]]
    lines: tuple[RemarkLine, ...]

    def kind_of(self, verb: str) -> str:
        """Return what a deed with this verb is to whom it is done."""
        return next((kind for kind, verbs in self.verb_kinds.items() if verb in verbs.split()), "did")

    def is_covert(self, offer: str) -> bool:
        """Return whether what an offer does is meant to be seen by nobody."""
        return re.search(rf"\b(?:{self.covert_words})\b", offer, re.IGNORECASE) is not None


@cache
def load_remarks() -> RemarkData:
    text = files("narratoria.narrator").joinpath("data/remarks.json").read_bytes()
    return msgspec.json.decode(text, type=RemarkData)


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that has happened, as one person knows of it."""

    id: str  # of a beat, or of what the player did besides the plot
    kind: str
    clause: str  # "you shared your bread with me", "the ice has come"
    by: Knowing
    weight: float
    speech: str = ""  # what the author has them say of it


@dataclass(frozen=True, slots=True)
class Remark:
    """The sentence somebody begins with, and the line it was made from."""

    text: str
    line: str = ""


def make_remark(happening: Happening, speaker: Listener, context: AnswerContext) -> Remark | None:
    """Return what somebody says first of a happening, in their manner; None where no line is for it."""
    if happening.speech:
        return Remark(quote_speech(happening.speech, f"says {speaker.short}"))
    lines = [(score, line) for line in load_remarks().lines if (score := _fit(line, happening, speaker))]
    if not lines:
        return None
    fresh = [one for one in lines if context.turn - context.used.get(one[1].id, -RESTED - 1) > RESTED]
    best = max(score for score, _ in fresh or lines)
    near = [line for score, line in fresh or lines if score >= best - NEAR]
    line = random.Random(f"{context.seed}/remark/{happening.id}/{speaker.id}").choice(near)
    slots = person_slots(speaker.name, speaker.short, speaker.pronoun)
    clause = {"deed": happening.clause, "Deed": capital(happening.clause)}
    text = fill_slots(line.text, {**slots, **clause})
    if speaker.short.startswith("The "):  # within a sentence the article is small
        within = re.compile(rf"(?<=[\w,;”] ){re.escape(speaker.short)}\b")
        text = within.sub(lambda match: f"t{match[0][1:]}", text)
    return Remark(text, line.id)


def _fit(line: RemarkLine, happening: Happening, speaker: Listener) -> float:
    """Return how well a line fits; 0 where it does not."""
    is_general = line.kind == "did" and happening.kind not in ("news", "tried", "did")
    if line.by != happening.by or not (line.kind == happening.kind or is_general):
        return 0.0
    feeling = "cold" if speaker.feeling in ("cold", "angry", "afraid") else speaker.feeling
    if line.feeling not in ("any", feeling) or (line.manner != "any" and line.manner not in speaker.manners):
        return 0.0
    return (
        1.0
        + KIND_WEIGHT * (line.kind == happening.kind)
        + FEELING_WEIGHT * (line.feeling != "any")
        + MANNER_WEIGHT * (line.manner != "any")
    )


def describe_thing(name: str, state: str, seed: str) -> str:
    """Return what is seen first of a thing that is broken or burnt."""
    return fill_slots(random.Random(f"{seed}/thing").choice(load_remarks().things[state]), thing_slots(name))


_OWNED = r" (?!(?:and|or|as|at|but|for|from|in|on|to|when|while|with)\b)\w"  # after “Bea's”, what is hers


def as_said_by(
    clause: str, name: str, pronoun: str, others: Mapping[str, str], *, is_about: bool = False
) -> tuple[str, bool]:
    """Return what the player did as somebody says it who was there, and whether it was done with them.

    `others` are the names of everybody else, with their pronouns; `is_about` says that a person whom the
    clause does not name, "the man with the black case", is the speaker.
    """
    text = clause
    for alias in _aliases(name):
        here = rf"(?<![\w'’]){alias}(?!\w)"
        text = re.sub(rf"{here}['’]s\b(?={_OWNED})", "my", text)
        text = re.sub(rf"{here}['’]s\b", "mine", text)
        text = re.sub(
            rf"{_BEFORE_SUBJECT}{here}{_VERB_NEXT} (\w+)",
            lambda match: f"{match[1]} {in_first_person(f'she {match[2]}', 'she')}",
            text,
        )
        text = re.sub(here, "me", text)
    if is_about and text == clause:
        text = _SOMEBODY.sub("me", text, count=1)
    is_own = text != clause
    if is_own and not _is_other_meant(text, pronoun, others):
        text = in_first_person(text, pronoun)  # type: ignore[arg-type]
    for other in others:
        text = text.replace(other, call_name(other))
    return _CIRCUMSTANCE.sub(lambda match: f"{match[1]}{_THEN[match[2]]}", text), is_own


def names_person(clause: str, name: str) -> bool:
    """Return whether a clause speaks of somebody, by whatever part of the name."""
    return any(re.search(rf"(?<!\w){alias}(?!\w)", clause) for alias in _aliases(name))


def _aliases(name: str) -> list[str]:
    """Return patterns for what somebody is called: whole name, parts of it, "the abbess"; longest first."""
    words = name.split()
    if words[0] == "The":  # "the Old Nurse" is neither the old nor any nurse
        return [rf"[Tt]he {re.escape(' '.join(words[1:]))}"]
    titles = [word for word in words if word.casefold() in TITLES]
    parts = [word for word in words if word not in titles and word[:1].isupper() and word != "The"]
    names = sorted({name, call_name(name), *parts}, key=len, reverse=True)
    title = "|".join(re.escape(one) for one in ("Sister", "Brother", "Madame", *sorted(set(titles))))
    return [
        *(rf"(?:(?:{title}) )?{re.escape(one)}" for one in names),
        *(rf"the {re.escape(one.casefold().rstrip('.'))}" for one in titles),
    ]


def _is_other_meant(text: str, pronoun: str, others: Mapping[str, str]) -> bool:
    """Return whether a pronoun in a clause may be somebody else's who is named there."""
    return any(theirs == pronoun and names_person(text, name) for name, theirs in others.items())
