"""What the pictures of Lull are made of: the banded giant, round roofs, moor, rooms, lamps, a suitcase."""

from __future__ import annotations

import math

import numpy as np

from studio import shapes
from studio.paint import Point, Sheet
from studio.shapes import box, ring

EVENING = ((0.0, "#16283a"), (0.35, "#3d5a69"), (0.56, "#a79b86"), (0.64, "#d9a878"), (1.0, "#3a4a48"))
INK, STEEL, LAMP = "#0d151c", "#2a3a44", "#ffcf86"
QUALITY = 45  # of the files: the grain hides what is lost
CENTRE, HORIZON = 640.0, 330.0  # where lines that lead away from the viewer meet


def landlady(sheet: Sheet, x: float, y: float, radius: float, *, strength: float = 1.0) -> None:
    """The banded giant that looks in: light from the left, a dark limb to the right."""
    disc = sheet.mask(ring(x, y, radius, points=160), blur=1)
    wave = (sheet.y - y) / radius
    bands = (
        0.5
        + 0.34 * np.sin(wave * 9 + 1.8 * sheet.noise(170, stretch=5))
        + 0.16 * np.sin(wave * 31 + 2.6 * sheet.noise(90, stretch=6))
    )
    sheet.lay(disc, "#d2a567", strength)
    sheet.lay(disc * np.clip(bands, 0, 1), "#f3ddb0", 0.75 * strength)
    sheet.lay(disc * np.clip(1 - bands * 2.2, 0, 1), "#96653f", 0.6 * strength)
    spot = sheet.mask(ring(x + radius * 0.3, y + radius * 0.28, radius * 0.16, flat=0.45), blur=4)
    sheet.lay(spot * disc, "#b4653c", 0.7 * strength)
    shade = np.clip(np.hypot(sheet.x - x + radius * 0.55, sheet.y - y + radius * 0.3) / radius - 0.75, 0, 1)
    sheet.lay(disc * shade, "#26323f", 0.85 * strength)
    sheet.glow(x - radius * 0.3, y, radius * 1.1, "#d9a35c", 0.16 * strength)


def roofs(sheet: Sheet, foot: float, *, scale: float = 1.0, start: float = -30, end: float = 1310) -> None:
    """Slices of a liner set down in a row: round roofs, a handrail, lit windows."""
    x = start
    while x < end:
        width = sheet.chance.uniform(62, 104) * scale
        height = sheet.chance.uniform(52, 82) * scale
        slice_of_hull = [
            (x, foot),
            *[
                (x + width * (0.5 - 0.5 * math.cos(turn)), foot - height * math.sin(turn) ** 0.55)
                for turn in np.linspace(0.001, math.pi - 0.001, 24)
            ],
            (x + width, foot),
        ]
        sheet.lay(sheet.mask(slice_of_hull), STEEL)
        sheet.lay(sheet.lines(slice_of_hull, width=2 * scale), "#7d8f92", 0.5)
        sheet.lay(
            sheet.lines(
                [(x + 4, foot - height * 0.34), (x + width - 4, foot - height * 0.34)], width=1.6 * scale
            ),
            "#9aa6a2",
            0.45,
        )
        if sheet.chance.random() < 0.75:
            pane = ring(x + width * sheet.chance.uniform(0.3, 0.7), foot - height * 0.58, 5 * scale)
            sheet.lay(sheet.mask(pane, blur=0.5), LAMP)
            sheet.glow(*pane[0], 16 * scale, "#ffb45e", 0.35)
        x += width + sheet.chance.uniform(1, 7) * scale


def moor(sheet: Sheet, level: float, rise: float = 14) -> None:
    ground = sheet.mask(shapes.ridge(sheet, level, rise, rough=1.7), blur=1.2)
    sheet.wash(ground, "#6f7a66", "#18221f")
    sheet.lay(np.clip(sheet.noise(26, stretch=3.5) - 0.52, 0, 1) * ground * 2.4, "#9aa07a", 0.35)


def figure(sheet: Sheet, x: float, foot: float, tall: float, colour: str = INK) -> None:
    head = ring(x, foot - tall * 0.88, tall * 0.1)
    body = [
        (x - tall * 0.17, foot),
        (x - tall * 0.16, foot - tall * 0.6),
        (x - tall * 0.06, foot - tall * 0.78),
        (x + tall * 0.06, foot - tall * 0.78),
        (x + tall * 0.16, foot - tall * 0.6),
        (x + tall * 0.17, foot),
    ]
    sheet.lay(sheet.mask(head, body), colour)


