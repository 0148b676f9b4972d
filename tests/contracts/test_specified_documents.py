"""Documents of the specification's shape are read, and what is written here keeps that shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from narratoria import paths
from narratoria.contracts import contract
from narratoria.errors import ContractViolation

PLAN_ID = "123e4567-e89b-42d3-a456-426614174000"
# the fields that the specification's own examples have, all of them, in other words
SPECIFIED: dict[str, tuple[str, dict[str, Any], str]] = {
    "a skill": (
        "skill-manifest",
        {
            "name": "tide-table",
            "displayName": "Tide Table",
            "description": "Says when the water comes.",
            "version": "1.0.0",
            "author": "Ada",
            "license": "MIT",
            "prompt": "prompt.md",
            "configSchema": "config-schema.json",
            "scripts": [
                {"name": "t", "path": "t.py", "description": "Looks.", "timeout": 30000, "required": True}
            ],
            "capabilities": ["tides"],
            "priority": 80,
            "retryPolicy": {"maxRetries": 3, "backoffMs": 100},
        },
        "version",
    ),
    "the settings of a skill": (
        "config-schema-meta",
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$comment": "for the tide table",
            "type": "object",
            "properties": {
                "apiKey": {
                    "type": "string",
                    "format": "password",
                    "x-sensitive": True,
                    "x-env-var": "TIDE_KEY",
                    "x-category": "Access",
                },
                "harbour": {"type": "string", "enum": ["north", "south"], "default": "north"},
            },
        },
        "properties",
    ),
    "a plan": (
        "plan-json",
        {
            "$comment": "the first attempt",
            "requestId": PLAN_ID,
            "narrative": "The water is out.",
            "tools": [
                {
                    "$comment": "before anybody walks",
                    "toolId": "tide",
                    "toolPath": "skills/tide-table/t.dart",
                    "input": {"day": 3},
                    "dependencies": [],
                    "required": True,
                    "async": False,
                    "retryPolicy": {"maxRetries": 3, "backoffMs": 100},
                }
            ],
            "parallel": False,
            "disabledSkills": [],
            "metadata": {"generationAttempt": 1, "parentPlanId": None},
        },
        "tools",
    ),
    "the result of a plan": (
        "execution-result",
        {
            "planId": PLAN_ID,
            "success": True,
            "canReplan": False,
            "failedTools": [],
            "disabledSkills": [],
            "toolResults": [
                {
                    "toolId": "tide",
                    "state": "success",
                    "output": {"high": "noon"},
                    "events": [],
                    "executionTimeMs": 3,
                    "retryCount": 0,
                }
            ],
            "aggregatedState": {},
            "aggregatedAssets": [],
            "executionTimeMs": 4,
            "attemptNumber": 1,
        },
        "toolResults",
    ),
    "a campaign": (
        "manifest",
        {
            "title": "Low Water",
            "version": "2.1.0",
            "author": "Ada",
            "description": "A causeway and those who cross it.",
            "genre": "Mystery",
            "tone": "Quiet",
            "content_rating": "Teen",
            "rules_hint": "narrative",
            "hydration_guidance": "As written",
            "content_warnings": ["drowning"],
            "estimated_playtime_hours": 10,
            "tags": ["sea"],
        },
        "title",
    ),
    "a person": (
        "npc-profile",
        {
            "name": "Wren",
            "role": "Ferry keeper",
            "age": "Nobody knows",
            "personality": {"traits": ["dry"], "flaws": ["late"], "virtues": ["loyal"]},
            "motivations": ["Keep the ferry running"],
            "speech_patterns": {"style": "Short", "examples": ["Mind the step."]},
            "relationships": {"ada": "An old debt"},
            "secrets": "See secrets.md",
            "portrait": "art/characters/wren.png",
        },
        "role",
    ),
    "the plot": (
        "plot-beats",
        {
            "beats": [
                {
                    "id": "beat_001",
                    "title": "The bell",
                    "description": "The bell under the water rings.",
                    "conditions": {
                        "scene_count": {"min": 2, "max": 5},
                        "player_state": "known in the harbour",
                        "requires_beat": "beat_000",
                    },
                    "priority": "critical",
                    "consequences": ["Wren says less"],
                    "skippable": False,
                    "mood": "Foreboding",
                    "music": "music/beats/bell.mp3",
                }
            ]
        },
        "beats",
    ),
    "something that was made": (
        "asset-metadata",
        {
            "path": "art/characters/wren.png",
            "type": "image",
            "keywords": ["wren"],
            "generated": False,
            "checksum": "sha256:" + "0" * 64,
            "created_at": "2026-02-03T10:30:00Z",
        },
        "path",
    ),
}
TEMPLATE = {
    "character_creation": {"mode": "guided", "guidance": "You come from inland."},
    "allowed_races": [{"name": "Human", "description": "Anybody", "traits": ["curious"]}],
    "allowed_classes": [{"name": "Pilot", "abilities": ["knots"]}],
    "starting_location": "The causeway",
    "starting_items": ["a coat"],
    "constraints": {"must_be_human": True, "era_locked": "Victorian"},
}


@pytest.mark.parametrize("what", SPECIFIED)
def test_a_document_of_the_specified_shape_keeps_our_contract(what: str) -> None:
    name, document, _ = SPECIFIED[what]
    contract(name).parse(json.dumps(document))


def test_a_template_of_the_specified_shape_keeps_our_contract() -> None:
    contract("player-template").parse(json.dumps(TEMPLATE))


@pytest.mark.parametrize("what", SPECIFIED)
def test_without_what_the_specification_requires_it_is_refused(what: str) -> None:
    name, document, required = SPECIFIED[what]
    with pytest.raises(ContractViolation, match=required):
        contract(name).parse(json.dumps({key: one for key, one in document.items() if key != required}))


TEXT, TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
# what the specification says of the fields that it names; others are open
SHAPES: dict[str, dict[str, Any]] = {
    "characters/npcs/*/profile.json": {
        "required": ["name", "role", "personality"],
        "properties": {
            **dict.fromkeys(("name", "role", "age", "secrets", "portrait", "appearance", "background"), TEXT),
            "personality": {"properties": dict.fromkeys(("traits", "flaws", "virtues"), TEXTS)},
            "motivations": TEXTS,
            "speech_patterns": {"properties": {"style": TEXT, "examples": TEXTS}},
            "relationships": {"type": "object", "additionalProperties": TEXT},
            "inventory": TEXTS,
        },
    },
    "plot/beats.json": {
        "required": ["beats"],
        "properties": {
            "beats": {
                "items": {
                    "required": ["id", "title", "description"],
                    "properties": {
                        **dict.fromkeys(("id", "title", "description", "mood", "music"), TEXT),
                        "consequences": TEXTS,
                        "skippable": {"type": "boolean"},
                        "priority": {"enum": ["critical", "high", "medium", "low", "optional"]},
                        "conditions": {
                            "properties": {
                                "scene_count": {
                                    "properties": {"min": {"type": "integer"}, "max": {"type": "integer"}}
                                },
                                "requires_beat": TEXT,
                                "requires_any_beat": TEXTS,
                                "player_choice": TEXT,
                            }
                        },
                    },
                }
            }
        },
    },
    "characters/player/template.json": {
        "properties": {
            "character_creation": {"properties": {"mode": {"enum": ["freeform", "guided", "preset"]}}},
            "allowed_races": {"items": {"required": ["name"]}},
            "allowed_classes": {"items": {"required": ["name"]}},
            "starting_location": TEXT,
            "starting_items": TEXTS,
            "constraints": {"type": "object"},
        }
    },
    "manifest.json": {
        "required": ["title", "version"],
        "properties": {
            "version": {"pattern": r"^\d+\.\d+\.\d+"},
            "content_rating": {"enum": ["Everyone", "Everyone 10+", "Teen", "Mature", "Adults Only"]},
            "rules_hint": {"enum": ["rules-light", "narrative", "crunchy", "tactical"]},
            "content_warnings": TEXTS,
            "tags": TEXTS,
        },
    },
}


@pytest.mark.parametrize("pattern", SHAPES)
def test_documents_of_the_bundled_campaigns_have_the_specified_shape(pattern: str) -> None:
    shape = jsonschema_rs.validator_for(SHAPES[pattern])
    files = [file for folder in paths.BUNDLED_CAMPAIGNS.iterdir() for file in folder.glob(pattern)]
    assert files
    problems = {file: error.message for file in files for error in shape.iter_errors(_read(file))}
    assert problems == {}


def test_settings_of_the_bundled_skills_say_which_json_schema_they_are() -> None:
    files = list(paths.BUNDLED_SKILLS.glob("*/config-schema.json"))
    assert files
    assert all(_read(file)["$schema"] == "https://json-schema.org/draft/2020-12/schema" for file in files)


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))
