"""Players' own words become intents, and what cannot be made out is asked back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narratoria.inference.installed_models import find_embedder
from narratoria.planner.act_classifier import open_reader
from narratoria.planner.clauses import split_clauses
from narratoria.planner.intent import KnownPerson, KnownPlace, KnownThing, ReadingContext, load_acts
from narratoria.planner.read import IntentReader, read_by_words, score_by_words, topic_of

CONTEXT = ReadingContext(
    people=(
        KnownPerson("pike", "Pike", "Pike", "he", descriptions=("Mudlark", "a boy made of elbows")),
        KnownPerson("osk", "Brother Osk", "Brother Osk", "he", present=False, descriptions=("Keeper",)),
    ),
    things=(KnownThing("bread", "bread", "player"), KnownThing("lantern", "lantern")),
    places=(KnownPlace("foundry", "The Bell Foundry", 1),),
    place_name="the Landing",
)


@pytest.fixture(scope="module")
def reader() -> IntentReader:
    folder = find_embedder()
    if folder is None:
        pytest.skip("the embedding model is not installed")
    return open_reader(folder)


@pytest.mark.parametrize(
    ("words", "act", "person", "thing"),
    [
        ("hit him", "attack", "pike", None),
        ("ask Pike about the abbey", "ask", "pike", None),
        ("I give the boy my bread", "give", "pike", "bread"),
        ("take the lantern", "take", None, "lantern"),
        ("go to the foundry", "go", None, None),
        ("sing a song", "sing", None, None),
        ("who is Brother Osk?", "ask", "pike", None),
        ("wait", "wait", None, None),
        ("i climb up the wall", "climb", None, None),
    ],
)
def test_plain_words_are_read_as_they_are_meant(
    reader: IntentReader, words: str, act: str, person: str | None, thing: str | None
) -> None:
    read = reader.read_now(words, CONTEXT)
    assert read.question is None
    first = read.intents[0]
    assert first.act == act
    if person:
        assert first.person is not None
        assert first.person.id == person
    if thing:
        assert first.thing is not None
        assert first.thing.id == thing


def test_several_acts_in_one_sentence_are_a_sequence(reader: IntentReader) -> None:
    read = reader.read_now("I take the lantern and then go to the foundry", CONTEXT)
    assert [intent.act for intent in read.intents] == ["take", "go"]
    assert read.intents[1].place is not None
    assert read.intents[1].place.id == "foundry"


@pytest.mark.parametrize("words", ["asdf qwer zxcv", "????", "xkcd fghjk lmnop qrst"])
def test_nonsense_is_asked_back_with_readings_to_pick_from(reader: IntentReader, words: str) -> None:
    read = reader.read_now(words, CONTEXT)
    assert read.intents == ()
    assert read.question is not None
    assert 2 <= len(read.question.readings) <= 3


COMPANY = ReadingContext(
    people=(
        KnownPerson(
            "ada", "Ada Finch", "Ada", "she", descriptions=("Harbour master", "A tall woman in oilskins")
        ),
        KnownPerson("ned", "Ned", "Ned", "he", descriptions=("Cabin boy", "A thin boy with a torch")),
        KnownPerson(
            "cole", "Mr. Cole", "Mr. Cole", "he", present=False, descriptions=("Pilot", "A man with a rope")
        ),
    ),
    things=(KnownThing("notice", "notice"), KnownThing("rope", "rope"), KnownThing("torch", "torch", "ned")),
    places=(KnownPlace("quay", "The Old Quay", 1),),
    place_name="the harbour office",
)
ALONE = ReadingContext(things=COMPANY.things, places=COMPANY.places, place_name=COMPANY.place_name)


@pytest.mark.parametrize(
    ("words", "act", "person"),
    [
        ("has the mail boat been in yet", "ask", "ada"),
        ("how much did we pay for coal last winter", "ask", "ada"),
        ("Ned, where do you sleep?", "ask", "ned"),
        ("boy, is the tide out?", "ask", "ned"),
        ("what do I know about the mail boat", "think_back", ""),
        ("what's written on the notice", "read", ""),
    ],
)
def test_a_question_is_asked_of_whoever_is_there(
    reader: IntentReader, words: str, act: str, person: str
) -> None:
    (intent,) = reader.read_now(words, COMPANY).intents
    assert intent.act in (act, "examine" if act == "read" else act)
    assert (intent.person.id if intent.person else "") == person


def test_a_question_with_nobody_there_is_thought_about_or_looked_into(reader: IntentReader) -> None:
    (intent,) = reader.read_now("has the mail boat been in yet", ALONE).intents
    assert intent.act in ("think_back", "look")
    (intent,) = reader.read_now("what's written on the notice", ALONE).intents
    assert intent.act in ("examine", "read")


@pytest.mark.parametrize(
    ("words", "acts"),
    [
        ("I want to climb the mast", ["climb"]),
        ("right, I roll up my sleeves and sweep the floor", ["clean"]),
        ("I can't stand it. I open the door", ["open"]),
        ("I bring Mr. Cole a bowl of soup, on the house", ["give"]),
        ("I take the letter out of my pocket and show Ada the seal, so she knows I mean it", ["show"]),
        ("show Ned the rope and say nothing, just look at him", ["show"]),
        ("Ada, let's take the boat and look for them, you and me", ["persuade"]),
    ],
)
def test_only_what_is_really_done_becomes_an_act(reader: IntentReader, words: str, acts: list[str]) -> None:
    assert [intent.act for intent in reader.read_now(words, COMPANY).intents] == acts


def test_following_a_thing_is_going_along_it_and_following_nobody(reader: IntentReader) -> None:
    (intent,) = reader.read_now("follow the tracks in the snow", COMPANY).intents
    assert intent.act in ("go", "search")
    assert intent.person is None


def test_it_is_what_the_clause_before_was_done_to(reader: IntentReader) -> None:
    (intent,) = reader.read_now("take the rope and pocket it", COMPANY).intents
    assert intent.act == "take"
    assert intent.thing is not None
    assert intent.thing.id == "rope"


def test_without_a_model_acts_are_scored_by_the_words_of_their_examples() -> None:
    scores = score_by_words("steal the purse")
    assert max(scores, key=lambda act: scores[act]) == "steal"
    assert set(scores) == set(load_acts())
    assert sum(scores.values()) == pytest.approx(1.0)


@given(st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_whatever_is_typed_is_read_or_asked_back(text: str) -> None:
    for context in (CONTEXT, ReadingContext()):
        read = read_by_words().read_now(text, context)
        assert bool(read.intents) != bool(read.question)


def test_what_is_quoted_stays_whole() -> None:
    assert split_clauses("“Come here and sit down,” I say") == ["“Come here and sit down,” I say"]
    assert split_clauses("open the letter and read it") == ["open the letter", "read it"]


@pytest.mark.parametrize(
    ("words", "topic"),
    [
        ("ask her about the fire", "the fire"),
        ("ask Pike why he draws", "why he draws"),
        ('I say "where is the key?"', "where is the key?"),
    ],
)
def test_the_topic_is_what_is_asked_without_who_is_asked(words: str, topic: str) -> None:
    assert topic_of(words) == topic


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        ("what's your name and where is your mum", ["what's your name", "where is your mum"]),
        ("how long have you lived here? got any family", ["how long have you lived here?", "got any family"]),
        ("why? tell me why", ["why? tell me why"]),
    ],
)
def test_two_questions_in_one_line_are_two(reader: IntentReader, words: str, texts: list[str]) -> None:
    intents = reader.read_now(words, CONTEXT).intents
    assert [one.act for one in intents] == ["ask"] * len(texts)
    assert [one.text for one in intents] == texts


def test_what_is_said_in_one_breath_is_one_act(reader: IntentReader) -> None:
    intents = reader.read_now("forgive me, i once took money to speak for a guilty man", CONTEXT).intents
    assert len(intents) == 1


def test_what_is_done_after_something_is_read_for_itself(reader: IntentReader) -> None:
    intents = reader.read_now("eat the bread, then knock on the lantern", CONTEXT).intents
    assert intents[0].act == "eat"
    assert intents[1].act != "eat"


def test_asking_about_it_is_asking_about_what_was_just_spoken_of(reader: IntentReader) -> None:
    intents = reader.read_now("praise the lantern and ask about it", CONTEXT).intents
    assert [(one.act, one.topic) for one in intents][1:] == [("ask", "the lantern")]


def test_what_is_to_be_found_out_by_a_look_is_looked_at_and_by_a_deed_is_no_act(reader: IntentReader) -> None:
    (look,) = reader.read_now("I lean over the rail and see where the lantern is pointing", CONTEXT).intents
    assert (look.act, look.thing and look.thing.id) == ("examine", "lantern")
    deed = reader.read_now("throw the bread to him and see if he catches it", CONTEXT).intents
    assert "examine" not in {one.act for one in deed}


def test_a_nod_that_is_asked_for_is_no_question_of_its_own(reader: IntentReader) -> None:
    line = "You tell me where Osk is and I'll give you my bread. Deal?"
    assert all(one.text != "Deal?" for one in reader.read_now(line, CONTEXT).intents)


def test_looking_into_a_thing_is_looking_at_it_and_not_around(reader: IntentReader) -> None:
    (look,) = reader.read_now("look inside the church", CONTEXT).intents
    assert (look.act, look.thing and look.thing.text) == ("examine", "church")


@pytest.mark.parametrize("words", ["continue", "go on", "Next.", "carry on please"])
def test_who_only_wants_the_story_to_go_on_waits_for_it(reader: IntentReader, words: str) -> None:
    (wait,) = reader.read_now(words, CONTEXT).intents
    assert wait.act == "wait"
    assert reader.read_now("go on and ask him about the abbey", CONTEXT).intents[-1].act == "ask"


def test_a_question_about_a_way_is_no_going(reader: IntentReader) -> None:
    (asked_of_pike,) = reader.read_now("is it safe to cross to the foundry?", CONTEXT).intents
    assert asked_of_pike.act == "ask"
    alone = ReadingContext(places=CONTEXT.places, place_name="the Landing")
    assert reader.read_now("is it safe to cross to the foundry?", alone).intents[0].act != "go"
    assert reader.read_now("cross to the foundry", alone).intents[0].act == "go"


@pytest.mark.parametrize(
    "words", ["You're homesick, aren't you?", "You're homesick. What's Gävle like in June?", "blorp you?"]
)
def test_what_says_you_is_said_to_whoever_is_there(reader: IntentReader, words: str) -> None:
    read = reader.read_now(words, CONTEXT)
    assert read.question is None
    assert {one.person.id for one in read.intents if one.person} == {"pike"}
