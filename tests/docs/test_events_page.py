"""The page about events has every event of a story and of the tool protocol, each as the code has it."""

from __future__ import annotations

import re
import sys
from typing import get_args

import msgspec
import pytest
from tests.docs.blocks import REPOSITORY, named

from narratoria import contracts
from narratoria.engine.events import StoryEvent
from narratoria.protocol.events import EVENT_TYPES

sys.path.append(str(REPOSITORY / "docs"))
import generate_events

PAGE = (REPOSITORY / "docs" / "reference" / "events.md").read_text(encoding="utf-8")
PROTOCOL = (REPOSITORY / "docs" / "reference" / "tool-protocol.md").read_text(encoding="utf-8")
EVENTS = {event.__struct_config__.tag: event for event in get_args(StoryEvent)}


@pytest.mark.parametrize("kind", sorted(EVENTS))
def test_a_story_event_stands_there_with_every_field_and_an_example(kind: str):
    told = PAGE.partition(f"\n### {kind}\n")[2].partition("\n### ")[0]
    assert told, f"{kind} has no section; tell of it in docs/reference/events.toml and run `make docs`"
    own = {field.encode_name for field in msgspec.structs.fields(EVENTS[kind])} - {"id", "turn", "at"}
    assert set(re.findall(r"^\| `(\w+)`\?? \|", told, re.MULTILINE)) == own
    assert f'"type": "{kind}"' in told


def test_the_words_for_the_page_speak_of_nothing_that_is_not_there():
    words = generate_events.words()
    assert set(words) == set(EVENTS)
    for kind, schema in generate_events.schemas().items():
        assert set(words[kind].get("fields", {})) == set(generate_events.own_fields(schema)), kind


def test_every_example_is_an_event_as_it_is_streamed():
    decoder = msgspec.json.Decoder(StoryEvent)
    examples = named("docs/reference/events.md", "json story")
    assert {decoder.decode(example).__struct_config__.tag for example in examples} == set(EVENTS)
    for example in examples:
        assert msgspec.json.decode(example).keys() <= {
            *("type", "id", "turn", "at"),
            *generate_events.own_fields(generate_events.schemas()[msgspec.json.decode(example)["type"]]),
        }


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_an_event_of_the_protocol_stands_on_both_pages(kind: str):
    assert f"| [`{kind}`](tool-protocol.md#{kind}) |" in PAGE
    assert f"\n### {kind}\n" in PROTOCOL


def test_the_events_of_m_control_are_told_of_too():
    for form in contracts.load("mctl-event")["oneOf"]:
        kind = form["title"]
        assert re.search(rf"^#### {kind}( \(m-control\))?$", PROTOCOL, re.MULTILINE)
        assert f"`{kind}`" in PAGE
