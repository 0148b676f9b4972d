"""Fills a sparse campaign so that it can be played, with `*_generated.*` files beside the author's own.

No file of the author is opened for writing. An interrupted enrichment is resumed as it was begun; files that
the author has deleted since stay deleted.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import msgspec

from narratoria import paths
from narratoria.campaign.campaign import Campaign, Provenance
from narratoria.campaign.enrich.casting import seeded_pick
from narratoria.campaign.enrich.generate import GRAMMAR, VERSION, generate_content, with_provenance
from narratoria.campaign.folder import (
    MANIFEST,
    Folder,
    author_files,
    generated_name,
    is_generated_name,
    scan_folder,
)
from narratoria.campaign.ingest import checksum
from narratoria.campaign.load import PREMISE, SETTING, load_campaign
from narratoria.contracts.read import UNDECODABLE
from narratoria.errors import ContractViolation, ModelUnavailable, NarratoriaException, Problem
from narratoria.inference.chat_template import Message

if TYPE_CHECKING:
    from narratoria.inference.model import LocalModel

RECORD = ".enrichment.json"  # hidden: it is no part of the campaign
MODEL_BUDGET_S = 8.0  # seconds for a model to choose in; what it has not chosen by then is left to chance
OnStep: TypeAlias = Callable[[int, int, str], None]


class Judge(Protocol):
    """Chooses which of a few sentences goes best with a text."""

    @property
    def name(self) -> str: ...
    async def weigh(self, text: str, answers: Sequence[str]) -> int: ...


class _EnrichmentRecord(msgspec.Struct, frozen=True):
    """Holds the state of an enrichment, from which an interrupted one is resumed."""

    seed: int
    generated_at: str
    source_model: str
    answers: dict[str, str] = {}
    plot: str = ""  # kit and plot: campaigns beside it get others
    files: tuple[str, ...] = ()  # all that belong to it
    done: bool = False


@dataclass(frozen=True, slots=True)
class EnrichmentReport:
    folder: Path
    written: tuple[str, ...]
    author_files: Mapping[str, str]  # the author's files and their checksums, before and after
    source_model: str = ""
    seconds: float = 0.0


def is_enriched(root: Path) -> bool:
    """Return whether the campaign was enriched, and the enrichment finished."""
    record = _read_record(root)
    return record.done if record else any(map(is_generated_name, scan_folder(root).files))


def enrichment_folder(root: Path) -> Path:
    """Return where generated files go: the campaign's folder, or a copy if that cannot be written."""
    folder = root.resolve()
    if folder.is_relative_to(paths.BUNDLED_CAMPAIGNS.resolve()) or not os.access(folder, os.W_OK):
        return paths.shared_home() / "campaigns" / folder.name
    return folder


def enrich_campaign(
    root: Path,
    *,
    seed: int = 0,
    answers: Mapping[str, str] | None = None,
    source_model: str = GRAMMAR,
    on_step: OnStep = lambda *_: None,
) -> EnrichmentReport:
    """Write every file the campaign lacks; raise ContractViolation for one that cannot be read.

    What is not among the `answers` of a model is chosen by the seed.
    """
    started = time.perf_counter()
    target = enrichment_folder(root)
    if target != root.resolve():
        try:
            _copy(root, target)
        except OSError as reason:
            message = f"cannot be written: {reason.strerror}; the campaign stays as it is"
            raise ContractViolation([Problem(message, file=str(target))]) from reason
    before = _checksums(target)
    record = _read_record(target)
    if is_enriched(target):
        return EnrichmentReport(target, (), before, record.source_model if record else "")
    if record is None:
        moment = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        record = _EnrichmentRecord(seed, moment, source_model, dict(answers or {}))
    files, plot = _generated_files(target, record)
    record = msgspec.structs.replace(record, files=tuple(files), plot=plot)
    _write(target / RECORD, msgspec.json.encode(record))
    written = []
    for done, (file, content) in enumerate(files.items()):
        on_step(done, len(files), file)
        if not (target / file).exists():
            _write(target / file, content)
            written.append(file)
    on_step(len(files), len(files), "")
    _check(target, before)
    _write(target / RECORD, msgspec.json.encode(msgspec.structs.replace(record, done=True)))
    seconds = time.perf_counter() - started
    return EnrichmentReport(target, tuple(written), before, record.source_model, seconds)


