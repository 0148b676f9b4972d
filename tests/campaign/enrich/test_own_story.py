"""A premise with a trouble of its own gets a story of that, told in its own nouns and by its own people."""

from __future__ import annotations

import json
import re
from itertools import combinations

import msgspec
import pytest
from tests.campaign.enrich.premises import make_campaign
from tests.campaign.enrich.test_kits import DATA, sentences_of, texts

from narratoria.campaign.campaign import Campaign
from narratoria.campaign.enrich.casting import CastMember, seeded_pick
from narratoria.campaign.enrich.generate import GeneratedContent, generate_content
from narratoria.campaign.enrich.kits import OWN, START, Kit, load_own_kits
from narratoria.campaign.enrich.own_story import cast_own_plot, rank_own_kits
from narratoria.campaign.enrich.player_in_text import bodies
from narratoria.campaign.enrich.premise import eras, kinds_of_world, read_premise
from narratoria.campaign.folder import Folder
from narratoria.campaign.load import CONSTRAINTS, PEOPLE
from narratoria.contracts import Contract

KITS = {kit.kind: kit for kit in load_own_kits()}
SLOTS = {"home", "thing", "matter", "me", "event", "lost", "dead", "when", "trouble"}
NOTHING_TOLD = ("fits", "signs", "needs", "about", "traits")
BOAT_SHED = (
    "My father died in May. I am clearing his boatyard with my brother Aled, who hums, and my father's "
    "foreman Mr. Tasker. The bank wants the keys on Monday, and nobody has opened the chest in the loft."
)


def told(kit: Kit) -> list[str]:
    """Return the texts of a kit that a player may read."""

    def without(value: object) -> object:
        if isinstance(value, dict):
            return {key: without(item) for key, item in value.items() if key not in NOTHING_TOLD}
        return [without(item) for item in value] if isinstance(value, list | tuple) else value

    return texts(without(msgspec.to_builtins(kit)))


def make(text: str, title: str = "untitled") -> GeneratedContent:
    campaign = make_campaign(title, text)
    return generate_content(campaign, Folder(campaign.folder, {}), seeded_pick(title, 0))


def cast(text: str) -> tuple[CastMember, ...]:
    premise = read_premise(make_campaign("untitled", text))
    return cast_own_plot(premise, rank_own_kits(premise, 0)[0], 0).people


@pytest.mark.parametrize("kind", KITS)
def test_a_kit_for_a_trouble_matches_the_schema_and_is_whole(kind):
    schema = json.loads(DATA.joinpath("kit.schema.json").read_text(encoding="utf-8"))
    content = DATA.joinpath(f"own/{kind}.json").read_text(encoding="utf-8")
    assert Contract(schema).check(content, file=f"{kind}.json") == ()
    kit = KITS[kind]
    (plot,) = kit.plots
    assert len(kit.places) >= 4
    assert len(plot.people) >= 4
    assert len([beat for beat in plot.beats if not beat.ending]) >= 5
    assert {beat.ending for beat in plot.beats} - {""} == set(plot.endings)
    places = {START, OWN, *(place.id for place in kit.places)}
    assert {beat.at for beat in plot.beats} | {one.at for one in plot.people.values()} <= places
    ids = {beat.id for beat in plot.beats}
    assert all(set(beat.after) <= ids and set(beat.people) <= set(plot.people) for beat in plot.beats)
    assert all(len(one.says) >= 2 and len(one.topics) >= 2 for one in plot.people.values())
    slots = {slot for text in told(kit) for slot in re.findall(r"\{(\w+)", text)}
    assert slots <= SLOTS | set(plot.people) | {"p", "noun", "sentence"}


@pytest.mark.parametrize("kind", KITS)
def test_a_kit_for_a_trouble_can_be_told_in_any_world_and_of_any_body(kind):
    """Nothing of it is of one time, one kind of world, or takes hands for granted."""
    words = {word for group in (kinds_of_world(), eras()) for one in group.values() for word in one.excludes}
    excluded = re.compile(r"\b(?:" + "|".join(map(re.escape, words)) + r")\b", re.IGNORECASE)
    patterns = [re.compile(one, re.IGNORECASE) for body in bodies().bodies.values() for one in body.excludes]
    assert [text for text in told(KITS[kind]) if excluded.search(text)] == []
    assert [text for text in told(KITS[kind]) for pattern in patterns if pattern.search(text)] == []


