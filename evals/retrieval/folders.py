"""Published collections as corpora, from a folder of theirs that somebody has at hand.

LoCoMo   every `*.json` is a list of `{"sample_id", "conversation", "qa"}`. A conversation has
         `"session_<n>": [{"speaker", "dia_id", "text"}]`; a question has `"question"`, `"evidence": ["D1:3"]`
         and `"category"`, where 5 means that the conversation does not answer it. A turn is a record.
CRD3     every `*.json` below the folder is a list of `{"CHUNK", "TURNS": [{"NAMES", "UTTERANCES"}]}`: a
         sentence of a summary and the turns at the table that it sums up. The turns are a record, that
         sentence its query. Files whose names begin alike up to the first underscore are one episode.
SRD      every `*.md` below the folder is cut at its headings; a section is a record. `queries.jsonl` in the
         folder holds `{"query", "relevant": ["file.md#Heading"]}`; without it each heading is asked for, and
         its section has to be found without its heading.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from evals.retrieval.corpus import Corpus, Query, Record

_UNANSWERABLE = 5
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)


def read_locomo(folder: Path) -> list[Corpus]:
    samples = [
        sample for file in _files(folder, "*.json") for sample in msgspec.json.decode(file.read_bytes())
    ]
    return [_locomo(sample, number) for number, sample in enumerate(samples, 1)]


def read_crd3(folder: Path) -> list[Corpus]:
    episodes: dict[str, dict[str, str]] = defaultdict(dict)
    for file in _files(folder, "*.json"):
        for chunk in msgspec.json.decode(file.read_bytes()):
            turns = "\n".join(map(_turn, chunk["TURNS"]))
            if turns:
                episodes[file.stem.split("_")[0]].setdefault(chunk["CHUNK"], turns)
    return [_paired(name, list(chunks.items())) for name, chunks in episodes.items() if chunks]


def read_srd(folder: Path) -> list[Corpus]:
    sections = [
        (f"{file.relative_to(folder).as_posix()}#{heading}", heading, body)
        for file in _files(folder, "*.md")
        for heading, body in _sections(file.read_text(encoding="utf-8"))
    ]
    asked = folder / "queries.jsonl"
    if not asked.is_file():
        return [_paired("srd", [(heading, body) for _, heading, body in sections])]
    lines = msgspec.json.Decoder(dict[str, Any]).decode_lines(asked.read_bytes())
    queries = [
        Query(id=f"srd-q{number}", query=line["query"], relevant=dict.fromkeys(line["relevant"], 2))
        for number, line in enumerate(lines, 1)
    ]
    records = [Record(id=name, text=body, kind="lore", heading=heading) for name, heading, body in sections]
    return [Corpus("srd", tuple(records), tuple(queries))]


READERS: dict[str, Callable[[Path], list[Corpus]]] = {
    "locomo": read_locomo,
    "crd3": read_crd3,
    "srd": read_srd,
}


def _locomo(sample: dict[str, Any], number: int) -> Corpus:
    name = str(sample.get("sample_id", number))
    turns = [
        turn
        for key, session in sample["conversation"].items()
        if re.fullmatch(r"session_\d+", key)
        for turn in session
    ]
    records = [
        Record(id=turn["dia_id"], text=f"{turn['speaker']}: {turn['text']}", turn=place)
        for place, turn in enumerate(turns)
    ]
    known = {record.id for record in records}
    queries = []
    for place, question in enumerate(sample["qa"], 1):
        answered = question.get("category") != _UNANSWERABLE
        evidence = [mark for mark in question.get("evidence", ()) if mark in known] if answered else []
        if answered and not evidence:
            continue  # some questions' evidence is not in the conversation
        relevant = dict.fromkeys(evidence, 2)
        queries.append(Query(id=f"{name}-q{place}", query=question["question"], relevant=relevant))
    return Corpus(name, tuple(records), tuple(queries))


def _paired(name: str, pairs: list[tuple[str, str]]) -> Corpus:
    """A corpus in which every text has a query of its own."""
    records = [Record(id=f"{name}-{place}", text=text, turn=place) for place, (_, text) in enumerate(pairs)]
    queries = [
        Query(id=f"{name}-q{place}", query=query, relevant={f"{name}-{place}": 2})
        for place, (query, _) in enumerate(pairs)
    ]
    return Corpus(name, tuple(records), tuple(queries))


def _turn(turn: dict[str, Any]) -> str:
    return f"{', '.join(turn['NAMES'])}: {' '.join(turn['UTTERANCES'])}"


def _sections(text: str) -> Iterator[tuple[str, str]]:
    parts = _HEADING.split(text)
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        if body.strip():
            yield heading, body.strip()


def _files(folder: Path, pattern: str) -> list[Path]:
    files = sorted(folder.rglob(pattern))
    if not files:
        raise FileNotFoundError(f"{folder}: no {pattern} in it; see the shapes in {__name__}")
    return files
