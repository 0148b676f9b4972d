"""Reads, changes and masks the values of settings, and binds each secret to the address it was given for.

A variable is replaced where the setting is used, never where it is stored.

A field says with `x-sent-to` which setting holds the address. The origin (scheme, host and port) that a
secret was given for is stored beside the values, under `$givenFor`:

| the secret                          | is bound to                                                         |
| ----------------------------------- | ------------------------------------------------------------------- |
| typed in                            | the address at that moment; another address clears it               |
| a variable, or from the environment | the usual addresses, and the one set in a terminal                  |
| in a file without `$givenFor`       | the address in that file: written by hand, or by an earlier version |
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from narratoria.errors import Problem
from narratoria.skills.config_schema import ConfigField, ConfigSchema
from narratoria.skills.redact import MASK

# `$${NAME}` is the text `${NAME}`
_REFERENCE = re.compile(r"\$\$(?=\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_ONE_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_SECRET_NAME = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)
_SWITCH = {
    "true": True,
    "1": True,
    "yes": True,
    "on": True,
    "false": False,
    "0": False,
    "no": False,
    "off": False,
}


@dataclass(frozen=True, slots=True)
class UnsetVariables:
    """Names the place of a value that refers to variables which are not set."""

    names: tuple[str, ...]


def names_in(value: Any) -> Iterator[str]:
    """Yield the variables that a setting refers to."""
    match value:
        case str():
            yield from (match[1] for match in _REFERENCE.finditer(value) if match[1])
        case Mapping():
            for item in value.values():
                yield from names_in(item)
        case list() | tuple():
            for item in value:
                yield from names_in(item)


def substitute(value: Any, env: Mapping[str, str]) -> Any:
    """Return the value with its variables replaced, or `Unset` when one of them is not set."""
    if missing := tuple(dict.fromkeys(name for name in names_in(value) if name not in env)):
        return UnsetVariables(missing)
    return _replaced(value, env)


def _replaced(value: Any, env: Mapping[str, str]) -> Any:
    match value:
        case str():
            return _REFERENCE.sub(lambda match: env[match[1]] if match[1] else "$", value)
        case Mapping():
            return {key: _replaced(item, env) for key, item in value.items()}
        case list() | tuple():
            return [_replaced(item, env) for item in value]
        case _:
            return value


def is_reference(value: Any) -> bool:
    """Return whether a setting is the name of a variable and nothing else."""
    return isinstance(value, str) and _ONE_REFERENCE.fullmatch(value) is not None


def names_a_secret(variable: str) -> bool:
    """Return whether a variable's name says that it holds a secret, whatever setting it is used in."""
    return _SECRET_NAME.search(variable) is not None


def parse_value(text: str, kind: str) -> Any:
    """Return a text from the environment or command line as a value of this type, unchanged if it is none."""
    try:
        match kind:
            case "integer":
                return int(text)
            case "number":
                number = float(text)
                return number if number - number == 0 else text  # neither NaN nor infinite
            case "boolean":
                return _SWITCH.get(text.strip().lower(), text)
            case "array" if not text.lstrip().startswith("["):
                return [item.strip() for item in text.split(",") if item.strip()]
            case "array" | "object":
                return json.loads(text)
    except (ValueError, RecursionError):
        pass
    return text


def mask(values: Mapping[str, Any], schema: ConfigSchema) -> dict[str, Any]:
    """Return the values as they may be shown: no secret, and no text under a key that nobody declared."""
    shown: dict[str, Any] = {}
    for key, value in values.items():
        about = schema.field(key)
        if about and about.fields and isinstance(value, Mapping):
            shown[key] = mask(value, ConfigSchema(fields=about.fields))
        elif about is None or about.holds_secrets:
            shown[key] = _masked(value, declared=about is not None)
        else:
            shown[key] = value
    return shown


def _masked(value: Any, *, declared: bool) -> Any:
    match value:
        case "" | None | bool():
            return value
        case str():
            return value if is_reference(value) else MASK
        case int() | float():
            return MASK if declared else value
        case Mapping():
            return {key: _masked(item, declared=declared) for key, item in value.items()}
        case _:
            return [_masked(item, declared=declared) for item in value]


def holds_secrets(values: Mapping[str, Any], schema: ConfigSchema) -> bool:
    return mask(values, schema) != values or any(
        about.holds_secrets and about.key in values for about in schema.fields
    )


def look_up(values: Mapping[str, Any], key: str) -> Any:
    value: Any = values
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def put_value(values: dict[str, Any], key: str, value: Any) -> None:
    *groups, last = key.split(".")
    for group in groups:
        inner = values.get(group)
        values[group] = inner = dict(inner) if isinstance(inner, Mapping) else {}
        values = inner
    values[last] = value


def overlay(values: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the written values with, in their groups, what was filled in beside them."""
    groups = {key for key, value in written.items() if isinstance(value, Mapping)}
    inner = {key: values[key] for key in groups if isinstance(values.get(key), Mapping)}
    return {**written, **{key: {**value, **written[key]} for key, value in inner.items()}}


def remove_value(values: dict[str, Any], key: str) -> None:
    if key in values:  # an unknown key may hold a dot
        del values[key]
        return
    group, _, rest = key.partition(".")
    if rest and isinstance(values.get(group), dict):
        remove_value(values[group], rest)


def unmask(value: Any, before: Any) -> Any:
    if value == MASK and before is not None:
        return before
    if isinstance(value, Mapping) and isinstance(before, Mapping):
        return {**before, **{key: unmask(item, before.get(key)) for key, item in value.items()}}
    if isinstance(value, list) and isinstance(before, list) and len(value) == len(before):
        return [unmask(new, old) for new, old in zip(value, before, strict=True)]
    return value


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
