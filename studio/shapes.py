"""What the pictures are made of: houses on piles, boats, bells, arches, reeds, firs."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from studio.paint import Point, Sheet

Polygon = list[Point]


def box(x: float, y: float, width: float, height: float) -> Polygon:
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def house(x: float, foot: float, width: float, height: float, pitch: float) -> Polygon:
    """A gable, with a roof that hangs over a little."""
    over, top = width * 0.08, foot - height
    return [
        (x, foot),
        (x, top),
        (x - over, top),
        (x + width / 2, top - pitch),
        (x + width + over, top),
        (x + width, top),
        (x + width, foot),
    ]


def stilt_row(
    sheet: Sheet, foot: float, water: float, *, start: float = -40, end: float = 1320, scale: float = 1.0
) -> tuple[list[Polygon], list[Point]]:
    """A street of houses on piles, and where its windows are."""
    shapes: list[Polygon] = []
    windows: list[Point] = []
    x = start
    while x < end:
        width = sheet.chance.uniform(46, 96) * scale
        height = sheet.chance.uniform(40, 110) * scale
        shapes.append(house(x, foot, width, height, sheet.chance.uniform(22, 56) * scale))
        if sheet.chance.random() < 0.4:
            chimney = x + width * sheet.chance.uniform(0.2, 0.7)
            shapes.append(box(chimney, foot - height - 48 * scale, 8 * scale, 40 * scale))
        piles = np.arange(x + 6, x + width, 22 * scale)
        shapes += [box(pile, foot - 2, 4 * scale, water - foot + 8) for pile in piles]
        windows += [
            (x + width * sheet.chance.uniform(0.25, 0.75), foot - 18 * scale - row * 30 * scale)
            for row in range(int(height // (34 * scale)) + 1)
            if sheet.chance.random() < 0.7
        ]
        x += width + sheet.chance.uniform(-8, 20) * scale
    shapes.append(box(start, foot - 3, end - start, 7 * scale))
    return shapes, windows


def boat(x: float, y: float, length: float) -> Polygon:
    depth = length * 0.13
    return [
        (x - length / 2, y - depth * 1.25),
        (x - length * 0.42, y - depth * 0.35),
        (x + length * 0.36, y - depth * 0.3),
        (x + length / 2, y - depth * 1.1),
        (x + length * 0.4, y + depth * 0.6),
        (x - length * 0.36, y + depth * 0.6),
    ]


def rower(x: float, y: float, size: float) -> list[Polygon]:
    head = ring(x + size * 0.1, y - size * 1.5, size * 0.24)
    body = [
        (x - size * 0.36, y),
        (x - size * 0.3, y - size * 0.95),
        (x + size * 0.05, y - size * 1.3),
        (x + size * 0.42, y - size * 0.9),
        (x + size * 0.42, y),
    ]
    return [head, body]


def ring(x: float, y: float, radius: float, *, flat: float = 1.0, points: int = 40) -> Polygon:
    return [
        (x + radius * math.cos(turn), y + radius * flat * math.sin(turn))
        for turn in np.linspace(0, 2 * math.pi, points, endpoint=False)
    ]


def bell(x: float, lip: float, size: float) -> Polygon:
    """In profile: crown, waist, bow and lip."""
    right = [
        (0.0, -1.42),
        (0.1, -1.4),
        (0.14, -1.28),
        (0.34, -1.22),
        (0.43, -1.06),
        (0.47, -0.7),
        (0.54, -0.36),
        (0.68, -0.12),
        (0.72, 0.0),
    ]
    half = [(x + size * across, lip + size * down) for across, down in right]
    mirrored = [(2 * x - across, down) for across, down in reversed(half)]
    return [*half, *mirrored]


def arch(x: float, foot: float, width: float, height: float, *, pointed: float = 0.62) -> Polygon:
    """An opening: straight sides, a pointed head."""
    spring = foot - height * pointed
    rise = height * (1 - pointed)
    left = [
        (x + width / 2 * (t**1.7), spring - rise * math.sin(t * math.pi / 2)) for t in np.linspace(0, 1, 18)
    ]
    right = [(2 * x + width - across, down) for across, down in reversed(left)]
    return [(x, foot), *left, *right, (x + width, foot)]


def ridge(
    sheet: Sheet, level: float, height: float, *, rough: float = 1.0, steps: int = 90, floor: float = 720
) -> Polygon:
    """A line of hills, closed below."""
    x = np.linspace(-20, sheet.width + 20, steps)
    y = np.full(steps, float(level))
    for octave in range(1, 6):
        phase, pace = sheet.chance.uniform(0, 6.3), octave * sheet.chance.uniform(0.8, 1.4)
        y -= height / octave**rough * np.sin(x / sheet.width * 4.2 * pace + phase) * 0.5
    y += sheet.chance.normal(0, height * 0.015, steps)
    return [(float(a), float(b)) for a, b in zip(x, y, strict=True)] + [
        (sheet.width + 20, floor),
        (-20, floor),
    ]


def fir(x: float, foot: float, height: float) -> Polygon:
    tiers = 6
    left: Polygon = []
    for tier in range(tiers):
        part = tier / tiers
        top = foot - height * (1 - part)
        half = height * 0.05 + height * 0.19 * part
        left += [(x - half * 0.5, top), (x - half, top + height / tiers * 0.92)]
    right = [(2 * x - across, down) for across, down in reversed(left)]
    return [(x, foot - height * 1.06), *left, (x - 2, foot), (x + 2, foot), *right]


def reeds(
    sheet: Sheet, foot: float, count: int, tall: tuple[float, float], lean: float = 26
) -> Iterator[tuple[list[Point], Polygon]]:
    """Stalks, each with its plume."""
    for x in sheet.chance.uniform(-30, sheet.width + 30, count):
        height, bend = sheet.chance.uniform(*tall), sheet.chance.normal(0, lean)
        stalk = [(x + bend * t**2, foot - height * t) for t in np.linspace(0, 1, 9)]
        tip_x, tip_y = stalk[-1]
        long, wide = height * 0.09, height * 0.012 + 1.5
        plume = [
            (tip_x, tip_y - long * 0.3),
            (tip_x + wide, tip_y + long * 0.4),
            (tip_x, tip_y + long),
            (tip_x - wide, tip_y + long * 0.4),
        ]
        yield stalk, plume
