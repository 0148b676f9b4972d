"""Parses what a person types after `mctl run ID` into the tool's input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from narratoria.contracts.read import JsonFault, read_json
from narratoria.skills.mcontrol.config import merge_layers


def tool_input(option: str | None, pairs: Sequence[str]) -> Any:
    """Return the value of `--input` with the `key=value` pairs merged over it; {} for neither."""
    given = _parse_option(option) if option is not None else {}
    if not pairs:
        return given
    if not isinstance(given, dict):
        raise click.UsageError("key=value needs an object to go into, and --input is not one.")
    for pair in pairs:
        given = merge_layers(given, parse_pair(pair))
    return given


def parse_pair(pair: str) -> dict[str, Any]:
    """Parse `a.b=1` into `{"a": {"b": 1}}`; what is not JSON is a string."""
    # a terminal may hand over bytes that are no text, and JSON cannot hold them
    key, equals, text = pair.encode(errors="replace").decode().partition("=")
    if not equals or not all(key.split(".")):
        raise click.UsageError(f"{pair!r} is not of the form key=value.")
    try:
        _, value = read_json(text)
    except JsonFault:
        value = text
    *above, last = key.split(".")
    nested: dict[str, Any] = {last: value}
    for part in reversed(above):
        nested = {part: nested}
    return nested


def _parse_option(option: str) -> Any:
    source, text = "--input", option.encode(errors="surrogateescape")
    if option == "-":
        source, text = "standard input", sys.stdin.buffer.read()
    elif option.startswith("@"):
        source = option[1:]
        try:
            text = Path(source).read_bytes()
        except OSError as error:
            raise click.UsageError(f"--input {option}: cannot be read: {error}.") from error
    try:
        return read_json(text)[1]
    except JsonFault as fault:
        raise click.UsageError(f"{source} is not JSON: {fault.message}.") from fault
