"""Draws the features of a painted face: eyes, brows, nose, mouth, and what life has left on it."""

from __future__ import annotations

from _portrait_canvas import Canvas
from _portrait_colours import light, mix, skin_tone, tone
from _portrait_face import Eye, Mouth, brow
from _portrait_figure import Figure, curve, n

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _portrait_look import Look


class Features:
    def __init__(self, look: Look, fig: Figure, canvas: Canvas) -> None:
        self.look, self.fig, self.canvas = look, fig, canvas

    def features(self) -> None:
        for side in (-1, 1):
            self.eye(side)
            self.brow(side)
        self.nose()
        self.mouth()
        self.scars()

    def eye(self, side: int) -> None:
        look, canvas = self.look, self.canvas
        if look.patch and side > 0:
            fig = self.fig
            canvas.line(
                curve((-fig.w, fig.brow - 34), (fig.apart, fig.eye - 8), (fig.w, fig.eye + 4)), "#1c1719", 5
            )
            canvas.path(
                curve(
                    (fig.apart - 24, fig.eye - 14),
                    (fig.apart, fig.eye - 22, fig.apart + 26, fig.eye - 12),
                    (fig.apart + 24, fig.eye + 22, fig.apart, fig.eye + 24),
                    (fig.apart - 24, fig.eye + 16, fig.apart - 24, fig.eye - 14),
                    close=True,
                ),
                canvas.across((0, 180), (60, 240), [(0, "#3a3136", 1), (1, "#141015", 1)]),
            )
            return
        eye = Eye(look, self.fig, side)
        shade = skin_tone(look.skin, -0.55)
        white = mix("#efe8df", look.skin, 0.3)
        r = min(12.0, eye.rise + 2.4)
        canvas.clipped(eye.outline)
        canvas.path(eye.outline, white if look.species not in ("ghost", "machine") else "#10202a")
        cx, cy = eye.x + 0.6 * side, eye.y - 0.6
        iris = canvas.around(
            cx - 1,
            cy + 3,
            r,
            [(0, tone(look.eyes, 0.4), 1), (0.55, look.eyes, 1), (1, tone(look.eyes, -0.6), 1)],
        )
        canvas.spot(cx, cy, r, r, iris)
        canvas.spot(cx, cy, r * 0.44, r * 0.44, "#0d0a0e")
        canvas.line(eye.lid, "#1a1018", 7, opacity=0.3, transform="translate(0 3)")
        canvas.spot(cx - 3.6, cy - 3.6, 2.6, 2.7, "#ffffff", opacity=0.95)
        canvas.spot(cx + 3, cy + 3.2, 1.5, 1.2, "#ffffff", opacity=0.35)
        canvas.end()
        canvas.line(eye.crease, shade, 1.8, opacity=0.55)
        canvas.line(eye.lower, shade, 1.3, opacity=0.55)
        lash = mix(tone(look.hair, -0.6), "#1a1014", 0.6)
        canvas.path(eye.lash, lash)
        if look.sex == "f":
            xo, yo = eye.outer
            for k in range(3):
                canvas.line(
                    curve(
                        (xo - side * k * 5, yo - 2.4 - k * 1.9),
                        (xo + side * (4.5 - k * 3.4), yo - 6 - k * 2.6),
                    ),
                    lash,
                    1.5,
                )

    def brow(self, side: int) -> None:
        look, canvas = self.look, self.canvas
        if look.patch and side > 0 and look.hat:
            return
        path = brow(look, self.fig, side)
        colour = mix(tone(look.hair, -0.3), skin_tone(look.skin, -0.5), 0.25)
        if light(look.hair) > 0.6:
            colour = mix(look.hair, skin_tone(look.skin, -0.6), 0.45)
        canvas.path(path, colour, opacity=0.85)
        canvas.clipped(path)
        for k in range(9):
            x = side * (self.fig.apart - 18 + k * 5)
            canvas.line(
                curve((x, self.fig.brow + 10), (x + side * 5, self.fig.brow - 9)),
                tone(colour, (-0.5, 0.25)[k % 2]),
                1.3,
                opacity=0.6,
            )
        canvas.end()

    def nose(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        wide = (14.5 + 2.2 * look.lots["tip"] + (1.5 if look.sex == "m" else -1)) * (
            0.85 if look.child else 1
        )
        shade = skin_tone(look.skin, -0.6)
        y = fig.nose
        canvas.line(curve((-wide, y - 3), (-wide - 2.5, y + 3, -wide + 3, y + 5.5)), shade, 1.9, opacity=0.6)
        canvas.line(curve((wide, y - 5), (wide + 3, y + 3, wide - 3, y + 5.5)), shade, 2.4, opacity=0.7)
        for side in (-1, 1):
            canvas.path(
                curve(
                    (side * 3, y + 5.6),
                    (side * 6, y + 2, side * (wide - 3), y + 4.6),
                    (side * 7, y + 8, side * 3, y + 5.6),
                    close=True,
                ),
                shade,
                opacity=0.85,
            )
        canvas.line(curve((-3.5, y + 6), (0, y + 8.4, 3.5, y + 6)), shade, 1.6, opacity=0.5)

    def mouth(self) -> None:
        look, canvas = self.look, self.canvas
        mouth = Mouth(look, self.fig)
        lip = mix(
            look.skin, "#a8323c" if light(look.skin) > 0.4 else "#7c2a36", 0.44 if look.sex == "f" else 0.28
        )
        dark = skin_tone(lip, -0.6)
        canvas.path(mouth.under, skin_tone(lip, 0.06), opacity=0.92)
        canvas.path(mouth.upper, skin_tone(lip, -0.24), opacity=0.92)
        if mouth.open:
            canvas.path(mouth.gap, "#4a161c")
            canvas.clipped(mouth.gap)
            canvas.path(mouth.upper, "#f4ede2", transform=f"translate(0 {n(mouth.full * 0.9)})")
            canvas.end()
        else:
            canvas.spot(
                -3, mouth.dip + mouth.full * 0.62, mouth.half * 0.34, 1.7, skin_tone(lip, 0.6), opacity=0.5
            )
        canvas.line(mouth.line, dark, 2.1, opacity=0.9)
        for side in (-1, 1):
            canvas.spot(side * (mouth.half + 1), mouth.corner, 2.6, 2.2, dark, opacity=0.5)
        if look.species == "orc":
            for side in (-1, 1):
                canvas.path(
                    curve(
                        (side * 14, mouth.dip + 4),
                        (side * 17, mouth.dip - 8, side * 20, mouth.dip - 15),
                        (side * 24, mouth.dip - 6, side * 23, mouth.dip + 4),
                        close=True,
                    ),
                    "#efe6d0",
                )
        if look.species == "vampire":
            for side in (-1, 1):
                canvas.path(
                    curve(
                        (side * 9, mouth.dip),
                        (side * 10.5, mouth.dip + 8),
                        (side * 13, mouth.dip - 0.5),
                        close=True,
                    ),
                    "#f7f3ec",
                )

    def scars(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        if look.scar:
            path = (
                curve((fig.apart - 4, fig.brow - 22), (fig.apart + 4, fig.eye, fig.apart - 2, fig.nose - 8))
                if look.scar == "brow"
                else curve(
                    (-fig.apart - 18, fig.eye + 20), (-fig.apart - 6, fig.nose, -fig.apart + 8, fig.mouth - 8)
                )
            )
            canvas.line(path, skin_tone(look.skin, -0.4), 3.6, opacity=0.7)
            canvas.line(path, mix(look.skin, "#f2b9a8", 0.6), 1.8, opacity=0.9, transform="translate(-.8 0)")
        stain = "#27304a" if "ink" in look.marks else "#2c2624"
        if "ink" in look.marks:
            canvas.path(
                curve(
                    (-12, fig.chin - 22),
                    (-2, fig.chin - 27, 3, fig.chin - 19),
                    (2, fig.chin - 12, -8, fig.chin - 13),
                    close=True,
                ),
                stain,
                opacity=0.75,
            )
            canvas.spot(9, fig.chin - 25, 2.4, 2, stain, opacity=0.7)
        if "soot" in look.marks:
            canvas.blurred(2.2)
            canvas.path(
                curve(
                    (-fig.apart - 18, fig.nose - 4),
                    (-fig.apart, fig.nose - 10, -fig.apart + 8, fig.nose + 2),
                    (-fig.apart, fig.nose + 6, -fig.apart - 18, fig.nose - 4),
                    close=True,
                ),
                stain,
                opacity=0.4,
            )
            canvas.spot(fig.w * 0.5, fig.mouth, 10, 5, stain, opacity=0.32)
            canvas.end()
        if "mole" in look.marks:
            canvas.spot(26, fig.mouth - 13, 2.1, 2.1, "#3a2018")
        if "tattoo" in look.marks:
            ink = mix("#1f3a5a", look.skin, 0.2)
            for k in range(3):
                canvas.line(
                    curve(
                        (-fig.apart - 20 + k * 7, fig.eye + 17),
                        (-fig.apart - 14 + k * 7, fig.nose, -fig.apart - 18 + k * 8, fig.mouth - 14),
                    ),
                    ink,
                    2.8,
                    opacity=0.7,
                )
            canvas.line(
                curve((-14, fig.hairline + 14), (0, fig.hairline + 26), (14, fig.hairline + 14)),
                ink,
                2.8,
                opacity=0.7,
            )

    def glasses(self) -> None:
        look, fig, canvas = self.look, self.fig, self.canvas
        if not look.glasses:
            return
        frame = "#3b2c24" if look.glasses == "square" else "#b48d4a"
        sides = (1,) if look.glasses == "monocle" else (-1, 1)
        for side in sides:
            x, y = side * (fig.apart + 1), fig.eye + 3
            lens = (
                f"M{n(x - 24)} {n(y - 17)}h48v26q0 10 -10 10h-28q-10 0 -10 -10z"
                if look.glasses == "square"
                else f"M{n(x - 24)} {n(y)}a24 22 0 1 1 48 0a24 22 0 1 1 -48 0z"
            )
            canvas.path(lens, "#dfeefa", opacity=0.14)
            canvas.line(curve((x - 14, y - 4), (x - 8, y - 14)), "#ffffff", 3, opacity=0.5)
            canvas.line(lens, frame, 3.4)
            canvas.line(lens, "#ffffff", 0.9, opacity=0.4, transform="translate(-.8 -.8)")
            if look.glasses != "monocle":
                canvas.line(curve((side * (fig.apart + 25), y - 3), (side * (fig.w + 2), y - 6)), frame, 3)
        if look.glasses != "monocle":
            canvas.line(
                curve((-fig.apart + 23, fig.eye + 1), (0, fig.eye - 6, fig.apart - 23, fig.eye + 1)),
                frame,
                3.2,
            )
        else:
            canvas.line(
                curve((fig.apart + 24, fig.eye + 6), (fig.w + 6, fig.mouth, fig.w - 10, 400)),
                "#b48d4a",
                1.6,
                opacity=0.8,
            )
