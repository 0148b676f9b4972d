"""Where things are: the user's home for Narratoria, and what came with the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent
BUNDLED_SKILLS = PACKAGE / "bundled" / "skills"
INSTALLED_MODELS = Path(sys.prefix) / "share" / "narratoria" / "models"
BUNDLED_CAMPAIGNS = PACKAGE / "bundled" / "campaigns"


def home() -> Path:
    """`NARRATORIA_HOME`, or the platform's place for an application's data."""
    if named := os.environ.get("NARRATORIA_HOME"):
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("narratoria", appauthor=False)


def model_roots() -> tuple[Path, ...]:
    """Where model files are looked for: the user's own first, then those installed beside the program."""
    return home() / "models", INSTALLED_MODELS
