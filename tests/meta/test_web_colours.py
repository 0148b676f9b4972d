"""Every theme of the page in every mood: words can be read on whatever they stand on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

STYLES = Path(__file__).parents[2] / "web/src/styles"
LEAST = 4.5
SURFACES = ("surface", "surface-low", "surface-container", "surface-high")
PAIRS = (
    *(("on-surface", surface) for surface in (*SURFACES, "surface-highest", "surface-lowest")),
    *(("on-surface-variant", surface) for surface in (*SURFACES, "surface-highest", "surface-lowest")),
    *(("primary", surface) for surface in SURFACES),
    *(("good", surface) for surface in SURFACES),
    *(("error", surface) for surface in SURFACES),
    *((f"on-{role}-container", f"{role}-container") for role in ("primary", "secondary", "tertiary")),
    *((f"on-{role}-container", f"{role}-container") for role in ("error", "good", "warn")),
    ("on-primary", "primary"),
    ("on-error", "error"),
)
BLOCK = re.compile(r":root(?P<attributes>(?::root)?(?:\[[^\]]+\])+) \{(?P<body>[^}]*)\}")
ATTRIBUTE = re.compile(r"\[data-(\w+)(?:=\"(\w+)\")?\]")
THEMES = {"light": "light", "dark": "dark", "sepia": "light", "black": "dark", "contrast": "dark"}


def _blocks() -> list[tuple[dict[str, str], int, dict[str, str]]]:
    """What each rule asks for, how much it weighs, and the colours that it sets."""
    text = "".join((STYLES / name).read_text() for name in ("tokens.css", "app.css"))
    blocks = []
    for match in BLOCK.finditer(text):
        asked = dict(ATTRIBUTE.findall(match["attributes"]))
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", match["body"]))
        blocks.append((asked, match["attributes"].count("[") + match["attributes"].count(":root"), colours))
    return blocks


def _colours(theme: str, mood: str) -> dict[str, str]:
    scheme = THEMES[theme]
    is_so = {"theme": scheme, "look": theme if theme != scheme else "", "mood": mood}
    held = [
        (weight, colours)
        for asked, weight, colours in _blocks()
        if all(is_so.get(name) == value or (not value and is_so.get(name)) for name, value in asked.items())
    ]
    merged: dict[str, str] = {}
    for _, colours in sorted(held, key=lambda one: one[0]):
        merged |= colours
    return merged


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(letter * 2 for letter in colour[1:])
    shares = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _moods() -> Iterator[str]:
    yield ""
    yield from sorted({asked["mood"] for asked, _, _ in _blocks() if "mood" in asked})


@pytest.mark.parametrize("theme", THEMES)
def test_words_can_be_read_in_every_mood(theme: str) -> None:
    faint = {
        f"{mood or 'no mood'}: {ink} on {ground}": round(contrast(colours[ink], colours[ground]), 2)
        for mood in _moods()
        for colours in (_colours(theme, mood),)
        for ink, ground in PAIRS
        if contrast(colours[ink], colours[ground]) < LEAST
    }
    assert faint == {}


def test_black_on_white_is_told_from_grey_on_grey() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#888888") < LEAST
