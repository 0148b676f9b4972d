"""Plain clothes, and what other clothes are made of: folds, collars, buttons."""

from __future__ import annotations

from _portrait_colours import light, mix, tone
from _portrait_figure import Figure, Shape, both, curve, ellipse, mirrored, polygon, smooth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _portrait_figure import Line
    from _portrait_look import Look


LINEN = "#ddd2bd"
GOLD = "#d2a850"


def folds(fig: Figure, *, many: int = 3) -> list[Line]:
    s = fig.shoulder
    lines: list[Line] = []
    for k in range(many):
        for side in (-1, 1):
            x = side * s * (0.5 + 0.24 * k)
            lines.append(
                (curve((x, fig.slope + 10 + 12 * k), (x * 1.02, 460, x * 0.9 + side * 8 * k, 516)), 2.6, -0.7)
            )
    return lines


def opening(fig: Figure, deep: float, wide: float, colour: str) -> Shape:
    """Return the V of a neckline, filled with what is under it."""
    n = fig.neck
    path = curve(
        (-n - wide, 350),
        (-n * 0.5, 392, 0, deep),
        (n * 0.5, 392, n + wide, 350),
        (0, 384, -n - wide, 350),
        close=True,
    )
    return Shape(path, colour, kind="skin", depth=8)


def tunic(look: Look, fig: Figure) -> list[Shape]:
    n = fig.neck
    body = Shape(fig.torso(), look.cloth, folds(fig), depth=24)
    slit = polygon((-8, 372), (8, 372), (0, 424))
    lace = [(curve((-7, y), (7, y + 8)), 2.2, 1.4) for y in (380, 392, 404)]
    hem = smooth(
        [
            (-n - 8, 352),
            (-n * 0.5, 374),
            (0, 382),
            (n * 0.5, 374),
            (n + 8, 352),
            (n * 0.6, 388),
            (0, 397),
            (-n * 0.6, 388),
        ]
    )
    return [
        body,
        Shape(slit, tone(look.skin, -0.25), lace, kind="skin", depth=4),
        Shape(hem, tone(look.cloth, 0.22), depth=5),
    ]


def rags(look: Look, fig: Figure) -> list[Shape]:
    patch = polygon(
        (fig.shoulder * 0.42, 440),
        (fig.shoulder * 0.7, 434),
        (fig.shoulder * 0.74, 476),
        (fig.shoulder * 0.46, 482),
    )
    stitches = [
        (curve((fig.shoulder * k, 436), (fig.shoulder * k, 446)), 2.0, 1.2) for k in (0.46, 0.54, 0.62)
    ]
    return [*tunic(look, fig), Shape(patch, mix(look.cloth, "#8a6a45", 0.6), stitches, depth=6)]


def jumper(look: Look, fig: Figure) -> list[Shape]:
    n, s = fig.neck, fig.shoulder
    knit: list[Line] = [
        (curve((x, 420 + abs(x) * 0.06), (x * 1.04, 516)), 2.4, -0.45) for x in range(int(-s), int(s) + 1, 22)
    ]
    collar = mirrored(
        (0, 352),
        (n * 0.7, 352, n + 5, 344, n + 8, 334),
        (n + 15, 346, n + 16, 370, n + 9, 384),
        (n * 0.6, 396, 20, 400, 0, 400),
    )
    ribs: list[Line] = [
        (curve((x, 354 - abs(x) * 0.2), (x * 1.08, 394 - abs(x) * 0.14)), 2.0, -0.6)
        for x in range(int(-n), int(n) + 1, 9)
    ]
    return [
        Shape(fig.torso(), look.cloth, knit, depth=24),
        Shape(collar, tone(look.cloth, 0.1), ribs, depth=10),
    ]


def lapel(fig: Figure, side: int, wide: float, low: float) -> str:
    n = fig.neck
    return curve(
        (side * (n + 6), 346),
        (side * (n + 22), 362, side * (n + wide), 404),
        (side * (n + wide - 20), 412),
        (side * (n + wide - 4), 424),
        (side * 4, low),
        (side * 14, 410, side * (n - 2), 366),
        close=True,
    )


