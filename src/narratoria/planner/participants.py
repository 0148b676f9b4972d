"""Finds who takes part in an act: who is addressed, who it is done to, or who listens."""

from __future__ import annotations

import re
from collections.abc import Sequence

from narratoria.planner.intent import KnownPerson, Mention, ReadingContext, load_acts
from narratoria.planner.person_mentions import (
    find_absent_addressee,
    find_addressee,
    find_called,
    find_called_by_role,
    find_people,
    find_person,
    find_seller,
)
from narratoria.planner.questions import is_question
from narratoria.planner.word_lists import WORDS

_SPOKEN_ACTS = WORDS.spoken_acts
_TWO_SIDED_ACTS = frozenset(("give", "show", "buy", "emote", "embrace", "heal", "steal"))


def find_participant(
    clause: str, whole: str, act: str, context: ReadingContext, antecedent: str
) -> Mention | None:
    """Return whom an act is done to: who is addressed, else who is named, meant by a pronoun, or listens."""
    present = [one for one in context.people if one.present]
    is_spoken = act in _SPOKEN_ACTS
    needs_person = is_spoken or (act in load_acts() and load_acts()[act].needs == "person")
    addressee = find_addressee(clause, context, antecedent)
    if addressee and (not is_spoken or not present or is_present(addressee, context)):
        return addressee
    by_role = find_called_by_role(clause, context) if is_spoken and len(present) > 1 else None
    if somebody := find_absent_addressee(clause, context) or by_role:
        return somebody
    person = find_person(clause, context, antecedent)
    mentions = find_people(clause, context) or [
        one for one in (person,) if one and (needs_person or one.text != "they")
    ]
    here = [one for one in mentions if is_present(one, context)]
    if is_spoken and is_question(clause) and here:
        others = [one for one in present if one.id not in {mention.id for mention in here}]
        return _listener(others, context, antecedent) or here[0]  # it is about them: somebody else is asked
    if here or (mentions and not (is_spoken and present)):
        return (here or mentions)[0]
    if not needs_person:
        return _find_other_side(clause, act, context, antecedent)
    return (clause != whole and _find_nearby(clause, whole, context, antecedent)) or _listener(
        present if is_spoken or len(present) == 1 else [], context, antecedent
    )


def _find_nearby(clause: str, whole: str, context: ReadingContext, antecedent: str) -> Mention | None:
    """Return who is called in the rest of the line, or named there where nobody was spoken of before."""
    if addressee := find_called(whole, context):
        return addressee
    if is_question(clause) or antecedent:
        return None
    return next((one for one in find_people(whole, context) if is_present(one, context)), None)


def _find_other_side(clause: str, act: str, context: ReadingContext, antecedent: str) -> Mention | None:
    """Return who takes part in an act that is done to a thing: who gets it, sells it, or is called "you"."""
    present = [one for one in context.people if one.present]
    if act in ("buy", "bargain") and (seller := find_seller(context)):
        return seller
    is_to_you = re.search(r"\S\s+you\b", clause, re.IGNORECASE) is not None
    if act in _TWO_SIDED_ACTS or is_to_you:
        return _listener(present if len(present) == 1 or antecedent or is_to_you else [], context, antecedent)
    return None


def _listener(present: Sequence[KnownPerson], context: ReadingContext, antecedent: str) -> Mention | None:
    """Return who listens where nobody is addressed: who was dealt with last, or the first who is here."""
    ranked = sorted(present, key=lambda one: (one.id != antecedent, one.id != context.last_person))
    return Mention("", ranked[0].id, ranked[0].name) if ranked else None


def is_present(mention: Mention, context: ReadingContext) -> bool:
    return any(one.id == mention.id and one.present for one in context.people)
