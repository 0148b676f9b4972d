"""Reads the weights that ship with Narratoria, each in a file named by the hash of its content."""

from __future__ import annotations

import hashlib
from importlib.resources import files

from narratoria.errors import ModelUnavailable


def read_shipped_weights(name: str) -> bytes:
    """Return the content of a file in `narratoria/weights`; ModelUnavailable where it has changed."""
    try:
        content = files("narratoria").joinpath("weights", name).read_bytes()
    except OSError as error:
        raise ModelUnavailable(f"the weights {name} cannot be read: {error}") from None
    if not hashlib.sha256(content).hexdigest().startswith(name.partition(".")[0]):
        raise ModelUnavailable(f"the weights {name} are damaged; install Narratoria again")
    return content
