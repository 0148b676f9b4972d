"""Cloth on the head: hoods, veils, turbans, kerchiefs."""

from __future__ import annotations

from _portrait_colours import tone
from _portrait_figure import Figure, Shape, both, curve, ellipse, polygon, smooth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _portrait_figure import Line
    from _portrait_look import Look


GOLD = "#d2a850"


def hood(look: Look, fig: Figure) -> list[Shape]:
    w, top, eye = fig.w, fig.top, fig.eye
    out = [
        (fig.shoulder * 0.72, 418),
        (w + 34, 352),
        (w + 32, eye + 30),
        (w + 30, top + 62),
        (w * 0.7, top - 6),
        (w * 0.1, top - 36),
    ]
    outer = [*((-x + 2, y) for x, y in out), *reversed(out)]
    inner = [(w * 0.55, 396), (w + 2, 340), (w + 3, eye + 20), (w * 0.92, top + 52), (w * 0.45, top + 14)]
    rim = [*inner, (0, top + 4), *((-x, y) for x, y in reversed(inner))]
    edge: list[Line] = [
        (smooth(rim[1:-1], close=False), 5.0, 0.45),
        (curve((w + 18, top + 70), (w + 26, eye, w + 20, 330)), 2.6, -0.8),
        (curve((-w - 18, top + 70), (-w - 26, eye, -w - 20, 330)), 2.6, -0.6),
        (curve((w * 0.5, top - 4), (w * 0.7, top + 10, w * 0.8, top + 30)), 2.4, -0.8),
    ]
    return [
        Shape(
            smooth(outer, close=False) + "L" + smooth(rim, close=False)[1:] + "Z",
            look.hat_colour,
            edge,
            depth=18,
        )
    ]


def wimple(look: Look, fig: Figure) -> list[Shape]:
    w, top, eye, chin = fig.w, fig.top, fig.eye, fig.chin
    linen = "#ece6d8"
    face = [
        (0, fig.hairline + 2),
        (w * 0.62, fig.hairline + 14),
        (w * 0.87, eye - 14),
        (w * 0.86, fig.nose),
        (fig.jaw * 0.86, fig.mouth + 8),
        (fig.jaw * 0.4, chin - 2),
    ]
    hole = [*face, (0, chin + 1), *((-x, y) for x, y in reversed(face[1:]))]
    out = [
        (0, fig.hairline - 22),
        (w * 0.8, fig.hairline - 12),
        (w + 8, eye - 20),
        (w + 8, fig.nose),
        (fig.jaw + 18, chin - 6),
        (fig.neck + 26, 376),
        (50, 418),
    ]
    band = [*out, (0, 428), *((-x, y) for x, y in reversed(out[1:]))]
    folds: list[Line] = [
        (curve((x, chin + 8), (x * 1.3, chin + 40, x * 1.5, 412)), 2.2, -0.5) for x in (-30, -12, 10, 28)
    ]
    inner = smooth(list(reversed(hole)))
    veil_out = [
        (fig.w + 44, 424),
        (w + 32, 350),
        (w + 26, eye),
        (w + 20, top + 36),
        (w * 0.6, top - 12),
        (0, top - 20),
    ]
    veil_in = [
        (w + 16, 424),
        (w + 10, 340),
        (w + 6, eye),
        (w * 0.94, top + 44),
        (w * 0.5, top + 22),
        (0, top + 18),
    ]
    veil = (
        smooth([*((-x, y) for x, y in veil_out), *reversed(veil_out[:-1])], close=False)
        + "L"
        + smooth([*veil_in, *((-x, y) for x, y in reversed(veil_in[:-1]))], close=False)[1:]
        + "Z"
    )
    drape: list[Line] = [
        (curve((side * (w + 14), top + 50), (side * (w + 20), eye + 30, side * (w + 30), 410)), 2.6, -0.7)
        for side in (-1, 1)
    ]
    return [Shape(smooth(band) + inner, linen, folds, depth=9), Shape(veil, look.hat_colour, drape, depth=14)]


def cap_path(fig: Figure, low: float, rise: float, puff: float = 6) -> str:
    w = fig.w + puff
    return curve(
        (-w, low),
        (-w - 4, fig.top + 20, -w * 0.7, fig.top - rise, 0, fig.top - rise),
        (w * 0.7, fig.top - rise, w + 4, fig.top + 20, w, low),
        (w * 0.5, low - 14, -w * 0.5, low - 14, -w, low),
        close=True,
    )


def turban(look: Look, fig: Figure) -> list[Shape]:
    low, w = fig.hairline + 22, fig.w + 10
    wraps: list[Line] = [
        (
            curve((-w, low - 8 - 13 * k), (0, low - 58 - 15 * k, w * 0.98, low - 26 - 8 * k)),
            3.0,
            (-0.8, 0.5)[k % 2],
        )
        for k in range(5)
    ]
    jewel = smooth(
        [(0, fig.hairline - 22), (9, fig.hairline - 10), (0, fig.hairline + 4), (-9, fig.hairline - 10)]
    )
    return [
        Shape(cap_path(fig, low, 34, 12), look.hat_colour, wraps, depth=18),
        Shape(jewel, GOLD, kind="metal", depth=4),
    ]


def kerchief(look: Look, fig: Figure) -> list[Shape]:
    low = fig.hairline + 24
    dots: list[Line] = [
        (ellipse(x, low - 24 - (k % 3) * 20, 2.4, 2.4), 2.4, 1.0) for k, x in enumerate(range(-56, 60, 14))
    ]
    tails = both(
        lambda side: polygon(
            (side * (fig.w + 2), low - 6), (side * (fig.w + 24), low + 44), (side * (fig.w + 8), low + 40)
        )
    )
    return [
        Shape(tails, tone(look.hat_colour, -0.15), depth=4),
        Shape(cap_path(fig, low, 14), look.hat_colour, dots, depth=14),
    ]
