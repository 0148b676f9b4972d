"""Draws the stylized preset: a poster cut in wood, with flat colours, black ink and carved light."""

from __future__ import annotations

import math
import random

import _portrait_hats as hats
from _portrait_canvas import Canvas
from _portrait_colours import light, mix, skin_tone, tone
from _portrait_face import Eye, Mouth, brow, wrinkles
from _portrait_figure import Figure, Shape, curve, n, polygon
from _portrait_hair import grow
from _portrait_layers import lay_down
from _portrait_painted import TALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from _portrait_look import Look

PAPER = "#f1e7d3"


def print_poster(look: Look) -> str:
    fig, canvas = Figure(look), Canvas(tall=look.hat in TALL)
    cutter = Cutter(look, fig, canvas)
    hair = grow(look, fig, strands=15)
    lay_down(cutter, look, fig, hair, neck=20, ear=5)
    cutter.shapes(hats.front(look, fig))
    cutter.glasses()
    cutter.frame()
    return canvas.svg()


class Cutter:
    def __init__(self, look: Look, fig: Figure, canvas: Canvas) -> None:
        self.look, self.fig, self.canvas = look, fig, canvas
        self.chance = random.Random(repr(sorted(look.lots.items())))
        palette = look.palette or ("#24344f", "#9fb3b8", "#e8a04c", "#b5493a")
        self.ink = mix(min(palette, key=light), "#120f18", 0.72)
        vivid = sorted(palette, key=_vivid)
        self.sun = vivid[-1]
        self.sky = mix(vivid[0] if len(vivid) > 1 else PAPER, PAPER, 0.3)
        if abs(light(self.sky) - light(self.sun)) < 0.12:
            self.sky = tone(self.sky, -0.4)

    def ground(self) -> None:
        """Rays of the campaign's own light, behind a disc."""
        canvas = self.canvas
        canvas.path("M-300 -40H300V560H-300Z", self.sky)
        ray = mix(self.sky, PAPER, 0.38)
        turn = self.look.lots["tilt"] * 0.1
        for index in range(18):
            a = turn + index * math.pi / 9
            b = a + math.pi / 18
            points = [
                (0, 226),
                (420 * math.cos(a), 226 + 420 * math.sin(a)),
                (420 * math.cos(b), 226 + 420 * math.sin(b)),
            ]
            canvas.path(polygon(*points), ray)
        canvas.spot(0, 226, 150, 150, self.sun)
        canvas.line("M-162 226a162 162 0 1 1 324 0a162 162 0 1 1 -324 0z", PAPER, 4)

    def shapes(self, shapes: Iterable[Shape]) -> None:
        for shape in shapes:
            self.shape(shape)

    def shape(self, shape: Shape) -> None:
        canvas, colour = self.canvas, shape.colour
        skin = shape.kind == "skin"
        base = _flat(colour) if not skin else colour
        dark = skin_tone(colour, -0.45) if skin else tone(base, -0.5)
        canvas.line(shape.path, self.ink, 6.5)
        canvas.path(shape.path, dark)
        canvas.clipped(shape.path)
        shift = shape.depth * 0.9
        canvas.path(shape.path, base, transform=f"translate({n(-shift)} {n(-shift * 0.35)})")
        if shape.kind == "fluff":
            canvas.path(shape.path, base)
        if shape.depth >= 12 and not skin and shape.kind != "fluff":
            canvas.path(
                shape.path,
                tone(base, 0.3),
                transform=f"translate({n(-shift * 7.5)} {n(-shift * 2)})",
                opacity=0.8,
            )
        carved = tone(base, 0.5) if light(base) < 0.6 else self.ink
        for path, width, by in shape.lines:
            canvas.line(path, self.ink if by < 0 else carved, width * (1.25 if by < 0 else 0.9))
        canvas.end()

    def neck_shadow(self) -> None:
        fig = self.fig
        self.canvas.clipped(fig.neck_path())
        shadow = curve(
            (-fig.jaw, fig.chin - 40),
            (-10, fig.chin + 34, fig.jaw, fig.chin + 22),
            (fig.jaw + 20, fig.chin - 60),
            close=True,
        )
        self.canvas.path(shadow, self.ink)
        self.canvas.end()

    def head(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        path = fig.head()
        canvas.line(path, self.ink, 6.5)
        canvas.path(path, skin_tone(look.skin, 0.12))
        canvas.clipped(path)
        shade = skin_tone(look.skin, -0.34)
        w, nose, mouth = fig.w, fig.nose, fig.mouth
        # half the face lies in shadow; its edge follows brow, nose and lips
        side = [
            (w * 0.5, fig.top),
            (w * 0.46, fig.brow - 22),
            (w * 0.6, fig.brow - 4),
            (12, fig.brow - 2),
            (8, fig.eye),
        ]
        edge = curve(
            side[0],
            side[1],
            side[2],
            (w * 0.4, fig.eye + 16),
            (w * 0.52, nose + 4),
            (w * 0.4, mouth + 2),
            (w * 0.34, mouth + 18),
            (10, fig.chin - 4),
            (8, fig.chin + 20),
            (w * 1.6, fig.chin),
            (w * 1.6, fig.top),
            close=True,
        )
        canvas.path(edge, shade)
        canvas.path(
            curve(
                (5, fig.brow + 2),
                (9, fig.eye),
                (19, nose + 2),
                (8, nose + 8),
                (-4, nose + 7),
                (6, nose - 6),
                close=True,
            ),
            shade,
        )
        canvas.spot(3, mouth + 17, 13, 3.6, shade)
        for index in range(11):  # carved hatching towards the jaw
            y = fig.eye + 26 + index * 9
            canvas.line(curve((w * 1.1, y - 12), (w * (0.66 - 0.02 * index), y + 3)), self.ink, 2.6)
        if look.style != "bald" or look.hat:
            canvas.path(
                curve(
                    (-w, fig.top),
                    (w, fig.top),
                    (w, fig.eye - 44),
                    (w * 0.6, fig.hairline + 8, 0, fig.hairline + 9),
                    (-w * 0.6, fig.hairline + 8, -w, fig.eye - 48),
                    close=True,
                ),
                shade,
            )
        if look.beard == "stubble":
            for _ in range(60):
                x, y = self.chance.uniform(-fig.jaw, fig.jaw), self.chance.uniform(mouth - 20, fig.chin)
                if abs(x) > 28 or y > mouth + 12:
                    canvas.line(curve((x, y), (x, y + 3)), self.ink, 1.6, opacity=0.7)
        if "freckles" in look.marks:
            for index in range(16):
                canvas.spot(-42 + (index % 8) * 12, nose - 22 + (index // 8) * 9 + index % 3 * 2, 2, 2, shade)
        for line, since in wrinkles(fig):
            if look.old >= since + 0.1:
                canvas.line(line, self.ink, 2.2)
        canvas.end()

    def features(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        for side in (-1, 1):
            self.eye(side)
            colour = self.ink if light(look.hair) < 0.55 else mix(look.hair, self.ink, 0.25)
            canvas.path(brow(look, fig, side), colour, stroke=colour, stroke_width=1.5)
        y, wide = fig.nose, 14 + 2.2 * look.lots["tip"]
        canvas.line(curve((-wide, y - 1), (-wide - 1, y + 5, -wide + 5, y + 6)), self.ink, 2.6)
        canvas.line(
            curve((-5, y + 7), (2, y + 11, 11, y + 6), (wide + 3, y + 6, wide + 1, y - 4)), self.ink, 3
        )
        self.mouth()
        self.marks()

    def eye(self, side: int) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        if look.patch and side > 0:
            canvas.line(
                curve((-fig.w, fig.brow - 34), (fig.apart, fig.eye - 8), (fig.w, fig.eye + 4)), self.ink, 5
            )
            canvas.spot(fig.apart, fig.eye + 2, 25, 21, self.ink)
            return
        eye = Eye(look, fig, side)
        canvas.clipped(eye.outline)
        canvas.path(eye.outline, PAPER if look.species not in ("ghost", "machine", "unseen") else self.ink)
        r = eye.rise + 1
        canvas.spot(eye.x, eye.y - 0.5, r, r, tone(look.eyes, -0.1))
        canvas.spot(eye.x, eye.y - 0.5, r * 0.56, r * 0.56, self.ink)
        canvas.spot(eye.x - 3, eye.y - 4, 2.5, 2.5, PAPER)
        canvas.end()
        canvas.path(eye.lash, self.ink, stroke=self.ink, stroke_width=1.8, stroke_linejoin="round")
        canvas.line(eye.lower, self.ink, 1.6)
        canvas.line(eye.crease, self.ink, 1.7)
        if look.sex == "f":
            xo, yo = eye.outer
            canvas.path(polygon((xo - side * 6, yo - 5), (xo + side * 8, yo - 8), (xo, yo + 1)), self.ink)

    def mouth(self) -> None:
        look, canvas = self.look, self.canvas
        mouth = Mouth(look, self.fig)
        lip = mix(look.skin, "#a12c34", 0.55 if look.sex == "f" else 0.3)
        canvas.path(mouth.under, lip)
        canvas.path(mouth.upper, tone(lip, -0.35))
        if mouth.open:
            canvas.path(mouth.gap, PAPER)
        canvas.line(mouth.line, self.ink, 3)
        if look.species == "orc":
            for side in (-1, 1):
                canvas.path(
                    polygon(
                        (side * 12, mouth.dip + 4), (side * 19, mouth.dip - 15), (side * 24, mouth.dip + 4)
                    ),
                    PAPER,
                    stroke=self.ink,
                    stroke_width=2,
                )

    def marks(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        if look.scar:
            path = (
                curve((fig.apart - 4, fig.brow - 22), (fig.apart + 4, fig.eye, fig.apart - 2, fig.nose - 8))
                if look.scar == "brow"
                else curve((-fig.apart - 18, fig.eye + 20), (-fig.apart + 8, fig.mouth - 8))
            )
            canvas.line(path, PAPER, 4.5)
            canvas.line(path, self.ink, 1.6)
        if "ink" in look.marks:
            canvas.path(
                curve(
                    (-12, fig.chin - 22),
                    (-2, fig.chin - 27, 3, fig.chin - 19),
                    (2, fig.chin - 12, -8, fig.chin - 13),
                    close=True,
                ),
                self.ink,
            )
        if "soot" in look.marks:
            canvas.path(
                curve(
                    (-fig.apart - 18, fig.nose - 4),
                    (-fig.apart, fig.nose - 12, -fig.apart + 8, fig.nose),
                    close=True,
                ),
                mix(self.ink, look.skin, 0.45),
            )
        if "mole" in look.marks:
            canvas.spot(26, fig.mouth - 13, 2.4, 2.4, self.ink)
        if "tattoo" in look.marks:
            for k in range(3):
                canvas.line(
                    curve(
                        (-fig.apart - 20 + k * 8, fig.eye + 17),
                        (-fig.apart - 14 + k * 8, fig.nose, -fig.apart - 18 + k * 8, fig.mouth - 14),
                    ),
                    self.sun,
                    3.4,
                )
        if "earrings" in look.marks:
            for side in (-1, 1):
                canvas.spot(
                    side * (fig.w + 5), fig.eye + 46, 5, 5, "#e0b53c", stroke=self.ink, stroke_width=2
                )

    def glasses(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        if not look.glasses:
            return
        for side in (1,) if look.glasses == "monocle" else (-1, 1):
            x, y = side * (fig.apart + 1), fig.eye + 3
            lens = (
                f"M{n(x - 25)} {n(y - 18)}h50v38h-50z"
                if look.glasses == "square"
                else f"M{n(x - 25)} {n(y)}a25 23 0 1 1 50 0a25 23 0 1 1 -50 0z"
            )
            canvas.path(lens, PAPER, opacity=0.25)
            canvas.line(lens, self.ink, 4.5)
            canvas.line(curve((side * (fig.apart + 26), y - 3), (side * (fig.w + 2), y - 6)), self.ink, 4)
        if look.glasses != "monocle":
            canvas.line(
                curve((-fig.apart + 23, fig.eye + 1), (0, fig.eye - 6, fig.apart - 23, fig.eye + 1)),
                self.ink,
                4,
            )

    def frame(self) -> None:
        x, y, size = self.canvas.frame
        edge = 11
        outer = f"M{x - 5} {y - 5}h{size + 10}v{size + 10}h{-size - 10}z"
        inner = f"M{x + edge} {y + edge}v{size - 2 * edge}h{size - 2 * edge}v{-size + 2 * edge}z"
        self.canvas.path(outer + inner, PAPER)
        self.canvas.line(inner, self.ink, 4)


def _vivid(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return max(channels) - min(channels)


def _flat(colour: str) -> str:
    """As printers' ink is: few steps of each colour."""
    return "#" + "".join(f"{min(255, round(int(colour[at : at + 2], 16) / 20) * 20):02x}" for at in (1, 3, 5))
