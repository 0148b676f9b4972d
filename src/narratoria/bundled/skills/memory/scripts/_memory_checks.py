"""Checks the input of both scripts, and says what is wrong with it."""

from __future__ import annotations

from narratoria import sdk

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

SIGNIFICANCE = ("low", "medium", "high", "critical")  # rising
LONGEST_QUERY = 2000  # characters; what follows says nothing more to the embedding model


def text(given: dict[str, Any], field: str, *, required: bool = False) -> str:
    value = given.get(field)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or (required and not value.strip()):
        raise sdk.InvalidInput(field, "expected a text" + (" that is not empty" if required else ""))
    return " ".join(value.split())


def names(given: dict[str, Any], field: str) -> list[str] | None:
    """Return the ids in a list, each once; None where there is no list."""
    value = given.get(field)
    if value is None:
        return None
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(name, str) and name.strip() for name in listed):
        raise sdk.InvalidInput(field, "expected a list of names")
    return list(dict.fromkeys(name.strip()[:200] for name in listed))


def one_of(given: dict[str, Any], field: str, options: tuple[str, ...]) -> str:
    value = given.get(field)
    if value is None:
        return ""
    if value not in options:
        raise sdk.InvalidInput(field, f"{value!r} is none of {', '.join(options)}")
    return str(value)


def uses_files(config: dict[str, Any]) -> bool:
    return config.get("storageBackend") == "files"
