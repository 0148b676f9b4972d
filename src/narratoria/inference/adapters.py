"""Finds and installs the adapters that were trained for a model: small weights that let it choose skills."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from threading import Event

from narratoria import paths
from narratoria.errors import ModelUnavailable
from narratoria.inference.catalogue import CATALOGUE, AdapterFile, CatalogueModel

PACKAGED = paths.PACKAGE / "weights"  # what the default model needs
CHECKOUT = paths.PACKAGE.parents[1] / "weights"  # a checkout has the adapters of optional models too


def find_adapters(model: Path, sha256: str) -> tuple[Path, ...]:
    """Return the adapters for a model file with this hash, in the order of the catalogue.

    They lie beside the model or in the package and are known by their content; one that is missing or
    damaged is left out, and a model without any is asked in words.
    """
    entry = next((entry for entry in CATALOGUE if sha256 and entry.sha256 == sha256), None)
    if entry is None:
        return ()
    beside = (model.parent, *(root / entry.name for root in paths.model_roots()))
    files = (_find_intact(adapter, (*beside, PACKAGED, CHECKOUT)) for adapter in entry.adapters)
    return tuple(file for file in files if file is not None)


def install_adapters(entry: CatalogueModel, folder: Path, *, stop: Event | None = None) -> None:
    """Put the adapters of an optional model beside it: from the checkout, or from a mirror that has them."""
    for adapter in entry.adapters:
        if _find_intact(adapter, (folder, PACKAGED)):
            continue
        if file := _find_intact(adapter, (CHECKOUT,)):
            partial = folder / f"{adapter.name}.part"
            shutil.copyfile(file, partial)
            partial.replace(folder / adapter.name)
            continue
        from narratoria.inference.download import download  # late: it brings all of HTTP along

        with contextlib.suppress(ModelUnavailable):  # the model works without, and is asked in words
            download(adapter.as_download(entry.title), folder / adapter.name, stop=stop)


def _find_intact(adapter: AdapterFile, folders: Iterable[Path]) -> Path | None:
    for folder in folders:
        with contextlib.suppress(OSError):
            status = (folder / adapter.name).stat()
            if _has_content(folder / adapter.name, status.st_size, status.st_mtime_ns, adapter.sha256):
                return folder / adapter.name
    return None


@lru_cache(maxsize=64)
def _has_content(path: Path, _size: int, _changed: int, sha256: str) -> bool:
    """Return whether a file has this hash; one that has not changed is read once."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256
