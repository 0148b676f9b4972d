"""The data files of inference, planner, narrator, engine, enrichment match the JSON Schemas beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import narratoria
from narratoria.contracts import Contract

SOURCE = Path(narratoria.__file__).parent
FILES = sorted(
    path
    for package in ("inference", "planner", "narrator", "engine", "campaign/enrich")
    for path in (SOURCE / package / "data").glob("*.json")
    if not path.name.endswith(".schema.json")
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_data_file_matches_the_schema_beside_it(path: Path) -> None:
    schema = json.loads(path.with_suffix(".schema.json").read_text(encoding="utf-8"))
    assert Contract(schema).check(path.read_text(encoding="utf-8"), file=path.name) == ()


def test_there_are_data_files_to_check() -> None:
    assert {"lexicon.json", "lines.json", "stop-words.json"} <= {path.name for path in FILES}
