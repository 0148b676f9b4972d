"""Outlines a face's features, by mood and age, for presets that draw them in their own way."""

from __future__ import annotations

from _portrait_figure import Figure, curve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _portrait_look import Look


class Eye:
    """One eye; `side` is -1 for the one on the left of the picture."""

    def __init__(self, look: Look, fig: Figure, side: int) -> None:
        self.x, self.y = side * fig.apart, fig.eye
        self.half = 20 + 1.2 * look.lots["eyes"]
        self.rise = max(4.0, fig.open * (1 - 0.42 * look.droop))
        self.drop = fig.open * 0.62
        slant = 2.4 * look.lots["slant"] + (1.2 if look.sex == "f" else -0.8 * look.old * 2)
        a, side_x = self.half, side
        self.inner = self.x - side_x * a * 0.94, self.y + 2.6
        self.outer = self.x + side_x * a, self.y - slant
        (xi, yi), (xo, yo) = self.inner, self.outer
        up = self.y - self.rise
        self.lid = curve(
            self.inner, (xi + side_x * a * 0.5, up - 1.5, xo - side_x * a * 0.62, up - 2.5, xo, yo)
        )
        low = (
            xo - side_x * a * 0.4,
            self.y + self.drop,
            xi + side_x * a * 0.6,
            self.y + self.drop + 1,
            xi,
            yi,
        )
        self.outline = self.lid + "C" + " ".join(f"{value:.1f}" for value in low) + "Z"
        self.lower = curve(self.outer, low)
        self.crease = curve(
            (xi + side_x * 3, yi - self.rise * 0.9),
            (xi + side_x * a * 0.6, up - 8, xo - side_x * a * 0.5, up - 8.5, xo + side_x * 1, yo - 5.5),
        )
        # the lid's own thickness, which lashes darken
        self.lash = self.lid + curve(
            self.outer,
            (xo + side_x * 1.5, yo - 1.5, xo + side_x * 3, yo - 3.4),
            (xo - side_x * a * 0.5, up - 5.6, xi + side_x * a * 0.5, up - 4.4, xi, yi),
        ).replace("M", "L", 1)


def brow(look: Look, fig: Figure, side: int) -> str:
    """Return a tapered brow; its angle is the mood."""
    thick = 4.6 + 1.6 * look.lots["thick"] + (1.6 if look.sex == "m" else -1.0) - 1.6 * look.child
    mood = look.brow * 6.5
    arch = 5 + 2.5 * look.lots["brow"]
    y = fig.brow + 2 * look.lots["brow"]
    x0, x1 = side * (fig.apart - 20), side * (fig.apart + 25)
    y0, y1 = y + 1.5 - mood, y + 4 + mood * 0.55
    return curve(
        (x0, y0 + thick * 0.5),
        (side * (fig.apart - 6), y - arch * 0.7 - mood * 0.3, side * (fig.apart + 10), y - arch, x1, y1),
        (
            side * (fig.apart + 10),
            y - arch + thick * 1.1,
            side * (fig.apart - 4),
            y + thick - arch * 0.4 - mood * 0.3,
            x0,
            y0 + thick * 1.5,
        ),
        close=True,
    )


class Mouth:
    def __init__(self, look: Look, fig: Figure) -> None:
        y, smile = fig.mouth, look.smile
        self.half = half = (25 + 2.5 * look.lots["mouth"] + 4 * max(0.0, smile)) * (0.86 if look.child else 1)
        full = (6.4 + 1.6 * look.lots["lips"] + (1.4 if look.sex == "f" else 0)) * (1 - 0.35 * look.old)
        bend = (smile + 0.18) * 7.0
        self.y, self.full, self.bend = y, full, bend
        corner = y - bend * 0.75
        self.corner = corner
        dip = y + bend * 0.42
        self.line = curve(
            (-half, corner),
            (-half * 0.45, dip, -5, dip - 1, 0, dip + 0.8),
            (5, dip - 1, half * 0.45, dip, half, corner),
        )
        self.upper = self.line + curve(
            (half, corner),
            (half * 0.5, dip - full * 0.8, 8, dip - full * 1.1, 4.5, dip - full),
            (2, dip - full * 0.75, -2, dip - full * 0.75, -4.5, dip - full),
            (-8, dip - full * 1.1, -half * 0.5, dip - full * 0.8, -half, corner),
            close=True,
        ).replace("M", "L", 1)
        self.under = self.line + curve(
            (half, corner),
            (half * 0.55, dip + full * 1.5, -half * 0.55, dip + full * 1.5, -half, corner),
            close=True,
        ).replace("M", "L", 1)
        self.dip = dip
        # an open smile shows teeth
        self.open = smile > 0.72
        self.gap = self.line + curve(
            (half, corner),
            (half * 0.5, dip + full * 1.25, -half * 0.5, dip + full * 1.25, -half, corner),
            close=True,
        ).replace("M", "L", 1)


def wrinkles(fig: Figure) -> list[tuple[str, float]]:
    """Lines that years draw, each with the age share from which it is seen."""
    ex, w = fig.apart, fig.w
    lines = []
    for side in (-1, 1):
        lines += [
            (curve((side * 19, fig.nose + 1), (side * 31, fig.nose + 12, side * 33, fig.mouth + 2)), 0.1),
            (curve((side * (ex + 22), fig.eye + 1), (side * (ex + 30), fig.eye + 2)), 0.25),
            (curve((side * (ex + 21), fig.eye + 6), (side * (ex + 29), fig.eye + 11)), 0.3),
            (
                curve(
                    (side * (ex - 14), fig.eye + 13),
                    (side * ex, fig.eye + 20, side * (ex + 13), fig.eye + 12),
                ),
                0.3,
            ),
            (curve((side * 30, fig.mouth + 8), (side * 31, fig.mouth + 17, side * 26, fig.mouth + 24)), 0.6),
            (
                curve(
                    (side * (w * 0.62), fig.mouth - 20),
                    (side * w * 0.68, fig.mouth - 4, side * w * 0.55, fig.mouth + 12),
                ),
                0.7,
            ),
            (curve((side * 6, fig.brow + 6), (side * 4.5, fig.brow - 6)), 0.35),
        ]
    high = fig.hairline
    lines += [
        (curve((-w * 0.42, high + 17), (-8, high + 12, w * 0.42, high + 18)), 0.3),
        (curve((-w * 0.36, high + 28), (0, high + 24, w * 0.38, high + 28)), 0.5),
    ]
    return lines
