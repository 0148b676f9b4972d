"""The types that the web app reads answers and events with are those of the published description."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path

WEB = Path(__file__).parents[2] / "web"


def test_the_types_of_the_web_app_are_generated_from_the_description_of_the_api() -> None:
    generator = run_path(str(WEB / "dev/generate_types.py"))
    assert generator["OUTPUT"].read_text(encoding="utf-8") == generator["generate"](), "run `make web`"


def test_no_type_of_the_web_app_is_any() -> None:
    anything = re.compile(r":\s*any\b|<any\b|, any>|\bas any\b|any\[\]")
    sources = [path for path in (WEB / "src").rglob("*") if path.suffix in (".ts", ".svelte")]
    assert [path.name for path in sources if anything.search(path.read_text(encoding="utf-8"))] == []
