"""The product's words and the guide to the code are true: one meaning a term, no path that leads nowhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
SOURCE = REPOSITORY / "src" / "narratoria"
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


# bare participles, which say nothing of the value they name; by package, as far as it is clean
PARTICIPLES = frozenset(
    [
        "asked",
        "called",
        "carried",
        "chosen",
        "counted",
        "deed",
        "deeds",
        "done",
        "filled",
        "found",
        "given",
        "heard",
        "held",
        "joined",
        "kept",
        "known",
        "listed",
        "made",
        "meant",
        "mended",
        "named",
        "offered",
        "placed",
        "raised",
        "recalled",
        "remembered",
        "rolled",
        "routed",
        "said",
        "seen",
        "seen_by",
        "shown",
        "told",
        "understood",
        "wanted",
        "witnessed",
        "written",
    ]
)
WITHOUT_PARTICIPLES = ("engine", "narrator", "planner")


def test_no_private_word_names_anything_in_the_code():
    assert sorted(names_among(PRIVATE)) == []


@pytest.mark.parametrize("package", WITHOUT_PARTICIPLES)
def test_no_participle_names_a_value(package: str):
    assert sorted(names_among(PARTICIPLES, package)) == []


def test_a_class_name_exists_once():
    files: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                files.setdefault(node.name, []).append(path.relative_to(SOURCE).as_posix())

    assert {name: paths for name, paths in files.items() if len(paths) > 1} == {}


def names_among(words: frozenset[str], package: str = "") -> set[str]:
    """Return the names in a package, or in all of them, that are one of these words."""
    return {
        f"{path.relative_to(SOURCE)}: {name}"
        for path in sorted((SOURCE / package).rglob("*.py"))
        for name in identifiers(ast.parse(path.read_text(encoding="utf-8")))
        if name.strip("_").casefold() in words
    }


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
