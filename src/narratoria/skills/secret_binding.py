"""Binds a secret setting to the address it was given for, so that it is sent nowhere else.

A field says with `x-sent-to` which setting holds the address. The origin (scheme, host and port) that a
secret was given for is stored beside the values, under `$givenFor`:

| the secret                          | is bound to                                                         |
| ----------------------------------- | ------------------------------------------------------------------- |
| typed in                            | the address at that moment; another address clears it               |
| a variable, or from the environment | the usual addresses, and the one set in a terminal                  |
| in a file without `$givenFor`       | the address in that file: written by hand, or by an earlier version |
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from narratoria.errors import Problem
from narratoria.skills.config_schema import ConfigField, ConfigSchema
from narratoria.skills.config_values import names_in

RECORD_KEY = "$givenFor"  # no setting can have this name
_PORTS = {"http": 80, "https": 443}


def read_record(values: dict[str, Any]) -> dict[str, str]:
    """Take the record of origins out of the values of a file."""
    record = values.pop(RECORD_KEY, None)
    if not isinstance(record, Mapping):
        return {}
    return {key: origin for key, origin in record.items() if isinstance(origin, str)}


def origin_of(url: str) -> str:
    """Return the scheme, host and port of an address; the text itself where it is none."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return url
    return f"{parts.scheme}://{parts.hostname}:{port}" if parts.hostname else url


def target_of(about: ConfigField, values: Mapping[str, Any]) -> str:
    """Return the origin that these settings would send the secret to; empty where they send it nowhere."""
    sent_to = about.sent_to
    if sent_to is None:
        return ""
    url = values.get(sent_to.setting) or sent_to.usual.get(str(values.get(sent_to.choice)), "")
    return origin_of(str(url)) if url else ""


def is_usual(about: ConfigField, origin: str) -> bool:
    return about.sent_to is not None and origin in map(origin_of, about.sent_to.usual.values())


def find_misdirected(
    schema: ConfigSchema,
    record: Mapping[str, str],
    values: Mapping[str, Any],
    *,
    from_environment: Collection[str],
) -> Iterator[tuple[str, Problem]]:
    """Yield each secret that would go to an address it was not given for, and what to do about it."""
    for about in schema.fields:
        target, given_for = target_of(about, values), record.get(about.key)
        if not (target and values.get(about.key)) or given_for is None or given_for == target:
            continue
        if is_usual(about, target) and (about.key in from_environment or not given_for):
            continue
        was = f"was given for {given_for}" if given_for else "was given for no address of yours"
        yield about.key, Problem(f"{about.title} {was}, and is not sent to {target}", f"/{about.key}")


@dataclass(frozen=True, slots=True)
class BoundValues:
    """Holds the stored values, and the origin that each secret among them would be sent to."""

    schema: ConfigSchema
    values: Mapping[str, Any]
    targets: Mapping[str, str]

    def is_variable(self, key: str) -> bool:
        """Return whether the environment decides what the secret is."""
        value = self.values.get(key)
        return not value or any(names_in(value))


@dataclass(frozen=True, slots=True)
class Rebinding:
    """Holds the record after a change, and the secrets that the change clears."""

    record: Mapping[str, str]
    cleared: tuple[str, ...] = field(default=())


def rebind(
    before: BoundValues,
    after: BoundValues,
    record: Mapping[str, str],
    *,
    given: frozenset[str],
    in_terminal: bool,
) -> Rebinding:
    """Bind the secrets that were given now, and clear those whose address changed.

    Whoever sits at the terminal can read the environment anyway, and so may say where its variables go.
    """
    new, cleared = dict(record), []
    for about in after.schema.fields:
        if about.sent_to is None:
            continue
        key, target = about.key, after.targets[about.key]
        bound = record.get(key, before.targets[key])
        if after.is_variable(key) and not before.is_variable(key):
            bound = ""  # it was the typed secret that had this address
        is_moved = target not in ("", bound) and not (is_usual(about, target) and not bound)
        is_vouched = in_terminal and not given.isdisjoint((key, about.sent_to.setting))
        if (key in given and not after.is_variable(key)) or (
            is_vouched and (after.is_variable(key) or not bound)
        ):
            new[key] = target
        else:
            new[key] = bound if is_moved or not target else target
            if is_moved and key in after.values and key not in given:
                cleared.append(key)
    return Rebinding(new, tuple(cleared))
