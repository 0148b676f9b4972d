"""`/model` in a story: who tells, and one line about a model that can be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria import app
from narratoria.cli.model_in_story import offer_model, run_model_command
from narratoria.inference import download_manager
from narratoria.inference.installed_models import InstalledModel


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedded: InstalledModel) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    monkeypatch.setenv("NARRATORIA_HUB", "http://127.0.0.1:9")
    monkeypatch.setattr(download_manager, "machine_memory", lambda: 64 * 1024**3)
    app.download_manager.cache_clear()


def test_at_the_table_it_is_one_line_and_a_command() -> None:
    line = offer_model()
    assert "/model yes" in line
    assert "narratoria model download phi-3.5-mini" in line
    assert run_model_command("").startswith("Scenes are told in the campaign's own words")
    assert run_model_command("stop") == "Nothing is being fetched."
    assert "not offered again" in run_model_command("no")
    assert offer_model() == ""
    assert "there is no model called 'gpt-9'" in run_model_command("yes gpt-9")
    assert "/model yes [NAME]" in run_model_command("what")


def test_a_download_that_fails_says_so_and_the_story_goes_on() -> None:
    assert "is on its way" in run_model_command("yes llama-3.2-3b")
    download = app.download_manager()._download
    assert download is not None
    download.wait(60)
    assert "Llama 3.2 3B Instruct could not be fetched" in run_model_command("")
