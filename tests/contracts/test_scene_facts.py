"""The scene contract: the types, the schema that is made from them, and what the engine writes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from evals.beats.play import turns

from narratoria import contracts, paths
from narratoria.contracts import scene_facts
from narratoria.contracts.scene_facts import LoreFacts, Part, SceneFacts

CAMPAIGNS = sorted(folder.name for folder in paths.BUNDLED_CAMPAIGNS.iterdir() if folder.is_dir())


def test_the_schema_is_the_one_that_is_made_from_the_types() -> None:
    assert contracts.load("scene-facts") == scene_facts.schema(), "run `make docs`"


def test_every_part_and_every_field_is_described() -> None:
    schema = scene_facts.schema()
    for part in (schema, *schema["$defs"].values()):
        assert part["description"].endswith("."), part["title"]
        for name, field in part["properties"].items():
            assert field.get("description", "").endswith("."), f"{part['title']}.{name}"


def test_every_part_is_frozen() -> None:
    assert all(part.__struct_config__.frozen for part in Part.__subclasses__())


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_the_facts_of_every_scene_keep_their_contract_and_can_be_read_back(campaign: str) -> None:
    for turn in turns(campaign, seed=3, many=12):
        document: dict[str, Any] = turn.known.to_json_values()
        assert contracts.check_value("scene-facts", document) == ()
        assert msgspec.convert(document, SceneFacts) == turn.known


def test_lore_without_a_heading_has_none_on_the_wire() -> None:
    chunk = LoreFacts(id="l", text="The bridge is old.", relevance=0.0)
    assert msgspec.to_builtins(chunk) == {"id": "l", "text": "The bridge is old.", "relevance": 0.0}
