"""Writes and reads the plan log: one JSON line for every plan generated and every plan executed.

Several processes may write to one log: a line is appended by one write, and a file that is full is renamed,
which takes no line from a process that still has it open. A log that cannot be written stops no story.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import msgspec

from narratoria.contracts.read import UNDECODABLE
from narratoria.paths import make_private, open_private
from narratoria.planning import plan_log_record as lines
from narratoria.planning.plan import FailedAttempt, Plan, PlanRequest
from narratoria.planning.plan_log_record import PlanLogRecord
from narratoria.planning.result import ExecutionResult
from narratoria.skills.health import SessionHealth

MAX_BYTES = 10_000_000  # of one file, before it is rotated
MAX_ROTATED_FILES = 5

NAME = "plans.jsonl"
ROTATED = "plans-*.jsonl"
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)

_log = logging.getLogger(__name__)


class PlanLog:
    """Appends to `plans.jsonl`, rotated to `plans-<time>-<process>.jsonl`; only the owner can read it."""

    def __init__(
        self,
        folder: Path,
        *,
        story: str = "",
        max_bytes: int = MAX_BYTES,
        max_rotated_files: int = MAX_ROTATED_FILES,
    ) -> None:
        self.folder, self._story, self._max_bytes = folder, story, max_bytes
        self._max_rotated_files = max_rotated_files
        self._has_warned = False

    def record_generation(self, request: PlanRequest, outcome: Plan | FailedAttempt, seconds: float) -> None:
        """Record a planner's answer, whether the plan can run or not."""
        self._add(lines.generation_line(request, outcome, seconds, self._story))

    def record_execution(self, plan: Plan, result: ExecutionResult, health: SessionHealth) -> None:
        """Record a plan that has run, whether it succeeded or not."""
        self._add(lines.execution_line(plan, result, health, self._story))

    def record_cancellation(self, plan: Plan, seconds: float) -> None:
        """Record a plan that was cancelled while it ran."""
        self._add(lines.cancellation_line(plan, seconds, self._story))

    def record_breakdown(self, plan: Plan, seconds: float, reason: str) -> None:
        """Record a plan during which the executor itself failed."""
        self._add(lines.breakdown_line(plan, seconds, reason, self._story))

    def _add(self, line: bytes) -> None:
        try:
            make_private(self.folder)
            if not self._append(line, or_rotate=True):
                self._append(line, or_rotate=False)
        except OSError as error:
            if not self._has_warned:
                self._has_warned = True
                reason = error.strerror or str(error)
                _log.warning(
                    "the plan log in %s cannot be written (%s); the story goes on without it",
                    self.folder,
                    reason,
                )

    def _append(self, line: bytes, *, or_rotate: bool) -> bool:
        """Append a line; return False when the file was full and has been rotated instead."""
        descriptor = os.open(self.folder / NAME, _FLAGS, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            if or_rotate and size and size + len(line) > self._max_bytes and self._rotate(descriptor):
                return False
            if size and not _ends_a_line(descriptor):
                # somebody's disk was full in mid-line; if he is only not done yet, this leaves a blank line
                line = b"\n" + line
            while line:
                line = line[os.write(descriptor, line) :]
        finally:
            os.close(descriptor)
        return True

    def _rotate(self, descriptor: int) -> bool:
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        try:
            if os.path.samestat((self.folder / NAME).stat(), os.fstat(descriptor)):
                (self.folder / NAME).rename(self.folder / f"plans-{now}-{os.getpid()}.jsonl")
        except FileNotFoundError:
            pass  # somebody else has just done it
        except OSError:
            return False  # as on Windows, where a reader may have it open: it grows until the next time
        files = rotated_files(self.folder)
        for old in files[: max(0, len(files) - self._max_rotated_files)]:
            with contextlib.suppress(OSError):
                old.unlink()
        return True


def delete_story_records(folder: Path, story: str) -> None:
    """Delete every line about a story; a line that another process adds meanwhile may be lost."""
    for path in (*rotated_files(folder), folder / NAME):
        with contextlib.suppress(OSError):  # one that cannot be read or written stays as it is
            _delete_lines(path, story)


def _delete_lines(path: Path, story: str) -> None:
    mark = msgspec.json.encode({"story": story})[1:-1]
    lines = path.read_bytes().splitlines(keepends=True)
    remaining_lines = [line for line in lines if mark not in line or not _is_about(line, story)]
    if len(remaining_lines) == len(lines):
        return
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(fresh, "wb", opener=open_private) as file:
            file.writelines(remaining_lines)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _is_about(line: bytes, story: str) -> bool:
    try:
        return msgspec.json.decode(line, type=PlanLogRecord).story == story
    except UNDECODABLE:
        return True  # torn, and it names the story


def rotated_files(folder: Path) -> list[Path]:
    """Return the rotated files, oldest first."""
    return sorted(folder.glob(ROTATED))


def read_plan_log(folder: Path) -> Iterator[PlanLogRecord]:
    """Yield every record of a plan log, oldest first; torn lines are skipped."""
    # opened first, so that a rotation meanwhile hides nothing; by its inode it is then known
    with _open_or_empty(folder / NAME) as current:
        for path in rotated_files(folder):
            with _open_or_empty(path) as file:
                if not _is_same(file, current):
                    yield from _read_records(file)
        yield from _read_records(current)


def read_last_records(folder: Path, most_bytes: int = 512 * 1024) -> Iterator[PlanLogRecord]:
    """Yield the records at the end of the current file, the newest first."""
    with _open_or_empty(folder / NAME) as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - most_bytes))
        lines = file.read().splitlines(keepends=True)
    for line in reversed(lines if size <= most_bytes else lines[1:]):  # the first one lacks its beginning
        yield from _read_records(io.BytesIO(line))


