"""The player hears what they know already, carry, or could do next."""

from __future__ import annotations

from dataclasses import replace

from narratoria.narrator.answer_request import AnswerContext, AnswerRequest, Listener
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.recollection import COMPANY, join_names, leave_out_contained, suggest, think_back

FIRE = Evidence(id="lore/fire", text="The mill burned in May.", source="lore", relevance=0.9)
LETTER = Evidence(id="premise/0", text="A letter came for you.", source="journal", relevance=0.9)


def remember(words: str, *evidence: Evidence, **more: object) -> str | None:
    context = AnswerContext("the mill", (), **more)  # type: ignore[arg-type]
    answer = think_back(AnswerRequest(act="think_back", topic=words, words=words, evidence=evidence), context)
    return answer.text if answer else None


def test_what_is_carried_is_listed() -> None:
    assert remember("what is in my pockets", items=("a key", "a map", "bread")) == (
        "You carry a key, a map and bread."
    )
    assert remember("inventory") == "You carry nothing of note."


def test_who_asks_for_everything_hears_the_beginning_and_the_latest_events() -> None:
    text = remember("remind me what happened so far", premise=("A letter came.",), journal=("You ran.",))
    assert text == "A letter came.\n\nYou ran."


def test_what_was_only_seen_is_no_event_and_speech_keeps_its_own_end() -> None:
    text = remember(
        "recap",
        premise=("He said: “It is your own.”",),
        journal=("It is a lantern.", "Ada told you her name"),
    )
    assert text == "He said: “It is your own.”\n\nAda told you her name."


def test_who_thinks_over_what_happened_goes_over_the_latest_events() -> None:
    text = remember(
        "Think over what has happened", premise=("A letter came.",), journal=("You ran.", "You fell.")
    )
    assert text == "You ran. You fell."


def test_what_nobody_has_told_the_player_is_not_recalled() -> None:
    assert remember("what do I know about the mill", FIRE) is None


def test_what_somebody_has_told_the_player_is_recalled() -> None:
    told = Evidence(id="lore/fire", text=FIRE.text, source="lore", relevance=0.9, is_repeat=True)
    assert remember("what do I know about the mill", told) == "The mill burned in May."


def test_what_happened_is_recalled_where_it_bears_on_the_question() -> None:
    assert remember("what do I know about the letter", LETTER) == "A letter came for you."


def test_offers_are_told_inside_the_story() -> None:
    answer = suggest(AnswerContext("the mill", (), offers=("wait", "go home", "sing")))
    assert answer.text == "You take stock. You could wait, go home or sing."


def test_names_are_joined_as_one_says_them() -> None:
    assert join_names(["Ada"]) == "Ada"
    assert join_names(["Ada", "Bo", "Cy"]) == "Ada, Bo and Cy"


def test_somebody_who_is_asked_for_the_way_names_it_and_who_is_there() -> None:
    ada = Listener("ada", "Ada Bell", "Ada", "she")
    context = AnswerContext(
        "the mill",
        (),
        people={"ada": ada},
        names={"ada": "Ada Bell", "bo": "Bo Reed"},
        last_seen={"bo": "the inn"},
        onward="the inn",
        offers=("go to the inn",),
        seed="1",
    )
    answer = suggest(context, ada)
    assert "the inn" in answer.text
    assert "Ada" in answer.text
    assert any(line.format(names="Bo") in answer.text for line in COMPANY)
    assert suggest(context).text == "You take stock. You could go to the inn."
    used: dict[str, int] = {}
    for turn in range(12):  # nobody is sent on in words that were used before while there are others
        told = suggest(replace(context, used=used, turn=turn), ada)
        assert not used.keys() & set(told.units)
        used |= dict.fromkeys(told.units, turn)


def test_who_thinks_over_what_happened_does_not_go_over_looking_round() -> None:
    journal = (
        "You began.",
        "You took a closer look at the inn.",
        "You broke the lamp.",
        "You waited and listened.",
    )
    assert remember("Think over what has happened", journal=journal) == "You broke the lamp."
    talk = ("You took the oath.", "You told Ada of it. Ada has heard it.", "Bo told you to try the inn.")
    assert remember("Think over what has happened", journal=talk) == " ".join(talk)
    done = (*talk, "The ice has come.")
    assert remember("Think over what has happened", journal=done) == "You took the oath. The ice has come."


def test_a_fact_is_not_told_beside_the_event_that_has_it_in_it() -> None:
    event = "You tuned the set. On the radio you heard a man reading numbers."
    fact = "On the radio you heard a man reading numbers."
    assert leave_out_contained([event, fact]) == [event]
    assert leave_out_contained([fact, event, "You went home."]) == [event, "You went home."]
    assert leave_out_contained([fact, fact]) == [fact]
