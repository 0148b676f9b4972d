"""Clothes by what is said of them or by somebody's calling."""

from __future__ import annotations

from _portrait_cloth import (
    GOLD,
    LINEN,
    apron,
    buttons,
    coat,
    folds,
    greatcoat,
    jumper,
    rags,
    suit,
    tunic,
    waistcoat,
    wearing,
)
from _portrait_colours import mix, tone
from _portrait_figure import Figure, Shape, both, curve, ellipse, mirrored, polygon, smooth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from _portrait_figure import Line
    from _portrait_look import Look

    Draw: TypeAlias = Callable[[Look, Figure], list[Shape]]


def dress(look: Look, fig: Figure) -> list[Shape]:
    """From the skin outwards."""
    shapes = DRAWN.get(look.garment, tunic)(look, fig)
    if "scarf" in look.marks:
        shapes += _scarf(look, fig)
    if "labels" in look.marks:
        shapes += _labels(fig)
    if "necklace" in look.marks:
        shapes += _necklace(fig)
    return shapes


def behind(look: Look, fig: Figure) -> list[Shape]:
    """Return what lies behind neck and head: hoods thrown back, high collars."""
    n = fig.neck
    if look.garment in ("cloak", "robe") and look.hat != "hood":
        path = mirrored((0, 330), (n + 20, 330, n + 44, 340, n + 46, 366), (n + 50, 400, 40, 410, 0, 410))
        return [Shape(path, tone(_over(look), -0.25), kind="cloth", depth=10)]
    if look.garment in ("greatcoat", "doublet", "uniform"):
        path = mirrored((0, 330), (n + 8, 328, n + 20, 330, n + 22, 344), (n + 24, 390, 30, 400, 0, 400))
        return [Shape(path, tone(look.cloth, -0.35), kind="cloth", depth=8)]
    return []


def _over(look: Look) -> str:
    return look.cloth if look.garment != "armour" else look.cloth2


def _robe(look: Look, fig: Figure) -> list[Shape]:
    n = fig.neck
    cowl = mirrored(
        (0, 372),
        (n * 0.6, 370, n + 4, 356, n + 10, 340),
        (n + 34, 352, n + 52, 376, n + 46, 398),
        (n + 20, 430, 30, 440, 0, 442),
    )
    lines: list[Line] = [
        (curve((-n - 24, 366), (-20, 420, 4, 424)), 2.8, -0.8),
        (curve((n + 26, 370), (26, 416, 8, 420)), 2.8, -0.8),
        (curve((-n - 2, 372), (-10, 402, n + 4, 374)), 2.4, 0.5),
    ]
    return [
        Shape(fig.torso(spread=6), look.cloth, folds(fig, many=4), depth=26),
        Shape(cowl, tone(look.cloth, 0.08), lines, depth=12),
    ]


def _cloak(look: Look, fig: Figure) -> list[Shape]:
    n, s = fig.neck, fig.shoulder
    inner = look.cloth2 if look.cloth2 != look.cloth else LINEN
    cape = both(
        lambda side: curve(
            (side * 4, 384),
            (side * (n + 4), 372, side * (n + 16), 344),
            (side * (n + 30), 368, side * s * 0.7, 384),
            (side * s * 1.12, 398, side * s * 1.3, 520),
            (side * s * 0.5, 520),
            (side * s * 0.5, 440, side * 4, 398),
            close=True,
        )
    )
    clasp = ellipse(0, 392, 11, 11)
    return [
        *tunic(wearing(look, tone(mix(inner, "#6b5a48", 0.4), -0.15)), fig),
        Shape(cape, look.cloth, folds(fig, many=4), depth=20),
        Shape(clasp, GOLD, [(ellipse(0, 392, 5, 5), 1.8, -0.8)], kind="metal", depth=4),
    ]


def _shawl(look: Look, fig: Figure) -> list[Shape]:
    n, s = fig.neck, fig.shoulder
    under = look.cloth2 if look.cloth2 not in (look.cloth, LINEN) else "#4a4453"
    left = curve(
        (-n - 10, 352),
        (-s * 0.7, 384, -s * 1.12, 412),
        (-s * 1.26, 460, -s * 1.2, 520),
        (-10, 520),
        (16, 470, 34, 446),
        (0, 400, -n - 10, 352),
        close=True,
    )
    right = curve(
        (n + 10, 352),
        (s * 0.7, 384, s * 1.12, 412),
        (s * 1.26, 460, s * 1.2, 520),
        (40, 520),
        (-8, 486, -34, 462),
        (10, 404, n + 10, 352),
        close=True,
    )
    folds: list[Line] = [
        (curve((x, 386), (x * 0.7, 440, x * 0.2, 500)), 2.6, -0.6) for x in (-s * 0.85, -s * 0.6)
    ]
    other: list[Line] = [
        (curve((x, 386), (x * 0.72, 440, x * 0.3, 490)), 2.6, -0.6) for x in (s * 0.85, s * 0.62, s * 0.42)
    ]
    pin = ellipse(2, 452, 9, 9)
    return [
        *tunic(wearing(look, tone(mix(under, "#3a3644", 0.45), -0.1)), fig),
        Shape(left, tone(look.cloth, -0.06), folds, depth=14),
        Shape(right, look.cloth, other, depth=16),
        Shape(pin, "#c3c9d2", kind="metal", depth=3),
    ]


