"""`narratoria model`, as a person and as a script use it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.warm_process import run_warm

from narratoria.inference.installed_models import InstalledModel


@pytest.fixture
def model_file(embedded: InstalledModel) -> Path:
    return embedded.path


@pytest.fixture
def home(tmp_path: Path, model_file: Path) -> Path:
    return tmp_path / "home"


def narratoria(home: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, "NARRATORIA_HOME": str(home), "NO_PROXY": "127.0.0.1", **env}
    return run_warm("narratoria.cli", "model", *arguments, input="", env=settings, text=True, timeout=110)


def test_the_list_shows_what_is_here_and_what_can_be_had(home: Path) -> None:
    shown = narratoria(home, "list")
    assert shown.returncode == 0
    assert "* smollm2-135m" in shown.stdout
    assert "phi-3.5-mini" in shown.stdout
    assert "not here" in shown.stdout
    rows = {row["name"]: row for row in json.loads(narratoria(home, "list", "--json").stdout)["models"]}
    assert rows["smollm2-135m"]["chosen"]
    assert not rows["phi-3.5-mini"]["installed"]


def test_a_file_is_added_used_told_and_forgotten(home: Path, model_file: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.symlink_to(model_file)
    assert "is here as own" in narratoria(home, "add", str(own)).stdout
    assert narratoria(home, "use", "own").returncode == 0
    told = json.loads(narratoria(home, "info", "own", "--json").stdout)
    assert told["chosen"]
    assert told["parameters"] == 134_515_008
    assert "stays" in narratoria(home, "remove", "own").stdout
    assert own.exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("info", "nope"), "narratoria model list"),
        (("use", "phi-3.5-mini"), "narratoria model download phi-3.5-mini"),
        (("download", "nope"), "phi-4-mini, phi-3.5-mini"),
        (("remove", "smollm2-135m"), "came with the program"),
        (("add", __file__), "is not a GGUF file"),
    ],
)
def test_what_cannot_be_done_is_told_with_what_to_do(
    home: Path, arguments: tuple[str, ...], told: str
) -> None:
    refused = narratoria(home, *arguments)
    assert refused.returncode == 2
    assert told in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_model_in_the_environment_that_is_not_here_hides_no_other(home: Path) -> None:
    listed = narratoria(home, "list", NARRATORIA_MODEL="nope")
    assert listed.returncode == 0
    assert "smollm2-135m" in listed.stdout
    assert "there is no model called 'nope'" in listed.stdout
    assert narratoria(home, "info", "smollm2-135m", NARRATORIA_MODEL="nope").returncode == 0


def test_of_two_names_for_one_file_the_one_in_use_has_the_star(home: Path, model_file: Path) -> None:
    for name in ("one", "two"):
        narratoria(home, "add", str(model_file), "--name", name)
    narratoria(home, "use", "two")
    starred = [line for line in narratoria(home, "list").stdout.splitlines() if line.startswith("*")]
    assert [line.split()[1] for line in starred] == ["two"]


def test_a_file_that_went_bad_or_away_is_told_as_that(home: Path, model_file: Path, tmp_path: Path) -> None:
    own = Path(shutil.copy(model_file, tmp_path / "own.gguf"))
    narratoria(home, "add", str(own))
    own.write_text("no longer a model")
    told = narratoria(home, "info", "own")
    assert told.returncode == 0
    assert f"{own} is not a GGUF file" in told.stdout
    own.unlink()
    assert "its file is gone" in narratoria(home, "list").stdout
    assert "was gone already" in narratoria(home, "remove", "own").stdout


def test_a_download_without_a_network_is_told_in_plain_words(home: Path) -> None:
    refused = narratoria(home, "download", "phi-3.5-mini", NARRATORIA_HUB="http://127.0.0.1:9")
    assert refused.returncode == 2
    assert "nobody answers there" in refused.stderr
    assert "Stories can be played without it" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_what_is_here_is_not_fetched_again(home: Path) -> None:
    assert "here already" in narratoria(home, "download", "smollm2-135m").stdout


@pytest.mark.slow
def test_a_bench_tells_what_the_model_is_trusted_with_and_is_remembered(home: Path) -> None:
    report = json.loads(narratoria(home, "bench", "--json", NARRATORIA_THREADS="1").stdout)
    assert (report["name"], report["tier"]) == ("smollm2-135m", "scores")
    listed = json.loads(narratoria(home, "list", "--json", NARRATORIA_THREADS="1").stdout)["models"]
    assert next(row["tier"] for row in listed if row["name"] == "smollm2-135m") == "scores"
