"""Ingests a campaign into the store: its lore in chunks, and a record for every file.

An unchanged file costs a look at its size and date. Everything is written in one transaction together with
the ledger of ingested files, so that the store holds the campaign as it was or as it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from narratoria.campaign.asset_metadata import (
    FileContext,
    FileRelationships,
    asset_type,
    describe_file,
    find_relationships,
)
from narratoria.campaign.folder import KEYWORDS, SIDECAR, Folder, scan_folder
from narratoria.campaign.load import LoadResult, generated_content_warning, read_campaign
from narratoria.campaign.lore import Chunk, chunk_lore
from narratoria.campaign.problems import raise_errors
from narratoria.errors import ModelUnavailable, StoreUnavailable

if TYPE_CHECKING:
    from narratoria.store import Scope, Store
    from narratoria.store.records import NewRecord

VERSION = 1  # goes up when files are described or divided in another way: everything is ingested anew
LEDGER = "ledger:campaign"
LEDGER_PATH = ".ledger"
SETTLED = 2_000_000_000  # ns; a file changed so shortly before it was looked at may change again unseen
BLOCK = 1024 * 1024

OnStep: TypeAlias = Callable[[int, int, str], None]  # how many files are done, of how many, which one now


class IngestedFile(msgspec.Struct, frozen=True, array_like=True):
    """Describes a file as it was ingested."""

    size: int
    changed: int  # ns
    checksum: str
    relationships: str  # a hash of what it has to do with other files
    chunks: int


class IngestLedger(msgspec.Struct, frozen=True):
    version: int = 0
    at: int = 0  # ns
    files: dict[str, IngestedFile] = {}
    warning: str = ""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Lists the changes of an ingestion, and counts what the store now holds of the campaign."""

    campaign: str
    files: int
    chunks: int
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    seconds: float = 0.0
    warning: str = ""

    @property
    def unchanged(self) -> int:
        return self.files - len(self.added) - len(self.changed)

    def as_document(self) -> dict[str, Any]:
        return {
            "campaign": self.campaign,
            "files": self.files,
            "chunks": self.chunks,
            "added": list(self.added),
            "changed": list(self.changed),
            "removed": list(self.removed),
            "unchanged": self.unchanged,
            "seconds": round(self.seconds, 3),
            "warning": self.warning,
        }


@dataclass(slots=True)
class _IngestPlan:
    """Holds the records to write and delete."""

    files: dict[str, IngestedFile] = field(default_factory=dict)
    gone: list[tuple[str, str]] = field(default_factory=list)
    items: list[NewRecord] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)


async def ingest_campaign(folder: Path, store: Store, *, on_step: OnStep = lambda *_: None) -> IngestReport:
    """Ingest a campaign; raise ContractViolation, with nothing written, for one that has errors."""
    started = time.perf_counter()
    scope = store.campaign(campaign_name(folder))
    before = await _read_ledger(scope)
    seen = await asyncio.to_thread(scan_folder, folder)
    if before.version == VERSION and await asyncio.to_thread(_is_unchanged, seen, before):
        return _report(folder, before, _IngestPlan(files=before.files), (), started)
    at = time.time_ns()
    reading = await asyncio.to_thread(read_campaign, folder)
    raise_errors(reading.problems(), folder)
    work = await asyncio.to_thread(_prepare, reading, before, on_step)
    removed = tuple(sorted(before.files.keys() - work.files.keys()))
    for file in removed:
        work.gone += _records_of(file, before.files[file])
    assert reading.campaign is not None
    ledger = IngestLedger(VERSION, at, work.files, generated_content_warning(reading.campaign))
    await scope.exchange([*work.gone, ("asset", LEDGER)], [*work.items, _ledger_item(ledger)])
    return _report(folder, ledger, work, removed, started)


def campaign_name(folder: Path) -> str:
    """Return the store's name for the campaign in a folder."""
    return folder.resolve().name


async def _read_ledger(scope: Scope) -> IngestLedger:
    records = await scope.exact_match("asset", {"identifier": LEDGER})
    if not records:
        return IngestLedger()
    try:
        return msgspec.json.decode(getattr(records[0].record, "data", "") or "{}", type=IngestLedger)
    except msgspec.DecodeError:
        return IngestLedger()  # of another version: everything is ingested anew


