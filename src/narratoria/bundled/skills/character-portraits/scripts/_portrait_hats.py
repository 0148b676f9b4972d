"""Draws what is worn on the head, and what grows there besides hair."""

from __future__ import annotations

from _portrait_colours import mix, tone
from _portrait_figure import Figure, Shape, both, curve, ellipse, mirrored, polygon, smooth
from _portrait_veils import cap_path, hood, kerchief, turban, wimple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _portrait_figure import Line
    from _portrait_look import Look

GOLD = "#d2a850"


def behind(look: Look, fig: Figure) -> list[Shape]:
    w, top = fig.w, fig.top
    if look.hat == "hood":
        path = mirrored(
            (0, top - 34),
            (w * 0.9, top - 30, w + 44, top + 50, w + 40, fig.eye + 20),
            (w + 38, 300, w + 40, 350, fig.shoulder * 0.8, 410),
            (60, 420, 20, 420, 0, 420),
        )
        return [Shape(path, tone(look.hat_colour, -0.55), kind="cloth", depth=4)]
    if look.hat == "wimple":
        path = mirrored(
            (0, top - 16),
            (w * 0.9, top - 16, w + 28, top + 40, w + 26, fig.eye),
            (w + 28, 300, w + 44, 360, w + 66, 430),
            (60, 440, 20, 440, 0, 440),
        )
        return [Shape(path, tone(look.hat_colour, -0.2), depth=16)]
    if look.hat in ("hat", "pointed", "tophat", "bowler"):
        wide = 128 if look.hat in ("hat", "pointed") else 104
        return [Shape(ellipse(0, fig.hairline - 4, wide, 22), tone(look.hat_colour, -0.5), depth=4)]
    return []


def front(look: Look, fig: Figure) -> list[Shape]:
    draw = {
        "hood": hood, "wimple": wimple, "turban": turban, "kerchief": kerchief, "helmet": _helmet,
        "crown": _crown, "circlet": _circlet, "pointed": _pointed, "tophat": _tophat, "bowler": _bowler,
        "peaked": _peaked, "fur": _fur, "cap": _cap, "hat": _hat, "goggles": _goggles, "wreath": _wreath,
    }.get(look.hat)  # fmt: skip
    shapes = draw(look, fig) if draw else []
    if look.species == "horned":
        shapes = [*_horns(fig), *shapes]
    if "weed" in look.marks:
        shapes += _weed(fig)
    return shapes


def _helmet(_look: Look, fig: Figure) -> list[Shape]:
    metal, low, w = "#9aa3ae", fig.hairline + 26, fig.w
    guard = both(
        lambda side: curve(
            (side * (w + 6), low - 10),
            (side * (w + 8), fig.nose, side * (fig.jaw + 8), fig.mouth + 14),
            (side * (fig.jaw - 10), fig.mouth - 4),
            (side * (w - 14), fig.eye + 20, side * (w - 12), low - 4),
            close=True,
        )
    )
    nasal = polygon((-8, low - 16), (8, low - 16), (6, fig.nose - 10), (-6, fig.nose - 10))
    band: list[Line] = [
        (curve((-w - 4, low - 4), (0, low - 30, w + 4, low - 4)), 5.0, -0.6),
        (curve((0, fig.top - 14), (0, low - 18)), 4.0, 0.8),
    ]
    return [
        Shape(guard, metal, kind="metal", depth=8),
        Shape(cap_path(fig, low, 16), metal, band, kind="metal", depth=16),
        Shape(nasal, tone(metal, 0.1), kind="metal", depth=5),
    ]


def _crown(_look: Look, fig: Figure) -> list[Shape]:
    w, low = fig.w * 0.86, fig.hairline - 8
    points = [
        (-w, low),
        (-w - 8, low - 46),
        (-w * 0.52, low - 30),
        (-w * 0.3, low - 66),
        (0, low - 36),
        (w * 0.3, low - 66),
        (w * 0.52, low - 30),
        (w + 8, low - 46),
        (w, low),
    ]
    path = polygon(*points).removesuffix("Z") + f"Q0 {low - 18} {-w} {low}Z"
    band: list[Line] = [(curve((-w, low - 8), (0, low - 26, w, low - 8)), 3.0, -0.7)]
    gems = [
        Shape(ellipse(x, low - 19 + abs(x) * 0.1, 5.5, 5.5), colour, kind="metal", depth=2)
        for x, colour in ((-38, "#3b7fa6"), (0, "#b03246"), (38, "#3b7fa6"))
    ]
    return [Shape(path, GOLD, band, kind="metal", depth=9), *gems]


def _circlet(_look: Look, fig: Figure) -> list[Shape]:
    w, y = fig.w - 2, fig.hairline + 12
    path = curve((-w, y), (0, y + 16, w, y), (w, y + 7), (0, y + 24, -w, y + 7), close=True)
    return [
        Shape(path, "#cfd4db", kind="metal", depth=3),
        Shape(smooth([(0, y + 2), (8, y + 13), (0, y + 26), (-8, y + 13)]), "#3b7fa6", kind="metal", depth=3),
    ]


