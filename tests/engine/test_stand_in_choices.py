"""What the engine itself offers where no skill does: questions and deeds with their reasons, then ways."""

from __future__ import annotations

from narratoria.contracts.scene_facts import (
    DeedFacts,
    NextFacts,
    PersonFacts,
    PlaceFacts,
    ReceiptFacts,
    SceneFacts,
    TopicFacts,
    WayFacts,
)
from narratoria.engine.stand_in_choices import list_stand_ins


def facts(**after: object) -> SceneFacts:
    return SceneFacts(
        place=PlaceFacts(id="mill", name="the mill"),
        people=(PersonFacts(id="ada", name="Ada"), PersonFacts(id="smith", name="The Smith")),
        next={"": NextFacts(people=("ada", "smith"), **after)},  # type: ignore[arg-type]
    )


WAY = WayFacts(to="inn", name="the inn", visited=True, urgent=None, steps=None)


def test_what_somebody_can_be_asked_says_more_than_to_talk_to_them() -> None:
    topic = TopicFacts(id="topic:bells", person="ada", text="about the drowned bells", written=True)
    first, second, *_ = list_stand_ins(facts(topics=(topic,)), "")
    assert (first.text, first.act, first.target) == ("Ask Ada about the drowned bells", "ask", "ada")
    assert [(one.kind, one.id) for one in first.because] == [("topic", "topic:bells")]
    assert second.text == "Talk to the Smith"


def test_deeds_stand_with_what_they_rest_on() -> None:
    receipt = ReceiptFacts(kind="state", id="persona.items.ring", text="you have a ring")
    deed = DeedFacts(act="show", text="Show the ring to Ada", person="ada", thing="ring", receipts=(receipt,))
    first = list_stand_ins(facts(deeds=(deed,)), "")[0]
    assert (first.text, first.act, first.thing, first.because[0].id) == (
        "Show the ring to Ada",
        "show",
        "ring",
        "persona.items.ring",
    )


def test_a_way_is_offered_last_where_nothing_waits_at_its_end() -> None:
    choices = list_stand_ins(facts(ways=(WAY,)), "")
    assert [one.text for one in choices] == ["Talk to Ada", "Talk to the Smith", "Go to the inn"]


def test_questions_to_people_elsewhere_say_where_they_are() -> None:
    topic = TopicFacts(
        id="topic:wheel", person="bo", text="about the wheel", name="Bo", place="inn", place_name="the inn"
    )
    texts = [one.text for one in list_stand_ins(facts(elsewhere=(topic,)), "")]
    assert "Go to the inn and ask Bo about the wheel" in texts
