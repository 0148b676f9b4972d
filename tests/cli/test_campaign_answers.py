"""The commands that show an author what their campaign answers, and what it does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from narratoria.cli.commands import narratoria

Run = Callable[..., Result]
GAP = "Ask Pike: what is the price of saffron in Samarkand?"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """`narratoria …` in a home of its own, in this process."""
    told = CliRunner(env={"NARRATORIA_HOME": str(tmp_path_factory.mktemp("home"))})

    def ran(*arguments: str, typed: str = "", code: int = 0) -> Result:
        done = told.invoke(narratoria, arguments, input=typed, prog_name="narratoria")
        assert done.exit_code == code, done.output
        return done

    return ran


@pytest.fixture(scope="module")
def story(run: Run) -> None:
    """A story in which a player asks what nobody knows, in two ways, and what the author wrote."""
    again = "Ask Pike what the price of saffron in Samarkand is"
    known = "Ask Pike whose house he draws"
    run("play", "harrowmere", "--seed", "7", "--name", "Ada", typed=f"{GAP}\n{again}\n{known}\n")


@pytest.mark.usefixtures("story")
def test_what_a_player_asked_in_vain_is_listed_with_the_file_to_answer_it_in(run: Run) -> None:
    report = json.loads(run("campaign", "questions", "harrowmere", "--json").stdout)
    (group,) = report["questions"]
    assert (group["addressee"], group["times"], group["field"]) == ("Pike", 2, "topics")
    assert group["file"] == "characters/npcs/pike/profile.json"
    assert "saffron" in group["question"]
    assert report["stories"] == 1

    text = run("campaign", "questions", "harrowmere").stdout
    assert "2 ×" in text
    assert "write:   characters/npcs/pike/profile.json, topics" in text


def test_a_campaign_that_nobody_has_played_has_no_questions(run: Run) -> None:
    assert "nothing was asked" in run("campaign", "questions", "tomorrows-post").stdout


def test_autoplay_types_questions_of_its_own_and_leaves_no_story(run: Run) -> None:
    before = run("stories", "list", "--json").stdout
    report = json.loads(run("campaign", "questions", "harrowmere", "--autoplay", "2", "--json").stdout)
    assert report["asked"] == 2
    assert report["unanswered"] == sum(group["times"] for group in report["questions"]) <= 2
    assert run("stories", "list", "--json").stdout == before


def test_an_answer_is_explained_from_the_intent_to_the_effects(run: Run) -> None:
    arguments = (
        "campaign",
        "answer",
        "harrowmere",
        "Ask Maren whose oar that is",
        "--place",
        "the ferry house",
    )
    text = run(*arguments).stdout
    assert text.startswith("The Ferry House, with Maren Tolliver\nintent 1: ask: person Maren Tolliver")
    assert "maren-tolliver/topic/the-oar (topic)" in text
    assert "characters/npcs/maren-tolliver/profile.json" in text
    assert "source: topic:maren-tolliver/topic/the-oar" in text
    assert "effects: Maren Tolliver thinks better of you." in text

    explained = json.loads(run(*arguments, "--json").stdout)
    assert explained["route"] == "answer"
    assert explained["intents"][0]["evidence"][0]["relevance"] >= explained["threshold"]


def test_the_unit_that_answers_is_named_with_its_fit_and_its_file(run: Run) -> None:
    text = run("campaign", "answer", "harrowmere", "I thank Pike for the boat", "--seed", "3").stdout
    assert ", fit " in text
    assert ".jsonl:" in text


def test_a_place_that_is_not_there_is_refused_with_those_that_are(run: Run, tmp_path: Path) -> None:
    refused = run("campaign", "answer", "harrowmere", "I wait", "--place", "the moon", code=2)
    assert "ferry-house" in refused.stderr