def _gown(look: Look, fig: Figure) -> list[Shape]:
    n, s = fig.neck, fig.shoulder
    body = mirrored(
        (0, 462),
        (30, 462, s * 0.5, 446, s * 0.62, 412),
        (s * 0.66, 402, s * 0.8, 396, s * 0.9, 404),
        (s * 1.1, 420, s * 1.14, 480, s * 1.16, 520),
        (60, 520, 20, 520, 0, 520),
    )
    chest = fig.torso()
    trim = curve(
        (-s * 0.62, 414),
        (-s * 0.5, 448, 0, 464),
        (s * 0.5, 448, s * 0.62, 414),
        (s * 0.54, 462, 0, 477),
        (-s * 0.54, 462, -s * 0.62, 414),
        close=True,
    )
    bones: list[Line] = [
        (curve((0, 406), (0, 440)), 2.2, -0.5),
        (curve((-n, 384), (-n * 0.3, 398, -6, 402)), 2.2, -0.7),
        (curve((n, 384), (n * 0.3, 398, 6, 402)), 2.2, -0.7),
    ]
    shapes = [
        Shape(chest, look.skin, bones, kind="skin", depth=18),
        Shape(body, look.cloth, folds(fig), depth=20),
        Shape(trim, GOLD if look.cloth2 == LINEN else tone(look.cloth2, 0.25), kind="metal", depth=4),
    ]
    return shapes if "necklace" in look.marks else [*shapes, *_necklace(fig)]


def _doublet(look: Look, fig: Figure) -> list[Shape]:
    n = fig.neck
    ruff = [
        Shape(
            ellipse(x, 366 - 12 * (abs(x) / (n + 26)) ** 2, 15, 13),
            "#efe9dd",
            [(curve((x, 358), (x, 376)), 1.8, -0.6)],
            depth=4,
        )
        for x in range(int(-n - 24), int(n + 26), 15)
    ]
    braid: list[Line] = [(curve((-30, y), (0, y + 6, 30, y)), 3.0, 0.8) for y in (406, 430, 454, 478, 502)]
    return [
        Shape(
            fig.torso(spread=10),
            look.cloth,
            [*folds(fig), *braid, (curve((0, 386), (0, 516)), 2.6, -1)],
            depth=26,
        ),
        *ruff,
    ]


def _armour(look: Look, fig: Figure) -> list[Shape]:
    n, s = fig.neck, fig.shoulder
    metal = look.cloth
    chest: list[Line] = [
        (curve((0, 400), (0, 516)), 3.0, 0.8),
        (curve((-s * 0.6, 470), (0, 506, s * 0.6, 470)), 3.0, -0.8),
        (curve((-s * 0.62, 420), (0, 444, s * 0.62, 420)), 2.4, -0.6),
    ]
    gorget = mirrored(
        (0, 368),
        (n * 0.7, 366, n + 4, 356, n + 8, 338),
        (n + 20, 350, n + 34, 372, n + 38, 388),
        (n + 10, 414, 30, 424, 0, 426),
    )
    rings: list[Line] = [
        (curve((-n - 20, 372), (0, 424, n + 20, 372)), 2.6, -0.8),
        (curve((-n - 10, 362), (0, 408, n + 10, 362)), 2.0, 0.8),
    ]
    shapes = [Shape(fig.torso(spread=4), tone(metal, -0.12), chest, kind="metal", depth=26)]
    for side in (-1, 1):
        x = side * s * 0.95
        plate = curve(
            (x - side * 56, 396),
            (x - side * 20, 372, x + side * 26, 398, x + side * 40, 460),
            (x, 452, x - side * 62, 446),
            (x - side * 70, 416, x - side * 56, 396),
            close=True,
        )
        bands: list[Line] = [
            (curve((x - side * 62, 424), (x, 420, x + side * 34, 440)), 2.6, -0.9),
            (curve((x - side * 56, 404), (x - side * 4, 396, x + side * 26, 414)), 2.2, 0.9),
        ]
        shapes.append(Shape(plate, metal, bands, kind="metal", depth=12))
    sash = polygon((-s * 0.72, 404), (-s * 0.5, 394), (s * 0.5, 520), (s * 0.2, 520))
    shapes.append(Shape(gorget, tone(metal, 0.1), rings, kind="metal", depth=9))
    if look.cloth2 not in (LINEN, metal):
        shapes.insert(1, Shape(sash, look.cloth2, depth=8))
    return shapes


def _uniform(look: Look, fig: Figure) -> list[Shape]:
    s = fig.shoulder
    shapes = coat(look, fig)
    for side in (-1, 1):
        board = curve(
            (side * s * 0.52, 392),
            (side * s * 0.8, 388, side * s * 0.98, 410),
            (side * s * 0.92, 424),
            (side * s * 0.72, 404, side * s * 0.5, 406),
            close=True,
        )
        fringe: list[Line] = [
            (curve((side * s * k, 410), (side * s * (k + 0.02), 432)), 3.0, 0.6) for k in (0.84, 0.9, 0.96)
        ]
        shapes.append(Shape(board, GOLD, fringe, kind="metal", depth=5))
    return [*shapes, *buttons((26, 430), (28, 468), (30, 504), (-34, 430), (-34, 468), (-34, 504), size=5)]