def room(sheet: Sheet, wall: str, floor: str, ceiling: str, *, back: tuple[float, float]) -> None:
    """A box seen from its open side; `back` is half the width and height of the far wall."""
    wide, high = back
    left, right, top, low = CENTRE - wide, CENTRE + wide, HORIZON - high, HORIZON + high
    full_w, full_h = sheet.width, sheet.height
    sheet.sky((0, wall), (1, wall))
    sheet.lay(sheet.mask([(0, 0), (full_w, 0), (right, top), (left, top)]), ceiling)
    sheet.lay(sheet.mask([(0, full_h), (full_w, full_h), (right, low), (left, low)]), floor)
    for line in (
        [(0, 0), (left, top), (left, low), (0, full_h)],
        [(full_w, 0), (right, top), (right, low), (full_w, full_h)],
        [(left, top), (right, top)],
        [(left, low), (right, low)],
    ):
        sheet.lay(sheet.lines(line, width=2.4, blur=0.6), INK, 0.6)
    sheet.lay(sheet.noise(140) * 0.35, INK, 0.6)


def toward(x: float, y: float, share: float) -> Point:
    """A point moved that share of the way to where the lines meet."""
    return x + (CENTRE - x) * share, y + (HORIZON - y) * share


def light(sheet: Sheet, x: float, y: float, spread: float, floor: float, *, colour: str = LAMP) -> None:
    """A hanging lamp and the cone below it."""
    cone = sheet.mask([(x - 12, y), (x + 12, y), (x + spread, floor), (x - spread, floor)], blur=16)
    sheet.lay(cone, colour, 0.2)
    sheet.lay(sheet.lines([(x, 0), (x, y)], width=2), INK)
    sheet.lay(sheet.mask([(x - 26, y), (x - 9, y - 20), (x + 9, y - 20), (x + 26, y)]), INK)
    sheet.lamp(x, y + 2, size=5)


def suitcase(sheet: Sheet, x: float, y: float, width: float) -> None:
    """The blue case with a cord round it and an S in chalk; x and y are its lower left corner."""
    high = width * 0.62
    handle = [
        (x + width * 0.38, y - high),
        (x + width * 0.41, y - high * 1.15),
        (x + width * 0.59, y - high * 1.15),
        (x + width * 0.62, y - high),
    ]
    sheet.lay(sheet.lines(handle, width=width * 0.04), "#6b4a30")
    body = sheet.mask(box(x, y - high, width, high))
    sheet.lay(body, "#2d5474")
    sheet.lay(body * np.clip((sheet.x - x) / width, 0, 1), "#122a40", 0.65)
    sheet.lay(body * np.clip(1 - (sheet.y - y + high) / high, 0, 1), "#7fa8c2", 0.4)
    sheet.lay(body * np.clip(sheet.noise(width * 0.2) - 0.5, 0, 1), "#101c28", 0.9)
    lid: list[Point] = [(x, y - high * 0.74), (x + width, y - high * 0.74)]
    sheet.lay(sheet.lines(lid, width=width * 0.012), "#0e1c2a", 0.9)
    for across in (0.0, 0.88):
        for down in (1.0, 0.17):
            corner = box(x + width * across, y - high * down, width * 0.12, high * 0.17)
            sheet.lay(sheet.mask(corner), "#7a5a36")
    for lock in (0.22, 0.74):
        sheet.lay(sheet.mask(box(x + width * lock, y - high * 0.79, width * 0.06, high * 0.12)), "#c9a860")
    cords: list[list[Point]] = [
        [(x + width * 0.5, y - high), (x + width * 0.5, y)],
        [(x, y - high * 0.6), (x + width, y - high * 0.6)],
        [
            (x + width * 0.5, y - high * 0.6),
            (x + width * 0.56, y - high * 0.44),
            (x + width * 0.6, y - high * 0.46),
        ],
        [
            (x + width * 0.5, y - high * 0.6),
            (x + width * 0.44, y - high * 0.46),
            (x + width * 0.39, y - high * 0.5),
        ],
    ]
    sheet.lay(sheet.lines(*cords, width=width * 0.02), "#d8c69c", 0.95)
    sheet.lay(sheet.mask(ring(x + width * 0.5, y - high * 0.6, width * 0.024)), "#b8a274")
    letter = [
        (x + width * (0.27 + 0.045 * math.sin(math.pi * t)), y - high * (0.3 - 0.1 * t))
        for t in np.linspace(-1.25, 1.25, 40)
    ]
    sheet.lay(sheet.lines(letter, width=width * 0.018, blur=0.6), "#f3eee0", 0.9)
