"""Reads, changes and masks the values of settings, and replaces the `${VAR_NAME}` in them.

A variable is replaced where the setting is used, never where it is stored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from narratoria.skills.config_schema import ConfigSchema
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
