"""Records, the queries asked of them, and which of them answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

CASES = Path(__file__).parent / "cases"

Split = Literal["fit", "held-out"]


class Record(msgspec.Struct, frozen=True):
    id: str
    text: str
    kind: Literal["memory", "lore"] = "memory"
    heading: str = ""
    characters: tuple[str, ...] = ()
    location: str = ""
    turn: int = 0
    episodic: bool = False
    outcome: str = ""

    @property
    def searched(self) -> str:
        return f"{self.heading}\n{self.text}" if self.heading else self.text

    @property
    def about(self) -> str:
        return " ".join((*self.characters, self.location))


class Query(msgspec.Struct, frozen=True):
    id: str
    query: str
    relevant: dict[str, int]  # record → grade; empty: nothing there answers it
    kind: str = ""


class Corpus(msgspec.Struct, frozen=True):
    """What can be found together: one story's memories, or one library of lore."""

    name: str
    records: tuple[Record, ...]
    queries: tuple[Query, ...]


def read_cases(split: Split, folder: Path = CASES) -> list[Corpus]:
    """The topics of a split; its lore is one library."""
    topics = msgspec.json.decode((folder / "splits.json").read_bytes(), type=dict[str, tuple[str, ...]])[
        split
    ]
    stories = [read_topic(folder, topic) for topic in topics]
    lore = [story for story in stories if all(record.kind == "lore" for record in story.records)]
    library = merge("lore", lore)
    return [story for story in stories if story not in lore] + ([library] if library.records else [])


def read_topic(folder: Path, topic: str) -> Corpus:
    records = msgspec.json.Decoder(Record).decode_lines((folder / f"{topic}.records.jsonl").read_bytes())
    queries = msgspec.json.Decoder(Query).decode_lines((folder / f"{topic}.queries.jsonl").read_bytes())
    corpus = Corpus(topic, tuple(records), tuple(queries))
    unknown = {name for query in queries for name in query.relevant} - {record.id for record in records}
    if unknown:
        raise ValueError(f"{topic}.queries.jsonl: no such record: {', '.join(sorted(unknown))}")
    return corpus


def merge(name: str, parts: Sequence[Corpus]) -> Corpus:
    return Corpus(
        name,
        tuple(record for part in parts for record in part.records),
        tuple(query for part in parts for query in part.queries),
    )
