"""A deed at a place is answered by what its author wrote for it, in whatever words it is typed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from narratoria import app
from narratoria.campaign.campaign import Campaign, PlaceDeed
from narratoria.engine.action import situation_of
from narratoria.engine.evidence_origin import find_origin
from narratoria.engine.place_deeds import find_likely_deed, find_place_deed, names_deed
from narratoria.engine.reading import Understanding
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.narrator.evidence import Evidence
from narratoria.planner.intent import Intent, Mention

DEEDS = (
    PlaceDeed(("play violin", "sing fiddle"), "It has no strings."),
    PlaceDeed(("do violin",), "You lay it back."),
    PlaceDeed(("sing", "signal/shout"), "Nobody joins in."),
    PlaceDeed(("what time",), "Late."),
)


@pytest.fixture(scope="module")
def foundry() -> Campaign:
    campaign = app.open_campaign("harrowmere")
    place = replace(campaign.places["foundry"], deeds=DEEDS)
    empty = replace(campaign.places["under-choir"], deeds=DEEDS)
    return replace(campaign, places={**campaign.places, "foundry": place, "under-choir": empty})


def do(
    act: str,
    text: str,
    campaign: Campaign,
    *,
    at: str = "under-choir",
    kind: str = "",
    thing: str = "",
    person: Mention | None = None,
) -> str:
    progress = Progress(place=at, scene=3)
    story = StorySnapshot(id="s", campaign=campaign.name, seed=1, progress=progress)
    intent = Intent(
        act=act, kind=kind, text=text, thing=Mention(thing) if thing else None, person=person, topic=text
    )
    evidence = find_place_deed(intent, situation_of(story, campaign))
    return evidence.text if evidence else ""


@pytest.mark.parametrize(
    ("act", "text", "thing"),
    [
        ("sing", "I try to play the old violin", "violin"),
        ("sing", "scrape a tune on the fiddle", "fiddle"),  # by the name of the act
    ],
)
def test_a_deed_is_known_by_its_verb_or_its_act_and_its_thing(
    act: str, text: str, thing: str, foundry: Campaign
) -> None:
    assert do(act, text, foundry, thing=thing) == "It has no strings."


def test_whatever_else_is_done_to_a_thing_is_met_by_what_stands_for_any_deed(foundry: Campaign) -> None:
    assert do("break", "smash the violin", foundry, thing="violin") == "You lay it back."
    assert do("put", "put the bow on the violin", foundry, thing="bow") == ""


def test_a_verb_by_itself_is_for_what_is_done_to_nothing_in_particular(foundry: Campaign) -> None:
    assert do("sing", "I want to sing", foundry) == "Nobody joins in."
    assert do("signal", "halloo!", foundry, kind="signal/shout") == "Nobody joins in."
    assert do("sing", "sing the oath", foundry, thing="oath") == ""
    assert do("look", "look for somebody to sing", foundry) == ""


def test_what_is_not_done_meets_nothing(foundry: Campaign) -> None:
    assert do("sing", "I do not play the violin", foundry, thing="violin") == ""


def test_a_question_is_for_whoever_is_there(foundry: Campaign) -> None:
    assert do("think_back", "what time is it?", foundry) == "Late."
    ottoline = Mention("you", "ottoline-carrow", "Dame Ottoline Carrow")
    assert do("ask", "what time is it?", foundry, at="foundry", person=ottoline) == ""
    assert do("give", "give the violin to her", foundry, at="foundry", thing="violin", person=ottoline) == ""


def test_dice_do_not_decide_what_an_author_has_written() -> None:
    climb = Intent(act="climb", text="climb the pile")
    deed = Evidence(id="deed/landing/0", text="You come down.", source="place", relevance=1.0)
    assert Understanding(intents=(climb,), evidence=((deed,),)).undecided() == ()
    assert Understanding(intents=(climb,), evidence=((),)).undecided() == (climb,)


def test_an_author_is_told_where_the_answer_stands(foundry: Campaign) -> None:
    origin = find_origin("deed/foundry/1", foundry)
    assert origin is not None
    assert (origin.file, origin.text) == ("lore/locations/foundry.md", "You lay it back.")
    assert find_origin("deed/foundry/99", foundry) is None


class Matcher:
    """Finds every wording as likely as it is told."""

    def __init__(self, likely: float) -> None:
        self.likely, self.read = likely, list[str]()

    def match(self, text: str, candidates: list[str], shared: list[float], task: str) -> list[float]:
        self.read += candidates
        return [self.likely] * len(candidates)


def mean(act: str, text: str, campaign: Campaign, matcher: Matcher) -> str:
    story = StorySnapshot(
        id="s", campaign=campaign.name, seed=1, progress=Progress(place="under-choir", scene=3)
    )
    intent = Intent(act=act, text=text, topic=text)
    evidence = find_likely_deed(intent, situation_of(story, campaign), matcher)  # type: ignore[arg-type]
    return evidence.text if evidence else ""


def test_another_verb_for_a_deed_to_a_thing_is_read_for_what_it_means(foundry: Campaign) -> None:
    matcher = Matcher(0.97)
    assert mean("use", "scratch away on the violin", foundry, matcher) == "It has no strings."
    assert matcher.read == ["play violin", "do violin"]  # those alone whose thing is named


def test_a_deed_is_not_told_where_it_is_hardly_meant_or_nothing_is_done(foundry: Campaign) -> None:
    assert mean("use", "scratch away on the violin", foundry, Matcher(0.5)) == ""
    assert mean("ask", "who owns the violin?", foundry, Matcher(1.0)) == ""
    assert mean("use", "scratch away on the drum", foundry, Matcher(1.0)) == ""


def test_what_is_done_with_somebody_is_theirs_to_answer(foundry: Campaign) -> None:
    ottoline = Mention("ottoline", "ottoline-carrow", "Dame Ottoline Carrow")
    assert do("sing", "sing with ottoline", foundry, at="foundry", person=ottoline) == ""
    assert do("sing", "sing out loud", foundry, at="foundry") == "Nobody joins in."


def test_a_look_at_a_thing_is_not_what_stands_for_any_deed(foundry: Campaign) -> None:
    assert do("examine", "look at the violin", foundry, thing="violin") == ""
    assert do("break", "smash the violin", foundry, thing="violin") == "You lay it back."


def test_words_that_name_a_deed_are_one_however_they_were_read(foundry: Campaign) -> None:
    story = StorySnapshot(
        id="s", campaign=foundry.name, seed=1, progress=Progress(place="under-choir", scene=3)
    )
    situation = situation_of(story, foundry)
    tower = foundry.places["lamp-tower"]
    assert names_deed("sing", situation)
    assert not names_deed("dance", situation)
    assert names_deed("play the violin by the lamp", situation, going_to=tower)
    assert not names_deed("play the violin at the lamp tower", situation, going_to=tower)
    assert not names_deed("sing on the way", situation, going_to=tower)


def test_a_question_is_not_answered_by_what_comes_of_a_deed(foundry: Campaign) -> None:
    assert do("think_back", "who can play the violin?", foundry, thing="violin") == ""
    assert do("think_back", "what time is it", foundry) == "Late."


def test_how_something_is_not_done_does_not_keep_it_undone(foundry: Campaign) -> None:
    assert do("sing", "play the violin, but not loudly", foundry, thing="violin") == "It has no strings."
    assert do("sing", "decide not to play the violin", foundry, thing="violin") == ""
