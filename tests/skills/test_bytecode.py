"""Scripts in a box find their modules compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

from narratoria.skills.bytecode import compile_ahead


def test_what_is_compiled_ahead_is_used_and_made_anew_when_the_source_changes(tmp_path: Path) -> None:
    module = tmp_path / "_words.py"
    for text in ("WORD = 'one'", "WORD = 'another'"):
        module.write_text(text)
        compile_ahead(tmp_path)
        told = subprocess.run(
            [sys.executable, "-v", "-c", "import _words; print(_words.WORD)"],
            env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            check=True,
            text=True,
        )
        assert told.stdout.strip() in text
        assert f"matches {module}" in told.stderr


def test_a_broken_module_and_a_folder_that_is_not_there_are_no_matter(tmp_path: Path) -> None:
    broken = tmp_path / "_broken.py"
    broken.write_text("def (")
    compile_ahead(tmp_path, tmp_path / "nothing")
    assert not Path(cache_from_source(str(broken))).exists()
