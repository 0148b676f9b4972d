"""What a person types, as values."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

METAVAR = "JSON|@FILE|-"
EXAMPLE = """Try --input '{"name": "lantern"}'."""


def json_object(_ctx: click.Context, _param: click.Parameter, value: str) -> dict[str, Any]:
    """The object that an option gives: as it stands, from a @file, or from stdin for `-`."""
    from narratoria.contracts.read import Fault, read

    try:
        _, document = read(_bytes(value))
    except Fault as fault:
        raise click.BadParameter(f"{_source(value)} is not JSON: {fault.message}. {EXAMPLE}") from fault
    except OSError as error:
        raise click.BadParameter(f"{value[1:]} cannot be read: {error.strerror}.") from error
    if not isinstance(document, dict):
        raise click.BadParameter(f"{_source(value)} is not a JSON object. {EXAMPLE}")
    return document


def json_objects(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> list[dict[str, Any]]:
    return [json_object(ctx, param, value) for value in values]


def _bytes(value: str) -> bytes | str:
    if value == "-":
        return sys.stdin.buffer.read()
    return Path(value[1:]).read_bytes() if value.startswith("@") else value


def _source(value: str) -> str:
    return "standard input" if value == "-" else value[1:] if value.startswith("@") else "it"