async def enrich_with_model(
    judge: Judge,
    root: Path,
    *,
    seed: int = 0,
    budget: float = MODEL_BUDGET_S,
    on_step: OnStep = lambda *_: None,
) -> EnrichmentReport:
    """Enrich with a model that chooses among the options; the seed chooses what it does not."""
    answers: dict[str, str] = {}
    if not is_enriched(enrichment_folder(root)) and _read_record(enrichment_folder(root)) is None:
        text, questions = await asyncio.to_thread(_questions, root, seed)
        answers = await _answers_within(budget, _ask(judge, text, questions, answers), answers)
    model = f"{judge.name} choosing for {GRAMMAR}" if answers else GRAMMAR
    return await asyncio.to_thread(
        enrich_campaign, root, seed=seed, answers=answers, source_model=model, on_step=on_step
    )


async def _answers_within(budget: float, asking: Awaitable[None], answers: dict[str, str]) -> dict[str, str]:
    try:
        async with asyncio.timeout(budget):
            await asking
    except (TimeoutError, ModelUnavailable):
        pass  # what it has chosen so far counts
    return dict(answers)


async def _ask(
    judge: Judge, text: str, questions: Mapping[str, Sequence[str]], answers: dict[str, str]
) -> None:
    for question, options in questions.items():
        answers[question] = options[await judge.weigh(text, options)]


def _questions(root: Path, seed: int) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Return the author's text, and every question with its options."""
    campaign = load_campaign(root)
    chance = seeded_pick(campaign.title, seed)
    asked: dict[str, tuple[str, ...]] = {}

    def pick(question: str, options: Sequence[str]) -> str:
        asked[question] = tuple(options)
        return chance(question, options)

    folder = _author_folder(scan_folder(root))
    made = generate_content(campaign, folder, pick, seed, used=_plots_beside(enrichment_folder(root)))
    return made.premise.seed_data, asked


def _generated_files(root: Path, record: _EnrichmentRecord) -> tuple[dict[str, bytes], str]:
    """Return the generated files by name, and their plot; an interrupted enrichment gives the same again."""
    folder = _author_folder(scan_folder(root))
    campaign = _without_generated(load_campaign(root))
    chance = seeded_pick(campaign.title, record.seed)

    def pick(question: str, options: Sequence[str]) -> str:
        chosen = record.answers.get(question)
        return chosen if chosen and chosen in options else chance(question, options)

    used = _plots_beside(root)
    made = generate_content(campaign, folder, pick, record.seed, used=used, begun=record.plot)
    origin = Provenance(record.source_model, record.generated_at, made.premise.seed_data, VERSION)
    files = dict(with_provenance(file, content, origin) for file, content in made.files.items())
    return files, made.plot


def _plots_beside(root: Path) -> frozenset[str]:
    """Return the plots of the other campaigns in the same folder and among the user's own."""
    folders = {folder.parent for folder in (root, paths.shared_home() / "campaigns" / root.name)}
    records = (file for folder in sorted(folders) for file in folder.glob(f"*/{RECORD}"))
    others = (_read_record(file.parent) for file in records if file.parent != root)
    return frozenset(record.plot for record in others if record and record.plot)


def _without_generated(campaign: Campaign) -> Campaign:
    """Return the campaign without a setting and premise that an interrupted enrichment has written."""
    made = campaign.generated
    return replace(
        campaign,
        setting="" if generated_name(SETTING) in made else campaign.setting,
        premise=(campaign.manifest.description or f"{campaign.title} begins.",)
        if generated_name(PREMISE) in made
        else campaign.premise,
    )


