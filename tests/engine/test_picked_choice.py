"""A picked choice says what it means: nothing of it is read."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from tests.engine.small_story import begin, person, story

from narratoria.campaign.campaign import Topic
from narratoria.engine.action import situation_of
from narratoria.engine.picked_choice import understand_picked
from narratoria.engine.reading import Understanding
from narratoria.engine.scene import Choice, Receipt

OAR = Topic(id="oar", ask="whose oar that is", answer="“Mine,” says Bo.")
BO = msgspec.structs.replace(person("Bo Reed", "inn"), topics=(OAR,))
CAMPAIGN = replace(
    story(), people={"ada": person("Ada", "mill"), "bo": BO}, premise=("A letter lay on the step.",)
)


def read(choice: Choice) -> Understanding | None:
    return understand_picked(choice, situation_of(begin(CAMPAIGN), CAMPAIGN))


def test_a_question_names_whom_it_is_for_and_what_answers_it_wherever_they_are() -> None:
    meaning = read(Choice(text="Ask Bo", kind="talk", act="ask", target="bo", topic="bo/topic/oar"))
    assert meaning is not None
    (intent,), ((evidence,),) = meaning.intents, meaning.evidence
    assert (intent.act, intent.person.id if intent.person else "") == ("ask", "bo")
    assert (evidence.id, evidence.relevance) == ("bo/topic/oar", 1.0)


def test_a_look_at_a_carried_thing_shows_the_passage_it_names_and_no_other() -> None:
    look = Choice(text="Examine the letter", act="examine", thing="letter", topic="premise/0")
    meaning, lost = read(look), read(msgspec.structs.replace(look, topic="premise/9"))
    assert meaning is not None
    assert lost is not None
    assert [one.text for one in meaning.evidence[0]] == ["A letter lay on the step."]
    assert lost.evidence == ((),)


def test_own_words_and_talk_to_nobody_have_to_be_read() -> None:
    assert read(Choice(text="sing")) is None
    assert read(Choice(text="Talk to the wind", kind="talk", target="wind")) is None


@pytest.mark.parametrize(
    ("act", "topic", "receipt", "kind"),
    [
        ("comfort", "", Receipt("evidence", "bo/topic/oar"), "comfort/grief"),
        ("confess", "", Receipt("memory", "scene-3"), "confess/weakness"),
        ("tell", "bo/ties/ada", Receipt("evidence", "ada/ties/bo"), "tell/message"),
        ("tell", "", Receipt("memory", "scene-3"), ""),
        ("promise", "", Receipt("state", "world.debt.bo"), "promise/repay"),
        ("promise", "", Receipt("evidence", "bo/wants/0"), "promise/carry-out"),
        ("promise", "", Receipt("memory", "scene-3"), ""),
    ],
)
def test_an_offered_deed_is_of_the_kind_it_was_offered_as(
    act: str, topic: str, receipt: Receipt, kind: str
) -> None:
    choice = Choice(text="Do it", kind="talk", act=act, target="bo", topic=topic, because=(receipt,))
    meaning = read(choice)
    assert meaning is not None
    assert meaning.intents[0].kind == kind