def _brim(fig: Figure, look: Look, wide: float, thick: float) -> Shape:
    y = fig.hairline - 2
    path = curve(
        (-wide, y - 8),
        (-wide * 0.5, y - 26, wide * 0.5, y - 26, wide, y - 8),
        (wide * 0.6, y + thick, -wide * 0.6, y + thick, -wide, y - 8),
        close=True,
    )
    return Shape(path, look.hat_colour, depth=8)


def _crown_of(fig: Figure, look: Look, *, half: float, rise: float, taper: float) -> list[Shape]:
    low, top = fig.hairline - 8, fig.hairline - 8 - rise
    path = curve(
        (-half, low),
        (-half * taper, top + 12),
        (-half * taper * 0.9, top - 4, -half * taper * 0.4, top),
        (0, top + 8, half * taper * 0.4, top),
        (half * taper * 0.9, top - 4, half * taper, top + 12),
        (half, low),
        (0, low + 12, -half, low),
        close=True,
    )
    ribbon = curve(
        (-half, low),
        (-half * 0.97, low - 17),
        (0, low - 4, half * 0.97, low - 17),
        (half, low),
        (0, low + 12, -half, low),
        close=True,
    )
    return [Shape(path, look.hat_colour, depth=16), Shape(ribbon, _band(look), depth=5)]


def _band(look: Look) -> str:
    return look.palette[2] if len(look.palette) > 2 else tone(look.hat_colour, -0.45)


def _hat(look: Look, fig: Figure) -> list[Shape]:
    return [*_crown_of(fig, look, half=fig.w + 4, rise=74, taper=0.82), _brim(fig, look, 128, 16)]


def _tophat(look: Look, fig: Figure) -> list[Shape]:
    return [*_crown_of(fig, look, half=fig.w - 4, rise=112, taper=1.04), _brim(fig, look, 104, 14)]


def _bowler(look: Look, fig: Figure) -> list[Shape]:
    low = fig.hairline - 8
    return [Shape(cap_path(fig, low + 8, 26, 2), look.hat_colour, depth=16), _brim(fig, look, 100, 12)]


def _pointed(look: Look, fig: Figure) -> list[Shape]:
    low = fig.hairline - 8
    path = curve(
        (-fig.w - 2, low),
        (-40, 40, -8, 14),
        (16, 2, 44, 20),
        (22, 24, 30, 60),
        (fig.w * 0.9, 110, fig.w + 2, low),
        (0, low + 12, -fig.w - 2, low),
        close=True,
    )
    folds: list[Line] = [
        (curve((-20, 62), (6, 70, 30, 60)), 2.6, -0.8),
        (curve((-46, 96), (0, 106, 50, 92)), 2.6, -0.7),
    ]
    ribbon = curve(
        (-fig.w - 2, low),
        (-fig.w + 4, low - 18),
        (0, low - 4, fig.w - 4, low - 18),
        (fig.w + 2, low),
        (0, low + 12, -fig.w - 2, low),
        close=True,
    )
    return [
        Shape(path, look.hat_colour, folds, depth=16),
        Shape(ribbon, _band(look), depth=5),
        _brim(fig, look, 136, 18),
    ]


def _peaked(look: Look, fig: Figure) -> list[Shape]:
    w, low = fig.w, fig.hairline + 6
    crown = curve(
        (-w - 22, low - 40),
        (-w * 0.6, low - 86, w * 0.6, low - 86, w + 22, low - 40),
        (w + 4, low - 14),
        (0, low - 24, -w - 4, low - 14),
        close=True,
    )
    band = curve(
        (-w - 5, low - 18),
        (0, low - 30, w + 5, low - 18),
        (w + 3, low + 8),
        (0, low - 6, -w - 3, low + 8),
        close=True,
    )
    peak = curve(
        (-w * 0.86, low + 4),
        (0, low - 10, w * 0.86, low + 4),
        (w * 0.5, low + 32, -w * 0.5, low + 32, -w * 0.86, low + 4),
        close=True,
    )
    return [
        Shape(crown, look.hat_colour, depth=14),
        Shape(band, tone(look.hat_colour, -0.3), depth=5),
        Shape(peak, "#1e1d24", [(curve((-40, low + 14), (0, low + 24, 40, low + 14)), 2.4, 1.6)], depth=5),
        Shape(ellipse(0, low - 20, 10, 9), GOLD, kind="metal", depth=3),
    ]