def plan_ids(records: Sequence[PlanLogRecord], prefix: str) -> list[str]:
    """Return the plan ids with this prefix, latest first."""
    start = prefix.casefold()
    ids = (record.plan_id for record in reversed(records) if record.plan_id)
    return [plan_id for plan_id in dict.fromkeys(ids) if plan_id.casefold().startswith(start)]


def records_of_turn(records: Sequence[PlanLogRecord], plan_id: str) -> list[PlanLogRecord]:
    """Return the records of a plan, of the plans it replaced and of those that replaced it, oldest first."""
    turn = _linked_ids(records, plan_id)
    places = [at for at, record in enumerate(records) if turn & _ids(record)]
    if not places:
        return []
    return [*_before_any_plan(records, places[0]), *(records[at] for at in places)]


def _linked_ids(records: Sequence[PlanLogRecord], plan_id: str) -> set[str]:
    """Return the plan's id and those of every plan before and after it in its turn."""
    linked, count_before = {plan_id}, 0
    while len(linked) > count_before:  # who replaced a plan may be told before what that plan replaced itself
        count_before = len(linked)
        for record in records:
            if linked & (ids := _ids(record)):
                linked |= ids
    return linked


def _ids(record: PlanLogRecord) -> set[str]:
    return {plan_id for plan_id in (record.plan_id, record.parent_plan_id) if plan_id}


def _before_any_plan(records: Sequence[PlanLogRecord], first: int) -> list[PlanLogRecord]:
    """Return the attempts of a turn that gave no plan; only their order and their input link them."""
    missing = records[first].attempt - 1
    attempts: list[PlanLogRecord] = []
    for record in reversed(records[:first]):
        if not missing:
            break
        same = record.player_input == records[first].player_input
        if same and not _ids(record) and record.attempt == missing:
            attempts.insert(0, record)
            missing -= 1
    return attempts


def _open_or_empty(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return io.BytesIO()


def _is_same(file: BinaryIO, other: BinaryIO) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.fstat(other.fileno()))
    except io.UnsupportedOperation:  # one of them is not there
        return False


def _read_records(file: BinaryIO) -> Iterator[PlanLogRecord]:
    decoder = msgspec.json.Decoder(PlanLogRecord)
    for line in file:
        try:
            record = decoder.decode(line)
        except UNDECODABLE:
            continue
        yield record


def _ends_a_line(descriptor: int) -> bool:
    os.lseek(descriptor, -1, os.SEEK_END)  # appending goes to the end all the same
    return os.read(descriptor, 1) == b"\n"
