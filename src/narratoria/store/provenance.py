"""Who made an asset: enforced where it is stored, so that nothing generated passes for a person's work."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from narratoria.errors import ContractViolation, Problem

MISSING = (
    "Generated asset missing provenance (generated=true requires provenance.source_model, "
    "provenance.generated_at, provenance.seed_data)"
)
CONFLICT = (
    "Human-created asset must not contain provenance (generated=false conflicts with provenance object)"
)
REQUIRED = ("source_model", "generated_at", "seed_data")


def check_provenance(asset: Mapping[str, Any]) -> None:
    """ContractViolation for an asset that hides where it came from, or that claims what it must not."""
    provenance = asset.get("provenance")
    if asset.get("generated", False) is not True:
        if provenance is not None:
            raise ContractViolation([Problem(CONFLICT)])
        return
    if not isinstance(provenance, Mapping) or not all(_is_said(provenance.get(name)) for name in REQUIRED):
        raise ContractViolation([Problem(MISSING)])
    moment = provenance["generated_at"]
    if not is_datetime(moment):
        message = f"{moment!r} is not an ISO 8601 datetime such as 2026-02-03T11:00:00Z"
        raise ContractViolation([Problem(message, "/provenance/generated_at")])


def is_datetime(text: str) -> bool:
    """Whether this is an ISO 8601 date with a time of day."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return "T" in text


def _is_said(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
