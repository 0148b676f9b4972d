"""Says of the sentences that a story told whether they are the author's or ours, their slots left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import msgspec

from evals.choices.evening_play import PlayedTurn
from narratoria.campaign.campaign import Campaign
from narratoria.narrator.grammar import call_name
from narratoria.narrator.phrase_memory import sentences
from narratoria.narrator.repertoire import load_campaign_units

OURS = "ours"
MOST_TELLINGS = 2  # of one of our sentences in a story
LEAST_WORDS = 3  # of a sentence that is ours: “Yes.” is nobody's
_WORD = re.compile(r"\w+")
_ARTICLE = re.compile(r"^(?:the|a|an|your)\s+", re.IGNORECASE)
_SLOT = re.compile(r"\{[\w ]+\}")


@dataclass(frozen=True, slots=True)
class Wording:
    """Counts how often each sentence was told in one story, by whose it is."""

    tellings: Mapping[str, Counter[str]]  # by origin: ours, or where in the campaign it stands

    def worn(self, origin: str, most: int = MOST_TELLINGS) -> tuple[tuple[str, int], ...]:
        """Return the sentences that were told more often."""
        counts = self.tellings.get(origin, Counter())
        return tuple((form, count) for form, count in counts.most_common() if count > most)


class Corpus:
    """Knows which sentences of a campaign are its author's, and what fills slots."""

    def __init__(self, campaign: Campaign) -> None:
        topics = [topic for person in campaign.people.values() for topic in person.topics]
        units = [unit.text for unit in load_campaign_units(campaign.folder)]
        parts: dict[str, Any] = {
            "beats": campaign.beats,
            "topics": topics,
            "places": campaign.places,
            "endings": (campaign.endings, campaign.premise),
            "people and lore": (campaign.people, campaign.lore, campaign.setting, campaign.rules),
            "the campaign's units": units,
        }
        self._texts = {
            origin: "\n".join(f" {form} " for text in _texts_in(part) for form in _forms(text))
            for origin, part in parts.items()
        }
        self._open_forms = {
            form
            for text in units
            for sentence in sentences(text)
            if (form := _form(_SLOT.sub(" slot ", sentence)))
        }
        people = [one.name for one in campaign.people.values()]
        names = [
            *((name, "{name}") for name in (*people, *map(call_name, people))),
            *((_ARTICLE.sub("", place.name), "{place}") for place in campaign.places.values()),
            *((_ARTICLE.sub("", item), "{thing}") for item in _items_in(campaign)),
        ]
        self._slots = [
            (re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE), slot)
            for name, slot in sorted(names, key=lambda one: -len(one[0]))
            if len(name) > 1
        ]

    def origin_of(self, sentence: str) -> str:
        """Return in what part of the campaign a sentence stands; where it stands nowhere, it is ours."""
        form = f" {_form(sentence)} "
        found = next((origin for origin, text in self._texts.items() if form in text), None)
        if (
            found is None
            and _form(self.open(sentence).replace("{", " ").replace("}", " ")) in self._open_forms
        ):
            return "the campaign's units"
        return found or OURS

    def open(self, sentence: str) -> str:
        """Return a sentence with its slots left open, as far as names of the campaign fill them."""
        for name, slot in self._slots:
            sentence = name.sub(slot, sentence)
        return sentence


def measure_wording(turns: Sequence[PlayedTurn], corpus: Corpus) -> Wording:
    """Return how often the turns of one story told each sentence."""
    tellings: dict[str, Counter[str]] = {}
    for turn in turns:
        if turn.ended:
            continue
        for paragraph in turn.paragraphs:
            for sentence in sentences(paragraph):
                origin = corpus.origin_of(sentence)
                told = corpus.open(sentence) if origin == OURS else sentence
                if origin != OURS or len(_WORD.findall(_SLOT.sub("", told))) >= LEAST_WORDS:
                    tellings.setdefault(origin, Counter())[_trim(told)] += 1
    return Wording(tellings)


def measure_likeness(turns: Sequence[PlayedTurn], threshold: float = 0.7) -> tuple[int, int]:
    """Return how many offers are as like a memory as the criterion asks, and how many there were."""
    alike = [score for turn in turns if not turn.ended for score in turn.alike]
    return sum(score >= threshold for score in alike), len(alike)


def _trim(sentence: str) -> str:
    return sentence.strip(" “”’")


def _form(sentence: str) -> str:
    return " ".join(_WORD.findall(sentence.casefold()))


def _forms(text: str) -> Iterator[str]:
    """Yield the words of a text: sentences of an author are told whole, joined or apart."""
    yield _form(text)


def _items_in(campaign: Campaign) -> AbstractSet[str]:
    return {item for preset in campaign.template.presets for item in preset.items} | {
        *campaign.template.starting_items
    }


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _texts_in(getattr(value, name))
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts_in(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts_in(one)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for one in value:
            yield from _texts_in(one)
