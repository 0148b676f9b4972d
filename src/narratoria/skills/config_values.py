"""`${VAR_NAME}` in a setting: replaced where the setting is used, never where it is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

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
    """What stands in place of a value that names variables which are not set."""

    names: tuple[str, ...]


def names_in(value: Any) -> Iterator[str]:
    """The variables that a setting refers to."""
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
    """The value with its variables replaced, or `Unset` when one of them is not set."""
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
    """Whether a setting is the name of a variable and nothing else."""
    return isinstance(value, str) and _ONE_REFERENCE.fullmatch(value) is not None


def names_a_secret(variable: str) -> bool:
    """Whether a variable's name says that it holds a secret, whatever setting it is used in."""
    return _SECRET_NAME.search(variable) is not None


def parse_value(text: str, kind: str) -> Any:
    """A text from the environment or the command line as a value of this type; unchanged if it is none."""
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
