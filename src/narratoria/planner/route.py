"""Routes a player's words to what the author wrote: an offered beat that means the same in other words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from narratoria.inference.logistic import LogisticChooser, load_logistic_chooser
from narratoria.planner.intent import Intent, Offer
from narratoria.planner.mentions import content_words

if TYPE_CHECKING:  # numpy takes longer to import than a first scene may wait for
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]


LEAST_MATCH = 0.62  # of the matcher's probability: nothing less sets off what an author wrote
SURE_WORDING = 0.97  # of the matcher's probability: one wording is enough, where the act is the same
SECOND_WORDING = 0.35  # of an offer's probability is that of its second likeliest wording
SOCIAL = frozenset(
    ("praise", "comfort", "insult", "joke", "thank", "apologise", "greet", "farewell", "flirt", "emote")
)
SOCIAL_SHARE = 0.6  # of the probability that an offer of another act is meant by such
QUESTIONS = ("ask", "think_back", "ask_narrator")
LOOKS = ("look", "examine", "search")
SAME_ACTS, QUESTION_ACTS = 0.1, 0.2  # words that share less of their act with an offer must mean it surely
OTHER_ACT_SHARE = 0.81  # of their probability
ASKED_SHARE = 0.8  # of a question's that an offer to do something is meant by it
OTHER_THING_SHARE = 0.8  # of a look's that an offer is meant by it which shares no word with it
LITERAL = 1.0  # the probability of an offer that is done in its own words
NEED_MORE = frozenset(
    ("ask", "tell", "talk", "speak", "say", "show", "give", "go", "take", "look", "find", "make")
)
_NOT_DONE = re.compile(
    r"\b(?:not|never|don't|won't|can't|refuse|without|instead|pretend|if|whether|why)\b", re.IGNORECASE
)
LIKELY = 0.2  # of an act's probability
LEAST_WORDS = 2  # that mean something by themselves
SAME_WORDS = 0.75  # of an offer's words in an action, and the other way round
LEAST_ACTS, LEAST_COSINE, LEAST_SHARED = 0.15, 0.62, 0.6


@dataclass(frozen=True, slots=True)
class Route:
    """The offer that the words mean, and how probably they do."""

    offer: str
    probability: float


@cache
def load_offer_matcher() -> LogisticChooser:
    """Return the matcher that ships, fitted by `python -m evals.answers fit`."""
    return load_logistic_chooser("narratoria.planner", "data/offer-matcher.json")


def find_offer(
    text: str,
    intents: Sequence[Intent],
    offers: Sequence[Offer],
    *,
    vector: Vectors | None,
    vectors: Mapping[str, Vectors],
    acts: Mapping[str, float],
    offer_acts: Mapping[str, Mapping[str, float]],
    matches: Mapping[str, float] = MappingProxyType({}),
    matcher: LogisticChooser | None = None,
) -> Route | None:
    """Return the offer that the words mean, or None where none is meant clearly enough.

    `vectors`, `offer_acts` and `matches` are by an offer's text: what it means, which acts it may be, and how
    probably a trained matcher says that it is meant.
    """
    matcher = matcher or load_offer_matcher()
    frequency = _count_words(offers)
    best: Route | None = None
    people = {intent.person.id for intent in intents if intent.person and intent.person.id}
    is_question = bool(intents) and intents[0].act in QUESTIONS
    is_look = bool(intents) and intents[0].act in LOOKS and bool(likely_acts(acts) & set(LOOKS))
    is_social = bool(intents) and intents[0].act in SOCIAL
    is_vague = len(set(content_words(text))) < LEAST_WORDS
    for offer in offers:
        probabilities = [0.0]
        for wording in offer.texts:
            measures = measure_offer(
                text,
                wording,
                frequency,
                vector=vector,
                wording_vector=vectors.get(wording),
                acts=acts,
                wording_acts=offer_acts.get(wording, {}),
            )
            measures["person"] = _same_people(people, offer)
            measures["thing"] = _same_thing(intents, wording)
            if is_vague and not measures["shared"]:
                continue  # "give it to them" names nothing that an author wrote
            probability = matcher.probability(measures) if _may_be_meant(measures) else 0.0
            if matches:
                probability = _weigh(probability, matches.get(wording, 0.0), measures)
                is_same = not is_question and measures["person"] >= 0
                if is_same and _does_the_same(text, wording, measures["shared"]):
                    probability = max(probability, LITERAL)
                if probability >= SURE_WORDING and measures["acts"] >= SAME_ACTS:
                    probability = LITERAL
                elif is_question and "ask" not in likely_acts(offer_acts.get(wording, {})):
                    probability *= ASKED_SHARE
                elif is_look and not measures["shared"]:
                    probability *= OTHER_THING_SHARE
                elif measures["acts"] < (QUESTION_ACTS if is_question else SAME_ACTS):
                    # whoever asks about a thing does not do it yet, and whoever praises it does not either
                    probability *= SOCIAL_SHARE if is_social else OTHER_ACT_SHARE
            probabilities.append(probability)
        probability = _join_wordings(probabilities) if matches else max(probabilities)
        if best is None or probability > best.probability:
            best = Route(offer.id, probability)
    least = LEAST_MATCH if matches else matcher.threshold
    return best if best and best.probability >= least else None


def wordings_to_weigh(text: str, offers: Sequence[Offer], matches: Mapping[str, float]) -> list[str]:
    """Return the wordings of the offers that may be meant: by the matcher, or because the words are theirs.

    What else is weighed only makes less of what the matcher says, so the rest need not be looked at.
    """
    text_words = set(content_words(text))
    frequency = _count_words(offers)
    return [
        wording
        for offer in offers
        if any(matches.get(one, 0.0) >= LEAST_MATCH for one in offer.texts)
        or any(_has_same_words(*_measure_words(text_words, one, frequency)) for one in offer.texts)
        or any(
            _does_the_same(text, one, _measure_words(text_words, one, frequency)[0]) for one in offer.texts
        )
        for wording in offer.texts
    ]


def _count_words(offers: Sequence[Offer]) -> Counter[str]:
    return Counter(word for offer in offers for word in set(content_words(" ".join(offer.texts))))


def _measure_words(text_words: set[str], wording: str, frequency: Mapping[str, int]) -> tuple[float, float]:
    """Return the share of a wording's words, by their rarity, that an action has, and the other way round."""
    words = set(content_words(wording))
    weight = {word: 1.0 / frequency.get(word, 1) for word in words}
    shared = sum(weight[word] for word in words & text_words)
    return shared / (sum(weight.values()) or 1.0), len(text_words & words) / (len(text_words) or 1)


