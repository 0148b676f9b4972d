"""Defines the draft of an import and the report on what was mapped and what was not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Content: TypeAlias = "str | bytes | dict[str, Any]"


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
