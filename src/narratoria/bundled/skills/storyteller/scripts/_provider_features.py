"""Describes what each provider supports, as far as its address and its model's name say it.

A server that refuses what it is said to support is asked again without it: see `_providers`.
"""

from __future__ import annotations

import re
from collections import namedtuple
from urllib.parse import urlsplit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class ProviderFeatures(NamedTuple):
        schema: str  # how it is held to a JSON schema: response_format, format, tool, or "" for not at all
        cache: str  # how it keeps what it has read: marked (by us), cache_prompt (asked for), automatic or ""
        usage: (
            str  # how it counts tokens: always, asked (with stream_options), or priced (OpenRouter's own way)
        )
        reasons: bool  # whether such models think before they write

else:
    ProviderFeatures = namedtuple("ProviderFeatures", "schema cache usage reasons")

NEAR = re.compile(
    r"localhost|127(?:\.\d+){3}|\[?::1\]?|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|[\w-]+\.local|[\w-]+"
)
_THINKING = re.compile(r"\b(?:o[134]|gpt-5|r1|qwq|qwen3|thinking|reasoner|gpt-oss|magistral)", re.IGNORECASE)
_WITHOUT_SCHEMA = ("api.deepseek.com",)  # JSON without a schema alone, when this was written


def find_features(provider: str, url: str, model: str) -> ProviderFeatures:
    """Return what a model at an address supports."""
    reasons = bool(_THINKING.search(model))
    if provider == "claude":
        return ProviderFeatures("tool", "marked", "always", reasons)
    if provider == "ollama":
        return ProviderFeatures("format", "automatic", "always", reasons)
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:  # told when it is connected to
        host = ""
    return ProviderFeatures(
        "" if host in _WITHOUT_SCHEMA else "response_format",
        "cache_prompt" if is_near(host) else "automatic",
        "priced" if host == "openrouter.ai" else "asked",
        reasons,
    )


def is_near(host: str) -> bool:
    """Return whether a host is this machine or one of a home network."""
    return bool(NEAR.fullmatch(host))
