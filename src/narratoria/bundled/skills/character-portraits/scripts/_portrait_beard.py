"""Beards and moustaches, drawn over the lower face and under the lips."""

from __future__ import annotations

import random

from _portrait_colours import mix
from _portrait_figure import Figure, Shape, curve, smooth
from _portrait_hair import along, joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _portrait_figure import Line
    from _portrait_look import Look


def beard(look: Look, fig: Figure) -> list[Shape]:
    """Beard and moustache, drawn over the lower face and under the lips."""
    kind = look.beard
    if kind in ("", "stubble"):
        return []
    colour = mix(look.hair, "#6b4a33", 0.12) if look.years < 60 else mix(look.hair, "#ffffff", 0.15)
    chance = random.Random(look.lots["chin"])
    w, jaw, chin, mouth = fig.w, fig.jaw, fig.chin, fig.mouth
    shapes: list[Shape] = []
    if kind in ("full", "long"):
        low = chin + (16 if kind == "full" else 96)
        wide = jaw + (7 if kind == "full" else 12)
        right = [(w - 2, fig.eye + 14), (w + 1, fig.nose), (wide + 2, mouth + 6), (wide * 0.78, chin + 2)]
        right += (
            [(wide * 0.42, low - 6)] if kind == "full" else [(wide * 0.6, chin + 50), (wide * 0.22, low - 8)]
        )
        out = [*right, (0, low), *((-x, y) for x, y in reversed(right))]
        cheek = [
            (-w + 8, fig.eye + 22),
            (-w + 16, fig.nose + 4),
            (-w * 0.6, mouth - 9),
            (-30, mouth - 17),
            (-13, mouth - 12),
        ]
        inner = [*cheek, (0, mouth - 14), *((-x, y) for x, y in reversed(cheek))]
        lines: list[Line] = []
        for index in range(26):
            share = (index + chance.random()) / 26
            (x0, y0), (x1, y1) = along(inner, share), along(list(reversed(out)), share)
            lines.append(
                (
                    curve((x0 * 0.9, y0 + 12), ((x0 + x1) * 0.53, (y0 + y1) / 2 + 6, x1 * 0.97, y1 - 4)),
                    chance.uniform(1.2, 2.4),
                    (-0.7, 0.7, -0.4)[index % 3],
                )
            )
        shapes.append(Shape(joined(out, inner), colour, lines, kind="beard", depth=12))
    if kind == "goatee":
        right = [(19, mouth + 9), (21, chin - 10), (13, chin + 14)]
        out = [(0, mouth + 13), *right, (0, chin + 24), *((-x, y) for x, y in reversed(right))]
        lines = [
            (curve((x, mouth + 16), (x * 1.1, chin - 6, x * 0.6, chin + 16)), 1.6, 0.6 * (-1) ** i)
            for i, x in enumerate(range(-14, 16, 5))
        ]
        shapes.append(Shape(smooth(out), colour, lines, kind="beard", depth=6))
    if kind == "whiskers":
        for side in (-1, 1):
            points = [(w - 1, fig.eye + 8), (w + 7, fig.nose), (jaw + 10, mouth + 4), (jaw - 14, mouth + 14)]
            points += [(jaw - 12, mouth - 8), (w - 14, fig.nose - 4), (w - 10, fig.eye + 20)]
            shapes.append(Shape(smooth([(side * x, y) for x, y in points]), colour, kind="beard", depth=6))
    if kind != "whiskers":
        shapes.append(_moustache(colour, fig, kind))
    return shapes


def _moustache(colour: str, fig: Figure, kind: str) -> Shape:
    y = fig.mouth - 13
    wide = 34 if kind == "moustache" else 28
    half = [(3, y - 4), (14, y - 6), (wide - 6, y + 4), (wide + 3, y + 13), (wide - 8, y + 12), (10, y + 9)]
    points = [*half, (0, y + 4), *((-x, yy) for x, yy in reversed(half))]
    lines = [
        (curve((x * 0.4, y - 2), (x * 0.8, y + 1, x, y + 9)), 1.4, 0.6 * (-1) ** k)
        for k, x in enumerate((-26, -18, -10, 10, 18, 26))
    ]
    return Shape(smooth(points), colour, lines, kind="beard", depth=4)
