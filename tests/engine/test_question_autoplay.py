"""A story that types ordinary questions, worded with the campaign's own people, places and lore."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from narratoria import app, paths
from narratoria.campaign.load import load_campaign
from narratoria.engine.question_autoplay import ask_questions, load_questions, word_question

HARROWMERE = load_campaign(paths.BUNDLED_CAMPAIGNS / "harrowmere")


@pytest.mark.parametrize("template", load_questions())
def test_every_question_is_worded_for_this_campaign(template: str) -> None:
    question = word_question("pike", template, HARROWMERE, random.Random(1))

    assert question.startswith("Ask Pike: ")
    assert "{" not in question
    assert "{person}" not in template or "Pike" not in question.removeprefix("Ask Pike")


def test_a_question_about_lore_is_left_out_where_there_is_none() -> None:
    from dataclasses import replace

    without = replace(HARROWMERE, lore=())
    assert word_question("pike", "what is {lore}?", without, random.Random(1)) == ""
    assert word_question("pike", "who are you?", without, random.Random(1)) == "Ask Pike: who are you?"


async def test_so_many_questions_are_typed_and_kept_in_the_records(tmp_path: Path) -> None:
    async with app.open_isolated_library(tmp_path) as library:
        run = await ask_questions(library, HARROWMERE, 3, seed=2)
        (story,) = run.stories
        typed = [record.input.choice.text for record in await library.turns(story)]

    assert run.questions == 3
    assert sum(text.startswith("Ask ") and ": " in text for text in typed) == 3 - len(run.not_understood)
