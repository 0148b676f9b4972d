"""The catalogue of models: each by its name, its hash and where it comes from."""

from __future__ import annotations

import pytest

from narratoria.inference.catalogue import (
    CATALOGUE,
    EMBEDDED,
    HUB,
    RECOMMENDED,
    HubFile,
    find_catalogue_model,
)


def test_the_catalogue_names_each_model_once_and_each_source_by_what_it_must_give() -> None:
    assert len({entry.name for entry in CATALOGUE}) == len(CATALOGUE)
    assert all(entry.licence and entry.summary and entry.size and entry.memory for entry in CATALOGUE)
    assert all(len(entry.sha256) in (0, 64) for entry in CATALOGUE)
    assert all(len(entry.sources) > 1 for entry in CATALOGUE if entry.is_checked)
    assert find_catalogue_model("Phi-3.5-Mini") is RECOMMENDED


def test_the_models_that_people_have_are_named() -> None:
    names = {entry.name for entry in CATALOGUE}
    assert {"llama-3.2-3b", "qwen2.5-3b", "qwen2.5-7b", "gemma-3-4b", "gemma-2-2b", "phi-4-mini"} <= names
    assert {"phi-3.5-mini", "mistral-7b"} <= names
    assert not any(entry.is_checked for entry in CATALOGUE if entry.name == "llama-3.2-3b")


def test_a_model_is_found_by_its_name_alone() -> None:
    assert [find_catalogue_model(entry.name.upper()) for entry in CATALOGUE] == list(CATALOGUE)
    assert find_catalogue_model("") is None
    assert find_catalogue_model("../phi-3.5-mini") is None


def test_a_file_is_fetched_from_the_hub_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    file = HubFile("who/a model", "a file.gguf", revision="abc")
    monkeypatch.delenv("NARRATORIA_HUB", raising=False)
    assert file.url() == f"{HUB}/who/a%20model/resolve/abc/a%20file.gguf"
    monkeypatch.setenv("NARRATORIA_HUB", "http://127.0.0.1:9/")
    assert file.url() == "http://127.0.0.1:9/who/a%20model/resolve/abc/a%20file.gguf"


def test_mirrors_are_those_that_the_user_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NARRATORIA_MIRRORS", raising=False)
    assert EMBEDDED.mirrors() == ()
    monkeypatch.setenv("NARRATORIA_MIRRORS", " http://a/models/  http://b ")
    assert EMBEDDED.mirrors() == (f"http://a/models/{EMBEDDED.file}", f"http://b/{EMBEDDED.file}")


def test_an_adapter_is_named_by_its_content_and_comes_from_mirrors_alone() -> None:
    adapters = [adapter for entry in CATALOGUE for adapter in entry.adapters]
    assert len({adapter.name for adapter in adapters}) == len(adapters)
    for adapter in adapters:
        download = adapter.as_download("a model")
        assert adapter.sha256.startswith(adapter.name.removesuffix(".gguf"))
        assert (download.sha256, download.size, download.sources) == (adapter.sha256, adapter.size, ())
