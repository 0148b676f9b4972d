"""Starting a story imports nothing heavy: the player waits for every import."""

import subprocess
import sys

import pytest

HEAVY = (
    "numpy",
    "sqlalchemy",
    "alembic",
    "cel",
    "narratoria.planner.skill_scorer",
    "narratoria.campaign.enrich.enrichment",
    "narratoria.inference.download",
)


@pytest.mark.parametrize(
    "modules",
    [
        "narratoria.cli.commands",
        "narratoria.cli.terminal_player",
        "narratoria.cli.play, narratoria.web.server, narratoria.app",
    ],
    ids=["help", "the terminal", "the browser"],
)
def test_nothing_heavy_is_imported_to_begin_with(modules: str) -> None:
    assert imported_by(f"import {modules}") == []


def test_a_complete_campaign_is_opened_without_what_would_fill_it_up() -> None:
    assert imported_by("from narratoria import app; app.open_campaign('tomorrows-post')") == []


def test_what_is_heavy_is_found_out_by_these_tests() -> None:
    assert imported_by("from narratoria.store import Store") == ["numpy", "sqlalchemy"]


def imported_by(program: str) -> list[str]:
    """What of the heavy a program has imported at its end."""
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{program}\nimport sys; print(*(name for name in {HEAVY} if name in sys.modules))",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return told.stdout.split()
