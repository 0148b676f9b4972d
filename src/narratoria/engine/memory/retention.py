"""Lets stories forget what the user allows in `<home>/retention.json`, while nobody plays."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from narratoria import contracts
from narratoria.errors import ContractViolation, NarratoriaException, Problem
from narratoria.files import file_lock, replace_file
from narratoria.store.records import RetentionPolicy

if TYPE_CHECKING:
    from narratoria.store import Store

FILE_NAME = "retention.json"
IDLE = 90.0  # seconds without a question to the store: longer than a turn takes
EVERY = 3600.0  # seconds between two looks

_ADVICE = "mend it, or remove the file to keep everything; until then nothing is forgotten"
_log = logging.getLogger(__name__)


def read_policy(home: Path) -> RetentionPolicy:
    """Return the saved policy, or the default, which keeps all; ContractViolation lists every bad value."""
    path = home / FILE_NAME
    try:
        document = contracts.parse("retention", path.read_bytes(), file=str(path))
    except (FileNotFoundError, NotADirectoryError):
        return RetentionPolicy()
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}; {_ADVICE}"
        raise ContractViolation([Problem(message, file=str(path))]) from error
    except ContractViolation as violation:
        raise ContractViolation(
            [replace(problem, message=f"{problem.message} ({_ADVICE})") for problem in violation.problems]
        ) from None
    return msgspec.convert(document, RetentionPolicy, strict=False)  # 5.0 is an integer too


def change_policy(home: Path, changes: Mapping[str, float | None]) -> RetentionPolicy:
    """Save some limits, named as in the file; ContractViolation, and nothing is saved, for a bad value."""
    path = home / FILE_NAME
    with file_lock(path):
        document = {**msgspec.to_builtins(read_policy(home)), **changes}
        if problems := contracts.check_value("retention", document):
            raise ContractViolation(
                [replace(problem, message=f"{problem.message}; nothing was saved") for problem in problems]
            )
        policy = msgspec.convert(document, RetentionPolicy, strict=False)
        replace_file(path, msgspec.json.format(msgspec.json.encode(policy)) + b"\n", private=True)
    return policy


async def forget_when_idle(home: Path, store: Store, *, idle: float = IDLE, every: float = EVERY) -> None:
    """Forget what the file says, again and again until cancelled; what fails is logged and tried anew."""
    complaint = ""
    while True:
        # the file is read after the wait: what was decided meanwhile counts
        await store.until_idle(idle)
        try:
            policy = await asyncio.to_thread(read_policy, home)
            if forgotten_ids := await store.tidy_when_idle(policy, idle_seconds=idle):
                _log.info("%d memories were forgotten, as %s says", len(forgotten_ids), home / FILE_NAME)
            complaint = ""
        except (NarratoriaException, OSError) as error:
            if complaint != (complaint := str(error)):  # told once, not every time
                _log.warning("nothing is forgotten: %s", error)
        await _back_up(store)
        await asyncio.sleep(every)


async def _back_up(store: Store) -> None:
    """Back the store up where that is due; what is in the way is logged."""
    if (file := store.database.file) is None:
        return  # a server has its own backups
    from narratoria.store.engines.backups import back_up_if_due

    try:
        await asyncio.to_thread(back_up_if_due, file)
    except (NarratoriaException, OSError) as error:
        _log.warning("no backup was made: %s", error)
