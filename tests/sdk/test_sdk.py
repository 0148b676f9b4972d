"""The SDK as a whole: a tool that imports it does not wait."""

from __future__ import annotations

import subprocess
import sys


def test_importing_the_sdk_loads_nothing_heavy() -> None:
    code = "import sys; from narratoria import sdk; print(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    heavy = {
        "typing",
        "dataclasses",
        "inspect",
        "traceback",
        "datetime",
        "logging",
        "pathlib",
        "threading",
        "asyncio",
    }
    assert not heavy & set(loaded.stdout.split())
    assert not [name for name in loaded.stdout.split() if name.startswith(("msgspec", "click", "rich"))]
