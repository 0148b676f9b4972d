"""The how-to about plans does what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.docs.walk import files_shown, walk

from narratoria import contracts

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "how-to" / "run-a-plan.md"


def steady(text: str) -> str:
    """Without times, and the spaces that line them up."""
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME", re.sub(r"\b(\d+ ms|\d+\.\d\d s)", "TOOK", text))
    return re.sub(r"(?<=\S) {2,}", "  ", text)


def test_every_command_of_the_page_shows_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("M_CONTROL_HOME", str(tmp_path / "home"))
    (tmp_path / "cave").mkdir()

    sessions = list(walk(PAGE, tmp_path / "cave"))

    assert len(sessions) == 5
    for session in sessions:
        assert steady(session.happened) == steady(session.shown)


def test_the_plans_that_the_pages_show_keep_the_contract():
    (plan,) = files_shown(PAGE)["cave.json"]
    assert contracts.check("plan-json", plan) == ()
    reference = (DOCS / "reference" / "plans.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", reference, re.DOTALL)
    assert contracts.check("plan-json", example) == ()


def test_the_reference_names_every_category_and_every_code_of_the_executor():
    reference = (DOCS / "reference" / "plans.md").read_text(encoding="utf-8")
    schema = contracts.load("execution-result")["$defs"]["toolError"]
    source = (DOCS.parent / "src" / "narratoria" / "planning" / "execute.py").read_text(encoding="utf-8")
    codes = set(re.findall(r'code="([A-Z_]+)"', source))
    assert len(codes) >= 2
    for name in (*schema["properties"]["category"]["enum"], *codes):
        assert f"| `{name}` |" in reference, json.dumps(name)
