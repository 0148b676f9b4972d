"""The tests of a module have its name: those of `web/stories.py` are in `tests/web/test_stories.py`."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "narratoria"
SHORT = 60  # lines: a module up to this size may be tested by the tests of those that use it
WITHOUT_MODULES = {
    "bundled",
    "migrations",
    "data",
}  # tested as skills, as databases, and against their schemas

# modules whose tests are not found by name yet: take a line away, add none
NOT_YET: frozenset[str] = frozenset(
    {
        "narrator/gate_sentences.py",
        "narrator/gate_plot.py",
        "narrator/gate_ledger.py",
        "narrator/gate_form.py",
        "engine/kept_texts.py",
        "campaign/validate_beats.py",
        "engine/autoplay.py",
        "engine/facts.py",
        "engine/faults.py",
        "engine/persistence/repository.py",
        "engine/turn.py",
        "planner/model_adviser.py",
        "planner/plan.py",
        "protocol/child_posix.py",
        "protocol/child_windows.py",
        "protocol/conformance/observe.py",
        "protocol/conformance/run_faults.py",
        "protocol/dialect.py",
        "protocol/orphans.py",
        "skills/host/dispatch.py",
        "skills/host/method_types.py",
        "skills/host/rasterise.py",
        "skills/host/services.py",
        "skills/runnable.py",
        "skills/sandbox/inside/launcher.py",
    }
)


def modules() -> list[str]:
    return [
        file.relative_to(PACKAGE).as_posix()
        for file in sorted(PACKAGE.rglob("*.py"))
        if not file.stem.startswith("__")
        and not WITHOUT_MODULES & set(file.relative_to(PACKAGE).parts)
        and len(file.read_text(encoding="utf-8").splitlines()) > SHORT
    ]


def file_of_tests(module: str) -> Path:
    file = Path(module)
    return ROOT / "tests" / file.parent / f"test_{file.stem.lstrip('_')}.py"


def has_tests(file: Path) -> bool:
    return file.is_file() and any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    )


def test_modules_are_found() -> None:
    assert len(modules()) > 150
    assert "web/stories.py" in modules()


def test_a_module_has_tests_of_its_name() -> None:
    missing = [
        module for module in modules() if module not in NOT_YET and not has_tests(file_of_tests(module))
    ]

    assert [file_of_tests(module).relative_to(ROOT).as_posix() for module in missing] == []


def test_the_list_of_modules_without_tests_is_true() -> None:
    waiting = {module for module in modules() if not has_tests(file_of_tests(module))}

    assert sorted(NOT_YET - waiting) == [], "found by name, or gone: take these off the list"
