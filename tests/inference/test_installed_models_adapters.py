"""Adapters are found by their content, beside the model or in the package, and installed with their model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from narratoria.inference import installed_models
from narratoria.inference.catalogue import CAPABLE, EMBEDDED
from narratoria.inference.installed_models import PACKAGED, find_adapters, install_adapters


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NARRATORIA_MIRRORS", raising=False)
    return tmp_path / "home"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """As from a wheel, which has no folder of optional weights; returns what that folder was."""
    checkout = installed_models.CHECKOUT
    monkeypatch.setattr(installed_models, "CHECKOUT", tmp_path / "nowhere")
    return checkout


def test_the_embedded_model_finds_its_own_in_the_package(installed: Path, tmp_path: Path) -> None:
    found = find_adapters(tmp_path / "model.gguf", EMBEDDED.sha256)
    assert found == tuple(PACKAGED / adapter.name for adapter in EMBEDDED.adapters)


def test_an_optional_model_has_those_that_lie_beside_it(installed: Path, tmp_path: Path) -> None:
    assert find_adapters(tmp_path / "model.gguf", CAPABLE.sha256) == ()
    second = CAPABLE.adapters[1].name
    shutil.copyfile(installed / second, tmp_path / second)
    assert find_adapters(tmp_path / "model.gguf", CAPABLE.sha256) == (tmp_path / second,)


def test_a_damaged_one_is_left_out(installed: Path, tmp_path: Path) -> None:
    first = CAPABLE.adapters[0].name
    (tmp_path / first).write_bytes((installed / first).read_bytes()[:-1] + b"x")
    assert find_adapters(tmp_path / "model.gguf", CAPABLE.sha256) == ()


def test_installing_from_a_checkout_puts_them_beside_the_model(tmp_path: Path) -> None:
    install_adapters(CAPABLE, tmp_path)
    assert find_adapters(tmp_path / "model.gguf", CAPABLE.sha256) == tuple(
        tmp_path / adapter.name for adapter in CAPABLE.adapters
    )


def test_what_the_package_has_is_not_copied(tmp_path: Path) -> None:
    install_adapters(EMBEDDED, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_without_a_place_to_get_them_from_the_model_goes_without(installed: Path, tmp_path: Path) -> None:
    install_adapters(CAPABLE, tmp_path)
    assert find_adapters(tmp_path / "model.gguf", CAPABLE.sha256) == ()


def test_a_mirror_may_have_them(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NARRATORIA_MIRRORS", installed.as_uri())
    install_adapters(CAPABLE, tmp_path)
    assert len(find_adapters(tmp_path / "model.gguf", CAPABLE.sha256)) == len(CAPABLE.adapters)
