"""The worked examples a model reads once per story: from the worlds most like it, always the same."""

from __future__ import annotations

import json

from narratoria.sdk import narration
from narratoria.sdk.examples import FILE, choose_examples, write_example


def test_a_story_has_the_same_examples_in_every_turn() -> None:
    facts = {"campaign": {"genre": "Noir", "tone": "dry", "setting": "A harbour city in winter."}}
    assert choose_examples(facts, 3) == choose_examples({**facts, "action": {"text": "I run"}}, 3)
    assert "harbour city" in choose_examples(facts, 1)[0]
    assert len(choose_examples({}, 2)) == 2


def test_every_example_has_the_form_that_a_model_is_asked_for() -> None:
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 50
    for row in rows:
        telling = narration.Telling()
        answer = write_example(row).partition("## Possible next")[2].partition("\n\n")[2]
        paragraphs = [*telling.add(answer), *telling.finish()]
        assert 1 <= len(paragraphs) <= narration.MAX_PARAGRAPHS + 1, row["action"]
        assert telling.fact
        assert 3 <= len(telling.choices) <= 4
        assert any(choice.option for choice in telling.choices)
