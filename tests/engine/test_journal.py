"""The journal: what happened by day and place, what is open, and what the player knows, with its scene."""

from __future__ import annotations

from narratoria import paths
from narratoria.campaign.load import load_campaign
from narratoria.engine.journal import LONGEST_OPENING, list_days, list_known_facts, list_open_matters
from narratoria.engine.scene import Passage, Receipt, Roll, Scene
from narratoria.engine.snapshot import Progress, SkillFinding, StorySnapshot
from narratoria.state import SessionState


def scene(number: int, place: str, game_time: float, **fields: object) -> Scene:
    about = {"paragraphs": ("It is so.",), "passages": (), **fields}
    return Scene(number=number, action=f"Do {number}", place=place, game_time=game_time, choices=(), **about)  # type: ignore[arg-type]


def test_scenes_are_listed_by_day_and_by_stay_at_a_place() -> None:
    scenes = (
        scene(1, "inn", 0),
        scene(2, "inn", 60, roll=Roll("2d6", 9, "partial success"), effects=("Pike thinks better of you",)),
        scene(3, "pier", 120),
        scene(4, "inn", 1440),
    )
    days = list_days(scenes)
    assert [(day.day, [stay.place for stay in day.stays]) for day in days] == [
        (1, ["inn", "pier"]),
        (2, ["inn"]),
    ]
    second = days[0].stays[0].scenes[1]
    assert (second.number, second.action, second.roll) == (2, "Do 2", "partial success")
    assert second.effects == ("Pike thinks better of you",)


def test_a_long_opening_is_cut_after_a_word_and_loses_its_marks() -> None:
    long_text = "*Never* " + "a word " * 60
    opening = list_days((scene(1, "inn", 0, paragraphs=(long_text,)),))[0].stays[0].scenes[0].opening
    assert opening.startswith("Never a word")
    assert opening.endswith(("word…", "a…"))
    assert len(opening) <= LONGEST_OPENING + 1


def test_promises_and_debts_are_open_until_they_are_gone_from_the_state() -> None:
    state = {
        "world": {
            "promises": [{"who": "pike", "what": "bring the bell", "scene": 3}],
            "debt": [{"who": "osk", "what": "osk", "scene": 5}],
            "owes": [{"who": "senna", "what": "a ring", "scene": 4}],
        }
    }
    assert [(one.kind, one.person, one.text, one.scene) for one in list_open_matters(state)] == [
        ("debt", "osk", "", 5),
        ("claim", "senna", "a ring", 4),
        ("promise", "pike", "bring the bell", 3),
    ]
    assert list_open_matters({}) == ()


def test_what_was_told_is_known_once_with_who_said_it_and_in_which_scene() -> None:
    campaign = load_campaign(paths.BUNDLED_CAMPAIGNS / "harrowmere")
    person = next(name for name, profile in campaign.people.items() if profile.topics)
    topic = next(one for one in campaign.people[person].topics if one.fact)
    receipt = Receipt("topic", f"{person}/topic/{topic.id}", topic.ask)
    passage = campaign.lore[0]
    lore = Receipt("evidence", f"lore/{passage.identifier}", "")
    place = next(iter(campaign.places))
    scenes = (
        scene(1, place, 0, passages=(Passage(by="author", because=(receipt,)),)),
        scene(2, place, 5, passages=(Passage(by="author", because=(receipt, lore)),)),
        scene(3, place, 9, passages=(Passage(by="author", because=(Receipt("evidence", "journal", ""),)),)),
    )
    findings = (SkillFinding(scene=3, source="weather/look", text="it will snow", place=place),)
    story = StorySnapshot(
        id="s",
        campaign="harrowmere",
        seed=1,
        scenes=scenes,
        progress=Progress(findings=findings),
        state=SessionState(
            {"world": {"learns": [{"who": "x", "what": "Osk may know about it", "scene": 2}]}}
        ),
    )
    facts = list_known_facts(story, campaign)
    by_text = {fact.text: fact for fact in facts}
    assert (by_text[topic.fact].scene, by_text[topic.fact].person) == (1, person)
    assert (by_text[passage.text].scene, by_text[passage.text].source) == (2, passage.title)
    assert by_text["Osk may know about it."].scene == 2
    assert by_text["It will snow."].place == place
    assert [fact.scene for fact in facts] == sorted((fact.scene for fact in facts), reverse=True)
    assert len(facts) == 4
