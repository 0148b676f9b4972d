"""People, beats and endings are written with the premise's own nouns."""

from __future__ import annotations

import json

from tests.campaign.enrich.premises import make_campaign

from narratoria.campaign.enrich.casting import seeded_pick
from narratoria.campaign.enrich.generate import generate_content
from narratoria.campaign.folder import Folder
from narratoria.campaign.load import BEATS, PEOPLE


def files(text: str):
    campaign = make_campaign("untitled", text)
    return generate_content(campaign, Folder(campaign.folder, {}), seeded_pick("untitled", 0)).files


def test_what_the_author_says_of_a_noun_can_be_asked():
    written = files("You sail on a whaler. The bell rings by itself before every death at sea.")
    people = [document for file, document in written.items() if file.startswith(PEOPLE)]
    topics = [topic for person in people for topic in person["topics"] if topic["ask"] == "about the bell"]
    assert len(topics) == 1
    assert "The bell rings by itself before every death at sea" in topics[0]["answer"]


def test_a_sentence_about_the_player_is_said_by_nobody():
    written = files("You sail on a whaler. You have stolen the bell of the harbour church.")
    people = [document for file, document in written.items() if file.startswith(PEOPLE)]
    assert not any("You have stolen" in topic["answer"] for person in people for topic in person["topics"])


def test_somebody_with_a_name_is_in_the_beats():
    written = files("You are adrift in space. Captain Ines Okoro will not leave the bridge.")
    assert "Ines Okoro" in json.dumps(written[BEATS], ensure_ascii=False)


def test_everybody_wants_something():
    people = [one for file, one in files("I am a loaf of bread.").items() if file.startswith(PEOPLE)]
    assert len(people) >= 4
    assert all(person["motivations"] and person["goals"] for person in people)


def test_who_tells_of_themselves_is_not_called_by_name_twice():
    written = files("You carry letters between the settlements, after the power went out.")
    profiles = [document for file, document in written.items() if file.startswith(PEOPLE)]
    facts = [(profile["name"], topic["fact"]) for profile in profiles for topic in profile["topics"]]
    assert [fact for name, fact in facts if fact.startswith(f"{name} told you that {name}")] == []
    assert any(" told you that she " in fact or " told you that he " in fact for _, fact in facts)
