"""Those of whom there is nothing to see: an absence in the shape of somebody, and rings around it."""

from __future__ import annotations

import random

from _portrait_canvas import Canvas
from _portrait_colours import light, mix, tone
from _portrait_figure import Figure, ellipse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _portrait_look import Look


def ripple(look: Look, preset: str) -> str:
    canvas, fig = Canvas(), Figure(look)
    palette = look.palette or ("#1d2440", "#5c6b9a", "#bdf0ff", "#39456e")
    dark, glow = min(palette, key=light), max(palette, key=light)
    chance = random.Random(repr(sorted(look.lots.items())))
    flat = preset != "realistic"
    deep, water = tone(mix(dark, "#0a0e1c", 0.5), -0.2), mix(dark, "#5f86a8", 0.35)
    canvas.path(
        "M-300 -40H300V560H-300Z",
        canvas.across((0, 40), (0, 460), [(0, water, 1), (0.5, mix(dark, water, 0.3), 1), (1, deep, 1)]),
    )
    for index in range(13):
        r = 300 - index * 17
        share = index / 12
        wave = ellipse(chance.uniform(-3, 3), 250, r * 0.86, r)
        if flat:
            canvas.path(wave, mix(water, deep, share))
        canvas.line(
            wave, mix(water, glow, 0.25 + 0.5 * (1 - share)), 1.4 + 2.2 * (index % 3 == 0), opacity=0.5
        )
    canvas.soft(0, 250, 150, 190, deep, 1.0)
    canvas.soft(0, 250, 130, 170, deep, 0.9)
    hollow = "#03040a"
    if flat:
        canvas.path(fig.torso(), hollow)
        canvas.path(fig.neck_path(), hollow)
        canvas.path(fig.head(), hollow)
        canvas.line(fig.head(), mix(glow, water, 0.4), 2.4, opacity=0.8)
    else:
        canvas.blurred(7)
        canvas.path(fig.torso(), hollow)
        canvas.path(fig.neck_path(), hollow)
        canvas.path(fig.head(), hollow)
        canvas.end()
        canvas.blurred(3)
        canvas.line(fig.head(), mix(glow, water, 0.3), 3, opacity=0.55)
        canvas.end()
    for _ in range(40):
        x, y, size = chance.gauss(0, 120), chance.gauss(250, 130), chance.uniform(0.8, 3)
        canvas.spot(x, y, size, size, mix(glow, "#ffffff", 0.4), opacity=f"{chance.uniform(0.2, 0.7):.2f}")
    for side in (-1, 1):
        x, y = side * fig.apart, fig.eye
        canvas.soft(x, y, 15, 9, glow, 0.8)
        canvas.spot(x, y, 6.5, 2.6, mix(glow, "#ffffff", 0.6))
    return canvas.svg()
