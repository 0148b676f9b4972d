"""Describes a method of the host channel, and the types of parameters and results that several share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Schema: TypeAlias = Mapping[str, Any]
Service: TypeAlias = Literal["store", "embedder", "model", "gate"]

VERSION = 1
DELTA = "model.delta"
RASTERISE_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class MethodParameter:
    """Describes a parameter of a method: its name on the wire, its values, and how the SDK asks for it."""

    name: str
    meaning: str
    schema: Schema
    required: bool = False
    annotation: str = ""  # its type in Python; empty for one that the SDK fills in itself
    positional: bool = False  # else it is given by name
    default: str = "None"  # in Python, for one that is not required
    convert: str = ""  # the function of `narratoria.sdk.host_channel` that makes it what is sent


@dataclass(frozen=True, slots=True)
class Function:
    """Describes the SDK's function for a method: what it returns, and how it comes by it."""

    name: str
    returns: str
    take: str = ""  # the field of the result that is returned; empty for the whole
    through: str = "call"  # the function of `narratoria.sdk.host_channel` that carries it out
    doc: str = ""  # more than the method's own sentence


@dataclass(frozen=True, slots=True)
class Method:
    """Describes a method of the host, from its name to its result."""

    name: str
    doc: str
    function: Function
    result: Schema
    permission: str | None = None
    service: Service | None = None  # the part of the host that must be there
    parameters: tuple[MethodParameter, ...] = ()
    # a skill can go on without what it answers, so a slow answer is refused while there is time to go on
    is_optional_read: bool = False
    timeout_s: float | None = None  # where it is shorter than that of the channel

    @property
    def waits_for_store(self) -> bool:
        """Return whether a run that waits for it waits for the host: that says nothing about the skill."""
        return self.service in ("store", "embedder")


def json_object(*required: str, closed: bool = True, **properties: Schema) -> dict[str, Any]:
    rest = {"additionalProperties": False} if closed else {}
    return {"type": "object", "required": list(required), **rest, "properties": properties}


def value(meaning: str, /, **schema: Any) -> dict[str, Any]:
    return {**schema, "description": meaning}


def array(meaning: str, items: Schema, /, **schema: Any) -> dict[str, Any]:
    return {"type": "array", **schema, "items": items, "description": meaning}


def reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


_SCALAR = {"type": ["string", "number", "boolean", "null"]}
_BOUND = {"type": ["string", "number"]}
RECORD_ITEMS = "Sequence[tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], str]]"

# the types that several parameters have, by their names in the schema of requests
PARAMETER_TYPES: Mapping[str, Schema] = {
    "dataType": {
        "type": "string",
        "pattern": "^[A-Za-z][A-Za-z0-9_-]{0,63}$",
        "x-rule": "a name of 1 to 64 letters, digits, - and _",
        "examples": ["memory"],
    },
    "identifier": {
        "type": "string",
        "minLength": 1,
        "maxLength": 200,
        "x-rule": "a string of 1 to 200 characters",
    },
    "record": {"type": "object", "minProperties": 1, "x-rule": "object, not empty"},
    "filters": {
        "type": "object",
        "maxProperties": 32,
        "additionalProperties": {
            "anyOf": [
                _SCALAR,
                {"type": "array", "minItems": 1, "maxItems": 256, "items": _SCALAR},
                {
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": False,
                    "properties": {"from": _BOUND, "to": _BOUND},
                },
            ]
        },
    },
}

