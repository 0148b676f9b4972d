"""Finds what an author wrote for something that is done at a place, by the words that are typed for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from narratoria.campaign.campaign import Place
from narratoria.engine.conditions import StorySituation
from narratoria.engine.people import people_at
from narratoria.narrator.evidence import Evidence, shared_words
from narratoria.narrator.question import QUESTIONS
from narratoria.planner.intent import Intent, load_acts
from narratoria.planner.mentions import content_words, singular

if TYPE_CHECKING:  # numpy takes longer to import than a first scene may wait for
    from narratoria.inference.text_matcher import TextMatcher

ANY_VERB = "do"  # in place of the verb: whatever is done to the thing
CERTAIN = 1.0  # the relevance of what an author wrote for the very deed
HANDED = frozenset(("give", "show"))
_LEAD_IN = re.compile(
    r"(?:i|i'll|i'd|i'm|we|you|let|let's|me|us|please|now|then|just|try|to|want|wanna|would|like|and|go|start|"
    r"begin|going|gonna|should|can|could|maybe|quickly|quietly|softly|loudly|slowly)"
)
_IN_PARTICULAR = re.compile(  # anything but “sing a song”, “eat something”
    r"(?!(?:a|an|the|some|my|little|bit|something|anything|nothing|song|tune|while|moment|minute|round|"
    r"prayer|nap|food|meal|snack|bite|hymn|there|here|it)$).+"
)
LIKELY = 0.9  # the least probability that a deed is meant by words that name its thing with another verb
NO_DEEDS = frozenset(("think_back", "ask_narrator", "ask"))  # acts that do nothing to a thing
NO_HANDLING = NO_DEEDS | {"look", "examine"}  # a closer look at the thing answers these
VERB_AND_THING = 4  # the length of a wording whose verb and thing are both typed
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NOT_DONE = re.compile(  # and not “hit it, but not hard”
    r"\b(?:(?:do|does|did|will|would|shall|should|could|can|must|may) not|cannot|not to|never|"
    r"don['’]t|won['’]t|can['’]t|without|instead|pretend)\b|^\W*not\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\W*(?:who|whose|whom|what|which|where|when|why|how|is|are|was|were|does|did)\b", re.IGNORECASE
)


def find_place_deed(intent: Intent, situation: StorySituation) -> Evidence | None:
    """Return what comes of a deed at this place: the one of whose wordings most words are typed.

    What is done to somebody, or asked of them, is theirs to answer.
    """
    best = _find_longest(intent, situation)
    return best[1] if best else None


def names_deed(text: str, situation: StorySituation, *, going_to: Place | None = None) -> bool:
    """Return whether words are those of a deed here, whatever they were read as.

    Of a going to another place only where verb and thing are typed, and the place is not called by its name.
    """
    best = _find_longest(Intent(act="", text=text), situation)
    if best is None or going_to is None:
        return best is not None
    return best[0] >= VERB_AND_THING and not set(content_words(going_to.name)) <= set(content_words(text))


def _find_longest(intent: Intent, situation: StorySituation) -> tuple[int, Evidence] | None:
    """Return the deed here of whose wordings most is typed, and how much that is."""
    here = _place_of_deeds(intent, situation)
    if here is None:
        return None
    words, asks = _words_of(intent), _ASKS.match(intent.text) is not None
    best: tuple[int, Evidence] | None = None
    for number, entry in enumerate(here.deeds):
        # a question is answered by what is written for one: looking at a key does not say who has it
        wordings = [one for one in entry.wordings if not asks or _ASKS.match(one)]
        length = max((measure_wording(one, words, intent) for one in wordings), default=0)
        if length and (best is None or length > best[0]):
            best = length, _deed_evidence(here, number)
    return best


def find_likely_deed(intent: Intent, situation: StorySituation, matcher: TextMatcher) -> Evidence | None:
    """Return the deed at this place that words mean which name its thing and have another verb for it."""
    here = _place_of_deeds(intent, situation)
    if here is None or intent.act in NO_DEEDS | QUESTIONS or _ASKS.match(intent.text):
        return None
    words = _words_of(intent)
    wordings = [
        (number, one)
        for number, entry in enumerate(here.deeds)
        for one in entry.wordings
        if (things := one.split()[1:]) and all(singular(thing) in words for thing in things)
    ]
    texts = [wording for _, wording in wordings]
    scores = matcher.match(intent.text, texts, shared_words(intent.text, texts), "offer")
    best = max(zip(scores, wordings, strict=True), key=lambda one: one[0], default=None)
    return _deed_evidence(here, best[1][0]) if best and best[0] >= LIKELY else None


def _place_of_deeds(intent: Intent, situation: StorySituation) -> Place | None:
    """Return the place whose author may have written what comes of a deed; None where somebody answers."""
    here = situation.campaign.places.get(situation.progress.place)
    if here is None or not here.deeds or _NOT_DONE.search(intent.text):
        return None
    return None if _is_for_somebody(intent, here, situation) else here


def _deed_evidence(here: Place, number: int) -> Evidence:
    return Evidence(
        id=f"deed/{here.id}/{number}",
        text=here.deeds[number].text,
        source="place",
        about=here.name,
        relevance=CERTAIN,
    )


def _words_of(intent: Intent) -> list[str]:
    return [singular(word.casefold()) for word in _WORD.findall(intent.text)]


def measure_wording(wording: str, words: list[str], intent: Intent) -> int:
    """Return how much of what is typed a wording says: twice its words, less for an act's name; 0 for none.

    The first word is the verb as it is typed, the name of the act or of its kind, or `do` for any deed that
    is done to the thing. A verb by itself is for what is done to nothing and with nobody in particular.
    """
    verb, *things = (singular(word) for word in wording.split())
    if not all(thing in words for thing in things):
        return 0
    is_with_somebody = intent.person is not None and bool(intent.person.text)
    if not things and (is_with_somebody or _names_thing(intent)):
        return 0
    size = 2 * (len(things) + 1)
    begun = words[: min((words.index(thing) for thing in things), default=_first_verb(words) + 1)]
    if verb in begun:
        return size
    if verb in (intent.act, intent.kind):
        return size - 1
    is_any = verb == ANY_VERB and intent.act not in NO_HANDLING and _thing_words(intent)[-1:] == things[-1:]
    return size - 2 if is_any and things else 0


def _first_verb(words: list[str]) -> int:
    """Return where the first word stands that is no lead-in such as “I want to”."""
    return next((at for at, word in enumerate(words) if not _LEAD_IN.fullmatch(word)), 0)


def _thing_words(intent: Intent) -> list[str]:
    thing = intent.thing
    return [singular(word.casefold()) for word in _WORD.findall(thing.text or thing.name)] if thing else []


def _names_thing(intent: Intent) -> bool:
    """Return whether a deed is done to something that could be told from other things."""
    return any(_IN_PARTICULAR.fullmatch(word) for word in _thing_words(intent))


def _is_for_somebody(intent: Intent, here: Place, situation: StorySituation) -> bool:
    """Return whether somebody who is here, and whom the words mean, is to answer."""
    present = people_at(here.id, situation.campaign, situation.progress)
    is_question = intent.act in QUESTIONS
    act = load_acts().get(intent.act)
    is_social = act is not None and act.needs == "person"
    if intent.person is None:
        return is_question and bool(present)
    is_meant = bool(intent.person.text)
    return intent.person.id in present and (is_question or (is_meant and (is_social or intent.act in HANDED)))
