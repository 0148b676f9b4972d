"""What a person types after `mctl run ID`, as the tool's input."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from narratoria.skills.mcontrol.config import merge


def tool_input(option: str | None, pairs: Sequence[str]) -> Any:
    """The value of `--input` with the `key=value` pairs merged over it; an empty object for nothing."""
    given = _parse_option(option) if option is not None else {}
    if not pairs:
        return given
    if not isinstance(given, dict):
        raise click.UsageError("key=value needs an object to go into, and --input is not one.")
    for pair in pairs:
        given = merge(given, parse_pair(pair))
    return given


def parse_pair(pair: str) -> dict[str, Any]:
    """`a.b=1` as `{"a": {"b": 1}}`; what does not read as JSON is a string."""
    key, equals, text = pair.partition("=")
    if not equals or not all(key.split(".")):
        raise click.UsageError(f"{pair!r} is not of the form key=value.")
    try:
        value = _loads(text)
    except ValueError:
        value = text
    for part in reversed(key.split(".")):
        value = {part: value}
    return value  # type: ignore[no-any-return]  # there is at least one part


def _parse_option(option: str) -> Any:
    source, text = "--input", option
    if option == "-":
        source, text = "standard input", sys.stdin.buffer.read().decode(errors="replace")
    elif option.startswith("@"):
        source = option[1:]
        try:
            text = Path(source).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError(f"--input {option}: cannot be read: {error}.") from error
    try:
        return _loads(text)
    except ValueError as error:
        raise click.UsageError(f"{source} is not JSON: {error}.") from error


def _loads(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")