def _has_same_words(shared: float, shared_back: float) -> bool:
    return shared >= SAME_WORDS and shared_back >= SAME_WORDS


def _join_wordings(probabilities: Sequence[float]) -> float:
    """Return how probably an offer is meant by its wordings: one alone may be like the words by chance."""
    first, *others = sorted(probabilities, reverse=True)
    if first >= LITERAL:
        return first
    return (1 - SECOND_WORDING) * first + SECOND_WORDING * others[0] if len(others) > 1 else first


def likely_acts(acts: Mapping[str, float]) -> set[str]:
    """Return the acts that words may well be."""
    return {act for act, value in acts.items() if value >= LIKELY}


def measure_offer(
    text: str,
    wording: str,
    frequency: Mapping[str, int],
    *,
    vector: Vectors | None,
    wording_vector: Vectors | None,
    acts: Mapping[str, float],
    wording_acts: Mapping[str, float],
) -> dict[str, float]:
    """Return the measures the matcher weighs: likeness of meaning, of words, and of acts."""
    shared, back = _measure_words(set(content_words(text)), wording, frequency)
    cosine = float(vector @ wording_vector) if vector is not None and wording_vector is not None else 0.0
    return {
        "cosine": cosine,
        "shared": shared,
        "sharedBack": back,
        "acts": sum(value * wording_acts.get(act, 0.0) for act, value in acts.items()),
        "cosineShared": cosine * shared,
    }


def _may_be_meant(measures: Mapping[str, float]) -> bool:
    """Return whether an act, a meaning or most words are shared: a common person or object is not enough."""
    return (
        measures["acts"] >= LEAST_ACTS
        or measures["cosine"] >= LEAST_COSINE
        or measures["shared"] >= LEAST_SHARED
    )


def _weigh(probability: float, match: float, measures: Mapping[str, float]) -> float:
    """Return how probably an offer is meant: the matcher decides, unless the words are the offer's own."""
    if _has_same_words(measures["shared"], measures["sharedBack"]):
        return max(probability, match)
    return match / 2 if measures["person"] < 0 else match


def _does_the_same(text: str, wording: str, shared: float) -> bool:
    """Return whether words do to a thing what an offer does to it: “I open the letter and read it aloud”.

    The matcher learned from rewordings, and takes the offer's own words for something else that is done.
    """
    words, text_words = content_words(wording), set(content_words(text))
    if _NOT_DONE.search(text) or len(words) < LEAST_WORDS:
        return False
    if shared >= SAME_WORDS:
        return True
    if words[0] in NEED_MORE or words[0] not in text_words:
        return False
    return words[1] in text_words


def _same_thing(intents: Sequence[Intent], wording: str) -> float:
    """Return 1 where the object of an act is named in the offer."""
    words = set(content_words(wording))
    things = [one.thing.text or one.thing.name for one in intents if one.thing]
    return float(any(set(content_words(thing)[-1:]) & words for thing in things))


def _same_people(people: set[str], offer: Offer) -> float:
    """Return -1 where they speak of different people; that both speak of whoever is here says nothing."""
    return -1.0 if people and offer.people and not people & set(offer.people) else 0.0