# the types of results, by their names in the schema of answers
RESULT_TYPES: Mapping[str, Schema] = {
    "entry": json_object(
        *("identifier", "dataType", "record", "skill", "sessionId", "storedAt", "updatedAt"),
        closed=False,
        identifier=value("The record's name; with its type it is found again.", type="string"),
        dataType=value("What kind of record it is.", type="string"),
        record=value("What was stored.", type="object"),
        skill=value("The skill that stored it.", type="string"),
        sessionId=value("The session it was stored in.", type="string"),
        storedAt=value("When it was stored.", type="string", format="date-time"),
        updatedAt=value("When it was last changed.", type="string", format="date-time"),
        relevance=value(
            "How well it fits the query; store.semanticSearch alone says it.",
            type="number",
            minimum=0,
            maximum=1,
        ),
        similarity=value(
            "The raw measure behind the relevance, where the store has one.",
            type="number",
        ),
    ),
    "entries": json_object(
        *("records", "more"),
        records=array("The records, each with what the host knows about it.", reference("entry")),
        more=value(
            "There are more: the limit was reached, or the answer would have been too large.", type="boolean"
        ),
    ),
    "change": json_object(
        *("identifier", "subject", "change", "reason", "turn", "gameTime", "at", "scoreBefore", "scoreAfter"),
        closed=False,
        identifier=value("The change's name.", type="string"),
        subject=value("Whose opinion changed.", type="string"),
        change=value("The points won or lost.", type="number"),
        reason=value("Why, in words for the player.", type="string"),
        turn=value("The turn it happened in.", type="integer"),
        gameTime=value("When, in minutes since the story's beginning.", type="number"),
        at=value("When it was stored.", type="string"),
        scoreBefore=value("The score just before, faded to that moment.", type="number"),
        scoreAfter=value("The score just after.", type="number"),
        sessionId=value("The session it was stored in.", type="string"),
        skill=value("The skill that stored it.", type="string"),
    ),
}

INFO = json_object(
    *("version", "skill", "playthroughId", "sessionId", "methods", "quickAnswer", "model", "limits"),
    closed=False,
    version=value("The version of this interface.", const=VERSION),
    skill=value("The skill that the channel was opened for.", type="string"),
    playthroughId=value("The story that everything asked is about; empty outside a story.", type="string"),
    sessionId=value("The session it is played in; empty outside a story.", type="string"),
    methods=array(
        "Every method, with the permission it needs, whether the skill has it, and whether this host can"
        " carry it out.",
        json_object(
            *("name", "permission", "permitted", "available"),
            closed=False,
            name={"type": "string"},
            permission={"type": ["string", "null"]},
            permitted={"type": "boolean"},
            available={"type": "boolean"},
        ),
    ),
    quickAnswer=value(
        "Whether the player has asked, in this turn, not to wait for a model any longer.", type="boolean"
    ),
    model={
        **json_object(
            *("name", "tier", "state", "reason"),
            closed=False,
            name=value("What it is called; empty where there is none.", type="string"),
            tier=value(
                "What a short examination found that it can do here; empty where it was not examined.",
                enum=["", "scores", "fills", "embellishes", "narrates"],
            ),
            state=value("Whether it can be asked now.", enum=["ready", "loading", "failed", "none"]),
            reason=value("Why it is not ready.", type="string"),
        ),
        "description": "The local language model, and what it can be trusted with.",
    },
    limits={
        **json_object(
            *("messageBytes", "resultBytes", "inFlight", "requests", "totalBytes", "callSeconds"),
            closed=False,
            messageBytes=value("Bytes in one line from the skill.", type="integer"),
            resultBytes=value("Bytes in one result.", type="integer"),
            inFlight=value(
                "Requests worked on at once; the next ones are read when one is answered.", type="integer"
            ),
            requests=value("Lines from the skill, in all.", type="integer"),
            totalBytes=value("Bytes from the skill, in all.", type="integer"),
            callSeconds=value("Seconds for one request.", type="number"),
        ),
        "description": "The channel's limits.",
    },
)


def data_type_parameter(meaning: str, *, required: bool = True) -> MethodParameter:
    kind = "str" if required else "str | None"
    return MethodParameter("dataType", meaning, reference("dataType"), required, kind, positional=True)


def identifier_parameter(
    meaning: str = "The record's identifier.", *, name: str = "identifier"
) -> MethodParameter:
    return MethodParameter(name, meaning, reference("identifier"), True, "str", positional=True)


def filters_parameter(meaning: str, *, positional: bool = False) -> MethodParameter:
    return MethodParameter(
        "filters", meaning, reference("filters"), annotation="dict[str, Any] | None", positional=positional
    )


def limit_parameter(meaning: str, default: int) -> MethodParameter:
    schema = {"type": "integer", "minimum": 1, "maximum": 1000, "default": default}
    return MethodParameter("limit", meaning, schema, annotation="int", default=str(default))