def coat(look: Look, fig: Figure) -> list[Shape]:
    """Buttoned to the throat, with a standing collar."""
    n = fig.neck
    lines: list[Line] = [*folds(fig), (curve((5, 384), (9, 516)), 3.0, -1.0)]
    collar = mirrored(
        (0, 376),
        (n * 0.4, 368, n * 0.8, 356, n + 2, 336),
        (n + 12, 342, n + 18, 358, n + 16, 372),
        (n * 0.8, 392, 20, 400, 0, 404),
    )
    seam: list[Line] = [(curve((0, 378), (2, 402)), 2.6, -1.0)]
    return [
        Shape(fig.torso(), look.cloth, lines, depth=26),
        Shape(collar, tone(look.cloth, 0.1), seam, depth=8),
        *buttons((-9, 424), (-8, 458), (-7, 492)),
    ]


def buttons(*places: tuple[float, float], size: float = 6.0, colour: str = GOLD) -> list[Shape]:
    return [Shape(ellipse(x, y, size, size), colour, kind="metal", depth=3) for x, y in places]


def greatcoat(look: Look, fig: Figure) -> list[Shape]:
    shirt = LINEN if light(look.cloth) < 0.6 else "#5b6472"
    scarf = opening(fig, 440, 6, shirt)
    lapels = both(lambda side: lapel(fig, side, 62, 486))
    edge: list[Line] = [(curve((0, 484), (2, 516)), 3.0, -1.0)]
    return [
        Shape(fig.torso(spread=12), look.cloth, [*folds(fig), *edge], depth=28),
        Shape(scarf.path, shirt, [(curve((0, 392), (0, 440)), 2.0, -0.6)], depth=6),
        *collar_points(fig, shirt),
        Shape(lapels, tone(look.cloth, 0.14), depth=9),
        *buttons((26, 498), (-26, 498)),
    ]


def collar_points(fig: Figure, colour: str) -> list[Shape]:
    n = fig.neck
    path = both(
        lambda side: polygon((side * (n + 5), 346), (side * 3, 386), (side * 22, 408), (side * (n + 12), 372))
    )
    return [Shape(path, tone(colour, 0.2), depth=5)]


def suit(look: Look, fig: Figure) -> list[Shape]:
    shirt = "#e9e5dc"
    tie = polygon((-9, 384), (9, 384), (6, 398), (14, 470), (0, 492), (-14, 470), (-6, 398))
    lapels = both(lambda side: lapel(fig, side, 50, 496))
    colour = look.palette[-1] if look.palette else look.cloth2 if look.cloth2 != LINEN else "#7d2032"
    return [
        Shape(fig.torso(), tone(look.cloth, -0.15), folds(fig), depth=26),
        Shape(opening(fig, 500, 5, shirt).path, shirt, depth=6),
        Shape(tie, tone(colour, -0.1), [(curve((-7, 398), (7, 398)), 2.4, -1.0)], depth=6),
        *collar_points(fig, shirt),
        Shape(lapels, tone(look.cloth, 0.06), depth=8),
    ]


def waistcoat(look: Look, fig: Figure) -> list[Shape]:
    n, s = fig.neck, fig.shoulder
    shirt = LINEN if light(look.cloth) < 0.66 else "#8c8377"
    vest = both(
        lambda side: curve(
            (side * (n + 18), 372),
            (side * s * 0.6, 396),
            (side * s * 0.74, 450, side * s * 0.72, 520),
            (side * 2, 520),
            (side * 2, 470),
            close=True,
        )
    )
    return [
        Shape(fig.torso(), shirt, folds(fig), depth=22),
        Shape(vest, look.cloth, [(curve((0, 470), (0, 516)), 2.4, -1.0)], depth=12),
        *collar_points(fig, shirt),
        *buttons((-9, 486), (-9, 506), size=4.5),
    ]


def apron(look: Look, fig: Figure) -> list[Shape]:
    n, s = fig.neck, fig.shoulder
    shirt = LINEN
    bib = curve((-s * 0.5, 436), (0, 446, s * 0.5, 436), (s * 0.62, 520), (-s * 0.62, 520), close=True)
    straps = both(
        lambda side: polygon(
            (side * (n + 16), 366), (side * (n + 32), 376), (side * s * 0.5, 440), (side * s * 0.36, 442)
        )
    )
    stitch: list[Line] = [(curve((-s * 0.46, 446), (0, 456, s * 0.46, 446)), 2.0, 0.7)]
    return [
        *tunic(wearing(look, shirt), fig),
        Shape(straps, tone(look.cloth, -0.1), depth=5),
        Shape(bib, look.cloth, stitch, depth=14),
    ]


def wearing(look: Look, cloth: str) -> Look:
    from _portrait_look import Look as Plain

    other = Plain()
    other.__dict__.update(look.__dict__, cloth=cloth)
    return other