def _jumpsuit(look: Look, fig: Figure) -> list[Shape]:
    n, s = fig.neck, fig.shoulder
    collar = mirrored(
        (0, 366),
        (n * 0.7, 364, n + 2, 352, n + 6, 340),
        (n + 20, 350, n + 28, 366, n + 26, 380),
        (n, 402, 24, 410, 0, 410),
    )
    zip_line: list[Line] = [
        (curve((0, 408), (0, 516)), 4.0, -1.0),
        (curve((0, 408), (0, 516)), 1.4, 1.2),
        *folds(fig, many=2),
    ]
    badge = polygon((-s * 0.62, 446), (-s * 0.34, 446), (-s * 0.34, 466), (-s * 0.62, 466))
    return [
        Shape(fig.torso(), look.cloth, zip_line, depth=24),
        Shape(collar, tone(look.cloth, 0.18), [(curve((-n, 378), (0, 402, n, 378)), 2.4, -0.7)], depth=8),
        Shape(
            badge,
            (look.palette or ("#cf7a2b",))[-1],
            [(curve((-s * 0.56, 456), (-s * 0.4, 456)), 2.4, 1.4)],
            depth=3,
        ),
    ]


def _furs(look: Look, fig: Figure) -> list[Shape]:
    n, s = fig.neck, fig.shoulder
    path = "".join(
        ellipse(x, 404 + abs(x) * 0.12 + (k % 3) * 6, 26, 22)
        for k, x in enumerate(range(int(-s), int(s) + 1, 16))
    )
    path += "".join(ellipse(x, 372 - abs(x) * 0.1, 20, 17) for x in (-n - 20, -n - 6, n + 6, n + 20))
    hairs: list[Line] = [
        (curve((x, 396 + abs(x) * 0.1), (x * 1.03, 416 + abs(x) * 0.12)), 2.0, (-0.8, 0.6)[k % 2])
        for k, x in enumerate(range(int(-s), int(s), 9))
    ]
    fur = mix(look.cloth, "#7a6450", 0.5)
    return [
        *tunic(wearing(look, tone(look.cloth, -0.25)), fig),
        Shape(path, fur, hairs, kind="fluff", depth=14),
    ]


def _scarf(look: Look, fig: Figure) -> list[Shape]:
    n = fig.neck
    colour = look.palette[2] if len(look.palette) > 2 else "#b98a2f"
    ring = mirrored(
        (0, 362),
        (n * 0.7, 360, n + 4, 346, n + 8, 334),
        (n + 24, 346, n + 26, 372, n + 14, 386),
        (n * 0.6, 402, 20, 406, 0, 406),
    )
    tail = curve((12, 396), (40, 402), (44, 470), (18, 476), close=True)
    knots: list[Line] = [
        (curve((x, 352 - abs(x) * 0.1), (x + 9, 396 - abs(x) * 0.2)), 2.6, -0.7)
        for x in range(int(-n), int(n) + 1, 12)
    ]
    return [
        Shape(tail, tone(colour, -0.1), [(curve((18, 440), (42, 436)), 2.4, -0.8)], depth=5),
        Shape(ring, colour, knots, depth=9),
    ]


def _labels(fig: Figure) -> list[Shape]:
    tags = [(-fig.shoulder * 0.55, 448), (fig.shoulder * 0.4, 468), (fig.neck + 10, 396)]
    return [
        Shape(
            polygon((x - 16, y - 7), (x + 16, y - 9), (x + 17, y + 7), (x - 15, y + 9)),
            "#ece3cb",
            [(curve((x - 9, y), (x - 3, y - 3, x, y), (x + 4, y + 3, x + 10, y - 1)), 1.8, -1.6)],
            depth=2,
        )
        for x, y in tags
    ]


def _necklace(fig: Figure) -> list[Shape]:
    n = fig.neck
    return [
        *(
            Shape(ellipse(x, 388 + 22 * (1 - (x / (n + 6)) ** 2), 4.2, 4.2), "#efe6d2", kind="metal", depth=2)
            for x in range(int(-n), int(n) + 1, 9)
        ),
        Shape(smooth([(0, 410), (8, 420), (0, 434), (-8, 420)]), "#4b86a8", kind="metal", depth=4),
    ]


DRAWN: dict[str, Draw] = {
    "tunic": tunic,
    "rags": rags,
    "jumper": jumper,
    "coat": coat,
    "greatcoat": greatcoat,
    "suit": suit,
    "waistcoat": waistcoat,
    "apron": apron,
    "robe": _robe,
    "cloak": _cloak,
    "shawl": _shawl,
    "gown": _gown,
    "doublet": _doublet,
    "armour": _armour,
    "uniform": _uniform,
    "jumpsuit": _jumpsuit,
    "furs": _furs,
}