def test_no_two_kits_for_a_trouble_share_a_sentence_or_a_place():
    for one, other in combinations(KITS.values(), 2):
        assert sentences_of(one) & sentences_of(other) == set(), f"{one.kind} and {other.kind}"
        assert {place.name for place in one.places} & {place.name for place in other.places} == set()


def test_people_keep_what_the_premise_says_of_them():
    people = {member.name: member for member in cast(BOAT_SHED)}
    assert people["Aled"].phrase == "your brother, who hums"
    assert people["Mr. Tasker"].phrase == "your father's foreman"
    profiles = {
        str(one["name"]): one for file, one in make(BOAT_SHED).files.items() if file.startswith(PEOPLE)
    }
    assert profiles["Aled"]["role"] == "Your brother, who hums"


def test_whoever_is_dead_or_gone_is_nobody_who_can_be_met():
    names = {member.name for member in cast(f"{BOAT_SHED} I miss Idris, whom I buried in March.")}
    assert "Idris" not in names
    text = (
        "Our sister Runa walked the dog on Sunday and she did not come back. I am her brother, and nobody in "
        "the village will say what they saw, not even old Marra Tull, who lives by the gate."
    )
    assert "Runa" not in {member.name for member in cast(text)}
    assert any("Runa" in str(content) for content in make(text).files.values())


def test_a_group_becomes_several_people_with_names():
    text = (
        "You are a midwife in a lighthouse. Four brothers keep the light, and each of them has stopped "
        "talking to the others since the storm took the boat and the bell."
    )
    brothers = [member for member in cast(text) if member.phrase == "one of the four brothers"]
    assert len(brothers) == 3
    assert len({member.name for member in brothers}) == 3
    assert {member.they for member in brothers} == {"he"}


def test_somebody_who_gives_no_name_has_none():
    text = (
        "You are a ferryman. The abbess has asked you for the old chart, and so has a monk who will not give "
        "his name. Your mother says to burn it before the fair, and you cannot swim."
    )
    names = {member.name for member in cast(text)}
    assert {"The Monk", "Mother"} <= names
    assert "You cannot swim." in str(make(text).files[CONSTRAINTS])


def test_where_there_are_no_people_those_who_speak_are_no_people_either():
    text = (
        "We are a flock of nine weather balloons, each of us one mind, and two of us have stopped answering. "
        "Tarry, the slowest, says to wait. There are no people, and the storm is an hour off."
    )
    assert {member.they for member in cast(text)} == {"it"}


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        (BOAT_SHED, "after-death"),
        (
            "You are the clerk of a hill town. Somebody has stolen the tax money, the mayor wants a name by "
            "Thursday, and the whole of the watch has sworn to say nothing.",
            "somebody-did",
        ),
        (
            "We are a parliament of owls in a churchyard. There is a vote before dawn on the new tree, the "
            "options are all bad, and the old queen only wants to sleep.",
            "show-of-hands",
        ),
        (
            "You are a cook in an airport. The third bell keeps ringing though it has no rope, and every "
            "night it rings a little nearer. Nobody else can hear it.",
            "it-happens-again",
        ),
    ],
)
def test_the_story_is_of_the_trouble_that_the_premise_speaks_of(text, trouble):
    assert make(text).plot == f"{trouble}/own"


def test_a_premise_of_a_few_words_is_told_by_its_kind_of_world():
    assert not make("I am a loaf of bread.").plot.endswith("/own")


def test_an_author_who_has_written_a_setting_gets_a_story_of_that_kind_of_world():
    campaign = make_campaign("yard", BOAT_SHED)
    written = Campaign(
        folder=campaign.folder, manifest=campaign.manifest, premise=campaign.premise, setting="A dry harbour."
    )
    made = generate_content(written, Folder(campaign.folder, {}), seeded_pick("yard", 0))
    assert not made.plot.endswith("/own")


def test_a_place_that_is_far_away_is_not_a_few_steps_off():
    text = (
        "You keep a post office in a desert, two hundred miles from a harbour. A letter has come for a dead "
        "keeper, and somebody has put it on the counter of the saloon, opened, by Friday noon."
    )
    places = read_premise(make_campaign("untitled", text)).find_other_places()
    assert "harbour" not in {noun.head for noun in places}
    assert "saloon" in {noun.head for noun in places}