def _fur(look: Look, fig: Figure) -> list[Shape]:
    low = fig.hairline + 8
    path = "".join(
        ellipse(x, low - 20 + abs(x) * 0.12, 18, 22) for x in range(int(-fig.w - 2), int(fig.w) + 4, 13)
    )
    hairs: list[Line] = [
        (curve((x, low - 34), (x * 1.03, low - 6)), 2.0, (-0.7, 0.6)[k % 2])
        for k, x in enumerate(range(-78, 80, 8))
    ]
    return [
        Shape(cap_path(fig, low - 10, 20), look.hat_colour, depth=14),
        Shape(path, mix(look.hat_colour, "#a58d72", 0.55), hairs, kind="fluff", depth=8),
    ]


def _cap(look: Look, fig: Figure) -> list[Shape]:
    low = fig.hairline + 8
    w = fig.w + 12
    path = curve(
        (-w, low - 10),
        (-w - 10, fig.top - 4, -w * 0.5, fig.top - 22, 4, fig.top - 22),
        (w * 0.7, fig.top - 20, w + 14, fig.top + 10, w, low - 10),
        (w * 0.4, low - 26, -w * 0.4, low - 26, -w, low - 10),
        close=True,
    )
    peak = curve(
        (-w * 0.8, low - 14),
        (0, low - 30, w * 0.8, low - 14),
        (w * 0.5, low + 16, -w * 0.5, low + 16, -w * 0.8, low - 14),
        close=True,
    )
    seams: list[Line] = [
        (curve((0, fig.top - 20), (30, fig.top, 40, low - 24)), 2.4, -0.7),
        (curve((0, fig.top - 20), (-30, fig.top, -40, low - 24)), 2.4, -0.6),
    ]
    return [
        Shape(path, look.hat_colour, seams, depth=14),
        Shape(peak, tone(look.hat_colour, -0.12), depth=6),
        Shape(ellipse(2, fig.top - 21, 6, 4), tone(look.hat_colour, 0.2), depth=2),
    ]


def _goggles(_look: Look, fig: Figure) -> list[Shape]:
    y, w = fig.hairline - 8, fig.w
    strap = curve(
        (-w - 8, y + 2), (0, y - 24, w + 8, y + 2), (w + 8, y + 18), (0, y - 6, -w - 8, y + 18), close=True
    )
    lens = [Shape(ellipse(x, y - 3, 25, 20), GOLD, kind="metal", depth=5) for x in (-29, 29)]
    glass = [
        Shape(
            ellipse(x, y - 3, 18, 14),
            "#4d7f8c",
            [(curve((x - 9, y - 6), (x - 4, y - 13, x + 3, y - 13)), 3.0, 1.5)],
            kind="metal",
            depth=6,
        )
        for x in (-29, 29)
    ]
    return [Shape(strap, "#4b3526", depth=5), *lens, *glass]


def _wreath(_look: Look, fig: Figure) -> list[Shape]:
    shapes = []
    for index, x in enumerate(range(-72, 76, 12)):
        y = fig.hairline - 14 + (x / 76) ** 2 * 26
        leaf = smooth([(x - 9, y + 3), (x, y - 9), (x + 10, y - 3), (x + 2, y + 8)])
        shapes.append(Shape(leaf, ("#5c7f48", "#47683c")[index % 2], depth=3))
    blooms = [(-50, "#d97f9b"), (-22, "#efe6d2"), (6, "#d97f9b"), (34, "#e0b53c"), (58, "#efe6d2")]
    return shapes + [
        Shape(
            ellipse(x, fig.hairline - 16 + (x / 76) ** 2 * 26, 8, 8),
            c,
            [(ellipse(x, fig.hairline - 16 + (x / 76) ** 2 * 26, 2, 2), 2.0, -0.8)],
            depth=3,
        )
        for x, c in blooms
    ]


def _horns(fig: Figure) -> list[Shape]:
    w, top = fig.w, fig.top
    path = both(
        lambda side: curve(
            (side * w * 0.44, top + 24),
            (side * w * 0.5, top - 30, side * w * 0.9, top - 40, side * (w + 18), top - 66),
            (side * (w + 20), top - 20, side * w * 0.96, top + 10, side * w * 0.78, top + 36),
            close=True,
        )
    )
    rings: list[Line] = [
        (
            curve(
                (side * w * (0.52 + k * 0.12), top + 8 - 16 * k),
                (side * w * (0.8 + k * 0.1), top + 16 - 20 * k),
            ),
            2.4,
            -0.8,
        )
        for side in (-1, 1)
        for k in range(3)
    ]
    return [Shape(path, "#5b4a48", rings, depth=8)]


def _weed(fig: Figure) -> list[Shape]:
    places = [(-40, fig.top + 6, 1), (14, fig.top - 14, -1), (52, fig.top + 26, 1)]
    return [
        Shape(
            smooth([(x, y), (x + 14 * s, y + 8), (x + 20 * s, y + 26), (x + 8 * s, y + 16)]),
            "#5f7d3f",
            [(curve((x, y), (x + 12 * s, y + 10, x + 18 * s, y + 24)), 1.6, -0.8)],
            depth=3,
        )
        for x, y, s in places
    ]