def _author_folder(folder: Folder) -> Folder:
    return Folder(folder.root, {file: folder.files[file] for file in author_files(folder.files)})


def _checksums(root: Path) -> dict[str, str]:
    folder = scan_folder(root)
    return {file: checksum(root / file) for file in author_files(folder.files)}


def _check(root: Path, before: Mapping[str, str]) -> None:
    after = _checksums(root)
    changed = [file for file in before if before[file] != after.get(file)]
    if changed:
        message = "was changed while the campaign was being filled up, by somebody else; look at it"
        raise ContractViolation([Problem(message, file=file) for file in changed])


def _copy(root: Path, target: Path) -> None:
    """Copy the author's files to where others can be written beside them; finish an interrupted copy."""
    folder = scan_folder(root)
    for file in (*(name for name in folder.files if name != MANIFEST), MANIFEST):
        if file not in folder.files or (target / file).exists():
            continue
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        beginning = target / file.replace(file.rpartition("/")[2], f".{secrets.token_hex(4)}.tmp")
        shutil.copyfile(root / file, beginning)
        beginning.replace(target / file)


def _read_record(root: Path) -> _EnrichmentRecord | None:
    try:
        return msgspec.json.decode((root / RECORD).read_bytes(), type=_EnrichmentRecord)
    except (FileNotFoundError, NotADirectoryError, *UNDECODABLE):
        return None
    except OSError as reason:
        raise NarratoriaException(f"{root / RECORD}: cannot be read: {reason.strerror}") from reason


def _write(path: Path, content: bytes) -> None:
    """Write the file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beginning = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with beginning.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beginning.replace(path)
    except OSError as reason:
        beginning.unlink(missing_ok=True)
        message = f"cannot be written: {reason.strerror}; nothing of the author's was touched"
        raise ContractViolation([Problem(message, file=str(path))]) from reason


def delete_generated_files(root: Path) -> tuple[str, ...]:
    """Delete the generated files and return their names."""
    gone = tuple(file for file in scan_folder(root).files if is_generated_name(file))
    for file in gone:
        (root / file).unlink()
    (root / RECORD).unlink(missing_ok=True)
    return gone


def report_as_json(made: EnrichmentReport) -> str:
    document = {
        "folder": str(made.folder),
        "written": list(made.written),
        "kept": dict(made.author_files),
        "sourceModel": made.source_model,
        "seconds": round(made.seconds, 3),
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


LETTERS = "ABCDEFGH"
JUDGE_TIMEOUT_S = 10.0  # seconds for one question, the loading of the model with the first of them


class ModelJudge:
    """Scores labelled answers with the local model, which the smallest model does well."""

    def __init__(self, name: str, model: LocalModel) -> None:
        self.name, self._model = name, model

    async def weigh(self, text: str, answers: Sequence[str]) -> int:
        """Return the index of the best answer; raise ModelUnavailable when the model cannot choose."""
        labels = LETTERS[: len(answers)]
        listed = "\n".join(f"{label}: {answer}" for label, answer in zip(labels, answers, strict=False))
        question = "Which of these sentences goes best with this story?"
        prompt = f"{text}\n\n{question}\n{listed}\nAnswer with one letter."
        scores = await self._model.score([Message("user", prompt)], tuple(labels), within=JUDGE_TIMEOUT_S)
        return max(range(len(labels)), key=lambda place: scores[labels[place]])

    async def close(self) -> None:
        await self._model.close()


def open_judge() -> ModelJudge | None:
    """Return a judge with the model that is chosen on this machine, if there is one."""
    from narratoria.inference.installed_models import chosen_model

    try:
        model = chosen_model()
    except (ModelUnavailable, OSError):
        return None
    if model is None:
        return None
    from narratoria.inference.model import LocalModel

    return ModelJudge(model.name, LocalModel(model.path, sha256=model.sha256))
