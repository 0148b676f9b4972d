"""An act is answered by evidence, by a unit of the repertoire, or by what the player knows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from narratoria.narrator.answer import (
    answer_request,
    join_answers,
    manners_of,
    outcome_of,
    situation_for_units,
)
from narratoria.narrator.answer_request import Answer, AnswerContext, AnswerRequest, Listener
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.repertoire import ANY_DEED, Unit, load_repertoire, read_units
from narratoria.planner.intent import load_act_kinds

PELL = Listener("pell", "Pell Ward", "Pell", "she")
MILL = Evidence(id="mill", text="The mill burned. Nobody slept.", source="lore", relevance=0.9)


def context(**more: Any) -> AnswerContext:
    return AnswerContext(place="the landing", units=(), people={"pell": PELL}, **more)


def answer(request: AnswerRequest, **more: Any) -> Answer:
    given_answer = answer_request(request, context(**more))
    assert given_answer is not None
    return given_answer


def test_a_question_is_answered_with_evidence_in_somebodys_mouth() -> None:
    given_answer = answer(AnswerRequest(act="ask", person="pell", topic="the mill", evidence=(MILL,)))
    assert given_answer.text == "“The mill burned,” says Pell. “Nobody slept.”"
    assert given_answer.source == "evidence:mill"
    assert given_answer.fact.startswith("Pell Ward told the player:")


def test_a_look_is_answered_with_what_is_seen() -> None:
    assert answer(AnswerRequest(act="look", topic="the mill", evidence=(MILL,))).text == MILL.text


def test_a_secret_is_kept_from_who_is_not_trusted() -> None:
    secret = Evidence(
        id="s", text="Pell set the fire.", source="secret", owner="pell", secret=True, relevance=0.9
    )
    request = AnswerRequest(act="ask", person="pell", topic="the fire", evidence=(secret,))
    assert answer_request(request, context()) is None
    persuaded = AnswerRequest(
        act="ask", person="pell", topic="the fire", evidence=(secret,), outcome="success"
    )
    assert "set the fire" in answer(persuaded).text


def test_thinking_back_on_ones_pockets_lists_what_is_in_them() -> None:
    request = AnswerRequest(act="think_back", topic="what is in my pockets")
    text = answer(request, items=("a key", "a map", "bread"), journal=("You came.",)).text
    assert text == "You carry a key, a map and bread."


def test_who_asks_the_narrator_what_they_carry_hears_that() -> None:
    request = AnswerRequest(act="ask_narrator", topic="what do I carry?", words="what do I carry?")
    assert answer(request, items=("a key",), offers=("wait",)).text == "You carry a key."


def test_who_asks_the_narrator_hears_what_could_be_done() -> None:
    text = answer(AnswerRequest(act="ask_narrator"), offers=("wait", "go to the mill")).text
    assert text == "You take stock. You could wait or go to the mill."


def test_answers_in_a_row_are_one_answer() -> None:
    one = Answer(text="A.", fact="a.", source="unit:1", units=("1",))
    two = Answer(text="B.", fact="b.", source="unit:2", units=("2",), is_attempt=True)
    both = join_answers([one, two])
    assert (both.text, both.fact, both.units, both.is_attempt) == ("A.\n\nB.", "a. b.", ("1", "2"), True)


def test_manners_are_read_off_an_authors_notes() -> None:
    assert manners_of([]) == frozenset()
    assert manners_of(["a proud man"]) >= {"proud"}


@pytest.mark.parametrize(
    ("band", "outcome"),
    [("success", "success"), ("failure", "failure"), ("", "none"), ("partial success", "partial")],
)
def test_a_band_is_the_outcome_units_are_written_for(band: str, outcome: str) -> None:
    assert outcome_of(band) == outcome


def test_the_first_and_last_of_other_bands_are_failure_and_success() -> None:
    bands = ("fumble", "graze", "triumph")
    assert [outcome_of(band, bands) for band in bands] == ["failure", "partial", "success"]


# with units


def units(*documents: dict[str, object]) -> tuple[Unit, ...]:
    plain: dict[str, object] = {"outcome": "none", "who": None, "fact": "It was so."}
    return tuple(read_units("\n".join(json.dumps({**plain, **one}) for one in documents), "test"))


ANYBODY = {"manner": ["any"], "feeling": "any"}
DEED = {"act": ANY_DEED, "text": "{deed} It is soon done.", "fact": "The player did it."}
SEEN = {"act": ANY_DEED, "who": ANYBODY, "text": "{deed} {short} watches.", "fact": "{name} saw it."}
IRIS = {"iris": "Iris Vane", "pell": "Pell Ward"}


def answer_with(request: AnswerRequest, *documents: dict[str, object], **more: Any) -> Answer:
    given_answer = answer_request(
        request,
        AnswerContext(
            place="the landing", units=units(*documents), people={"pell": PELL}, names=IRIS, **more
        ),
    )
    assert given_answer is not None
    return given_answer


def test_an_act_without_a_unit_of_its_own_is_told_again_and_remembered_in_the_players_words() -> None:
    dance = AnswerRequest(act="dance", words="I dance for iris on my own")
    told = answer_with(dance, DEED)

    assert told.text == "You dance for Iris on your own. It is soon done."
    assert told.fact == "The player danced for Iris on their own."


def test_words_that_are_no_deed_are_not_told_again() -> None:
    plain = {"act": "wait", "text": "A minute goes by.", "fact": "A minute went by."}
    told = answer_with(AnswerRequest(act="dance", words="hm, a dance?"), DEED, plain)

    assert told.text == "A minute goes by."


def test_a_bystander_remarks_on_what_is_done_to_nobody() -> None:
    dance = AnswerRequest(act="dance", words="I dance", bystander="pell")

    assert answer_with(dance, DEED, SEEN).text == "You dance. Pell watches."


def test_without_a_bystander_nobody_remarks_on_it() -> None:
    assert answer_with(AnswerRequest(act="dance", words="I dance"), DEED, SEEN).text.endswith("soon done.")


def test_what_a_bystander_thinks_of_it_is_an_effect_on_them() -> None:
    liked = {**SEEN, "effects": [{"likes": "person"}]}
    told = answer_with(AnswerRequest(act="dance", words="I dance", bystander="pell"), liked)

    assert [(effect.kind, effect.target) for effect in told.effects] == [("likes", "pell")]


def test_somebody_says_what_they_know_in_plain_speech() -> None:
    unit = {"act": "ask", "who": ANYBODY, "evidence": "given", "text": "{said} Then {they} nod{s}."}
    told = answer_with(AnswerRequest(act="ask", person="pell", topic="the mill", evidence=(MILL,)), unit)

    assert told.text == "“The mill burned,” says Pell. “Nobody slept.” Then she nods."
    assert told.fact == "Pell Ward told the player: The mill burned. Nobody slept."
    assert told.source == "evidence:mill"


def test_only_the_sentences_around_the_one_that_answers_are_said() -> None:
    text = "The mill burned. Bo saw it. " + "Nobody slept that night or the next one. " * 20
    focused = Evidence(
        id="mill", text=text, source="profile", owner="pell", relevance=0.9, focus="The mill burned."
    )
    unit = {"act": "ask", "who": ANYBODY, "evidence": "given", "text": "{said} Then {they} nod{s}."}
    told = answer_with(AnswerRequest(act="ask", person="pell", topic="sleep", evidence=(focused,)), unit)

    assert told.text.startswith("“The mill burned,” says Pell. “Bo saw it.")
    assert len(told.text.split()) < 45


def test_a_look_shows_what_is_seen_without_saying_that_one_looks() -> None:
    look = AnswerRequest(act="examine", thing="mill", words="I look at the mill", evidence=(MILL,))
    seen = answer(look)

    assert seen.text == MILL.text
    assert seen.fact == MILL.text


def test_who_cannot_get_to_a_place_hears_of_the_ways_there_are() -> None:
    lost = {"act": "go", "text": "There is no way there. You could go to {ways}."}
    ways = ("the inn", "the mill", "the quay")
    told = answer_with(AnswerRequest(act="go", words="go to the moon"), lost, ways=ways)

    assert told.text == "There is no way there. You could go to the inn, the mill or the quay."


def test_an_ordinary_thing_is_believed_in_the_hand_of_who_gives_it_and_at_hand_otherwise() -> None:
    carried = {"act": ["give", "examine"], "thing": "carried", "text": "You have {the thing}."}
    known = {"act": ["give", "examine"], "thing": "known", "text": "There is {the thing}."}
    denied = {"act": ["give", "examine"], "thing": "unknown", "text": "There is no {thing} here."}

    def told(act: str, *, is_likely: bool) -> str:
        request = AnswerRequest(act=act, thing="apple", is_thing_likely=is_likely)
        return answer_with(request, carried, known, denied).text

    assert told("give", is_likely=True) == "You have your apple."
    assert told("examine", is_likely=True) == "There is the apple."
    assert told("examine", is_likely=False) == "There is no apple here."


def test_a_thing_that_is_not_there_is_not_used_for_want_of_a_better_unit() -> None:
    denied = {"act": ANY_DEED, "thing": "unknown", "text": "There is no {thing} here."}
    told = answer_with(
        AnswerRequest(act="dance", thing="dragon", words="I dance with the dragon"), DEED, denied
    )

    assert told.text == "There is no dragon here."


def test_light_units_are_for_light_stories() -> None:
    light = {**DEED, "tone": "light"}
    dance = AnswerRequest(act="dance", words="I dance")
    grave = AnswerContext(place="the landing", units=units(light), names=IRIS)

    assert answer_request(dance, grave) is None
    assert answer_with(dance, light, is_light=True).text == "You dance. It is soon done."


@pytest.mark.parametrize("is_light", [False, True])
@pytest.mark.parametrize(
    "words", ["I dance on the table", "I whittle a spoon and hum", "I stack the crates", "I pray"]
)
def test_whatever_is_done_is_told_first_by_the_repertoire_that_ships(words: str, is_light: bool) -> None:
    for turn in range(1, 6):
        told = answer_request(
            AnswerRequest(act="make", words=words, bystander="pell" if turn % 2 else ""),
            AnswerContext(
                place="the landing",
                units=load_repertoire(),
                people={"pell": PELL},
                turn=turn,
                is_light=is_light,
            ),
        )
        assert told is not None
        assert told.text.startswith(f"You {words[2:]}.")


HEARD = Evidence(
    id="pell/secret/0", text="Pell heard glass.", source="secret", owner="pell",
    spoken="I heard glass break.", secret=True, relevance=0.4,
)  # fmt: skip
GIVES_IN = {
    "act": "bargain", "outcome": "success", "who": {"manner": ["any"], "feeling": "any"},
    "text": "{short} looks round and agrees to it.", "effects": [], "fact": "{name} agreed.",
}  # fmt: skip


@pytest.mark.parametrize(("outcome", "is_told"), [("success", True), ("partial", False)])
def test_who_gives_in_tells_what_they_know_and_who_half_gives_in_keeps_a_secret(
    outcome: Any, is_told: bool
) -> None:
    unit = json.dumps({**GIVES_IN, "outcome": outcome})
    request = AnswerRequest(
        act="bargain",
        person="pell",
        outcome=outcome,
        words="I keep quiet if you tell me what you know",
        evidence=(HEARD,),
    )
    given_answer = answer_request(request, replace(context(), units=tuple(read_units(unit, "test"))))
    assert given_answer is not None
    assert ("I heard glass break" in given_answer.text) is is_told


def test_what_somebody_says_of_themselves_follows_their_reaction_and_is_kept() -> None:
    own = Evidence(id="pell/background/0", text="", source="profile", spoken="My father built it.")
    unit = json.dumps({**GIVES_IN, "act": "praise", "outcome": "none"})
    request = AnswerRequest(act="praise", person="pell", words="a fine boat", own=own)
    given_answer = answer_request(request, replace(context(), units=tuple(read_units(unit, "test"))))
    assert given_answer is not None
    assert given_answer.text.endswith("“My father built it,” says Pell.")
    assert given_answer.evidence == ("pell/background/0",)
    assert "My father built it." in given_answer.fact


def test_what_was_told_on_arrival_is_no_answer_to_digging() -> None:
    seen = Evidence(id="place/yard/0", text="Snow lies by the doors.", source="place", relevance=0.9)
    unit = json.dumps(
        {
            **GIVES_IN,
            "act": "dig",
            "outcome": "none",
            "who": None,
            "text": "You clear a yard of it.",
            "fact": "It is clear.",
        }
    )
    request = AnswerRequest(act="dig", words="clear the snow", evidence=(seen,))
    given_answer = answer_request(request, replace(context(), units=tuple(read_units(unit, "test"))))
    assert given_answer is not None
    assert given_answer.text == "You clear a yard of it."


# what nobody wrote


OWN = {"act": "ask", "who": ANYBODY, "evidence": "own", "text": "“Bread,” says {short}. “The crust of it.”"}
WITHHELD = {
    "act": "ask",
    "who": ANYBODY,
    "evidence": "withheld",
    "text": "“I gave my word on that,” says {short}.",
}
UNKNOWN = {
    "act": "ask",
    "who": ANYBODY,
    "evidence": "none",
    "text": "“I don't know,” says {short}. “Ask Iris.”",
}
FIRE = Evidence(id="s", text="Pell set the fire.", source="secret", owner="pell", secret=True, relevance=0.9)


def test_a_secret_that_bears_on_a_question_about_oneself_is_withheld() -> None:
    request = AnswerRequest(act="ask", person="pell", words="What did you do in the fire?", evidence=(FIRE,))
    given_answer = answer_with(request, OWN, WITHHELD, UNKNOWN)
    assert (given_answer.text, given_answer.is_evasion) == ("“I gave my word on that,” says Pell.", True)


def test_a_secret_that_hardly_answers_is_not_seen_to_be_withheld() -> None:
    faint = msgspec.structs.replace(FIRE, relevance=0.45)
    request = AnswerRequest(
        act="ask", person="pell", words="What did you have for breakfast?", evidence=(faint,)
    )
    assert answer_with(request, OWN, WITHHELD, UNKNOWN).text == "“Bread,” says Pell. “The crust of it.”"


def test_an_answer_out_of_ones_own_head_is_no_evasion() -> None:
    request = AnswerRequest(act="ask", person="pell", words="What did you have for breakfast?")
    given_answer = answer_with(request, OWN, WITHHELD, UNKNOWN)
    assert (given_answer.text, given_answer.is_evasion) == ("“Bread,” says Pell. “The crust of it.”", False)


def test_without_a_unit_for_it_a_question_about_oneself_falls_back_to_what_there_is() -> None:
    request = AnswerRequest(act="ask", person="pell", words="What did you have for breakfast?")
    assert answer_with(request, WITHHELD, UNKNOWN).text == "“I gave my word on that,” says Pell."


def test_what_is_guessed_at_is_asked_of_somebody_who_knows_where_there_is_one() -> None:
    toll = Evidence(id="t", text="Iris sets the toll.", source="profile", owner="iris", relevance=0.6)
    request = AnswerRequest(act="ask", kind="ask/price", person="pell", words="What is the toll?")
    assert situation_for_units(request, context()).evidence == "own"

    known = context(names=IRIS, last_seen={"iris": "the mill"})
    asked = msgspec.structs.replace(request, evidence=(toll,))
    assert situation_for_units(asked, known).has_lead


@pytest.mark.parametrize("kind", [kind for kind in load_act_kinds() if kind.startswith("ask/")])
@pytest.mark.parametrize("cannot", [frozenset(), frozenset({"speak"}), frozenset({"speak", "hands"})])
def test_every_kind_of_question_about_oneself_is_answered_by_whoever_is_asked(
    kind: str, cannot: frozenset[Any]
) -> None:
    pell = replace(PELL, cannot=cannot)
    asked = AnswerContext(place="the landing", units=load_repertoire(), people={"pell": pell})
    request = AnswerRequest(act="ask", kind=kind, person="pell", words="And what about yourself?")
    given_answer = answer_request(request, asked)
    assert given_answer is not None
    (unit,) = (one for one in load_repertoire() if one.id in given_answer.units)
    assert unit.cannot == cannot
    assert unit.evidence in (("own",) if not cannot else ("own", "")), unit.source


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("Look around", "It is all as it was."),
        ("Wait and listen", "It is all as it was."),
        ("I hop on one leg", "You hop on one leg. It is all as it was."),
    ],
)
def test_that_one_only_looks_or_waits_is_not_said_again(words: str, text: str) -> None:
    told_deed = {**DEED, "act": [ANY_DEED, "look", "wait"], "text": "{deed} It is all as it was."}
    act = {"Look around": "look", "Wait and listen": "wait"}.get(words, "dance")
    assert answer_with(AnswerRequest(act=act, words=words), told_deed).text == text
