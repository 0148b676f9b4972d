"""Draws the pixel preset: 64 by 64 dots, each placed, and shown as large squares."""

from __future__ import annotations

import random

import _portrait_dress as clothes
import _portrait_hats as hats
from _portrait_beard import beard
from _portrait_canvas import Canvas
from _portrait_colours import light, mix, rgb, skin_tone, tone
from _portrait_figure import Figure, Shape, n
from _portrait_hair import grow
from _portrait_painted import TALL
from _portrait_png import read_pixels, write_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from _portrait_look import Look

    Raster: TypeAlias = Callable[[str, int, bool], bytes]  # svg, side in pixels, without smoothed edges

GRID = 64
BAYER = (0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5)


def place(look: Look, raster: Raster, size: int) -> bytes:
    if look.species == "unseen":
        from _portrait_ripple import ripple

        whole = read_pixels(raster(ripple(look, "pixel"), GRID, True))
        return write_blocks([[(red, green, blue) for red, green, blue, _ in row] for row in whole], size)
    dots = read_pixels(raster(figure(look), GRID, True))
    ground = _ground(look)
    outline = rgb(mix(_dark(look), "#0e0c14", 0.7))
    rows = []
    for y in range(GRID):
        row = []
        for x in range(GRID):
            red, green, blue, dense = dots[y][x]
            if dense > 127:
                row.append((red, green, blue))
            elif _beside(dots, x, y):
                row.append(outline)
            else:
                row.append(ground[y][x])
        rows.append(row)
    return write_blocks(rows, size)


def _beside(dots: list[list[tuple[int, int, int, int]]], x: int, y: int) -> bool:
    around = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    return any(0 <= a < GRID and 0 <= b < GRID and dots[b][a][3] > 127 for a, b in around)


def _dark(look: Look) -> str:
    return min(look.palette, key=light) if look.palette else "#2b3150"


def _ground(look: Look) -> list[list[tuple[int, int, int]]]:
    """Return a sky in four steps, each dithered into the next."""
    low = _dark(look)
    high = max(look.palette, key=light) if look.palette else "#e8b878"
    steps = [rgb(mix(mix(low, "#1a1a2a", 0.2), high, share)) for share in (0.0, 0.16, 0.34, 0.55)]
    chance = random.Random(repr(sorted(look.lots.items())))
    rows = []
    for y in range(GRID):
        row = []
        for x in range(GRID):
            far = ((x - 40) ** 2 + (y - 36) ** 2) ** 0.5 / 44
            level = max(0.0, 1 - far) * 3 + BAYER[(y % 4) * 4 + x % 4] / 16 - 0.1
            row.append(steps[max(0, min(3, int(level)))])
        rows.append(row)
    for _ in range(9):
        x, y = chance.randrange(GRID), chance.randrange(40)
        rows[y][x] = rgb(mix(high, "#ffffff", 0.5))
    return rows


def figure(look: Look) -> str:
    fig, canvas = Figure(look), Canvas(tall=look.hat in TALL)
    brush = Dots(look, fig, canvas)
    hair = grow(look, fig, strands=9)
    brush.shapes(hats.behind(look, fig))
    brush.shapes(hair.behind)
    brush.shapes(clothes.behind(look, fig))
    brush.shape(Shape(fig.neck_path(), skin_tone(look.skin, -0.22), kind="skin", depth=8))
    brush.shapes(clothes.dress(look, fig))
    for side in (-1, 1):
        brush.shape(Shape(fig.ear(side, look.species), look.skin, kind="skin", depth=4))
    brush.head()
    brush.shapes(beard(look, fig))
    brush.face()
    brush.shapes(hair.over)
    brush.shapes(hair.front)
    brush.shapes(hats.front(look, fig))
    brush.glasses()
    return canvas.svg()


