"""The lore of the bundled campaigns, divided as it is for a story, and what their author asks of it.

Nothing was fitted on these queries: they are held out.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from evals.retrieval.corpus import CASES, Corpus, Query, Record
from narratoria import paths
from narratoria.campaign.lore import chunk_lore

FILE = CASES / "bundled-lore.jsonl"


class Asked(msgspec.Struct, frozen=True):
    """A query, the page that answers it, and others that do too."""

    campaign: str
    query: str
    file: str
    also: tuple[str, ...] = ()


def read_bundled() -> list[Corpus]:
    """One corpus for each campaign that has queries; every part of a page that answers counts."""
    asked = msgspec.json.Decoder(Asked).decode_lines(FILE.read_bytes())
    return [_corpus(name, asked) for name in dict.fromkeys(one.campaign for one in asked)]


def _corpus(campaign: str, asked: list[Asked]) -> Corpus:
    records = tuple(_records(campaign))
    queries = []
    for number, one in enumerate((one for one in asked if one.campaign == campaign), 1):
        grades = {one.file: 2, **dict.fromkeys(one.also, 1)}
        relevant = {record.id: grades[file] for record in records if (file := _file(record)) in grades}
        if len({_file(record) for record in records if record.id in relevant}) != len(grades):
            raise ValueError(f"{FILE.name}: there is no such page in {campaign}: {', '.join(grades)}")
        queries.append(Query(id=f"{campaign}-q{number}", query=one.query, relevant=relevant, kind="lore"))
    return Corpus(campaign, records, tuple(queries))


def _records(campaign: str) -> Iterator[Record]:
    root = paths.BUNDLED_CAMPAIGNS / campaign
    for path in sorted(root.glob("lore/**/*.md")):
        file = path.relative_to(root).as_posix()
        for chunk in chunk_lore(file, path.read_text(encoding="utf-8")):
            name = f"{campaign}/{chunk.identifier}"
            yield Record(id=name, text=chunk.content, kind="lore", heading=chunk.heading)


def _file(record: Record) -> str:
    return record.id.partition("/")[2].rpartition("#")[0]
