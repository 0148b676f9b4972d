"""Draws the realistic preset: a painted bust in soft light, with a rim of sky and a brushed ground."""

from __future__ import annotations

import random

import _portrait_dress as clothes
import _portrait_hats as hats
from _portrait_beard import beard
from _portrait_canvas import Canvas
from _portrait_colours import light, mix, skin_tone, tone
from _portrait_face import wrinkles
from _portrait_figure import Figure, Shape, curve, n
from _portrait_hair import grow
from _portrait_painted_face import Features

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from _portrait_look import Look


TALL = ("hat", "tophat", "pointed", "crown")


def paint(look: Look) -> str:
    fig, canvas = Figure(look), Canvas(tall=look.hat in TALL)
    painter = Painter(look, fig, canvas)
    painter.ground()
    hair = grow(look, fig, strands=64)
    painter.shapes(hats.behind(look, fig))
    painter.shapes(hair.behind)
    painter.shapes(clothes.behind(look, fig))
    painter.skin_part(fig.neck_path(), shade=0.2)
    painter.neck_shadow()
    painter.shapes(clothes.dress(look, fig))
    for side in (-1, 1):
        painter.ear(side)
    painter.head()
    painter.features()
    painter.shapes(beard(look, fig))
    if look.beard in ("full", "long", "goatee", "moustache"):
        painter.mouth()
    painter.shapes(hair.over)
    painter.shapes(hair.front)
    painter.shapes(hats.front(look, fig))
    painter.glasses()
    painter.glaze()
    return canvas.svg()