def _ledger_item(ledger: IngestLedger) -> NewRecord:
    from narratoria.store.records import NewRecord

    record = {
        "path": LEDGER_PATH,
        "type": "structured",
        "schema_type": "ledger",
        "data": msgspec.json.encode(ledger).decode(),
    }
    return NewRecord("asset", record, LEDGER)


def _is_unchanged(folder: Folder, before: IngestLedger) -> bool:
    if folder.files.keys() != before.files.keys() or any(problem.is_error for problem in folder.problems):
        return False
    for file, entry in before.files.items():
        path = folder.root / file
        about = path.stat()
        if (about.st_size, about.st_mtime_ns) != (entry.size, entry.changed):
            return False
        if about.st_mtime_ns > before.at - SETTLED and checksum(path) != entry.checksum:
            return False
    return True


def _prepare(reading: LoadResult, before: IngestLedger, on_step: OnStep) -> _IngestPlan:
    work = _IngestPlan()
    relationships = find_relationships(reading)
    moment = datetime.now(UTC).isoformat()
    fresh = before.version == VERSION
    names = list(reading.folder.files)
    for done, file in enumerate(names):
        on_step(done, len(names), file)
        path = reading.folder.root / file
        about = path.stat()
        earlier = before.files.get(file)
        digest = checksum(path)
        tied = _digest(relationships[file], path)
        if fresh and earlier and (earlier.checksum, earlier.relationships) == (digest, tied):
            work.files[file] = IngestedFile(about.st_size, about.st_mtime_ns, digest, tied, earlier.chunks)
            continue
        if earlier:
            work.gone += _records_of(file, earlier)
        (work.changed if earlier else work.added).append(file)
        chunks = _chunks(reading, file)
        work.files[file] = IngestedFile(about.st_size, about.st_mtime_ns, digest, tied, len(chunks))
        context = FileContext(reading, relationships[file], chunks, digest, moment)
        work.items += _items(file, context)
    on_step(len(names), len(names), "")
    return work


def _digest(relationships: FileRelationships, path: Path) -> str:
    """Return a hash of everything a file's record depends on besides the file itself."""
    digest = hashlib.sha256(msgspec.json.encode(relationships))
    for ending in (KEYWORDS, SIDECAR):
        beside = path.with_name(path.name + ending)
        if beside.is_file():
            digest.update(beside.read_bytes())
    return digest.hexdigest()[:16]


def _items(file: str, context: FileContext) -> list[NewRecord]:
    from narratoria.store.records import NewRecord

    lore = [NewRecord("lore", chunk.as_record(), chunk.identifier) for chunk in context.chunks]
    if asset_type(file) is None:
        return lore
    return [NewRecord("asset", describe_file(file, context), file), *lore]


def _records_of(file: str, seen: IngestedFile) -> list[tuple[str, str]]:
    return [("asset", file), *(("lore", f"{file}#{index}") for index in range(seen.chunks))]


def _chunks(reading: LoadResult, file: str) -> tuple[Chunk, ...]:
    if not file.startswith("lore/") or not file.endswith(".md"):
        return ()
    text = (reading.folder.root / file).read_text(encoding="utf-8-sig")
    return chunk_lore(file, text)


def checksum(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def _report(
    folder: Path, ledger: IngestLedger, work: _IngestPlan, removed: tuple[str, ...], started: float
) -> IngestReport:
    return IngestReport(
        campaign=campaign_name(folder),
        files=len(ledger.files),
        chunks=sum(seen.chunks for seen in ledger.files.values()),
        added=tuple(work.added),
        changed=tuple(work.changed),
        removed=removed,
        seconds=time.perf_counter() - started,
        warning=ledger.warning,
    )


EMBEDDING_TIMEOUT_S = 1.0  # seconds that a first scene may wait; until then lore is found by its words


class EmbeddingBackfill:
    """Embeds ingested records in the background; stop it in its event loop before the store closes."""

    def __init__(self) -> None:
        self._running: asyncio.Task[None] | None = None

    async def fill(self, store: Store, *, within: float = EMBEDDING_TIMEOUT_S) -> None:
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(_fill(store))
        await asyncio.wait({self._running}, timeout=within)

    async def stop(self) -> None:
        """Stop embedding; what is embedded stays so, and the rest waits for the next time."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})


async def _fill(store: Store) -> None:
    if store.embeddings.embedder is None:
        return
    with contextlib.suppress(ModelUnavailable, StoreUnavailable):  # then it is found by its words
        await store.reembed_pending()
