"""Defines the draft of an import and its report, and cleans the foreign text that goes into it."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from narratoria.campaign.assets import slug
from narratoria.errors import ContractViolation, Problem

Content: TypeAlias = "str | bytes | dict[str, Any]"
ADVICE = "nothing was written; change these lines, or import without them (leave-out)"


@dataclass(frozen=True, slots=True)
class MappedPart:
    what: str  # as the original calls it
    to: str  # where it stands in the campaign


@dataclass(frozen=True, slots=True)
class SkippedPart:
    what: str
    why: str


@dataclass(slots=True)
class ImportDraft:
    """Collects the files to write: documents as values, pages as text, a manifest's fields apart."""

    title: str = ""
    fields: dict[str, Any] = field(default_factory=dict)  # of a manifest that is still to be written
    files: dict[str, Content] = field(default_factory=dict)
    mapped: list[MappedPart] = field(default_factory=list)
    unmapped: list[SkippedPart] = field(default_factory=list)

    def add_file(self, what: str, file: str, content: Content) -> None:
        self.files[file] = content
        self.mapped.append(MappedPart(what, file))

    def skip(self, what: str, why: str) -> None:
        if SkippedPart(what, why) not in self.unmapped:
            self.unmapped.append(SkippedPart(what, why))


@dataclass(frozen=True, slots=True)
class ImportReport:
    kind: str
    source: str
    folder: str
    written: tuple[str, ...]
    mapped: tuple[MappedPart, ...]
    unmapped: tuple[SkippedPart, ...]

    def as_document(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "source": self.source,
            "folder": self.folder,
            "written": list(self.written),
            "mapped": [{"what": one.what, "to": one.to} for one in self.mapped],
            "unmapped": [{"what": one.what, "why": one.why} for one in self.unmapped],
        }

    def lines(self) -> Iterator[str]:
        yield f"{self.source} ({self.kind})"
        for one in self.mapped:
            yield f"  {one.what} → {one.to}"
        if self.unmapped:
            yield "Not brought in:"
        for left in self.unmapped:
            yield f"  {left.what}: {left.why}"
        yield f"{len(self.written)} file{'' if len(self.written) == 1 else 's'} written in {self.folder}."


MOST_TEXT = 200_000  # characters of one text
_ACTIVE = re.compile(
    r"<(script|style|iframe|object|svg|template)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL
)
_BREAK = re.compile(r"<(?:br|/p|/div|/li|hr)\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z!][^<>]{0,2000}>")
_BLANKS = re.compile(r"\n[ \t]*\n\s*")
# no bracket inside another, and an end to each: a page of opening brackets would otherwise be read for hours
_ADDRESS = re.compile(
    r"!\[([^\[\]]*)\]\([^)\[\]]{0,2000}\)"
    r"|\[([^\[\]]*)\]\((?:https?|javascript|data):[^)\[\]]{0,2000}\)",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"^(\s*)(#{1,6}\s|```|~~~|---\s*$)")
# a story tells the player “you”, which asks for other verbs, and for no name where they are spoken to
_USER = {
    r"(?:, ?\{\{user\}\})(?=[.!?,”\"])": "",
    r"\{\{user\}\}['’]s": "your",
    r"\{\{user\}\} is\b": "you are",
    r"\{\{user\}\} was\b": "you were",
    r"\{\{user\}\} has\b": "you have",
    r"(^|[.!?] |\n)\{\{user\}\}": r"\1You",
    r"(^|[.!?] |\n)you(r?)\b": r"\1You\2",
}
NAME = re.compile(r"\{\{(char|user)\}\}|<(BOT|USER)>", re.IGNORECASE)


def clean_text(text: object, *, char: str = "", user: str = "you") -> str:
    """Return prose without tags, comments, control characters and placeholders."""
    if not isinstance(text, str):
        return ""
    text = text[:MOST_TEXT].replace("\r\n", "\n").replace("\r", "\n")
    for spoken, pronoun in _USER.items():
        text = re.sub(spoken, pronoun, text, flags=re.IGNORECASE)
    theirs = ("char", "bot")
    text = NAME.sub(lambda match: char if (match[1] or match[2]).casefold() in theirs else user, text)
    for _ in range(3):  # what is left when a tag inside a tag is taken out may be one itself
        before = text
        text = _ACTIVE.sub("", _ACTIVE.sub("", text))
        text = re.sub(r"<!--.*?(?:-->|\Z)", "", text, flags=re.DOTALL)
        text = _TAG.sub("", _BREAK.sub("\n", text))
        text = html.unescape(text)
        if text == before:
            break
    text = _ADDRESS.sub(lambda match: match[1] or match[2] or "", text)
    text = "".join(
        mark for mark in text if mark in "\n\t" or unicodedata.category(mark) not in ("Cc", "Cf", "Cs", "Co")
    )
    return _BLANKS.sub("\n\n", "\n".join(line.rstrip() for line in text.split("\n"))).strip()


def single_line(text: object, most: int = 200, **names: str) -> str:
    """Return the cleaned text on one line."""
    return " ".join(clean_text(text, **names).split())[:most].strip()


def escape_markup(text: str) -> str:
    """Escape lines that would read as headings, fences or front matter."""
    return "\n".join(_MARKUP.sub(r"\1\\\2", line) for line in text.split("\n"))


def unique_file_name(name: str, used_names: set[str], fallback: str = "imported") -> str:
    """Return a portable file name that is not used yet."""
    plain_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^a-z0-9-]+", "-", slug(plain_name)).strip("-")[:60].strip("-")
    stem = stem.removesuffix("-generated") or fallback
    if re.fullmatch(r"con|prn|aux|nul|com\d|lpt\d", stem):
        stem = f"{stem}-{fallback}"
    number, file_name = 2, stem
    while file_name in used_names:
        file_name, number = f"{stem}-{number}", number + 1
    used_names.add(file_name)
    return file_name


def import_error(source: str, message: str) -> ContractViolation:
    return ContractViolation([Problem(message, file=source)])
