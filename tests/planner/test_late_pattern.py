"""Patterns are compiled when they are used, and are then as any others."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from narratoria.planner.late_pattern import compile_late


def test_a_late_pattern_finds_what_a_pattern_finds() -> None:
    late, at_once = compile_late(r"\b(b\w+)", re.IGNORECASE), re.compile(r"\b(b\w+)", re.IGNORECASE)
    text = "Bells, and a boat"
    assert late.findall(text) == at_once.findall(text)
    assert late.sub("x", text) == at_once.sub("x", text)
    assert [match.span(1) for match in late.finditer(text)] == [
        match.span(1) for match in at_once.finditer(text)
    ]
    assert late.pattern == at_once.pattern


def test_a_wrong_pattern_is_refused_when_it_is_used() -> None:
    wrong = compile_late("(")
    with pytest.raises(re.error):
        wrong.search("a")


def test_what_reads_typed_words_is_imported_without_compiling_its_patterns() -> None:
    program = (
        "import re, sys\n"
        "compiled, real = [], re._compiler.compile\n"
        "re._compiler.compile = lambda *given: compiled.append(given) or real(*given)\n"
        "import narratoria.planner.person_mentions, narratoria.planner.player_action\n"
        "print(max((len(str(one[0])) for one in compiled), default=0))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1000
