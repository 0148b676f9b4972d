"""Recommends models and downloads them beside the story."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from narratoria import paths
from narratoria.errors import ModelUnavailable
from narratoria.inference.catalogue import CATALOGUE, CatalogueModel, find_catalogue_model
from narratoria.inference.installed_models import (
    InstalledModel,
    best_affordable,
    chosen_model,
    install_model,
    installed_models,
    name_download,
)

if TYPE_CHECKING:
    from narratoria.inference.download import DownloadProgress

_DECLINED = "declined.json"


class DownloadStage(Enum):
    """Says whether a download may be joined, must be waited for, or is over.

    | stage    | phase of its state        | stop asked for | its thread |
    | -------- | ------------------------- | -------------- | ---------- |
    | RUNNING  | fetching                  | no             | runs       |
    | STOPPING | fetching                  | yes            | runs       |
    | ENDED    | here, failed or stopped   | either         | ends       |
    """

    RUNNING = auto()
    STOPPING = auto()  # it may wait for a server that says nothing
    ENDED = auto()


@dataclass(frozen=True, slots=True)
class DownloadState:
    """Holds a download's progress for display."""

    phase: Literal["fetching", "here", "failed", "stopped"]
    done: int = 0  # bytes
    total: int = 0
    reason: str = ""


def recommend_model(memory: int | None = None) -> CatalogueModel | None:
    """Return the best model this machine can carry, unless one as good is here or it was declined."""
    best = best_affordable(memory or machine_memory())
    here = [model for model in installed_models() if model.path.is_file()]
    # by checksum as well: a file of one's own may be it
    installed = {model.name for model in here} | {model.sha256 for model in here}
    as_good = CATALOGUE[: CATALOGUE.index(best) + 1]
    is_here = any({entry.name, entry.sha256} & installed for entry in as_good)
    return None if is_here or best.name in _read_declined() else best


def decline_offer(entry: CatalogueModel) -> None:
    """Stop offering this model; `narratoria model download` still fetches it."""
    file = paths.home() / "models" / _DECLINED
    paths.make_private(file.parent)
    paths.write_atomically(file, json.dumps(sorted({*_read_declined(), entry.name})).encode())


class ModelDownload:
    """Downloads a model in its own thread, from its creation on; consent comes before."""

    def __init__(self, entry: CatalogueModel, root: Path | None = None) -> None:
        self.entry = entry
        self._root = root or paths.home() / "models"
        self._stop = threading.Event()
        self._state = DownloadState("fetching", total=entry.size)
        self.model: InstalledModel | None = None  # once it is here; use it from the next turn on
        self._thread = threading.Thread(target=self._work, name=f"fetch {entry.name}", daemon=True)
        self._thread.start()

    @property
    def state(self) -> DownloadState:
        return self._state

    def stop(self, within: float = 5.0) -> None:
        """Stop the download; received bytes are kept for the next time."""
        self._stop.set()
        self._thread.join(within)

    @property
    def stage(self) -> DownloadStage:
        if self._state.phase != "fetching":
            return DownloadStage.ENDED
        return DownloadStage.STOPPING if self._stop.is_set() else DownloadStage.RUNNING

    def wait(self, within: float | None = None) -> DownloadState:
        self._thread.join(within)
        return self._state

    def _work(self) -> None:
        try:
            self.model = install_model(self.entry, self._root, on_progress=self._note, stop=self._stop)
        except (ModelUnavailable, OSError) as error:
            phase: Literal["stopped", "failed"] = "stopped" if self._stop.is_set() else "failed"
            self._state = DownloadState(phase, self._state.done, self._state.total, str(error))
        else:
            self._state = DownloadState("here", self.model.size, self.model.size)

    def _note(self, progress: DownloadProgress) -> None:
        self._state = DownloadState("fetching", progress.done, progress.total)


@dataclass(frozen=True, slots=True)
class ModelOverview:
    """Holds the model in use, the one that is offered, and the one that is being downloaded."""

    used: InstalledModel | None
    offered: CatalogueModel | None
    fetching: CatalogueModel | None
    fetch: DownloadState | None


class DownloadManager:
    """Reports which models there are and can be had, and runs one download at a time."""

    def __init__(self) -> None:
        self._download: ModelDownload | None = None

    def overview(self) -> ModelOverview:
        try:
            used = chosen_model()
        except (ModelUnavailable, OSError):  # told by whoever tries to use it
            used = None
        running = self._download
        is_coming = self._stage() is not DownloadStage.ENDED
        return ModelOverview(
            used,
            None if is_coming else recommend_model(),
            running.entry if running else None,
            running.state if running else None,
        )

    def coming(self) -> tuple[CatalogueModel, float] | None:
        """Return the model that is being downloaded, and how much of it is here, from 0 to 1."""
        if self._download is None or self._stage() is DownloadStage.ENDED:
            return None
        state = self._download.state
        return self._download.entry, state.done / state.total if state.total else 0.0

    def start(self, name: str = "") -> CatalogueModel:
        """Begin to fetch, with the player's consent: by name or address, or else the one that is offered."""
        if "://" in name:
            entry: CatalogueModel | None = name_download(name)
        else:
            entry = find_catalogue_model(name) if name else recommend_model()
        if entry is None:
            names = ", ".join(entry.name for entry in CATALOGUE)
            raise ModelUnavailable(
                f"there is no model called {name!r} to be had; there are {names}"
                if name
                else "the best model this machine can carry is here, or was declined; name one to have it"
            )
        match self._stage():
            case DownloadStage.STOPPING:
                title = self._download.entry.title if self._download else ""
                raise ModelUnavailable(
                    f"the fetching of {title} is still being stopped; try again in a moment"
                )
            case DownloadStage.RUNNING if self._download is not None and self._download.entry != entry:
                raise ModelUnavailable(f"{self._download.entry.title} is still coming; stop that one first")
            case DownloadStage.ENDED:
                self._download = ModelDownload(entry)
        return entry

    def _stage(self) -> DownloadStage:
        return self._download.stage if self._download else DownloadStage.ENDED

    def stop(self) -> bool:
        """Stop the download and return whether there was one; what came is kept for the next time."""
        if self._download is None or self._stage() is DownloadStage.ENDED:
            return False
        self._download.stop()
        return True

    def decline(self) -> CatalogueModel | None:
        """Stop offering the recommended model."""
        entry = recommend_model()
        if entry is not None:
            decline_offer(entry)
        return entry


def machine_memory() -> int:
    """Return the memory in bytes; that of a small machine if the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 4 * 1024**3


def _read_declined() -> set[str]:
    try:
        names = json.loads((paths.home() / "models" / _DECLINED).read_bytes())
    except (OSError, ValueError, RecursionError):
        return set()
    return {str(name) for name in names} if isinstance(names, list) else set()
