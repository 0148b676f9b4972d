"""Notes about somebody become sentences in which they speak of themselves."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from narratoria.contracts.scene_facts import PersonFacts
from narratoria.narrator.first_person import (
    as_own_deed,
    as_own_wish,
    find_own_pronoun,
    in_first_person,
    pronoun_of,
    put_own_name,
)


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
        ("Get the saint down without dropping him", "he", "get the saint down without dropping him"),
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


def test_the_second_verb_of_a_sentence_is_the_speakers_own_too() -> None:
    text = in_first_person("She comes from Gdynia and has driven for eleven years.", "she")
    assert text == "I come from Gdynia and have driven for eleven years."


@pytest.mark.parametrize(
    ("text", "who", "said"),
    [
        (
            "He fills the glass every evening and writes in a book that it has not spilled.",
            "he",
            "I fill the glass every evening and write in a book that it has not spilled.",
        ),
        ("At night she sweeps the yard and reads.", "she", "At night I sweep the yard and read."),
        ("She bakes, sells and delivers bread.", "she", "I bake, sell and deliver bread."),
        ("She left the town but still has the key.", "she", "I left the town but still have the key."),
        ("He is the cook, and now keeps the keys.", "he", "I am the cook, and now keep the keys."),
        ("He has one hand and plays the fiddle.", "he", "I have one hand and play the fiddle."),
    ],
)
def test_a_verb_far_from_the_first_is_the_speakers_own(text: str, who: Any, said: str) -> None:
    assert in_first_person(text, who) == said


@pytest.mark.parametrize(
    ("text", "who", "said"),
    [
        (
            "He was a bargeman before that, and has not set foot off it since.",
            "he",
            "I was a bargeman before that, and have not set foot off it since.",
        ),
        (
            "He came as a steward, missed his ship, and has sung bass ever since.",
            "he",
            "I came as a steward, missed my ship, and have sung bass ever since.",
        ),
        (
            "He takes one pound every night, punches a ticket for it, and writes it down.",
            "he",
            "I take one pound every night, punch a ticket for it, and write it down.",
        ),
        (
            "She was brought up in turns, and so has ten mothers.",
            "she",
            "I was brought up in turns, and so have ten mothers.",
        ),
        (
            "She is a Catholic, does not hold with it, and will not say why.",
            "she",
            "I am a Catholic, do not hold with it, and will not say why.",
        ),
        (
            "He is afraid that this is theft, and has not asked.",
            "he",
            "I am afraid that this is theft, and have not asked.",
        ),
        ("She rows on Sundays, far out, and declaims.", "she", "I row on Sundays, far out, and declaim."),
        (
            "Every night after closing he locks up and stands it at the door.",
            "he",
            "Every night after closing I lock up and stand it at the door.",
        ),
        (
            "He winds the clock, and at sunrise rings the bell.",
            "he",
            "I wind the clock, and at sunrise ring the bell.",
        ),
        (
            "She mends what is brought to her and says little about herself.",
            "she",
            "I mend what is brought to me and say little about myself.",
        ),
        ("He cannot read, and signs with a cross.", "he", "I cannot read, and sign with a cross."),
    ],
)
def test_clauses_between_do_not_keep_a_verb_from_the_speaker(text: str, who: Any, said: str) -> None:
    assert in_first_person(text, who) == said


@pytest.mark.parametrize(
    ("text", "who", "said"),
    [
        ("Nobody had told her that it was not her job.", "she", "Nobody had told me that it was not my job."),
        ("A saddle takes her three weeks.", "she", "A saddle takes me three weeks."),
        ("He paid her forty marks for her two goats.", "she", "He paid me forty marks for my two goats."),
        ("They would have fetched her back.", "she", "They would have fetched me back."),
        ("He rang her home.", "she", "He rang me home."),
        ("He lets her stay and calls her Kim.", "she", "He lets me stay and calls me Kim."),
        (
            "He brings her warm water and her mother soup.",
            "she",
            "He brings me warm water and my mother soup.",
        ),
        ("It went down beside her six years ago.", "she", "It went down beside me six years ago."),
        ("A bell has answered his from below.", "he", "A bell has answered mine from below."),
        ("And he, who had drunk, took it.", "he", "And I, who had drunk, took it."),
        (
            "She has never thawed one; that, she says, is like eating the sugar.",
            "she",
            "I have never thawed one; that is like eating the sugar.",
        ),
    ],
)
def test_her_is_an_object_where_no_thing_of_hers_follows(text: str, who: Any, said: str) -> None:
    assert in_first_person(text, who) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Orrin and Tam's father shod horses.", "I and Tam's father shod horses."),
        ("A man gave Orrin thirty marks.", "A man gave me thirty marks."),
        ("Orrin's knee hurts.", "My knee hurts."),
        ("It was a shift that was Orrin's by rights.", "It was a shift that was mine by rights."),
        ("She gives the name as Orrin.", "She gives the name as Orrin."),
        ("It was Orrin who wrote.", "It was I who wrote."),
        ("On Monday Orrin always has soup.", "On Monday I always have soup."),
        ("The lot fell on Sal, and Orrin with her.", "The lot fell on Sal, and me with her."),
    ],
)
def test_somebody_who_is_named_is_i_me_or_my_by_the_place_of_the_name(text: str, said: str) -> None:
    assert put_own_name(text, ("Orrin Vask", "Orrin")) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "She lives with her mother and sisters in the mill.",
            "I live with my mother and sisters in the mill.",
        ),
        ("She keeps letters and papers that are old.", "I keep letters and papers that are old."),
        ("She loves music and family parties.", "I love music and family parties."),
        ("She owns boats and nets for the winter.", "I own boats and nets for the winter."),
    ],
)
def test_a_plural_after_and_is_no_verb(text: str, said: str) -> None:
    assert in_first_person(text, "she") == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("She knows a man who lives here and has a boat.", "I know a man who lives here and has a boat."),
        ("She waits where her brother sits and reads.", "I wait where my brother sits and reads."),
        (
            "She runs the mill and her sister bakes bread and sells it.",
            "I run the mill and my sister bakes bread and sells it.",
        ),
        (
            "The house she loves stands empty and has no roof.",
            "The house I love stands empty and has no roof.",
        ),
        ("Her brother keeps the mill and has a dog.", "My brother keeps the mill and has a dog."),
    ],
)
def test_what_somebody_else_does_is_left_to_them(text: str, said: str) -> None:
    assert in_first_person(text, "she") == said


@pytest.mark.parametrize(
    ("notes", "past", "who"),
    [
        ({"appearance": "A bald man in a cardigan."}, "", "he"),
        ({"appearance": "An old woman beside a man's coat."}, "", "she"),
        ({"name": "Mrs. Lowe"}, "", "she"),
        ({"appearance": "Somebody in a sheet."}, "He made the moon. She left.", "he"),
        ({"appearance": "A bald man who dropped her keys."}, "", "she"),  # the author's own word counts most
        ({"appearance": "Somebody in a sheet."}, "A woman made the moon.", "they"),
    ],
)
def test_the_pronoun_is_the_authors_or_that_of_what_somebody_is_called(
    notes: dict[str, Any], past: str, who: str
) -> None:
    assert pronoun_of(person_facts(notes), past) == who


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "He's never had a bad word for anyone, and he's bored.",
            "I've never had a bad word for anyone, and I'm bored.",
        ),
        ("Now he mostly floats.", "Now I mostly float."),
        ("He quietly keeps bees.", "I quietly keep bees."),
        ("He's often tired.", "I'm often tired."),
    ],
)
def test_words_between_do_not_hide_the_verb(text: str, said: str) -> None:
    assert in_first_person(text, "he") == said
