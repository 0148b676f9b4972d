"""Validates records before they are stored, and reports every problem at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, get_args

from narratoria.contracts import Contract
from narratoria.contracts.messages import closest_match
from narratoria.errors import ContractViolation, Problem
from narratoria.store.records import DataType

DATA_TYPES: tuple[DataType, ...] = get_args(DataType)
LEDGERS = ("reputation", "perception")
SEARCHABLE: tuple[DataType, ...] = ("memory", "lore", "portrait", "asset")
CAMPAIGN_ONLY = ("lore",)  # a playthrough that could write it would speak to others through it

_SET_BY_US = ("id", "identifier", "playthroughId", "sessionId", "turn", "embedding")
_MOMENTS = {
    "memory": ("timestamp",),
    "portrait": ("generatedAt",),
    "session": ("startTime", "endTime"),
    "asset": ("created_at",),
}


def parse_data_type(name: str) -> DataType:
    if name in DATA_TYPES:
        return name
    near = closest_match(name, DATA_TYPES)
    advice = f"did you mean {near!r}?" if near else f"there are {', '.join(DATA_TYPES)}"
    raise ContractViolation([Problem(f"there is no data type {name!r}; {advice}", "/dataType")])


def validate_record(data_type: DataType, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record in its stored form; raise ContractViolation with every problem."""
    record = dict(given)
    if data_type == "asset":
        check_provenance(record)
    problems = [
        Problem("is set by the store; leave it out", f"/{name}") for name in _SET_BY_US if name in record
    ]
    rest = {name: value for name, value in record.items() if name not in _SET_BY_US}
    problems += _contract(data_type).check_value(rest)
    problems += _moment_problems(data_type, rest)
    if not problems and data_type in LEDGERS:
        problems += _ledger_problems(data_type, rest)
    if problems:
        raise ContractViolation(problems)
    for name in _MOMENTS.get(data_type, ()):
        if rest.get(name):
            rest[name] = moment(rest[name])
    if data_type == "memory":
        rest.setdefault("witnesses", list(rest.get("characterIds", ())))
    return rest


def merge_record(
    data_type: DataType, stored: Mapping[str, Any], changes: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the record after the changes: a null removes a field, objects merge."""
    return validate_record(data_type, _merge(stored, changes))


def moment(text: str) -> str:
    """Return a date and time in the one form that sorts chronologically; without a zone it is UTC."""
    parsed = datetime.fromisoformat(text)
    parsed = parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    return parsed.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def now() -> str:
    return moment(datetime.now(UTC).isoformat())


@dataclass(frozen=True, slots=True)
class Facets:
    """Holds the fields of a record that can be queried without decoding it."""

    text: str  # for search by meaning and by words
    labels: frozenset[tuple[str, str]]
    timestamp: str
    game_time: float | None


def extract_facets(data_type: DataType, body: Mapping[str, Any]) -> Facets:
    labels = {
        (name, value) for name, read in LABELS[data_type].items() for value in _values(read(body)) if value
    }
    when = next((body[name] for name in _MOMENTS.get(data_type, ()) if body.get(name)), "")
    return Facets(_text(data_type, body), frozenset(labels), when, body.get("gameTime"))


def _text(data_type: DataType, body: Mapping[str, Any]) -> str:
    match data_type:
        case "memory":
            return str(body["summary"])
        case "lore":
            return "\n".join(part for part in (body.get("heading"), body["content"]) if part)
        case "portrait":
            return str(body.get("description", ""))
        case "asset":
            return " ".join(part for part in (body.get("alt_text"), *body.get("keywords", ())) if part)
        case _:
            return ""


Read = Callable[[Mapping[str, Any]], Any]


def _field(name: str, default: Any = "") -> Read:
    return lambda body: body.get(name, default)


LABELS: dict[DataType, dict[str, Read]] = {  # the fields that filters can ask for, besides columns
    "memory": {
        "characterIds": _field("characterIds"),
        "semanticTags": _field("semanticTags"),
        "witnesses": _field("witnesses"),
        "location": _field("location"),
        "actionType": _field("actionType"),
        "significance": _field("significance", "medium"),
        "outcome": _field("outcome"),
        "episodic": _field("episodic", False),
    },
    "lore": {name: _field(name) for name in ("filePath", "chunkIndex", "paragraphId")},
    "reputation": {},
    "perception": {},
    "portrait": {name: _field(name) for name in ("characterId", "descriptionHash", "imagePath")},
    "session": {"currentLocation": _field("currentLocation")},
    "asset": {
        **{name: _field(name) for name in ("path", "type", "keywords", "checksum", "entity_id")},
        "generated": _field("generated", False),
        "entity_links": lambda body: body.get("relationships", {}).get("entity_links", ()),
    },
}


def label_value(value: Any) -> str:
    """Return a scalar as labels spell it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _values(value: Any) -> list[str]:
    if value is None:
        return []
    return [label_value(item) for item in value] if isinstance(value, list | tuple) else [label_value(value)]


def _merge(stored: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(stored)
    for name, value in changes.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, Mapping) and isinstance(result.get(name), Mapping):
            result[name] = _merge(result[name], value)
        else:
            result[name] = value
    return result


def _moment_problems(data_type: DataType, record: Mapping[str, Any]) -> list[Problem]:
    return [
        Problem(f"{value!r} is not a date and time such as 2026-01-31T18:30:00Z", f"/{name}")
        for name in _MOMENTS.get(data_type, ())
        if isinstance(value := record.get(name), str) and not is_datetime(value)
    ]


def _ledger_problems(data_type: DataType, record: Mapping[str, Any]) -> list[Problem]:
    score = "currentScore" if data_type == "reputation" else "perceptionScore"
    if "change" in record and score in record:
        return [Problem(f"give a change or a {score}, not both", "/change")]
    if not record.keys() & {"change", score, "decayRate", "scale"}:
        return [Problem(f"nothing changes; give a change, a {score} or a decayRate", "")]
    scale = record.get("scale")
    if scale and scale["min"] >= scale["max"]:
        return [Problem(f"{scale['min']} is not below the highest score, {scale['max']}", "/scale/min")]
    return []


@cache
def _contract(data_type: DataType) -> Contract:
    return Contract({"$ref": f"urn:narratoria:contract:store-records#/$defs/{data_type}"})


MISSING_PROVENANCE = (
    "Generated asset missing provenance (generated=true requires provenance.source_model, "
    "provenance.generated_at, provenance.seed_data)"
)
UNEXPECTED_PROVENANCE = (
    "Human-created asset must not contain provenance (generated=false conflicts with provenance object)"
)
REQUIRED_PROVENANCE = ("source_model", "generated_at", "seed_data")


def check_provenance(asset: Mapping[str, Any]) -> None:
    """Raise ContractViolation for an asset whose provenance is missing or claims what it must not."""
    provenance = asset.get("provenance")
    if asset.get("generated", False) is not True:
        if provenance is not None:
            raise ContractViolation([Problem(UNEXPECTED_PROVENANCE)])
        return
    if not isinstance(provenance, Mapping) or not all(
        _is_text(provenance.get(name)) for name in REQUIRED_PROVENANCE
    ):
        raise ContractViolation([Problem(MISSING_PROVENANCE)])
    moment = provenance["generated_at"]
    if not is_datetime(moment):
        message = f"{moment!r} is not an ISO 8601 datetime such as 2026-02-03T11:00:00Z"
        raise ContractViolation([Problem(message, "/provenance/generated_at")])


def is_datetime(text: str) -> bool:
    """Return whether this is an ISO 8601 date with a time of day."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return "T" in text


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
