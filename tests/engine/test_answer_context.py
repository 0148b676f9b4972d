"""An action that no beat answers: when dice decide it, and what the narrator is told of the world."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from tests.engine.small_story import beat, situation, story

from narratoria.campaign.campaign import Conditions, Place
from narratoria.engine.answer_context import (
    answer_context,
    answer_intents,
    as_plain_question,
    is_light,
    is_retold,
    is_risky,
    suggestions,
    units_of,
    world_of,
)
from narratoria.engine.reading import Understanding
from narratoria.engine.snapshot import Progress
from narratoria.narrator.answer_request import Answer
from narratoria.planner.intent import Intent, Mention

TALE = story()
MILL = TALE.places["mill"]
ADA = Mention("Ada", "ada", "Ada")
BO = Mention("Bo", "bo", "Bo")


@pytest.mark.parametrize(
    ("intent", "rolls"),
    [
        (Intent(act="attack", text="hit Ada", person=ADA), True),
        (Intent(act="attack", text="hit Bo", person=BO), False),  # who is not here
        (Intent(act="wait", text="wait"), False),
        (Intent(act="no such act", text="?"), False),
    ],
)
def test_dice_decide_where_somebody_is_there_to_resist(intent: Intent, rolls: bool) -> None:
    assert is_risky([intent], situation(TALE), MILL) is rolls


def test_the_narrator_knows_who_hears_where_the_others_were_and_how_they_feel() -> None:
    state = {"perception": {"ada": 40}, "persona": {"items": ["a rope"]}}
    context = answer_context(situation(TALE, state=state), MILL, seed="1")

    assert set(context.people) == {"ada"}
    assert context.people["ada"].feeling == "warm"
    assert context.last_seen == {"bo": "the inn"}
    assert context.items == ("rope",)


def test_somebody_who_is_hurt_is_cold_whatever_they_thought() -> None:
    state = {"perception": {"ada": 40}, "world": {"hurt": {"ada": "a blow"}}}

    assert answer_context(situation(TALE, state=state), MILL, seed="1").people["ada"].feeling == "cold"


def test_every_way_a_roll_can_end_has_an_answer_and_a_seed_always_the_same() -> None:
    understanding = Understanding(intents=(Intent(act="attack", text="hit Ada", person=ADA),), evidence=((),))
    ends = ("success", "partial success", "failure")
    answers = answer_intents(understanding, situation(TALE), MILL, ends, seed="7")

    assert set(answers) == set(ends)
    assert all(answer.text for answer in answers.values())
    assert answers == answer_intents(understanding, situation(TALE), MILL, ends, seed="7")


def test_a_place_is_indoors_or_outdoors_by_the_authors_words() -> None:
    hall = Place("hall", "The hall", "A room with a low ceiling and a door.")
    shore = Place("shore", "The shore", "The sea under a grey sky.")

    assert "indoors" in world_of(TALE, hall)
    assert "outdoors" in world_of(TALE, shore)


def test_what_the_author_offers_is_suggested_before_the_ways_out_and_three_at_most() -> None:
    openings = [beat(name, Conditions(player_choice=name)) for name in ("Sing", "Dance")]

    assert suggestions(openings, [TALE.places["inn"], MILL]) == ["Sing", "Dance", "Go to the inn"]
    assert suggestions([], []) == []


def test_the_repertoire_is_loaded_once_for_a_campaign() -> None:
    assert units_of(TALE) is units_of(TALE)
    assert len({unit.id for unit in units_of(TALE)}) == len(units_of(TALE))


def test_the_units_told_before_and_the_turn_are_known_to_the_narrator() -> None:
    context = answer_context(
        situation(TALE, Progress(place="mill", scene=4, units={"u1": 3})), MILL, seed="1"
    )

    assert (context.turn, context.used) == (5, {"u1": 3})


def answers_at(scene: int, intent: Intent) -> str:
    progress = Progress(place="mill", scene=scene)
    answers = answer_intents(
        Understanding(intents=(intent,), evidence=((),)), situation(TALE, progress), MILL, ("",), seed="1"
    )
    return answers[""].text


def test_what_is_done_is_told_in_the_players_words_and_somebody_remarks_on_it_every_other_time() -> None:
    dance = Intent(act="make", text="I stack the crates")
    texts = [answers_at(scene, dance) for scene in range(2, 10)]

    assert all(text.startswith("You stack the crates.") for text in texts)
    assert ["Ada" in text for text in texts] == [True, False] * 4


def test_nobody_remarks_on_it_where_nobody_is() -> None:
    empty = replace(TALE, people={"bo": TALE.people["bo"]})
    understanding = Understanding(intents=(Intent(act="make", text="I stack the crates"),), evidence=((),))
    answers = answer_intents(
        understanding, situation(empty, Progress(place="mill", scene=2)), MILL, ("",), seed="1"
    )

    assert "Bo" not in answers[""].text


@pytest.mark.parametrize(
    ("word", "light"),
    [
        ("Light, melancholy", True),
        ("A light-hearted comedy", True),
        ("whimsical", True),
        ("Grim", False),
        ("lighthouse", False),
        ("humourless", False),
        ("", False),
    ],
)
def test_a_story_is_light_where_it_calls_itself_so(word: str, light: bool) -> None:
    for field in ("genre", "tone"):
        manifest = msgspec.structs.replace(TALE.manifest, **{field: word})
        assert is_light(replace(TALE, manifest=manifest)) is light
    tagged = replace(TALE, manifest=msgspec.structs.replace(TALE.manifest, tags=(word,)))
    assert is_light(tagged) is light
    assert answer_context(situation(tagged), MILL, seed="1").is_light is light


def test_the_narrator_knows_the_ways_out() -> None:
    assert answer_context(situation(TALE), MILL, seed="1").ways == ("the inn",)


def test_an_ordinary_thing_is_not_denied_and_a_marvel_is() -> None:
    def told(thing: str) -> str:
        mention = Mention(thing, "", thing)
        return answers_at(3, Intent(act="throw", text=f"I throw the {thing}", thing=mention))

    assert told("stone").startswith("You throw the stone.")
    assert "You throw the dragon" not in told("dragon")


def test_one_passage_is_told_once_in_a_turn() -> None:
    first = Answer(text="A drawer.", fact="a.", source="evidence:d", evidence=("d",))
    assert is_retold(Answer(text="A drawer.", fact="a.", source="evidence:d", evidence=("d",)), [first])
    assert not is_retold(Answer(text="A lamp.", fact="b.", source="evidence:l", evidence=("l",)), [first])
    assert not is_retold(Answer(text="You wait.", fact="c.", source="offers"), [first])


def test_two_answers_of_one_turn_are_told_by_two_units() -> None:
    sing = Intent(act="sing", text="sing a song")
    hum = Intent(act="sing", text="and sing another")
    understanding = Understanding(intents=(sing, hum), evidence=((), ()))
    (answer,) = answer_intents(understanding, situation(TALE), MILL, ("",), seed="7").values()
    assert len(answer.units) == len(set(answer.units)) == 2


@pytest.mark.parametrize(
    ("words", "act"),
    [
        ("Did you do that sum too?", "ask"),
        ("“He tied me up. Did you know my mother? She came by here.”", "ask"),
        ("As a friend first. Tell me the joke.", "ask"),
        ("You did that sum too!", "accuse"),
        ("Tell me or I shout.", "accuse"),
        ("Would you hold the other end?", "accuse"),
        ("Will you do it for me?", "accuse"),
    ],
)
def test_who_only_asks_needs_no_luck(words: str, act: str) -> None:
    intent = Intent(act="accuse", text=words, person=Mention("you", "ruth", "Ruth"))
    assert as_plain_question(intent).act == act
    threat = msgspec.structs.replace(intent, act="threaten")
    assert as_plain_question(threat).act == "threaten"
