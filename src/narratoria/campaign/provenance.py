"""Lists the origin of a campaign's files: written by the author, generated, or imported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.campaign.asset_metadata import asset_type
from narratoria.campaign.campaign import Provenance
from narratoria.campaign.folder import generated_name, is_generated_name
from narratoria.campaign.load import LoadResult

Who: TypeAlias = Literal["author", "generated", "imported"]
IMPORTED = "imported_from"  # in the front matter of a page
IMPORTED_KEY = "x-imported-from"  # in a document


@dataclass(frozen=True, slots=True)
class Origin:
    """Describes the origin of a file, or of a part of one: `plot/beats.json#/beats/3`."""

    path: str
    who: Who
    kind: str
    provenance: Provenance | None = None
    source: str = ""  # what it was imported from
    replaced_by: str = ""  # the author's own file, which is used instead

    def as_document(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "who": self.who,
            "type": self.kind,
            "generated": self.who == "generated",
            **({"provenance": msgspec.to_builtins(self.provenance)} if self.provenance else {}),
            **({"importedFrom": self.source} if self.source else {}),
            **({"replacedBy": self.replaced_by} if self.replaced_by else {}),
        }


def list_origins(reading: LoadResult) -> tuple[Origin, ...]:
    """Return the origin of every file that players may see, and of every generated part of one."""
    return tuple(_origins(reading))


def _origins(reading: LoadResult) -> Iterator[Origin]:
    generated = reading.reader.generated
    own = {generated_name(file): file for file in reading.folder.files if not is_generated_name(file)}
    for file in reading.folder.files:
        kind = asset_type(file)
        if kind is None:
            continue
        if by := generated.get(file):
            yield Origin(file, "generated", kind, by, replaced_by=own.get(file, ""))
        elif source := _source(reading, file):
            yield Origin(file, "imported", kind, source=source)
        else:
            yield Origin(file, "author", kind)
        for part, by in generated.items():
            if part.startswith(f"{file}#"):
                yield Origin(part, "generated", kind, by)


def _source(reading: LoadResult, file: str) -> str:
    if page := reading.reader.pages.get(file):
        value = page.fields.get(IMPORTED)
        return value if isinstance(value, str) else ""
    text = reading.reader.texts.get(file, "")
    if IMPORTED_KEY not in text:
        return ""
    document = msgspec.json.decode(text)
    source = document.get(IMPORTED_KEY) if isinstance(document, dict) else None
    return source if isinstance(source, str) else ""
