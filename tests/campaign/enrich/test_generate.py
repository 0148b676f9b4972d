"""Of two premises no two stories are the same, and none says what its premise excludes."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from tests.campaign.enrich.premises import PREMISES, make_campaign

from narratoria.campaign.enrich.casting import seeded_pick
from narratoria.campaign.enrich.exclusions import find_exclusions
from narratoria.campaign.enrich.generate import GeneratedContent, generate_content
from narratoria.campaign.folder import Folder
from narratoria.campaign.load import BEATS, CONSTRAINTS, PEOPLE, PLACES, RULES
from narratoria.campaign.lore import sentences

PAIRS = tuple(combinations(PREMISES, 2))


@cache
def made(name: str) -> GeneratedContent:
    """Generate in the order of the premises, each knowing the plots of those before."""
    names = list(PREMISES)
    used = [made(earlier).plot for earlier in names[: names.index(name)]]
    campaign = make_campaign(name, PREMISES[name][0])
    folder = Folder(campaign.folder, {})
    return generate_content(campaign, folder, seeded_pick(name, 0), used=used)


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts(item)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


def without_slots(name: str, text: str) -> str:
    """Return a text without what the premise and the cast have put into it."""
    content = made(name)
    people = [str(one["name"]) for file, one in content.files.items() if file.startswith(PEOPLE)]
    nouns = (content.premise.home.word, content.premise.player.word)
    for word in sorted({*people, *(part for one in people for part in one.split()), *nouns}, key=len)[::-1]:
        text = re.sub(rf"\b{re.escape(word)}\b", "…", text, flags=re.IGNORECASE)
    return re.sub(r"\b(?:she|he|her|him|his|hers|herself|himself|the|an?)\b", "…", text, flags=re.IGNORECASE)


@cache
def sentences_of(name: str, *prefixes: str) -> set[str]:
    found = (
        without_slots(name, sentence)
        for file, content in made(name).files.items()
        if file.startswith(prefixes) and not file.startswith((RULES, CONSTRAINTS))
        for text in texts(content)
        for paragraph in text.split("\n")
        for sentence in sentences(paragraph)
    )
    return {sentence for sentence in found if len(sentence.split()) > 5}


@cache
def looks_of(name: str) -> set[str]:
    people = (one for file, one in made(name).files.items() if file.startswith(PEOPLE))
    return {without_slots(name, str(person["appearance"])) for person in people}


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_two_premises_share_no_person_and_no_plot(one, other):
    assert made(one).plot != made(other).plot
    assert looks_of(one) & looks_of(other) == set()
    assert (
        sentences_of(one, PEOPLE, BEATS, "plot/endings") & sentences_of(other, PEOPLE, BEATS, "plot/endings")
        == set()
    )


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_two_premises_of_different_kinds_share_no_sentence(one, other):
    if PREMISES[one][1] != PREMISES[other][1]:
        assert (
            sentences_of(one, PLACES, PEOPLE, "plot") & sentences_of(other, PLACES, PEOPLE, "plot") == set()
        )


@pytest.mark.parametrize("name", PREMISES)
def test_nothing_made_says_what_its_premise_excludes(name):
    gate = find_exclusions(made(name).premise)
    assert gate.words
    said = (
        text for file, content in made(name).files.items() if file != CONSTRAINTS for text in texts(content)
    )
    own = made(name).premise.campaign.manifest.description  # the author may say what there is none of
    assert [text for text in said if gate.excludes(text.replace(own, ""))] == []


@pytest.mark.parametrize("name", PREMISES)
def test_there_is_enough_for_an_evening(name):
    files = made(name).files
    assert len([file for file in files if file.startswith(PEOPLE)]) >= 4
    assert len([file for file in files if file.startswith(PLACES)]) >= 6
    assert len(files[BEATS]["beats"]) >= 8  # type: ignore[index]
    assert len([file for file in files if file.startswith("plot/endings")]) >= 3


def test_a_campaign_that_was_begun_with_a_plot_goes_on_with_it():
    campaign = make_campaign("museum", PREMISES["museum"][0])
    folder = Folder(campaign.folder, {})
    again = generate_content(
        campaign, folder, seeded_pick("museum", 0), used=[made("museum").plot], begun=made("museum").plot
    )
    assert again.files == made("museum").files
    beside = generate_content(campaign, folder, seeded_pick("museum", 0), used=[made("museum").plot])
    assert beside.plot != made("museum").plot


def test_the_player_is_told_as_you():
    assert str(made("loaf").files["plot/premise.md"]).startswith("You are a loaf of bread.")


def test_a_deadline_always_holds_and_a_used_up_kind_gives_way_to_the_next():
    text = "We are the committee of a cooperative orchard. The vote is on Friday."
    campaign = make_campaign("orchard", text)
    folder, pick = Folder(campaign.folder, {}), seeded_pick("orchard", 0)
    first = generate_content(campaign, folder, pick)
    assert first.plot == "council/dividing"
    assert "The vote is on Friday." in str(first.files[CONSTRAINTS])
    second = generate_content(campaign, folder, pick, used=[first.plot])
    assert not second.plot.startswith("council/")
