"""The threat model names the tests that show it, and they exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "explanation" / "security.md"
THREATS = ("skill", "campaign", "page", "housemate", "player among", "laptop")


def sections() -> dict[str, str]:
    parts = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_test_that_the_threat_model_names_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 50
    missing = []
    for file, name in named:
        tree = (
            ast.parse((REPOSITORY / file).read_text(encoding="utf-8"))
            if (REPOSITORY / file).exists()
            else None
        )
        functions = {
            node.name
            for node in ast.walk(tree or ast.Module([], []))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        if name not in functions:
            missing.append(f"{file}::{name}")
    assert missing == []


def test_every_threat_says_what_is_done_by_which_tests_and_what_is_not() -> None:
    threats = [text for title, text in sections().items() if any(threat in title for threat in THREATS)]
    assert len(threats) == len(THREATS)
    for text in threats:
        done, _, not_done = text.partition("**What is not done**")
        assert done.count("::test_") >= 3
        assert not_done.count("\n- ") >= 3


def test_every_test_about_security_stands_in_the_threat_model() -> None:
    named = PAGE.read_text(encoding="utf-8")
    files = [
        *(REPOSITORY / "tests" / "security").glob("test_*.py"),
        *(REPOSITORY / "tests" / "fuzz").glob("test_*.py"),
    ]
    assert len(files) > 5
    assert [file.name for file in files if file.name not in named] == []
