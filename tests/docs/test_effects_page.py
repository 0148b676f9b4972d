"""The page of effects shows every effect of the closed list, written as a unit writes it."""

from __future__ import annotations

from pathlib import Path

from narratoria.narrator.effect_types import EFFECT_KINDS, EFFECT_MEANINGS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "effects.md"


def test_every_effect_has_a_row_with_its_meaning() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for kind in EFFECT_KINDS:
        assert f"| `{kind}` | {EFFECT_MEANINGS[kind]} | `{{" in page  # type: ignore[index]
