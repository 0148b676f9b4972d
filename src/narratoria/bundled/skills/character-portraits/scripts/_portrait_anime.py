"""Draws the anime preset: great eyes, clear lines and two steps of light."""

from __future__ import annotations

import random

import _portrait_hats as hats
from _portrait_canvas import Canvas
from _portrait_colours import light, mix, skin_tone, tone
from _portrait_face import Mouth, brow
from _portrait_figure import Figure, Shape, curve, ellipse, n, polygon
from _portrait_hair import grow
from _portrait_layers import lay_down
from _portrait_painted import TALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from _portrait_look import Look


def ink(look: Look) -> str:
    fig, canvas = Figure(look, anime=True), Canvas(tall=look.hat in TALL)
    cel = Cel(look, fig, canvas)
    hair = grow(look, fig, strands=11)
    lay_down(cel, look, fig, hair, neck=10, ear=4)
    for side in (-1, 1):
        canvas.path(brow(look, fig, side), cel.brows, opacity=0.9)
    cel.shapes(hats.front(look, fig))
    cel.glasses()
    return canvas.svg()


class Cel:
    def __init__(self, look: Look, fig: Figure, canvas: Canvas) -> None:
        self.look, self.fig, self.canvas = look, fig, canvas
        self.chance = random.Random(repr(sorted(look.lots.items())))
        self.line = mix(skin_tone(look.skin, -0.8), "#2a1626", 0.4)
        self.brows = (
            mix(tone(look.hair, -0.45), self.line, 0.3)
            if light(look.hair) < 0.7
            else mix(look.hair, self.line, 0.45)
        )
        palette = look.palette or ("#3d4f8a", "#a7b8e0", "#ffc98a", "#7f8fc4")
        ordered = sorted(palette, key=light)
        self.low, self.high = mix(ordered[0], "#5a6fc0", 0.3), mix(ordered[-1], "#ffffff", 0.25)

    def ground(self) -> None:
        canvas, chance = self.canvas, self.chance
        middle = mix(mix(self.low, self.high, 0.45), "#b7a3d8", 0.25)
        canvas.path(
            "M-300 -40H300V560H-300Z",
            canvas.across(
                (0, 30), (0, 460), [(0, mix(self.low, middle, 0.25), 1), (0.55, middle, 1), (1, self.high, 1)]
            ),
        )
        canvas.soft(90, 330, 190, 120, self.high, 0.8)
        for _ in range(26):
            x, y, r = chance.uniform(-210, 210), chance.uniform(40, 460), chance.uniform(3, 22)
            canvas.spot(x, y, r, r, "#ffffff", opacity=f"{chance.uniform(0.06, 0.22):.2f}")
        for _ in range(14):
            x, y, r = chance.uniform(-200, 200), chance.uniform(50, 330), chance.uniform(3, 8)
            rays = ((x + r, y), (x, y + r), (x - r, y), (x, y - r))
            canvas.path(
                curve((x, y - r), *((x, y, *ray) for ray in rays), close=True), "#ffffff", opacity=0.8
            )

    def shapes(self, shapes: Iterable[Shape]) -> None:
        for shape in shapes:
            self.shape(shape)

    def shape(self, shape: Shape) -> None:
        canvas = self.canvas
        skin, hair = shape.kind == "skin", shape.kind in ("hair", "fluff", "knot", "beard")
        colour = skin_tone(shape.colour, 0.08) if skin else _bright(shape.colour)
        dark = skin_tone(shape.colour, -0.26) if skin else mix(tone(colour, -0.32), "#4a3a78", 0.16)
        outline = self.line if skin else mix(tone(colour, -0.72), "#22143a", 0.3)
        canvas.line(shape.path, outline, 4.6)
        canvas.path(shape.path, colour)
        canvas.clipped(shape.path)
        if shape.kind != "fluff":
            canvas.path(shape.path, dark)
            shift = shape.depth * 0.62
            canvas.path(shape.path, colour, transform=f"translate({n(-shift)} {n(-shift * 0.55)})")
        for path, width, by in shape.lines:
            if by < 0 or not hair:
                canvas.line(path, dark if by < 0 else tone(colour, 0.35), width * (1.5 if hair else 1.1))
        if hair and shape.depth >= 14 and shape.kind != "beard":
            self._shine(colour)
        if shape.kind == "metal":
            canvas.line(shape.path, "#ffffff", 3, opacity=0.6, transform="translate(3 3)")
        canvas.end()

    def _shine(self, colour: str) -> None:
        """Draw the ring of light on the hair as a jagged band."""
        fig = self.fig
        up, down, w = fig.top + 20, fig.top + 32, fig.w
        points: list[tuple[float, float]] = []
        steps = 13
        for index in range(steps):
            x = -w * 0.82 + w * 1.5 * index / (steps - 1)
            points.append((x, up + (x / w) ** 2 * 32 - (index % 2) * 5))
        for index in reversed(range(steps)):
            x = -w * 0.82 + w * 1.5 * index / (steps - 1)
            points.append((x, down + (x / w) ** 2 * 32 + (index % 2) * 9))
        self.canvas.path(polygon(*points), tone(colour, 0.34 if light(colour) > 0.3 else 0.22), opacity=0.8)

    def neck_shadow(self) -> None:
        fig = self.fig
        self.canvas.clipped(fig.neck_path())
        shadow = curve(
            (-fig.jaw, fig.chin - 30),
            (-6, fig.chin + 44, fig.jaw, fig.chin + 8),
            (fig.jaw, fig.chin - 60),
            close=True,
        )
        self.canvas.path(shadow, skin_tone(self.look.skin, -0.3))
        self.canvas.end()

    def head(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        path, skin = fig.head(), skin_tone(look.skin, 0.1)
        canvas.line(path, self.line, 4.6)
        canvas.path(path, skin)
        canvas.clipped(path)
        shade = skin_tone(look.skin, -0.2)
        w = fig.w
        canvas.path(path, shade, transform=f"translate({n(w * 1.74)} 14)")
        if look.style != "bald" or look.hat:
            low = fig.hairline + 20
            canvas.path(
                curve(
                    (-w, fig.top),
                    (w, fig.top),
                    (w, fig.eye - 30),
                    (w * 0.7, low, w * 0.34, low - 2),
                    (w * 0.1, low + 8, -w * 0.2, low - 4),
                    (-w * 0.6, low + 4, -w, fig.eye - 36),
                    close=True,
                ),
                shade,
            )
        rosy = mix(look.skin, "#f0606a", 0.55 if light(look.skin) > 0.55 else 0.3)
        for side in (-1, 1):
            x, y = side * (fig.apart + 14), fig.nose - 6
            canvas.soft(
                x, y, 17, 9, rosy, 0.6 if look.sex == "f" or look.child or "blush" in look.marks else 0.32
            )
            for k in (-1, 0, 1):
                canvas.line(curve((x + k * 7 + 2, y - 4), (x + k * 7 - 2, y + 4)), rosy, 1.6, opacity=0.6)
        if "freckles" in look.marks:
            for index in range(14):
                canvas.spot(
                    -46 + (index % 7) * 15,
                    fig.nose - 16 + (index // 7) * 8 + index % 3 * 2,
                    1.8,
                    1.8,
                    mix(look.skin, "#a0522d", 0.6),
                )
        if look.old > 0.25:
            for side in (-1, 1):
                canvas.line(
                    curve((side * 20, fig.nose + 4), (side * 31, fig.nose + 14, side * 30, fig.mouth + 4)),
                    shade,
                    2.4,
                )
                canvas.line(
                    curve(
                        (side * (fig.apart - 12), fig.eye + 24),
                        (side * fig.apart, fig.eye + 29, side * (fig.apart + 14), fig.eye + 23),
                    ),
                    shade,
                    2.4,
                )
            if look.old > 0.6:
                canvas.line(
                    curve((-26, fig.hairline + 22), (0, fig.hairline + 18, 26, fig.hairline + 22)), shade, 2.4
                )
        if look.beard == "stubble":
            canvas.path(
                curve(
                    (-fig.jaw, fig.mouth - 14),
                    (0, fig.mouth - 4, fig.jaw, fig.mouth - 14),
                    (fig.jaw, fig.chin, 0, fig.chin + 4),
                    (-fig.jaw, fig.chin, -fig.jaw, fig.mouth - 14),
                    close=True,
                ),
                mix(look.skin, look.hair, 0.5),
                opacity=0.4,
            )
        canvas.end()

    def features(self) -> None:
        fig, canvas = self.fig, self.canvas
        for side in (-1, 1):
            self.eye(side)
        y = fig.nose
        shade = skin_tone(self.look.skin, -0.34)
        canvas.path(
            curve((1, y - 8), (8, y + 3, 7, y + 5), (2, y + 7, -3, y + 5), (3, y + 2, 1, y - 8), close=True),
            shade,
        )
        canvas.line(curve((-3, y + 5.4), (2, y + 7, 6, y + 5)), self.line, 1.8)
        self.mouth()
        self.marks()

    def eye(self, side: int) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        if look.patch and side > 0:
            canvas.line(
                curve((-fig.w, fig.brow - 30), (fig.apart, fig.eye - 8), (fig.w, fig.eye + 4)), "#211824", 5
            )
            canvas.path(ellipse(fig.apart, fig.eye + 2, 27, 25), "#211824")
            return
        x, y = side * fig.apart, fig.eye
        h = (
            fig.open
            * (0.7 if look.sex == "f" or look.child else 0.56)
            * (1 - 0.3 * max(0.0, look.droop))
            * (1 - 0.25 * look.old)
        )
        half = 21.5 if look.sex == "f" or look.child else 19.5
        inner, outer = (x - side * half * 0.92, y + 2), (x + side * half, y - 2.5 - 2 * look.lots["slant"])
        top = (x - side * half * 0.5, y - h * 1.28, x + side * half * 0.6, y - h * 1.3, *outer)
        low = (x + side * half * 0.66, y + h * 1.08, x - side * half * 0.4, y + h * 1.1, *inner)
        outline = curve(inner, top, low, close=True)
        white = "#fbf8f6" if look.species not in ("ghost", "machine", "unseen") else "#15202c"
        canvas.path(outline, white)
        canvas.clipped(outline)
        canvas.path(outline, mix(white, "#8d86b8", 0.4), transform=f"translate(0 {n(-h * 1.45)})")
        rx, ry = half * 0.6, h * 0.94
        bright = _bright(look.eyes)
        iris = canvas.across(
            (0, y - ry),
            (0, y + ry),
            [(0, mix(tone(bright, -0.6), "#1c1030", 0.3), 1), (0.5, bright, 1), (1, tone(bright, 0.5), 1)],
        )
        canvas.spot(x, y, rx, ry, iris, stroke=mix(tone(bright, -0.7), "#160c22", 0.4), stroke_width=2)
        canvas.spot(x, y + 1, rx * 0.42, ry * 0.5, mix(tone(bright, -0.85), "#0c0614", 0.5))
        canvas.spot(x, y + ry * 0.62, rx * 0.55, ry * 0.22, tone(bright, 0.7), opacity=0.6)
        canvas.spot(x - rx * 0.34, y - ry * 0.42, rx * 0.32, ry * 0.26, "#ffffff")
        canvas.spot(x + rx * 0.36, y + ry * 0.34, rx * 0.16, ry * 0.13, "#ffffff", opacity=0.9)
        canvas.end()
        lash = mix(self.brows, "#1a0f1c", 0.6)
        upper = curve(inner, top, (outer[0] + side * 4, outer[1] - 4)) + curve(
            (outer[0] + side * 4, outer[1] - 4),
            (x + side * half * 0.5, y - h * 1.3 - 8, x - side * half * 0.5, y - h * 1.28 - 5, *inner),
        ).replace("M", "L", 1)
        canvas.path(upper, lash, stroke=lash, stroke_width=1.6, stroke_linejoin="round")
        canvas.line(
            curve(
                (x + side * half * 0.78, y + h * 0.62),
                (x + side * half * 0.3, y + h * 1.02, x - side * half * 0.3, y + h * 0.92),
            ),
            lash,
            1.8,
        )
        canvas.line(
            curve(
                (x - side * half * 0.5, y - h - 8),
                (x + side * 2, y - h * 1.3 - 8, x + side * half * 0.8, y - h * 0.7 - 6),
            ),
            skin_tone(look.skin, -0.45),
            1.8,
        )
        if look.sex == "f":
            for k in (0, 1):
                canvas.line(
                    curve(
                        (outer[0] - side * k * 5, outer[1] - 2 - k * 4),
                        (outer[0] + side * (7 - k * 4), outer[1] - 7 - k * 4),
                    ),
                    lash,
                    2.2,
                )

    def mouth(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        mouth = Mouth(look, fig)
        half = mouth.half * 0.62
        y, bend = fig.mouth, look.smile * 5.5
        if mouth.open:
            path = curve(
                (-half, y - 4),
                (0, y + 1, half, y - 4),
                (half * 0.7, y + 13, 0, y + 13),
                (-half * 0.7, y + 13, -half, y - 4),
                close=True,
            )
            canvas.path(path, "#8a2a34")
            canvas.clipped(path)
            canvas.spot(0, y - 4, half, 6, "#ffffff")
            canvas.spot(0, y + 14, half * 0.6, 5, "#e88088")
            canvas.end()
            canvas.line(path, self.line, 2.4)
        else:
            canvas.line(curve((-half, y - bend * 0.7), (0, y + bend, half, y - bend * 0.7)), self.line, 2.8)
            lip = mix(look.skin, "#d0505c", 0.5)
            if look.sex == "f":
                canvas.path(
                    curve(
                        (-half * 0.6, y + bend * 0.5 + 2.5),
                        (0, y + bend + 8, half * 0.6, y + bend * 0.5 + 2.5),
                        close=True,
                    ),
                    lip,
                    opacity=0.7,
                )
            else:
                canvas.line(curve((-5, y + 8), (0, y + 9.5, 5, y + 8)), skin_tone(look.skin, -0.35), 1.8)
        if look.species in ("orc", "vampire"):
            up = -13 if look.species == "orc" else 8
            for side in (-1, 1):
                canvas.path(
                    polygon((side * 8, y + 2), (side * 12, y + up), (side * 15, y + 1)),
                    "#fff8e8",
                    stroke=self.line,
                    stroke_width=1.4,
                )

    def marks(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        if look.scar:
            path = (
                curve((fig.apart - 4, fig.brow - 18), (fig.apart + 4, fig.eye, fig.apart - 2, fig.nose - 2))
                if look.scar == "brow"
                else curve((-fig.apart - 18, fig.eye + 24), (-fig.apart + 8, fig.mouth - 6))
            )
            canvas.line(path, skin_tone(look.skin, -0.4), 4)
            canvas.line(path, mix(look.skin, "#ffd8cc", 0.7), 1.6)
        if "ink" in look.marks:
            canvas.path(ellipse(-5, fig.chin - 16, 7, 5), "#2c3450")
        if "soot" in look.marks:
            canvas.path(
                curve(
                    (-fig.apart - 14, fig.nose + 4),
                    (-fig.apart, fig.nose - 4, -fig.apart + 10, fig.nose + 6),
                    close=True,
                ),
                "#5a4a46",
                opacity=0.6,
            )
        if "mole" in look.marks:
            canvas.spot(24, fig.mouth - 9, 2, 2, "#3a2018")
        if "tattoo" in look.marks:
            for k in range(3):
                canvas.line(
                    curve((-fig.apart - 18 + k * 8, fig.eye + 28), (-fig.apart - 16 + k * 8, fig.mouth - 10)),
                    "#3a5a90",
                    3,
                )
        if "earrings" in look.marks:
            for side in (-1, 1):
                canvas.spot(
                    side * (fig.w + 5), fig.eye + 40, 4.5, 4.5, "#f0cc68", stroke=self.line, stroke_width=1.6
                )

    def glasses(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        if not look.glasses:
            return
        frame = "#4a3238" if look.glasses == "square" else "#c0954a"
        for side in (1,) if look.glasses == "monocle" else (-1, 1):
            x, y = side * (fig.apart + 1), fig.eye + 3
            lens = (
                f"M{n(x - 28)} {n(y - 20)}h56v30q0 12 -12 12h-32q-12 0 -12 -12z"
                if look.glasses == "square"
                else f"M{n(x - 28)} {n(y)}a28 26 0 1 1 56 0a28 26 0 1 1 -56 0z"
            )
            canvas.path(lens, "#e8f6ff", opacity=0.2)
            canvas.path(
                polygon((x - 18, y + 10), (x - 2, y - 18), (x + 6, y - 18), (x - 10, y + 14)),
                "#ffffff",
                opacity=0.3,
            )
            canvas.line(lens, frame, 3.6)
        if look.glasses != "monocle":
            canvas.line(
                curve((-fig.apart + 27, fig.eye), (0, fig.eye - 6, fig.apart - 27, fig.eye)), frame, 3.4
            )


def _bright(colour: str) -> str:
    """Cleaner and a little lighter, as film colours are."""
    channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    middle = sum(channels) / 3
    clear = [max(0, min(255, round(middle + (channel - middle) * 1.22 + 10))) for channel in channels]
    return "#" + "".join(f"{channel:02x}" for channel in clear)
