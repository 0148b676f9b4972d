"""Lists, downloads and selects models for the settings page."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from narratoria import app
from narratoria.inference import installed_models as library
from narratoria.inference.catalogue import CATALOGUE, CatalogueModel, find_catalogue_model
from narratoria.inference.download_manager import DownloadState, ModelOverview, machine_memory
from narratoria.inference.exam import describe_exam, load_exam
from narratoria.inference.installed_models import InstalledModel
from narratoria.narrator.who_tells import WhoTells
from narratoria.web.app_state import AppState
from narratoria.web.operation import ApiError, Operations, not_found
from narratoria.web.privacy import note_network

models = Operations("Models", "The language models on this machine, and those that can be had.", role="owner")


class ModelPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    name: str
    title: str
    summary: str
    licence: str
    size_bytes: int
    memory_bytes: int  # that it needs, about; 0 if nobody knows
    checked: bool  # whether its size and hash are known here, and not only noted down
    installed: bool
    active: bool  # the one in use
    removable: bool
    recommended: bool  # the best one that this machine can carry
    tier: str | None  # what it was found to be good for; None until it was examined
    tokens_per_second: float | None
    verdict: str  # how good it is and how fast here, in words; empty until it was examined
    state: Literal["here", "absent", "fetching", "failed", "stopped", "missing"]
    progress: float  # from 0 to 1, of a fetch
    reason: str  # why a fetch failed


class ModelList(msgspec.Struct, frozen=True, rename="camel"):
    models: tuple[ModelPage, ...]
    offered: str | None  # one that would tell better and that this machine can carry
    teller: WhoTells


class ModelAddress(msgspec.Struct, frozen=True, rename="camel"):
    """The whole address of a GGUF file, from https:// on."""

    address: Annotated[str, msgspec.Meta(max_length=2000)]


class ModelFile(msgspec.Struct, frozen=True, rename="camel"):
    """A GGUF file of this machine; it stays where it is."""

    path: str
    name: str = ""


@models.get("/models")
async def list_models(app_state: AppState) -> ModelList:
    """The models there are, here and to be had, the best first."""
    return await asyncio.to_thread(_all)


@models.get("/teller", role="player")
async def show_teller(app_state: AppState) -> WhoTells:
    """Who tells the scenes now, and why whoever was chosen does not."""
    return await asyncio.to_thread(app.who_tells)


@models.post("/models/{name}/download", status=202)
async def download_model(app_state: AppState, name: str) -> ModelList:
    """Begin to fetch a model by its name; what came of an earlier try is gone on with.

    One is fetched at a time (409). It is used from the turn after it came.
    This and skills with the permission `network` are all that ever uses the network.
    """
    entry = find_catalogue_model(name)
    if entry is None:
        raise not_found("model to be had", name)
    app.download_manager().start(entry.name)
    _note_fetch(app_state, entry)
    return await list_models(app_state)


@models.post("/models/fetch", status=202)
async def fetch_model(app_state: AppState, body: ModelAddress) -> ModelList:
    """Begin to fetch a GGUF file from an address; it is checked by its hash where that is said."""
    _note_fetch(app_state, app.download_manager().start(body.address))
    return await list_models(app_state)


def _note_fetch(app_state: AppState, entry: CatalogueModel) -> None:
    note_network(app_state.home, who="Narratoria", what=f"fetch the model {entry.title}", allowed=True)


@models.post("/models/{name}/cancel")
async def cancel_download(app_state: AppState, name: str) -> ModelList:
    """Stop a fetch; what came is kept for the next time."""
    coming = app.download_manager().overview().fetching
    if coming is None or coming.name != name or not await asyncio.to_thread(app.download_manager().stop):
        raise not_found("fetch under way", name)
    return await list_models(app_state)


@models.post("/models/{name}/decline")
async def decline_model(app_state: AppState, name: str) -> ModelList:
    """Do not offer this model again; it can still be fetched by its name."""
    offered = app.download_manager().overview().offered
    if offered is None or offered.name != name:
        raise not_found("model on offer", name)
    app.download_manager().decline()
    return await list_models(app_state)


@models.post("/models/{name}/use")
async def use_model(app_state: AppState, name: str) -> ModelList:
    """Play with this model from the next turn on."""
    await asyncio.to_thread(library.choose_model, _find_installed(name).name)
    return await list_models(app_state)


@models.delete("/models/{name}")
async def remove_model(app_state: AppState, name: str) -> None:
    """Forget a model, and delete its file if it was fetched."""
    await asyncio.to_thread(library.remove_model, _find_installed(name).name)


@models.post("/models/add", status=201)
async def add_model(app_state: AppState, body: ModelFile) -> ModelList:
    """Make a GGUF file of this machine known, by its whole path."""
    await asyncio.to_thread(_add, body)
    return await list_models(app_state)


def _add(file: ModelFile) -> None:
    path = Path(file.path).expanduser()
    if not path.is_absolute():
        raise ApiError(422, "invalid", "Give the whole path of the file, from / or ~ on.")
    if not path.is_file():
        raise ApiError(422, "invalid", f"There is no file {path}.")
    library.add_model(path, file.name)


def _find_installed(name: str) -> InstalledModel:
    """Only by name: whoever can reach the API is not asked about files by their paths."""
    installed = next((model for model in library.installed_models() if model.name == name.lower()), None)
    if installed is None:
        raise not_found("model", name)
    return installed


def _all() -> ModelList:
    standing = app.download_manager().overview()
    here = {model.name: model for model in library.installed_models()}
    best = library.best_affordable(machine_memory())
    entries: list[tuple[str, CatalogueModel | None]] = [(entry.name, entry) for entry in CATALOGUE]
    entries += [(name, None) for name in here if find_catalogue_model(name) is None]
    if standing.fetching and standing.fetching.name not in dict(entries):  # by its address
        entries.append((standing.fetching.name, standing.fetching))
    return ModelList(
        tuple(_page(standing, name, entry, here.get(name), best=best) for name, entry in entries),
        standing.offered.name if standing.offered else None,
        app.who_tells(),
    )


def _page(
    standing: ModelOverview,
    name: str,
    entry: CatalogueModel | None,
    model: InstalledModel | None,
    *,
    best: CatalogueModel,
) -> ModelPage:
    there = model is not None and model.path.is_file()
    report = load_exam(model) if model is not None and there else None
    fetch = standing.fetch if standing.fetching and standing.fetching.name == name else None
    state, progress, reason = _state(fetch, there=there, recorded=model is not None)
    return ModelPage(
        name=name,
        title=model.title if model else entry.title if entry else name,
        summary=entry.summary if entry else "",
        licence=(model.licence if model else "") or (entry.licence if entry else ""),
        size_bytes=(model.size if model else 0) or (entry.size if entry else 0),
        memory_bytes=entry.memory if entry else 0,
        checked=entry.is_checked if entry else there,
        installed=there,
        active=model is not None and standing.used is not None and model.path == standing.used.path,
        removable=model is not None and model.removable,
        recommended=name == best.name,
        tier=report.tier if report else None,
        tokens_per_second=report.tokens_per_second if report else None,
        verdict=describe_exam(report) if report else "",
        state=state,
        progress=progress,
        reason=reason,
    )


def _state(
    fetch: DownloadState | None, *, there: bool, recorded: bool
) -> tuple[Literal["here", "absent", "fetching", "failed", "stopped", "missing"], float, str]:
    if there:
        return "here", 1.0, ""
    if fetch is not None and fetch.phase != "here":
        return fetch.phase, fetch.done / fetch.total if fetch.total else 0.0, fetch.reason
    return ("missing" if recorded else "absent"), 0.0, ""
