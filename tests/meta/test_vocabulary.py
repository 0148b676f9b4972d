"""The product's words and the guide to the code are true: one meaning a term, no path that leads nowhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
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


# private words of earlier versions, which a reader of this field would not know; whole identifiers, any case
PRIVATE = frozenset(["diary", "spill", "keeping", "shelf", "desk", "house", "unstopped", "recollection"])


def test_no_private_word_names_anything_in_the_code():
    source = REPOSITORY / "src" / "narratoria"
    named = {
        f"{path.relative_to(source)}: {name}"
        for path in sorted(source.rglob("*.py"))
        for name in identifiers(ast.parse(path.read_text(encoding="utf-8")))
        if name.strip("_").casefold() in PRIVATE
    }

    assert sorted(named) == []


def identifiers(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module defines or binds: classes, functions, parameters, variables, fields."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
