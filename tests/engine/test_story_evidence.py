"""The evidence for an answer: nobody says what they cannot know, and what was said before is marked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.engine.small_story import person, story

from narratoria import app
from narratoria.campaign.campaign import (
    Campaign,
    Manifest,
    Personality,
    Place,
    Profile,
    ProfileMetadata,
    SpeechPatterns,
)
from narratoria.engine.conditions import StorySituation
from narratoria.engine.memory.recall import Lore, Memory
from narratoria.engine.snapshot import Progress
from narratoria.engine.story_evidence import (
    candidates_for,
    common_knowledge,
    is_sayable,
    is_speakable,
    person_evidence,
    question_of,
)
from narratoria.narrator.evidence import Evidence
from narratoria.planner.intent import Intent, Mention

ADA = Profile(
    name="Ada",
    role="ferrywoman",
    personality=Personality(),
    appearance="She is tall.",
    background="Ada came from the coast. She has a boat.",
    motivations=("to sell the boat",),
    speech_patterns=SpeechPatterns(examples=("Mind the step.",)),
    secrets="# Secrets\n\nAda sank the old ferry.",
    inventory=("a whistle",),
    metadata=ProfileMetadata(first_appearance="quay"),
)
BO = Profile(
    name="Bo", role="smith", personality=Personality(), metadata=ProfileMetadata(first_appearance="forge")
)
SPY = Profile(
    name="Sly",
    role="spy",
    personality=Personality(),
    metadata=ProfileMetadata(first_appearance="forge", importance="hidden"),
)
QUAY = Place("quay", "The quay", "Ropes lie about.", details=("A bell hangs here.",))
CAMPAIGN = Campaign(
    Path(),
    Manifest(title="t", version="1.0.0"),
    start="quay",
    places={"quay": QUAY, "forge": Place("forge", "The forge", "It is hot.")},
    people={"ada": ADA, "bo": BO, "sly": SPY},
)
LORE = Lore("l1", "The river rose in the year of the flood.", 0.8, "Flood")
LISTED = Lore("l2", "- you see a heron", 0.9)
MEMORY = Memory("m1", "You paid the ferrywoman.", 0.7)


def situation(**progress: Any) -> StorySituation:
    return StorySituation(CAMPAIGN, Progress(place="quay", **progress), frozenset())


def candidates(act: str, *, person: str = "", text: str = "the flood", **progress: Any) -> list[Evidence]:
    mention = Mention(person, person, person) if person else None
    return candidates_for(
        Intent(act=act, text=text, person=mention),
        situation(**progress),
        lore=(LORE, LISTED),
        memories=(MEMORY,),
        by_witness={"ada": (MEMORY,)},
    )


def ids(act: str, *, person: str = "", text: str = "the flood", **progress: Any) -> set[str]:
    return {one.id for one in candidates(act, person=person, text=text, **progress)}


def test_somebody_who_is_here_answers_by_what_they_are_know_and_saw() -> None:
    assert {"ada/role", "ada/says/0", "memory/m1", "lore/l1"} <= ids("ask", person="ada")


def test_who_somebody_is_answers_a_question_that_names_them_or_asks_who_or_where() -> None:
    assert "who/bo" not in ids("ask", person="ada")
    assert "who/bo" in ids("ask", person="ada", text="what about Bo?")
    assert "who/bo" in ids("ask", person="ada", text="who else lives here?")
    assert "who/bo" not in ids("ask", person="ada", text="who is the woman in the painting?")


def test_somebody_who_is_elsewhere_says_nothing_of_themselves() -> None:
    assert "bo/role" not in ids("ask", person="bo")


def test_nobody_says_lore_that_lists_moments_or_speaks_to_the_player() -> None:
    assert "lore/l2" not in ids("ask", person="ada")
    assert not is_speakable(LISTED.text)
    assert not is_speakable("It is your own house.")
    assert is_speakable(LORE.text)


def test_a_place_is_looked_at_by_what_the_author_wrote_of_it() -> None:
    assert ids("look") == ids("search") == {"place/quay/0", "place/quay/1"}
    assert "appearance/ada" in ids("examine", person="ada")


def test_whoever_looks_closely_at_a_thing_recalls_what_is_known_of_it() -> None:
    assert ids("examine") == {"place/quay/0", "place/quay/1", "lore/l1", "lore/l2"}


def test_thinking_back_brings_up_memories_lore_and_people_and_an_act_without_a_question_nothing() -> None:
    assert ids("think_back", text="who was there?") == {"memory/m1", "lore/l1", "who/ada", "who/bo"}
    assert ids("sing") == set()


def test_what_was_answered_with_before_is_evidence_that_is_marked_as_said() -> None:
    evidence = candidates("ask", person="ada", evidence=("ada/role", "lore/l1"))

    assert {one.id for one in evidence if one.is_repeat} == {"ada/role", "lore/l1"}
    assert {one.id for one in evidence} == ids("ask", person="ada")


def test_somebody_who_stands_by_is_pointed_at_and_nobody_is_sent_elsewhere_for_them() -> None:
    texts = {one.id: one.text for one in common_knowledge(situation(), apart_from="bo")}

    assert texts["who/ada"] == "Ada? Ferrywoman. That's her, over there."


def test_people_speak_of_themselves_in_the_first_person_and_keep_their_secrets_marked() -> None:
    evidence = {one.id: one for one in person_evidence("ada", ADA, CAMPAIGN)}

    assert evidence["ada/background/0"].spoken == "I came from the coast. I have a boat."
    assert evidence["ada/wants/0"].spoken == "I want to sell the boat."
    assert evidence["ada/role"].text == "Ada is a ferrywoman"
    assert {name for name, one in evidence.items() if one.secret} == {"ada/has/0", "ada/secret/0"}
    assert all(one.owner == "ada" for one in evidence.values())


def test_everybody_knows_where_the_others_are_and_who_is_dead_but_not_who_is_hidden() -> None:
    texts = {one.id: one.text for one in common_knowledge(situation(dead=("bo",)), apart_from="ada")}

    assert texts == {"who/bo": "Bo is dead."}
    met = {one.id: one.text for one in common_knowledge(situation(met_people=("sly",)), apart_from="ada")}
    assert met["who/bo"] == "Bo? Smith. You'll find them at the forge."
    assert "who/sly" in met


@pytest.mark.parametrize(
    ("intent", "question"),
    [
        (Intent(act="look", text="look around"), ""),
        (Intent(act="ask", text="ask Ada about the flood", topic="the flood"), "the flood"),
        (Intent(act="examine", text="examine it", thing=Mention("it", "bell", "bell")), "examine it bell"),
    ],
)
def test_evidence_is_looked_for_by_the_topic_or_the_words_and_the_thing(
    intent: Intent, question: str
) -> None:
    assert question_of(intent) == question


def test_who_thinks_back_remembers_what_they_were_told_at_the_beginning() -> None:
    told = replace(CAMPAIGN, premise=("You came by the last ferry.", "", "You carry a letter."))
    here = StorySituation(told, Progress(place="quay"), frozenset())
    intent = Intent(act="think_back", text="why I came")
    found = candidates_for(intent, here, lore=(), memories=(), by_witness={})

    assert [one.text for one in found if one.id.startswith("premise/")] == [
        "You came by the last ferry.",
        "You carry a letter.",
    ]
    asked = Intent(act="ask", text="why I came", person=Mention("Ada", "ada", "Ada"))
    of_ada = candidates_for(asked, here, lore=(), memories=(), by_witness={})
    assert not [one for one in of_ada if one.id.startswith("premise/")]


def own_lore(text: str, person: str = "ada") -> str:
    intent = Intent(act="ask", text="the ferry", person=Mention(person, person, person))
    found = candidates_for(intent, situation(), lore=(Lore("l3", text, 0.8),), memories=(), by_witness={})
    (lore,) = [one for one in found if one.id == "lore/l3"]
    return lore.spoken


def test_lore_that_names_whoever_tells_it_is_told_in_the_first_person() -> None:
    assert own_lore("The ferry is old. Ada rows it and keeps the bell.") == (
        "The ferry is old. I row it and keep the bell."
    )


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("The river rose.", "ada"),  # it is not about her
        ("Ada rows the ferry.", "bo"),  # he is somebody else
        ("Ada told him that he would drown.", "ada"),  # it is about somebody else too
    ],
)
def test_lore_about_others_is_told_as_it_stands(text: str, person: str) -> None:
    assert own_lore(text, person) == ""


@pytest.mark.parametrize(
    ("summary", "can_be_told"),
    [
        ("The player mended the sluice.", True),
        ("The Last Fire: evening Hob, when is the coach due?", False),
        ("The mill: hello there", False),
        ("Ada told you that the sluice is broken.", False),
    ],
)
def test_what_the_player_typed_or_was_told_is_told_by_nobody(summary: str, can_be_told: bool) -> None:
    assert is_sayable(summary) is can_be_told


@pytest.mark.parametrize(
    ("note", "other", "spoken"),
    [
        ("Gave her his word that he would guard her box", "She is tall.", "I gave her my word that I would"),
        ("The one visitor he looks forward to", "He is tall.", ""),
        ("The one visitor he looks forward to", "She is tall.", "The one visitor I look forward to."),
    ],
)
def test_a_tie_is_said_in_the_first_person_or_not_at_all(note: str, other: str, spoken: str) -> None:
    fenn = msgspec.structs.replace(
        person("Fenn", "mill"), appearance="He hums to himself.", relationships={"una": note}
    )
    una = msgspec.structs.replace(person("Una", "mill"), appearance=other)
    campaign = replace(story(), people={"fenn": fenn, "una": una})
    ties = [one.spoken for one in person_evidence("fenn", fenn, campaign) if one.id == "fenn/ties/una"]
    assert [one.removeprefix("Una? ")[: len(spoken)] for one in ties] == ([spoken] if spoken else [])


def test_a_note_that_names_its_owner_is_said_of_the_other() -> None:
    notes = {"frost": "Owns the tank, and Ada with it; Ada calls him sir and hates the sound."}
    ada = msgspec.structs.replace(ADA, relationships=notes)
    frost = msgspec.structs.replace(ADA, name="Lucan Frost", appearance="He is silver.", role="promoter")
    campaign = replace(situation().campaign, people={"ada": ada, "frost": frost})
    tie = next(one for one in person_evidence("ada", ada, campaign) if one.id == "ada/ties/frost")
    assert tie.spoken == "Lucan? He owns the tank, and me with it; I call him sir and hate the sound."


def test_a_thing_that_the_story_has_yet_to_give_is_seen_by_nobody_who_lacks_it() -> None:
    campaign = app.open_campaign("one-case-over")
    look = Intent(act="read", text="read the letter", thing=Mention("letter"))

    def pages(*items: str) -> set[str]:
        at = StorySituation(
            campaign,
            Progress(place="packet-field", scene=3),
            frozenset(),
            {"persona": {"items": list(items)}},
        )
        evidence = candidates_for(look, at, lore=(), memories=(), by_witness={})
        return {one.about for one in evidence if one.source == "lore"}

    assert "The letter to Effie" not in pages()
    assert "Your torn glove" in pages()
    assert "The letter to Effie" in pages("letter to Effie")
