"""Writes down every generation and every execution attempt, one JSON line each, in a log that rotates.

Several processes may write to one journal: a line is appended by one write, and a file that is full is
renamed, which takes no line from whoever still has it open. A journal that cannot be written is no reason to
stop a story.
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

from narratoria.paths import make_private, open_private
from narratoria.planning import plan_log_record as line_of
from narratoria.planning.plan import Plan
from narratoria.planning.plan_log_record import PlanLogRecord
from narratoria.planning.plan_request import FailedAttempt, PlanRequest
from narratoria.planning.result import ExecutionResult
from narratoria.skills.health import SessionHealth

MAX_BYTES = 10_000_000  # of one file, before it is put aside
MAX_ROTATED_FILES = 5  # files put aside

NAME = "plans.jsonl"
ROTATED = "plans-*.jsonl"
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)

_log = logging.getLogger(__name__)


class PlanLog:
    """`<folder>/plans.jsonl`, and `plans-<time>-<process>.jsonl` for what is older; the owner's alone."""

    def __init__(
        self, folder: Path, *, story: str = "", max_bytes: int = MAX_BYTES, kept: int = MAX_ROTATED_FILES
    ) -> None:
        self.folder, self._story, self._max_bytes, self._kept = folder, story, max_bytes, kept
        self._complained = False

    def generated(self, request: PlanRequest, outcome: Plan | FailedAttempt, seconds: float) -> None:
        """A planner has answered, with a plan that can run or not."""
        self._add(line_of.generation_line(request, outcome, seconds, self._story))

    def executed(self, plan: Plan, result: ExecutionResult, health: SessionHealth) -> None:
        """A plan has run, to success or not."""
        self._add(line_of.execution_line(plan, result, health, self._story))

    def cancelled(self, plan: Plan, seconds: float) -> None:
        """A plan was given up while it ran."""
        self._add(line_of.cancellation_line(plan, seconds, self._story))

    def broken(self, plan: Plan, seconds: float, reason: str) -> None:
        """The executor itself broke down under a plan."""
        self._add(line_of.breakdown_line(plan, seconds, reason, self._story))

    def _add(self, line: bytes) -> None:
        try:
            make_private(self.folder)
            if not self._append(line, or_rotate=True):
                self._append(line, or_rotate=False)
        except OSError as error:
            if not self._complained:
                self._complained = True
                reason = error.strerror or str(error)
                _log.warning(
                    "the journal in %s cannot be written (%s); the story goes on without",
                    self.folder,
                    reason,
                )

    def _append(self, line: bytes, *, or_rotate: bool) -> bool:
        """False when the file was full and has been put aside."""
        descriptor = os.open(self.folder / NAME, _FLAGS, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            if or_rotate and size and size + len(line) > self._max_bytes and self._put_aside(descriptor):
                return False
            if size and not _ends_a_line(descriptor):
                # somebody's disk was full in mid-line; if he is only not done yet, this leaves a blank line
                line = b"\n" + line
            while line:
                line = line[os.write(descriptor, line) :]
        finally:
            os.close(descriptor)
        return True

    def _put_aside(self, descriptor: int) -> bool:
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        try:
            if os.path.samestat((self.folder / NAME).stat(), os.fstat(descriptor)):
                (self.folder / NAME).rename(self.folder / f"plans-{now}-{os.getpid()}.jsonl")
        except FileNotFoundError:
            pass  # somebody else has just done it
        except OSError:
            return False  # as on Windows, where a reader may have it open: it grows until the next time
        files = rotated_files(self.folder)
        for old in files[: max(0, len(files) - self._kept)]:
            with contextlib.suppress(OSError):
                old.unlink()
        return True


def delete_story_records(folder: Path, story: str) -> None:
    """Takes every line about a story out of a journal; a line that somebody adds meanwhile may be lost."""
    for path in (*rotated_files(folder), folder / NAME):
        with contextlib.suppress(OSError):  # one that cannot be read or written stays as it is
            _without(path, story)


def _without(path: Path, story: str) -> None:
    mark = msgspec.json.encode({"story": story})[1:-1]
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if mark not in line or not _is_about(line, story)]
    if len(kept) == len(lines):
        return
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(fresh, "wb", opener=open_private) as file:
            file.writelines(kept)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _is_about(line: bytes, story: str) -> bool:
    try:
        return msgspec.json.decode(line, type=PlanLogRecord).story == story
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return True  # torn, and it names the story


def rotated_files(folder: Path) -> list[Path]:
    """The full files, oldest first."""
    return sorted(folder.glob(ROTATED))


def read_plan_log(folder: Path) -> Iterator[PlanLogRecord]:
    """Every entry of a journal, oldest first; lines that were torn are passed over."""
    # opened first, so that a rotation meanwhile hides nothing; by its inode it is then known
    with _opened(folder / NAME) as current:
        for path in rotated_files(folder):
            with _opened(path) as file:
                if not _is_same(file, current):
                    yield from _entries(file)
        yield from _entries(current)


def plan_ids(entries: Sequence[PlanLogRecord], prefix: str) -> list[str]:
    """The ids that begin so, the latest first."""
    start = prefix.casefold()
    ids = (entry.plan_id for entry in reversed(entries) if entry.plan_id)
    return [plan_id for plan_id in dict.fromkeys(ids) if plan_id.casefold().startswith(start)]


def records_of_turn(entries: Sequence[PlanLogRecord], plan_id: str) -> list[PlanLogRecord]:
    """Everything about a plan, the plans it replaced and those that replaced it, oldest first."""
    turn = _linked_ids(entries, plan_id)
    places = [at for at, entry in enumerate(entries) if turn & _ids(entry)]
    if not places:
        return []
    return [*_before_any_plan(entries, places[0]), *(entries[at] for at in places)]


def _linked_ids(entries: Sequence[PlanLogRecord], plan_id: str) -> set[str]:
    """The plan, and every plan before and after it in its turn."""
    linked, known = {plan_id}, 0
    while len(linked) > known:  # who replaced a plan may be told before what that plan replaced itself
        known = len(linked)
        for entry in entries:
            if linked & (ids := _ids(entry)):
                linked |= ids
    return linked


def _ids(entry: PlanLogRecord) -> set[str]:
    return {plan_id for plan_id in (entry.plan_id, entry.parent_plan_id) if plan_id}


def _before_any_plan(entries: Sequence[PlanLogRecord], first: int) -> list[PlanLogRecord]:
    """The attempts of a turn that gave no plan; nothing but their order and their input links them."""
    missing = entries[first].attempt - 1
    found: list[PlanLogRecord] = []
    for entry in reversed(entries[:first]):
        if not missing:
            break
        same = entry.player_input == entries[first].player_input
        if same and not _ids(entry) and entry.attempt == missing:
            found.insert(0, entry)
            missing -= 1
    return found


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return io.BytesIO()


def _is_same(file: BinaryIO, other: BinaryIO) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.fstat(other.fileno()))
    except io.UnsupportedOperation:  # one of them is not there
        return False


def _entries(file: BinaryIO) -> Iterator[PlanLogRecord]:
    decoder = msgspec.json.Decoder(PlanLogRecord)
    for line in file:
        try:
            entry = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        yield entry


def _ends_a_line(descriptor: int) -> bool:
    os.lseek(descriptor, -1, os.SEEK_END)  # appending goes to the end all the same
    return os.read(descriptor, 1) == b"\n"
