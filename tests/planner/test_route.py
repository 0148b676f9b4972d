"""A player's words are matched with the offer that means the same in other words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from narratoria.planner.intent import Intent, Mention, Offer
from narratoria.planner.route import find_offer, measure_offer, wordings_to_weigh

LAMP = Offer("light-lamp", ("Light the lamp on the pier",), people=("ismay",))
BOAT = Offer("take-boat", ("Take the boat to the island",))


def route(text: str, *intents: Intent) -> str:
    match = find_offer(
        text, intents, [LAMP, BOAT], vector=None, vectors={}, acts={"light": 1.0}, offer_acts=OFFER_ACTS
    )
    return match.offer if match else ""


OFFER_ACTS = {LAMP.texts[0]: {"light": 1.0}, BOAT.texts[0]: {"go": 1.0}}


def test_the_same_act_and_words_mean_the_offer() -> None:
    assert route("I light the lamp") == "light-lamp"


def test_words_that_share_nothing_mean_no_offer() -> None:
    offers, nothing = [LAMP, BOAT], {"sing": 1.0}
    assert find_offer("I sing", [], offers, vector=None, vectors={}, acts=nothing, offer_acts={}) is None


def test_an_offer_about_somebody_else_is_less_likely_meant() -> None:
    def probability(person: str) -> float:
        intent = Intent(act="light", text="light the lamp", person=Mention(person, person, person))
        match = find_offer(
            "light the lamp",
            [intent],
            [LAMP],
            vector=None,
            vectors={},
            acts={"light": 1.0},
            offer_acts=OFFER_ACTS,
        )
        return match.probability if match else 0.0

    assert probability("hob") < probability("ismay")


def test_measures_compare_meaning_words_and_acts() -> None:
    one = np.array([1.0, 0.0], np.float32)
    measures = measure_offer(
        "light lamp",
        "Light the lamp",
        {},
        vector=one,
        wording_vector=one,
        acts={"light": 0.5},
        wording_acts={"light": 1.0},
    )
    assert measures["cosine"] == pytest.approx(1.0)
    assert measures["shared"] == pytest.approx(1.0)
    assert measures["acts"] == pytest.approx(0.5)


@pytest.mark.parametrize(("act", "offer"), [("light", "light-lamp"), ("ask", "")])
def test_who_asks_about_an_offer_does_not_do_it_yet(act: str, offer: str) -> None:
    words = "has anybody set a flame to the lantern out there"
    match = find_offer(
        words,
        [Intent(act=act, text=words)],
        [LAMP, BOAT],
        vector=None,
        vectors={},
        acts={act: 1.0},
        offer_acts=OFFER_ACTS,
        matches={LAMP.texts[0]: 0.65, BOAT.texts[0]: 0.1},
    )
    assert (match.offer if match else "") == offer


def test_who_looks_at_something_else_is_not_led_to_an_offer_that_shares_no_word_with_it() -> None:
    words = "check what hangs on the wall"
    match = find_offer(
        words,
        [Intent(act="examine", text=words)],
        [LAMP],
        vector=None,
        vectors={},
        acts={"examine": 1.0},
        offer_acts={LAMP.texts[0]: {"examine": 1.0}},
        matches={LAMP.texts[0]: 0.65},
    )
    assert match is None


def test_words_that_name_nothing_set_nothing_off() -> None:
    words = "give it to them"
    match = find_offer(
        words,
        [Intent(act="give", text=words)],
        [LAMP],
        vector=None,
        vectors={},
        acts={"give": 1.0},
        offer_acts={LAMP.texts[0]: {"give": 1.0}},
        matches={LAMP.texts[0]: 0.95},
    )
    assert match is None


def test_who_praises_a_thing_does_not_do_with_it_what_an_author_offers() -> None:
    words = "that is the finest lantern in the whole town"
    found = {
        act: find_offer(
            words,
            [Intent(act=act, text=words)],
            [LAMP],
            vector=None,
            vectors={},
            acts={act: 1.0},
            offer_acts=OFFER_ACTS,
            matches={LAMP.texts[0]: 0.8},
        )
        for act in ("praise", "touch")
    }
    assert found["praise"] is None
    assert found["touch"] is not None


def test_an_offer_that_only_one_of_its_wordings_is_like_is_meant_less_surely() -> None:
    words = "put a flame to the lantern"
    lamp = replace(LAMP, texts=(LAMP.texts[0], "Give the tower its light back"))

    def probability(second: float) -> float:
        match = find_offer(
            words,
            [Intent(act="light", text=words)],
            [lamp],
            vector=None,
            vectors={},
            acts={"light": 1.0},
            offer_acts={text: {"light": 1.0} for text in lamp.texts},
            matches=dict(zip(lamp.texts, (0.9, second), strict=True)),
        )
        return match.probability if match else 0.0

    assert probability(0.8) > probability(0.1) > 0


@pytest.mark.parametrize(("act", "is_meant"), [("light", True), ("joke", False)])
def test_one_wording_that_is_surely_meant_is_enough_for_the_same_act(act: str, is_meant: bool) -> None:
    words = "put a flame to the lantern"
    lamp = replace(LAMP, texts=(LAMP.texts[0], "Give the tower its light back", "Wake the old light"))
    match = find_offer(
        words,
        [Intent(act=act, text=words)],
        [lamp],
        vector=None,
        vectors={},
        acts={act: 1.0},
        offer_acts={text: {"light": 1.0} for text in lamp.texts},
        matches=dict(zip(lamp.texts, (0.99, 0.0, 0.0), strict=True)),
    )
    assert (match is not None) == is_meant


def test_only_wordings_of_offers_that_may_be_meant_are_weighed() -> None:
    offers = [
        Offer("letter", ("Open the letter", "Break the seal")),
        Offer("span", ("Climb down to the third span",)),
        Offer("coach", ("Ask when the night coach is due",)),
    ]
    likely = {"Open the letter": 0.1, "Break the seal": 0.7, "Ask when the night coach is due": 0.6}
    assert wordings_to_weigh("read it", offers, likely) == ["Open the letter", "Break the seal"]
    assert wordings_to_weigh("climb down the third span", offers, {}) == ["Climb down to the third span"]


LETTER = "Open the letter addressed in your own hand"


@pytest.mark.parametrize(
    ("words", "is_meant"),
    [
        ("I open the letter and read it aloud", True),
        ("open the letter addressed to me", True),
        ("I open my letter", True),
        ("I refuse to open the letter", False),
        ("I open the door", False),
        ("I burn the letter", False),
    ],
)
def test_an_offer_done_in_its_own_words_is_meant_whatever_the_matcher_says(
    words: str, is_meant: bool
) -> None:
    assert (
        wordings_to_weigh(words, [Offer("letter", (LETTER,), ())], {LETTER: 0.01}) == [LETTER]
    ) is is_meant
