"""People speak in composed scenes of their own matters, in their own manner, and no two of them alike."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narratoria.contracts.scene_facts import PersonFacts, SceneFacts
from narratoria.narrator.composer import compose_drafts
from narratoria.narrator.composer_lines import SAYINGS
from narratoria.narrator.dialogue import find_own_matters
from narratoria.narrator.first_person import as_own_deed, as_own_wish, find_own_pronoun, pronoun_of
from narratoria.narrator.phrase_memory import remember_phrases
from narratoria.narrator.speech_manner import Manner


def person_facts(notes: dict[str, Any]) -> PersonFacts:
    return msgspec.convert(notes, PersonFacts)


WARDEN = {
    "name": "Greta Moll",
    "id": "greta",
    "appearance": "Greta Moll stands in her doorway.",
    "habits": ["Greta Moll counts her keys."],
    "virtues": ["has never lost a key", "keeps what she promised and says nothing"],
    "motivations": ["See her sister home"],
    "relationships": {"Tam Birch": "Owes him a lamp, and will not say so to his face"},
    "voice": "Short, as if it were raining",
    "sayings": ["Mind the step. It's wet."],
    "met": True,
    "heard": 1,
}
CLERK = {
    "name": "Mr. Lyle Orde",
    "id": "orde",
    "appearance": "Mr. Orde straightens his cuffs.",
    "habits": ["Mr. Orde straightens his cuffs."],
    "virtues": ["answers every letter"],
    "motivations": ["Not one blot more"],
    "voice": "Formal and measured",
    "sayings": ["I am at your service. I do not ask what it is about."],
    "met": True,
    "heard": 1,
}


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("has never left her post for weather", "I have never left my post for weather."),
        ("pays what she owes on the day", "I pay what I owe on the day."),
        ("would go back out for anybody", "I would go back out for anybody."),
        ("never lets anyone pay for soup", "I never let anyone pay for soup."),
        ("goes first into every dark room", "I go first into every dark room."),
        ("carries it home and washes it", "I carry it home and wash it."),
        ("tells the truth about pots and pans", "I tell the truth about pots and pans."),
        ("is not ashamed", "I am not ashamed."),
        ("Has never slept on land", "I have never slept on land."),
        ("Is always the first up", "I am always the first up."),
        ("Always has a kind word", "I always have a kind word."),
        ("Will always come back", "I will always come back."),
        ("Sits still for hours", "I sit still for hours."),
        ("Doesn't forget what she's lost", "I don't forget what I've lost."),
        (
            "Does what she’s told, even when she never gets thanked",
            "I do what I’m told, even when I never get thanked.",
        ),
        (
            "Keeps her word. She would not know how else to live",
            "I keep my word. I would not know how else to live.",
        ),
        ("reads, writes and sings", "I read, write and sing."),
        ("tries to be kind, and usually succeeds", "I try to be kind, and usually succeed."),
        ("sings at work and whistles when she's afraid", "I sing at work and whistle when I'm afraid."),
        ("was kind when it cost her something", "I was kind when it cost me something."),
        ("cooks, and never complains!", "I cook, and never complain."),
        ("mends boots and shoes for the poor", "I mend boots and shoes for the poor."),
        ("helps whoever is lost and has no home", "I help whoever is lost and has no home."),
        ("has never turned her back on her first friend", "I have never turned my back on my first friend."),
        ("aches for home and takes what is hers", "I ache for home and take what is mine."),
        ("loves her brother, who thinks himself clever", "I love my brother, who thinks himself clever."),
        ("keeps the bakers' children and their cat", "I keep the bakers' children and their cat."),
    ],
)
def test_what_is_noted_of_somebody_is_said_in_their_own_person(note: str, said: str) -> None:
    assert as_own_deed(note, "she") == said


@pytest.mark.parametrize(
    "note",
    [
        "Her younger brother",
        "feeds him and pretends that it is the cat",
        "has a bed made up, and has never said so",
        "has made room for, without being asked",
        "Pretends to be deaf",
        "Lies to whoever asks",
        "Will keeps bees",
        "May loves her garden",
        "Agnes has never slept",
        "Agnes never sleeps",
        "Will always keeps bees",
        "Always, in the end, comes back",
        "",
    ],
)
def test_what_nobody_would_say_of_themselves_is_not_said(note: str) -> None:
    assert as_own_deed(note, "she") == ""


@pytest.mark.parametrize(
    ("note", "who", "said"),
    [
        ("cares for her", "she", "I care for her."),
        ("has always loved her", "she", "I have always loved her."),
        ("tells her everything", "she", "I tell her everything."),
        ("loves her, and would die for her", "she", "I love her, and would die for her."),
        ("would bring her home", "she", "I would bring her home."),
        ("loves her home and her garden", "she", "I love my home and my garden."),
        ("feeds the cats and names them", "they", "I feed the cats and name them."),
        ("protects them from themselves", "they", "I protect them from themselves."),
        ("stands by her", "she", "I stand by her."),
        ("stands by her word", "she", "I stand by my word."),
        ("feeds those who come to them", "they", "I feed those who come to me."),
        ("gives back what is his", "he", "I give back what is mine."),
        ("goes where they are sent", "they", "I go where I am sent."),
        ("keeps himself away from him", None, "I keep myself away from him."),
        ("hangs the lamp in its place for her", None, "I hang the lamp in its place for her."),
        (
            "has never lost anything that was entrusted to him",
            "he",
            "I have never lost anything that was entrusted to me.",
        ),
    ],
)
def test_whoever_something_is_done_to_is_somebody_else(note: str, who: Any, said: str) -> None:
    assert as_own_deed(note, who) == said


@pytest.mark.parametrize(
    ("motive", "who", "wish"),
    [
        ("Hear her husband say her name", "she", "hear my husband say my name"),
        ("Keep the bridge open, as he did", "she", "keep the bridge open, as he did"),
        ("Find the house that he draws", "he", "find the house that I draw"),
        ("Cast one bell before she dies", "she", "cast one bell before I die"),
        ("Find out whose handwriting his is", "he", "find out whose handwriting mine is"),
        ("Bring them to her", "she", "bring them to me"),
        ("Be home by morning", "they", "be home by morning"),
        ("Not one more knot", "she", ""),
        ("To find his son", "he", "find my son"),
        ("Find my son!", "he", "find my son"),
        ("Make them pay", "they", "make them pay"),
        ("Prove that she's right", "she", "prove that I'm right"),
        ("Know whether he himself is guilty", "he", "know whether I myself am guilty"),
        ("be seen", "she", "be seen"),
        ("Win her back", "she", "win her back"),
        ("To be forgiven by her", "she", "be forgiven by her"),
        ("Be her own master", "she", "be my own master"),
        ("Find whoever would bring her back", "she", "find whoever would bring me back"),
        ("Gold", "he", ""),
        ("Revenge for his brother", "he", ""),
        ("Knowledge of the stars", "she", ""),
        ("", "she", ""),
    ],
)
def test_what_somebody_wants_is_wanted_in_their_own_person(motive: str, who: Any, wish: str) -> None:
    assert as_own_wish(motive, who) == wish


def test_of_two_who_are_called_the_same_the_other_is_meant() -> None:
    assert pronoun_of(person_facts(WARDEN)) == "she"
    assert find_own_pronoun("she", "plays draughts with her", "she") is None
    assert find_own_pronoun("he", "knows her step, and that it makes him cry", None) == "he"
    assert find_own_pronoun("he", "knows his step", None) is None
    assert find_own_pronoun("it", "asked him for its name", None) == "it"


@pytest.mark.parametrize(
    ("motive", "asked"),
    [
        ("his daughter back", "My daughter back. That's all I want."),
        ("Who killed his brother?", "Who killed my brother. That's all I want."),
        ("Gold", "Gold. That's all I want."),
    ],
)
def test_what_is_no_deed_is_asked_for_in_their_own_person(motive: str, asked: str) -> None:
    person = person_facts({"name": "Tam", "habits": ["Tam counts his keys."], "motivations": [motive]})
    assert find_own_matters(person, [person]).wishes == ((asked,),)


def test_a_name_with_an_article_is_small_inside_a_sentence() -> None:
    tam = person_facts({"name": "Tam", "relationships": {"The Quiet": "owes it a song"}})
    (ways,) = find_own_matters(tam, []).others
    assert ways == ("The Quiet? I owe it a song.", "You want to know about the Quiet. I owe it a song.")


def test_who_wants_nothing_asks_for_nothing() -> None:
    person = person_facts({"name": "Tam", "motivations": ["", " ", "..."]})
    assert find_own_matters(person, [person]).wishes == ()


def test_what_somebody_wants_in_their_own_words_is_told_by_nobody_else() -> None:
    scenes = " ".join(
        told({**WARDEN, "motivations": ["Find my son", "Gold"], "virtues": [], "relationships": {}})
    )
    assert "find my son" in scenes
    assert "your son" not in scenes
    assert "to gold" not in scenes


@pytest.mark.parametrize(
    ("voice", "sayings", "said"),
    [
        ("", ["I'm here. It isn't far."], "I've never lied. It's true."),
        ("", ["I am here. It is not far."], "I have never lied. It is true."),
        ("", ["I been there. I done it."], "I never lied. It's true."),
        ("", ["You have a ——. It is ——.", "—— are you?"], "—— have never lied. It is true."),
        ("", ["It's you! Come in!", "Nine bells!"], "I've never lied! It's true."),
    ],
    ids=["runs-together", "whole", "dialect", "gaps", "loud"],
)
def test_the_same_words_sound_as_the_author_lets_somebody_sound(
    voice: str, sayings: list[str], said: str
) -> None:
    assert (
        Manner.of(person_facts({"voice": voice, "sayings": sayings})).says("I have never lied. It is true.")
        == said
    )


WHOLE, RUN_TOGETHER = ["I am here. It is not far."], ["I'm here. It isn't far."]
DIALECT, LOUD = ["I been there. I done it."], ["It's you! Come in!", "Nine bells!"]


@pytest.mark.parametrize(
    ("sayings", "text", "said"),
    [
        (WHOLE, "Why don't you go? Won't you?", "Why do you not go? Will you not?"),
        (WHOLE, "I'm nobody's fool. Nobody's told me.", "I am nobody's fool. Nobody has told me."),
        (WHOLE, "It's been cold. I can’t say more.", "It has been cold. I cannot say more."),
        (WHOLE, "I'd seen it, and I'd rather not.", "I had seen it, and I would rather not."),
        (RUN_TOGETHER, "I know what it is to lose. Who is it?", "I know what it is to lose. Who is it?"),
        (DIALECT, "I would do it for anybody. Ask anybody.", "I'd do it for anybody. Ask anybody."),
        (DIALECT, "I have never told on anybody.", "I never told on nobody."),
        (LOUD, "I owe Mr. Orde a lamp. He knows.", "I owe Mr. Orde a lamp! He knows."),
    ],
)
def test_in_no_manner_do_words_change_their_meaning(sayings: list[str], text: str, said: str) -> None:
    assert Manner.of(person_facts({"sayings": sayings})).says(text) == said


def test_plain_english_is_no_dialect() -> None:
    sayings = ["I never lie. That's what they say.", "I give you my word. I never ask what they want."]
    assert not Manner.of(person_facts({"sayings": sayings})).dialect


@pytest.mark.parametrize(
    ("voice", "temper"),
    [
        ("Quiet, never loud", "plain"),
        ("Speaks with a great deal of patience", "plain"),
        ("Fastidious", "plain"),
        ("Always names his sources", "plain"),
        ("Quick, not formal", "lively"),
    ],
)
def test_how_somebody_does_not_speak_is_not_how_they_speak(voice: str, temper: str) -> None:
    assert Manner.of(person_facts({"voice": voice})).temper == temper


def test_who_never_forgets_a_name_says_names() -> None:
    assert not Manner.of(person_facts({"voice": "Never forgets a name"})).names_nobody
    assert Manner.of(person_facts({"voice": "Never calls anybody by name"})).names_nobody


@pytest.mark.parametrize(
    ("sayings", "greetings", "opener"),
    [
        (["Snow. It never stops."], {}, ""),
        (["Snow. It never stops.", "Snow. What else?"], {}, "Snow."),
        ([], {"warm": "Señor. Come in."}, "Señor."),
        ([], {"warm": "Mr. Orde, at last."}, ""),
        ([], {"warm": "Hello. You again."}, ""),
    ],
)
def test_somebody_begins_with_what_they_call_the_player(
    sayings: list[str], greetings: dict[str, str], opener: str
) -> None:
    assert Manner.of(person_facts({"sayings": sayings, "greetings": greetings})).opener == opener


def test_who_breaks_off_breaks_off() -> None:
    manner = Manner.of(person_facts({"sayings": ["You're the one who. Yes. You have the. For the metal."]}))
    assert (
        manner.says("All I want is to get to the end of the tune.")
        == "All I want is to get to the end of the."
    )


def test_nothing_is_run_together_at_the_end_of_a_sentence() -> None:
    assert (
        Manner.of(person_facts({"sayings": ["It's so."]})).says("I'll tell you how it is.")
        == "I'll tell you how it is."
    )


@settings(max_examples=80, deadline=None)
@given(
    st.text(max_size=60),
    st.lists(st.text(max_size=40), max_size=4),
    st.lists(st.text(max_size=40), max_size=3),
)
def test_whatever_an_author_notes_somebody_can_speak_of_it(
    voice: str, sayings: list[str], notes: list[str]
) -> None:
    person = person_facts(
        {"name": "A", "voice": voice, "sayings": sayings, "motivations": notes, "virtues": notes}
    )
    for ways in find_own_matters(person, [person]).all:
        assert ways
        assert all(isinstance(way, str) for way in ways)


def told(person: dict[str, Any], text: str = "Talk", turns: int = 12) -> list[str]:
    """Return the prose of talk with somebody who has said their lines, scene after scene."""
    used: dict[str, int] = {}
    scenes = []
    for number in range(2, turns + 2):
        facts = {
            "action": {"kind": "talk", "text": text, "person": person["name"], "number": number},
            "people": [person],
        }
        scene_facts = msgspec.convert(facts, SceneFacts)
        (draft,) = compose_drafts(scene_facts, [""], seed=number, used=used).values()
        used = remember_phrases(used, draft, number)
        scenes.append(" ".join(draft))
    return scenes


def test_people_speak_of_what_is_theirs_and_each_in_their_manner() -> None:
    warden, clerk = " ".join(told(WARDEN)), " ".join(told(CLERK))
    warden_facts = person_facts(WARDEN)
    assert any(
        "I've never lost a key." in way
        for ways in find_own_matters(warden_facts, [warden_facts]).all
        for way in ways
    )
    assert "see my sister home" in warden
    assert "Not one blot more" in clerk
    assert "sister" not in clerk
    assert "will not say so" not in warden


def test_who_cannot_bear_the_player_does_not_open_up() -> None:
    assert "sister" not in " ".join(told({**WARDEN, "tone": "cold"}))


def test_nobody_says_the_same_of_themselves_twice_in_a_row() -> None:
    scenes = told(WARDEN)
    assert sum("sister home" in scene for scene in scenes) <= 1, "whether she says it or it is told of her"
    assert sum("lost a key" in scene for scene in scenes) <= 1
    assert len(set(scenes)) == len(scenes)


def test_news_is_answered_with_what_it_means_to_whoever_hears_it() -> None:
    (first, *_) = told(CLERK, "Tell Mr. Orde that the ink is dry", turns=1)
    lead = [line.rstrip(".") for line in SAYINGS.replying_to_news["formal"]]
    assert any(line in first for line in lead)
    assert "Not one blot more" in first or "I answer every letter" in first