class Painter(Features):
    def __init__(self, look: Look, fig: Figure, canvas: Canvas) -> None:
        super().__init__(look, fig, canvas)
        self._sky = ""
        self.chance = random.Random(repr(sorted(look.lots.items())))
        palette = look.palette or ("#39415c", "#8d8a95", "#e8b878", "#5c6072")
        dark = min(palette, key=light)
        self.dark = mix(dark, "#39405c", 0.3)
        self.warm = max(palette, key=light)
        self.rim = mix(mix(palette[min(1, len(palette) - 1)], "#a9c4e8", 0.55), "#ffffff", 0.25)

    def ground(self) -> None:
        canvas, chance = self.canvas, self.chance
        mid = mix(self.dark, mix(self.look.cloth, self.warm, 0.6), 0.36)
        canvas.path(
            "M-300 -40H300V560H-300Z",
            canvas.across((-256, 0), (256, 512), [(0, mid, 1), (1, tone(self.dark, -0.25), 1)]),
        )
        for _ in range(34):
            x, y = chance.uniform(-240, 240), chance.uniform(20, 480)
            colour = mix(mid, chance.choice((self.warm, self.dark, self.look.cloth, self.rim)), 0.4)
            canvas.soft(
                x,
                y,
                chance.uniform(40, 110),
                chance.uniform(12, 34),
                colour,
                chance.uniform(0.2, 0.5),
                chance.uniform(-50, 10),
            )
        for _ in range(36):
            x, y = chance.uniform(-230, 230), chance.uniform(30, 470)
            colour = mix(mid, chance.choice((self.warm, self.dark, self.rim)), 0.45)
            size = chance.uniform(30, 80), chance.uniform(5, 11)
            canvas.soft(x, y, *size, colour, chance.uniform(0.08, 0.22), chance.uniform(-50, 10))
        glow = canvas.around(110, 200, 240, [(0, self.warm, 0.55), (0.5, self.warm, 0.2), (1, self.warm, 0)])
        canvas.path("M-300 -40H300V560H-300Z", glow)

    def shapes(self, shapes: Iterable[Shape]) -> None:
        for shape in shapes:
            self.shape(shape)

    def shape(self, shape: Shape) -> None:
        if shape.kind == "skin":
            self.skin_part(shape.path, shade=0.12, lines=shape.lines)
            return
        canvas, colour, depth = self.canvas, shape.colour, shape.depth
        gloss = {"metal": 0.34, "hair": 0.04, "beard": 0.08}.get(shape.kind, 0.16)
        fill = canvas.across(
            (-150, 110),
            (150, 430),
            [(0, tone(colour, gloss), 1), (0.42, colour, 1), (1, tone(colour, -0.5), 1)],
        )
        canvas.clipped(shape.path)
        canvas.path(shape.path, fill)
        if shape.kind != "fluff":  # edges that turn away from the light
            for width, dense in ((depth * 2.0, 0.1), (depth * 1.1, 0.12)):
                canvas.line(
                    shape.path,
                    tone(colour, -0.85),
                    width,
                    opacity=dense,
                    transform=f"translate({n(depth * -0.2)} {n(depth * -0.16)})",
                )
        for path, width, by in shape.lines:
            fine = shape.kind in ("hair", "beard")
            stroke = tone(colour, by * ((0.18 if fine else 0.3) if by > 0 else 0.5))
            canvas.line(path, stroke, width * (0.9 if fine else 1.25), opacity=0.5 if fine else 0.62)
        if shape.kind == "hair" and depth >= 16:
            self._gloss(colour)
        if shape.kind == "metal":
            canvas.line(shape.path, "#ffffff", 2, opacity=0.5, transform="translate(2 2)")
        if shape.kind != "fluff" and depth > 8:
            self._edge(shape.path)
        canvas.end()

    def _gloss(self, colour: str) -> None:
        """Draw the band of light on hair, and the dark where it goes behind the ears."""
        canvas, fig = self.canvas, self.fig
        canvas.soft(-fig.w * 0.5, fig.top + 16, fig.w * 0.62, 13, tone(colour, 0.6), 0.5, -24)
        for side in (-1, 1):
            canvas.soft(side * (fig.w + 3), fig.eye - 6, 13, 42, tone(colour, -0.8), 0.5)

    def _edge(self, path: str) -> None:
        """Draw the sky's light on the side that the sun does not reach."""
        if not self._sky:
            self._sky = self.canvas.across((20, 0), (110, 0), [(0, self.rim, 0), (1, self.rim, 1)])
        for width, dense in ((11, 0.16), (4, 0.3)):
            self.canvas.line(path, self._sky, width, opacity=dense)

    def skin_part(
        self, path: str, *, shade: float = 0.0, lines: Iterable[tuple[str, float, float]] = ()
    ) -> None:
        skin = skin_tone(self.look.skin, -shade)
        fill = self.canvas.across(
            (-80, 160),
            (90, 420),
            [(0, skin_tone(skin, 0.1), 1), (0.45, skin, 1), (1, skin_tone(skin, -0.42), 1)],
        )
        self.canvas.clipped(path)
        self.canvas.path(path, fill)
        for line, width, by in lines:
            self.canvas.line(line, skin_tone(skin, by * 0.4), width * 1.6, opacity=0.5)
        self._edge(path)
        self.canvas.end()

    def neck_shadow(self) -> None:
        fig = self.fig
        self.canvas.clipped(fig.neck_path())
        self.canvas.blurred(7)
        dark = skin_tone(self.look.skin, -0.62)
        self.canvas.path(
            curve(
                (-fig.jaw, fig.chin - 30),
                (0, fig.chin + 66, fig.jaw + 20, fig.chin + 10),
                (fig.jaw + 30, fig.chin - 60),
                (-fig.jaw, fig.chin - 70),
                close=True,
            ),
            dark,
            opacity=0.75,
        )
        self.canvas.end()
        cord = skin_tone(self.look.skin, -0.35)
        for side in (-1, 1):
            path = curve((side * fig.neck * 0.72, fig.chin + 10), (side * fig.neck * 0.5, 360, side * 8, 392))
            self.canvas.line(path, cord, 4, opacity=0.2 + 0.2 * self.look.old)
        self.canvas.end()

    def ear(self, side: int) -> None:
        path = self.fig.ear(side, self.look.species)
        self.skin_part(path, shade=0.12 if side < 0 else 0.28)
        x, y = side * (self.fig.w + 5), self.fig.eye + 14
        inner = curve((x + side * 2, y - 16), (x + side * 8, y - 4, x + side * 1, y + 14))
        self.canvas.line(inner, skin_tone(self.look.skin, -0.5), 3, opacity=0.55)
        if "earrings" in self.look.marks:
            self.canvas.line(f"M{n(x)} {n(y + 28)}a6 7 0 1 0 .1 0", "#e0bb62", 2.6)

    def head(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        skin, path = look.skin, fig.head()
        fill = canvas.around(
            -30,
            fig.eye - 14,
            178,
            [
                (0, skin_tone(skin, 0.32), 1),
                (0.42, skin_tone(skin, 0.06), 1),
                (0.72, skin_tone(skin, -0.2), 1),
                (1, skin_tone(skin, -0.52), 1),
            ],
        )
        canvas.clipped(path)
        canvas.path(path, fill)
        self._modelled()
        self._edge(path)
        canvas.end()

    def _modelled(self) -> None:
        """Light and shadow of the face's planes, soft."""
        look, fig, canvas = self.look, self.fig, self.canvas
        shade, glow = skin_tone(look.skin, -0.5), skin_tone(look.skin, 0.5)
        ex, eye, nose, mouth, chin, w = fig.apart, fig.eye, fig.nose, fig.mouth, fig.chin, fig.w
        hollow = 0.18 + 0.2 * (look.build == "thin") + 0.14 * look.old
        canvas.blurred(6.5)
        canvas.path(
            curve(
                (w * 0.62, fig.top),
                (w * 0.5, eye - 30, w * 0.72, eye),
                (w * 0.5, nose, w * 0.62, mouth - 10),
                (w * 0.4, chin - 10, 6, chin + 8),
                (w * 1.4, chin + 30),
                (w * 1.5, fig.top),
                close=True,
            ),
            shade,
            opacity=0.55,
        )
        if look.style != "bald" or look.hat:
            canvas.path(
                curve(
                    (-w, fig.top),
                    (w, fig.top),
                    (w, eye - 40),
                    (w * 0.6, fig.hairline + 4, 0, fig.hairline + 4),
                    (-w * 0.6, fig.hairline + 4, -w, eye - 46),
                    close=True,
                ),
                shade,
                opacity=0.38,
            )
        canvas.path(
            curve((4, fig.brow), (14, nose - 34, 19, nose + 2), (14, nose + 8), (4, nose - 16), close=True),
            shade,
            opacity=0.62,
        )
        if look.beard == "stubble":
            chin_hair = curve(
                (-fig.jaw - 4, mouth - 26),
                (-30, mouth - 22, 0, mouth - 18),
                (30, mouth - 22, fig.jaw + 4, mouth - 26),
                (fig.jaw, chin, 0, chin + 4),
                (-fig.jaw, chin, -fig.jaw - 4, mouth - 26),
                close=True,
            )
            canvas.path(chin_hair, mix(mix(look.hair, look.skin, 0.3), "#30343f", 0.6), opacity=0.26)
        canvas.end()
        for side in (-1, 1):
            canvas.soft(side * ex, eye - 8, 25, 14, shade, 0.62 if side > 0 else 0.5)
            canvas.soft(side * (ex - 18), eye - 6, 8, 14, shade, 0.5)
            canvas.soft(side * w * 0.7, mouth - 12, 17, 26, shade, hollow * 1.2, side * 18)
        canvas.soft(3, nose + 11, 18, 7, shade, 0.55)
        canvas.soft(2, mouth + 17, 18, 6, shade, 0.5)
        canvas.soft(4, chin + 8, fig.jaw * 0.9, 16, shade, 0.6)
        red = mix(look.skin, "#c2413a", 0.5)
        rosy = 0.5 if look.marks & {"blush"} or look.child else 0.34 if look.sex == "f" else 0.24
        for side in (-1, 1):
            canvas.soft(side * (ex + 8), nose - 10, 20, 13, red, rosy)
        canvas.soft(0, nose - 2, 13, 10, red, rosy * 0.7)
        canvas.soft(-20, fig.hairline + 26, 34, 15, glow, 0.42)
        canvas.soft(-ex - 10, nose - 22, 17, 10, glow, 0.5)
        canvas.soft(ex + 2, nose - 24, 10, 6, glow, 0.22)
        canvas.soft(-2, nose - 28, 5.5, 25, glow, 0.6)
        canvas.soft(-3, nose - 5, 8, 7, glow, 0.6)
        canvas.soft(-5, chin - 12, 13, 7, glow, 0.36)
        for side in (-1, 1):
            canvas.soft(side * ex + 2, fig.brow + 9, 14, 4, glow, 0.26)
        self._brushed()
        self._marked()

    def _brushed(self) -> None:
        """Strokes that follow the round of the face: paint, not wax."""
        look, fig, chance = self.look, self.fig, self.chance
        for _ in range(46):
            x, y = chance.uniform(-fig.w, fig.w), chance.uniform(fig.top, fig.chin)
            by = 0.3 if x < fig.w * chance.uniform(-0.4, 0.3) else -0.45
            bend = x * 0.25
            path = curve((x - bend * 0.3, y - 15), (x + bend * 0.35, y, x - bend * 0.3, y + 15))
            self.canvas.line(
                path,
                skin_tone(look.skin, by),
                chance.uniform(5, 13),
                opacity=f"{chance.uniform(0.05, 0.11):.2f}",
            )

    def _marked(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        if look.old > 0.1:
            for path, since in wrinkles(fig):
                if look.old >= since:
                    dense = min(0.55, 0.22 + (look.old - since) * 0.5)
                    canvas.line(path, skin_tone(look.skin, -0.55), 2.0, opacity=f"{dense:.2f}")
                    canvas.line(
                        path,
                        skin_tone(look.skin, 0.35),
                        1.4,
                        opacity=f"{dense * 0.5:.2f}",
                        transform="translate(-1 2)",
                    )
        if "freckles" in look.marks:
            for _ in range(46):
                x, y = self.chance.gauss(0, 30), self.chance.gauss(fig.nose - 16, 11)
                canvas.spot(x, y, 1.5, 1.3, mix(look.skin, "#8a4a28", 0.6), opacity=0.6)
        if look.species == "scaled":
            for index in range(60):
                x, y = -70 + (index % 10) * 15.5 + (index // 10 % 2) * 8, fig.top + 30 + index // 10 * 38
                canvas.line(f"M{n(x)} {n(y)}q5 8 10 0", skin_tone(look.skin, -0.5), 1.6, opacity=0.4)
        if look.species == "machine":
            for path in (
                curve((0, fig.top), (0, fig.brow - 8)),
                curve((-fig.w, fig.nose + 8), (-30, fig.nose + 20), (-22, fig.chin)),
                curve((fig.w, fig.nose + 8), (30, fig.nose + 20), (22, fig.chin)),
            ):
                canvas.line(path, "#39404c", 2.4, opacity=0.8)

    def glaze(self) -> None:
        canvas = self.canvas
        canvas.path(
            "M-300 -40H300V560H-300Z",
            canvas.around(
                0, 230, 330, [(0, "#000000", 0), (0.66, "#000000", 0), (1, tone(self.dark, -0.6), 0.55)]
            ),
        )
        canvas.path(
            "M-300 -40H300V560H-300Z",
            canvas.around(-150, 60, 330, [(0, mix(self.warm, "#ffffff", 0.5), 0.07), (1, self.warm, 0)]),
        )
