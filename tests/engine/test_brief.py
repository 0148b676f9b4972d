"""What a telling model is given: everything the answer needs, and nothing that the plot still keeps."""

from __future__ import annotations

import pytest

from narratoria import app
from narratoria.campaign.campaign import Campaign
from narratoria.contracts.scene_facts import BriefFacts, SceneFacts
from narratoria.engine.action import choose, openings_at, prepare_answers, situation_of
from narratoria.engine.brief import TOLD_AT_ONCE
from narratoria.engine.facts import build_facts
from narratoria.engine.memory.recall import RecallResult
from narratoria.engine.reading import Understanding
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.narrator.evidence import Evidence
from narratoria.planner.intent import Intent, Mention


@pytest.fixture(scope="module")
def harrowmere() -> Campaign:
    return app.open_campaign("harrowmere")


def story_at(place: str, campaign: Campaign, scenes: tuple[Scene, ...] = ()) -> StorySnapshot:
    progress = Progress(place=place, scene=3, met_people=("pike",))
    return StorySnapshot(id="s", campaign=campaign.name, seed=1, progress=progress, scenes=scenes)


def facts_of(
    choice: Choice, story: StorySnapshot, campaign: Campaign, meaning: Understanding | None = None
) -> SceneFacts:
    recalled = RecallResult(understanding=meaning)
    action = prepare_answers(choose(choice, story, campaign, recalled), story, campaign, recalled)
    return build_facts(action, story, campaign, recalled)


def ask_pike(*evidence: Evidence) -> Understanding:
    words = "ask Pike about the deep place"
    intent = Intent(act="ask", text=words, person=Mention("Pike", "pike", "Pike"), topic="the deep place")
    return Understanding(intents=(intent,), evidence=(evidence,))


KNOWN = Evidence(id="k", text="It is forty foot down.", source="profile", owner="pike", relevance=0.9)
SECRET = Evidence(
    id="s", text="He has seen the bell.", source="secret", owner="pike", relevance=0.8, secret=True
)


def brief_of(meaning: Understanding, campaign: Campaign) -> BriefFacts:
    choice = Choice(text=meaning.intents[0].text)
    return facts_of(choice, story_at("landing", campaign), campaign, meaning).brief


def test_evidence_is_handed_on_with_who_knows_it(harrowmere: Campaign) -> None:
    decided = brief_of(ask_pike(KNOWN), harrowmere).decided[""]
    assert [(one.text, one.person) for one in decided.evidence] == [("It is forty foot down.", "Pike")]
    assert decided.room > 0


def test_of_a_secret_it_is_said_that_it_is_kept_and_not_what_it_is(harrowmere: Campaign) -> None:
    brief = brief_of(ask_pike(KNOWN, SECRET), harrowmere)
    assert brief.decided[""].kept_back == ("Pike",)
    assert "seen the bell" not in str(brief)


def test_what_hardly_bears_on_the_action_is_left_aside(harrowmere: Campaign) -> None:
    far = Evidence(id="f", text="Eels are dear.", source="lore", relevance=0.01)
    assert brief_of(ask_pike(far), harrowmere).decided[""].evidence == ()


def test_a_beat_is_told_as_the_author_wrote_it(harrowmere: Campaign) -> None:
    story = story_at("landing", harrowmere)
    situation = situation_of(story, harrowmere)
    beat = openings_at(harrowmere.places["landing"], situation)[0]
    facts = facts_of(Choice(text="x", kind="beat", beat=beat.id), story, harrowmere)
    for end, decided in facts.brief.decided.items():
        assert decided.before
        assert decided.room <= 1
        assert set(decided.before) <= set(facts.drafts[end])


def test_the_first_scene_is_the_authors_alone(harrowmere: Campaign) -> None:
    story = StorySnapshot(id="s", campaign="harrowmere", seed=1)
    facts = facts_of(Choice(text="Begin", kind="begin"), story, harrowmere)
    assert facts.brief.decided[""].room == 0


def test_whoever_was_never_met_or_spoken_of_is_nowhere(harrowmere: Campaign) -> None:
    story = story_at("foundry", harrowmere)
    elsewhere = " ".join(facts_of(Choice(text="Wait", kind="wait"), story, harrowmere).brief.elsewhere)
    assert "Pike" in elsewhere
    assert "The Quiet" not in elsewhere
    asked = facts_of(Choice(text="I ask about Senna"), story, harrowmere).brief.elsewhere
    assert any("Senna Rook" in one for one in asked)


@pytest.mark.parametrize("count", range(3, 20))
def test_scenes_leave_the_brief_several_at_a_time(harrowmere: Campaign, count: int) -> None:
    scenes = tuple(
        Scene(number=n, action=f"Step {n}", place="landing", paragraphs=(f"Told {n}.",), choices=())
        for n in range(count)
    )
    told = facts_of(
        Choice(text="Wait", kind="wait"), story_at("landing", harrowmere, scenes), harrowmere
    ).brief.scenes
    first = count - len(told)
    assert first % TOLD_AT_ONCE == 0
    assert len(told) >= min(count, TOLD_AT_ONCE)
    assert told[-1].action == f"Step {count - 1}"


def test_what_can_be_done_next_is_listed_in_the_engines_words(harrowmere: Campaign) -> None:
    options = brief_of(ask_pike(KNOWN), harrowmere).decided[""].options
    assert len(options) >= 3
    assert any("Pike" in option for option in options)
