"""Tells by a word who somebody is: nouns for people, given names, and the pronouns that they tell."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from narratoria.campaign.asset_metadata import COMMON
from narratoria.campaign.enrich.nouns import LEXICON
from narratoria.campaign.enrich.premise_words import WORDS

_TRADES = ("man", "woman", "er", "or", "ist", "eer", "smith", "wright", "keeper", "ian", "monger", "herd")
_KIN_AFFIXES = re.compile(r"^(?:ex-|step-?|great-|grand(?!son|ma|pa)|foster-|half-)|(?:-in-law|-to-be)$")
_SHE = """daughter mother mum mom mam nan sister wife aunt grandmother grandma widow girl woman queen lady
niece abbess headmistress nun witch landlady duchess bride princess stepmother actress waitress governess"""
_HE = """son father dad brother husband uncle grandfather grandpa widower boy man king nephew abbot monk canon
headmaster landlord duke groom bridegroom prince curate waiter postman"""
_THEY = {**dict.fromkeys(_SHE.split(), "she"), **dict.fromkeys(_HE.split(), "he")}


@cache
def given_names() -> dict[str, str]:
    """Return given names with the pronoun that each tells."""
    content = files("narratoria.campaign.enrich").joinpath("data/given_names.txt").read_text(encoding="utf-8")
    names: dict[str, str] = {}
    they = ""
    for line in content.splitlines():
        if line.startswith("["):
            they = line.strip("[]")
        elif not line.startswith("#"):
            names |= dict.fromkeys(line.split(), they)
    return names


def is_person_noun(noun: str, *, beside_name: bool = False) -> bool:
    """Return whether a noun is what somebody is; beside a name, the trade need not be a known one."""
    plain = _without_affixes(noun)
    if LEXICON.get(noun.casefold()) == "person" or LEXICON.get(plain) == "person":
        return True
    is_known = plain in LEXICON or plain in COMMON or plain in WORDS.not_people
    return beside_name and not is_known and len(plain) > 4 and plain.endswith(_TRADES)


def pronoun_of_noun(noun: str) -> str:
    """Return the pronoun that a noun tells: "mother-in-law" and "postwoman" tell "she"; empty without one."""
    plain = noun.casefold()
    by_end = {"woman": "she", "girl": "she", "man": "he", "boy": "he"}
    ending = next((they for end, they in by_end.items() if plain.endswith(end)), "")
    return _THEY.get(plain) or _THEY.get(_without_affixes(plain), "") or ending


def _without_affixes(noun: str) -> str:
    return _KIN_AFFIXES.sub("", _KIN_AFFIXES.sub("", noun.casefold()))
