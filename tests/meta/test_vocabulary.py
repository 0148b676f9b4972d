"""The product's words and the guide to the code are true: one meaning a term, no path that leads nowhere."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
GLOSSARY = REPOSITORY / "docs" / "reference" / "glossary.md"
TERM = re.compile(r"^\| \*\*([^*]+)\*\* \| (.+) \|$", re.MULTILINE)


def test_every_term_of_the_glossary_has_one_meaning():
    terms = TERM.findall(GLOSSARY.read_text(encoding="utf-8"))
    names = [name for name, _ in terms]

    assert len(terms) > 40
    assert names == sorted(set(names), key=str.casefold)
    assert [name for name, meaning in terms if "also," in meaning] == []


# every path that CONTRIBUTING names leads somewhere
PATH = re.compile(r"`((?:src|tests|docs|evals|web|benchmarks|examples)/[\w./-]+)`")


def test_every_path_that_contributing_names_is_there():
    paths = PATH.findall((REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8"))

    assert len(paths) > 10
    assert [path for path in paths if not (REPOSITORY / path).exists()] == []