class Dots:
    def __init__(self, look: Look, fig: Figure, canvas: Canvas) -> None:
        self.look, self.fig, self.canvas = look, fig, canvas
        self.x0, self.y0, size = canvas.frame
        self.unit = size / GRID

    def row(self, y: float) -> int:
        return round((y - self.y0) / self.unit)

    def dot(self, x: int, y: int, colour: str, wide: int = 1, high: int = 1) -> None:
        """x counts from the middle of the face: 0 is the first dot right of it, -1 the first left."""
        unit = self.unit
        left, top = (x + GRID // 2) * unit + self.x0, y * unit + self.y0
        self.canvas.path(
            f"M{n3(left)} {n3(top)}h{n3(wide * unit)}v{n3(high * unit)}h{n3(-wide * unit)}z", colour
        )

    def pair(self, x: int, y: int, colour: str, wide: int = 1, high: int = 1) -> None:
        """Place the same on both sides; x counts outwards from the middle."""
        self.dot(x, y, colour, wide, high)
        self.dot(-x - wide, y, colour, wide, high)

    def shapes(self, shapes: Iterable[Shape]) -> None:
        for shape in shapes:
            self.shape(shape)

    def shape(self, shape: Shape) -> None:
        canvas, colour = self.canvas, shape.colour
        skin = shape.kind == "skin"
        dark, glow = (
            (skin_tone(colour, -0.3), skin_tone(colour, 0.2))
            if skin
            else (tone(colour, -0.36), tone(colour, 0.24))
        )
        if shape.depth >= 5:
            canvas.line(shape.path, tone(colour, -0.66), self.unit * 1.3)
        canvas.path(shape.path, dark)
        canvas.clipped(shape.path)
        shift = max(self.unit, shape.depth * 0.8)
        canvas.path(shape.path, colour, transform=f"translate({n(-shift)} {n(-shift * 0.5)})")
        if shape.depth >= 12 and shape.kind != "fluff":
            canvas.path(shape.path, glow, transform=f"translate({n(-shift * 8)} {n(-shift * 2)})")
        for index, (path, _, by) in enumerate(shape.lines):
            if shape.depth >= 12 and (shape.kind not in ("hair", "fluff") or index % 2 == 0):
                canvas.line(path, dark if by < 0 else glow, self.unit * 0.9)
        canvas.end()

    def head(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        path = fig.head()
        canvas.line(path, skin_tone(look.skin, -0.7), self.unit * 1.3)
        canvas.path(path, skin_tone(look.skin, -0.26))
        canvas.clipped(path)
        canvas.path(path, look.skin, transform=f"translate({n(-self.unit * 3)} {n(-self.unit * 1.2)})")
        canvas.path(
            path, skin_tone(look.skin, 0.13), transform=f"translate({n(-self.unit * 16)} {n(-self.unit * 4)})"
        )
        if look.style != "bald" or look.hat:
            self.dot(-14, self.row(fig.hairline) - 4, skin_tone(look.skin, -0.26), 28, 6)
        canvas.end()

    def face(self) -> None:
        look, fig = self.look, self.fig
        eye, nose, mouth = self.row(fig.eye) - 1, self.row(fig.nose), self.row(fig.mouth)
        line = mix(skin_tone(look.skin, -0.75), "#1a0f18", 0.4)
        shade, glow = skin_tone(look.skin, -0.34), skin_tone(look.skin, 0.3)
        rosy = mix(look.skin, "#d8504a", 0.4)
        big = look.child or look.sex == "f"
        self.pair(6, nose - 2, rosy, 3, 2)
        self.dot(-1, nose - 4, glow, 1, 3)
        self.dot(0, nose - 3, shade, 2, 3)
        self.dot(-1, nose, shade, 3, 1)
        for side in (-1, 1):
            self._eye(side, eye, line, big)
        self._brows(eye, line)
        self._mouth(mouth, line)
        if look.old > 0.25:
            self.pair(4, nose, shade, 1, 3)
            self.pair(4, eye + 3, shade, 3, 1)
            if look.old > 0.6:
                self.dot(-5, eye - 7, shade, 9, 1)
        if "freckles" in look.marks:
            for x in (-8, -6, -4, 3, 5, 7):
                self.dot(x, nose - 2 + x % 2, mix(look.skin, "#8a4a28", 0.6))
        if look.scar:
            x = 6 if look.scar == "brow" else -9
            for k in range(6):
                self.dot(
                    x - k // 3,
                    (eye - 4 if look.scar == "brow" else eye + 3) + k,
                    mix(look.skin, "#ffd8cc", 0.7),
                )
        if "ink" in look.marks or "soot" in look.marks:
            self.dot(
                -2 if "ink" in look.marks else -9,
                mouth + 3 if "ink" in look.marks else nose - 1,
                "#33303e",
                2,
                1,
            )

    def _eye(self, side: int, y: int, line: str, big: bool) -> None:
        look = self.look
        left = 3 if side > 0 else -8
        if look.patch and side > 0:
            self.dot(2, y - 2, "#17131a", 7, 5)
            self.dot(-12, y - 6, "#17131a", 14, 1)
            return
        white = "#f4efe6" if look.species not in ("ghost", "machine", "unseen") else "#15202c"
        high = 3 if big else 2
        self.dot(left, y - 1, mix(line, "#120a12", 0.5), 5, 1)
        self.dot(left, y, white, 5, high)
        self.dot(left + 1, y, look.eyes if light(look.eyes) < 0.75 else tone(look.eyes, -0.2), 3, high)
        self.dot(left + 1, y, tone(look.eyes, -0.6), 3, 1)
        self.dot(left + 2, y, tone(look.eyes, -0.85), 1, 2)
        self.dot(left + 1, y, "#ffffff")
        self.dot(left, y + high, skin_tone(look.skin, -0.34), 5, 1)
        if look.sex == "f":
            self.dot(left + 5 if side > 0 else left - 1, y - 1, line)

    def _brows(self, eye: int, line: str) -> None:
        look = self.look
        colour = tone(look.hair, -0.35) if light(look.hair) < 0.7 else mix(look.hair, line, 0.25)
        y = eye - 4
        inner, outer = (1, 0) if look.brow < -0.25 else (0, 1) if look.brow > 0.4 else (0, 0)
        thick = 2 if look.sex == "m" and look.lots["thick"] > 0 else 1
        self.pair(3, y + inner, colour, 3, thick)
        self.pair(6, y + outer, colour, 3, 1)

    def _mouth(self, y: int, line: str) -> None:
        look = self.look
        lip = mix(look.skin, "#a8323c", 0.5 if look.sex == "f" else 0.28)
        self.dot(-3, y, line, 6, 1)
        self.dot(-2, y + 1, lip, 4, 1)
        if look.smile > 0.3:
            self.pair(3, y - 1, line)
        elif look.smile < -0.2:
            self.pair(3, y + 1, line)
        if look.smile > 0.72:
            self.dot(-2, y, "#f7f2ea", 4, 1)
            self.dot(-2, y + 1, "#7a2430", 4, 1)
        if look.species == "orc":
            self.pair(2, y - 2, "#f4ead0", 1, 2)

    def glasses(self) -> None:
        look = self.look
        if not look.glasses:
            return
        y = self.row(self.fig.eye) - 3
        frame = "#2c2024" if look.glasses == "square" else "#d0a44e"
        for left in (2,) if look.glasses == "monocle" else (-9, 2):
            self.dot(left, y, frame, 7, 1)
            self.dot(left, y + 6, frame, 7, 1)
            self.dot(left, y, frame, 1, 7)
            self.dot(left + 6, y, frame, 1, 7)
        if look.glasses != "monocle":
            self.dot(-2, y + 2, frame, 4, 1)


def n3(value: float) -> str:
    return f"{value:.3f}"
