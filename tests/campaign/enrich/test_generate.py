"""The templates of generated files: each can be filled in, and none is left unused."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from narratoria.campaign.campaign import Campaign, Manifest
from narratoria.campaign.enrich.generate import StoryTemplates, TemplateRenderer, story_templates
from narratoria.campaign.enrich.source import read_source, seeded_pick

SEALED = "The keeper's sealed letter lies in the lighthouse. *Nobody leaves before dawn*. You have two hours."
DOCUMENT = json.loads(
    files("narratoria.campaign.enrich").joinpath("data/story_templates.json").read_text("utf-8")
)


def renderer(setting: str = "", pick=None) -> TemplateRenderer:
    campaign = Campaign(folder=Path("x"), manifest=Manifest(title="The Light", version="1"), setting=setting)
    chosen = pick or seeded_pick("The Light", 0)
    return TemplateRenderer(read_source(campaign, chosen), chosen, story_templates())


def texts(document: object) -> list[str]:
    if isinstance(document, dict):
        return [text for key, value in document.items() for text in (key, *texts(value))]
    if isinstance(document, list):
        return [text for item in document for text in texts(item)]
    return [document] if isinstance(document, str) else []


@pytest.mark.parametrize("setting", ["", SEALED])
def test_every_template_can_be_filled_in(setting):
    render = renderer(setting)
    parts = {name: part for name, part in DOCUMENT.items() if name not in ("about", "rules")}
    for text in texts(parts):
        if "rule" in text and not setting:
            continue  # told only where the author has set a rule
        if "{trade" in text and not render.is_given("trade"):
            continue
        assert "{" not in render.text(text)


@pytest.mark.parametrize("kind", ["options", "fragments"])
def test_every_option_and_fragment_is_used(kind):
    name = {"options": "pick", "fragments": "fragment"}[kind]
    named = set(re.findall(rf"\{{{name}\[([^\]]+)\]", json.dumps(DOCUMENT)))
    assert named == set(DOCUMENT[kind]) | ({"question"} if kind == "options" else {"name"})  # in `about`


def test_a_question_is_asked_with_its_options_filled_in():
    asked: dict[str, Sequence[str]] = {}

    def pick(question: str, options: Sequence[str]) -> str:
        asked[question] = options
        return options[-1]

    render = renderer(SEALED, pick)
    assert render.text("{pick[keeper/look]}") == asked["keeper/look"][-1]
    assert len(asked["keeper/look"]) == len(DOCUMENT["options"]["keeper/look"])
    assert not any("{" in option for option in asked["keeper/look"])


def test_an_authors_braces_are_text_and_no_template():
    render = renderer("The stove burns. *Never say {keeper.name} aloud here*.")
    assert render.text("{rule}") == "Never say {keeper.name} aloud here"
    assert "{keeper.name}" in render.text("{fragment[keeper-rule]}")


def test_a_key_that_no_template_has_is_refused():
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.json.decode(json.dumps({**DOCUMENT, "weapons": []}), type=StoryTemplates)
