"""The data files of inference, planner, narrator, engine, enrichment match the JSON Schemas beside them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import narratoria
from narratoria.contracts import Contract

SOURCE = Path(narratoria.__file__).parent
FILES = sorted(
    path
    for package in ("inference", "planner", "narrator", "engine", "campaign", "campaign/enrich")
    for path in (SOURCE / package / "data").glob("*.json")
    if not path.name.endswith(".schema.json")
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_data_file_matches_the_schema_beside_it(path: Path) -> None:
    schema = json.loads(path.with_suffix(".schema.json").read_text(encoding="utf-8"))
    assert Contract(schema).check(path.read_text(encoding="utf-8"), file=path.name) == ()


def test_the_table_of_acts_matches_its_schema() -> None:
    folder = SOURCE / "planner/data"
    schema = json.loads((folder / "acts.schema.json").read_text(encoding="utf-8"))
    acts = tomllib.loads((folder / "acts.toml").read_text(encoding="utf-8"))
    assert Contract(schema).check(json.dumps(acts), file="acts.toml") == ()


def test_there_are_data_files_to_check() -> None:
    assert {"lexicon.json", "lines.json", "stop-words.json"} <= {path.name for path in FILES}
