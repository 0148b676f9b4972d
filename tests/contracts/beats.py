"""A contract with every kind of rule, for the tests of what is said when one is broken."""

from __future__ import annotations

from narratoria.contracts import Contract

BEATS = Contract(
    {
        "type": "object",
        "required": ["title"],
        "additionalProperties": False,
        "properties": {
            "title": {"type": "string", "minLength": 1, "description": "What players see. And more."},
            "priority": {"enum": ["critical", "high", "medium", "low", "optional"]},
            "weight": {"type": "integer", "minimum": 0, "maximum": 10},
            "ratio": {"type": "number", "exclusiveMinimum": 0},
            "step": {"multipleOf": 5},
            "secret": {"type": "boolean"},
            "note": {"type": ["string", "null"], "maxLength": 5},
            "id": {"type": "string", "pattern": "^[a-z]+$", "x-rule": "made of small letters"},
            "code": {"type": "string", "pattern": "^[A-Z]+$", "examples": ["ABC"]},
            "when": {"type": "string", "format": "date-time"},
            "tags": {"type": "array", "uniqueItems": True, "minItems": 1, "maxItems": 3},
            "kind": {"const": "beat"},
            "never": False,
            "names": {"type": "object", "propertyNames": {"maxLength": 3}},
            "size": {"anyOf": [{"type": "integer"}, {"type": "string", "enum": ["big", "small"]}]},
            "effect": {"oneOf": [{"$ref": "#/$defs/damage"}, {"$ref": "#/$defs/heal"}]},
            "pair": {"dependentRequired": {"from": ["to"]}},
            "free": {"type": "object", "patternProperties": {"^x-": {}}, "additionalProperties": False},
            "tree": {"$ref": "#/$defs/tree"},
        },
        "$defs": {
            "damage": {
                "type": "object",
                "required": ["type", "amount"],
                "properties": {"type": {"const": "damage"}, "amount": {"type": "integer"}},
            },
            "heal": {
                "type": "object",
                "required": ["type", "target"],
                "properties": {"type": {"const": "heal"}, "target": {"type": "string"}},
            },
            "tree": {
                "type": "object",
                "properties": {"left": {"$ref": "#/$defs/tree"}, "n": {"type": "integer"}},
            },
        },
    }
)
