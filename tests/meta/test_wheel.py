"""The wheel holds what the default installation needs, and no weights beside that."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from narratoria.inference.catalogue import CATALOGUE, EMBEDDED
from narratoria.inference.reading_model import READING_MODEL_FILES
from narratoria.inference.shipped_vectors import VECTORS_FILE
from narratoria.inference.statement_model import STATEMENT_FILE
from narratoria.inference.text_matcher import MATCHER_FILE
from narratoria.narrator.unit_matcher import UNIT_MATCHER_FILE
from narratoria.planner.skill_scorer import SCORER_FILE

ROOT = Path(__file__).parents[2]
PACKAGED, OPTIONAL = ROOT / "src/narratoria/weights", ROOT / "weights"
LARGEST_WHEEL = 186_000_000  # bytes of its files, before they are packed
WEIGHTS = (".gguf", ".npz", ".onnx", ".npy", ".safetensors", ".bin", ".pt")


@pytest.fixture(scope="module")
def wheel() -> dict[str, Path]:
    """The files of the wheel, by where they are installed."""
    builders = pytest.importorskip("hatchling.builders.wheel")
    builder = builders.WheelBuilder(str(ROOT))
    with builder.config.set_build_data({"artifacts": [], "force_include": {}}):
        return {file.distribution_path: Path(file.path) for file in builder.recurse_included_files()}


def weights_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix in WEIGHTS)


def test_the_wheel_holds_the_weights_of_the_default_and_no_others(wheel: dict[str, Path]) -> None:
    needed = {
        f"narratoria/weights/{name}"
        for name in (
            SCORER_FILE,
            *READING_MODEL_FILES,
            MATCHER_FILE,
            STATEMENT_FILE,
            UNIT_MATCHER_FILE,
            VECTORS_FILE,
            *(a.name for a in EMBEDDED.adapters),
        )
    }
    assert {path for path in wheel if path.endswith(WEIGHTS)} == needed


def test_the_wheel_holds_the_program_and_stays_small(wheel: dict[str, Path]) -> None:
    assert {"narratoria/app.py", "narratoria/store/search/calibration.json"} <= wheel.keys()
    assert all(path.startswith("narratoria/") for path in wheel)
    assert sum(file.stat().st_size for file in wheel.values()) < LARGEST_WHEEL


@pytest.mark.parametrize("folder", [PACKAGED, OPTIONAL], ids=["packaged", "optional"])
def test_every_file_of_weights_is_named_by_its_content_and_described(folder: Path) -> None:
    described = (folder / "README.md").read_text(encoding="utf-8")
    assert weights_in(folder)
    for file in weights_in(folder):
        assert hashlib.sha256(file.read_bytes()).hexdigest()[:16] == file.stem
        assert f"`{file.name}`" in described


def test_every_adapter_is_in_one_place_and_none_is_left_over() -> None:
    adapters = {adapter.name: adapter for model in CATALOGUE for adapter in model.adapters}
    files = [file for folder in (PACKAGED, OPTIONAL) for file in weights_in(folder)]
    assert sorted(file.name for file in files) == sorted(
        (
            SCORER_FILE,
            *READING_MODEL_FILES,
            MATCHER_FILE,
            STATEMENT_FILE,
            UNIT_MATCHER_FILE,
            VECTORS_FILE,
            *adapters,
        )
    )
    for file in files:
        if file.name in adapters:
            assert hashlib.sha256(file.read_bytes()).hexdigest() == adapters[file.name].sha256
            assert file.stat().st_size == adapters[file.name].size
