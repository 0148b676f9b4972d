"""Hair: what grows behind the head, on it, and over the shoulders."""

from __future__ import annotations

import math
import random

from _portrait_colours import tone
from _portrait_figure import Figure, Shape, curve, ellipse, mirrored, n, smooth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from _portrait_figure import Line
    from _portrait_look import Look

    Points: TypeAlias = list[tuple[float, float]]

CENTRE = ("long", "wavy", "plait", "plaits")  # parted in the middle
BACK = ("slick", "bun", "ponytail", "topknot")  # combed away from the face
COVERING = ("hood", "wimple", "turban", "kerchief", "helmet")  # nothing of the crown can be seen under these


class Hair:
    """In the order in which it is drawn."""

    def __init__(self) -> None:
        self.behind: list[Shape] = []
        self.front: list[Shape] = []
        self.over: list[Shape] = []


def grow(look: Look, fig: Figure, *, strands: int = 16) -> Hair:
    hair = Hair()
    chance = random.Random(look.lots["volume"])
    if look.hat in COVERING:
        _tucked(hair, look, fig, chance)
        return hair
    _behind(hair, look, fig, chance)
    _crown(hair, look, fig, chance, strands)
    _falling(hair, look, fig, chance)
    if look.hat:
        hair.front = [shape for shape in hair.front if shape.kind != "knot"]
    return hair


def _shape(look: Look, path: str, lines: Sequence[Line] = (), depth: float = 16, kind: str = "hair") -> Shape:
    return Shape(path, look.hair, lines, kind=kind, depth=depth)


def outer(look: Look, fig: Figure) -> tuple[Points, float]:
    """Return the outline of the hair from ear to ear, and how thick it is."""
    w, top, eye = fig.w, fig.top, fig.eye
    volume = {"cropped": 5, "slick": 8, "balding": 4, "tousled": 20, "curly": 14, "bun": 10}.get(
        look.style, 15
    )
    v = volume + 3 * look.lots["volume"] - 3 * look.old
    tilt = 5 * look.lots["tilt"]
    right = [
        (w * 0.34 + tilt, top - v * 0.92),
        (w * 0.7, top - v * 0.35 + 9),
        (w * 0.94 + v * 0.36, top + 40),
        (w + v * 0.45, top + 72),
        (w + 4, eye - 10),
        (w - 1, eye + (14 if look.sex == "m" else -2)),
    ]
    left = [(-x, y) for x, y in reversed(right)]
    return [*left, (tilt, top - v), *right], v


def hairline(look: Look, fig: Figure) -> Points:
    """Return where hair meets the forehead, from the right ear to the left."""
    w, eye, line = fig.w, fig.eye, fig.hairline + 8 * look.lots["fringe"] - 9 * look.old * (look.sex == "m")
    ear = w - 9, eye + (10 if look.sex == "m" else -4)
    side = w - 7, eye - 26
    turn = 1 if look.lots["tilt"] > 0 else -1
    if look.style in CENTRE:
        half = [ear, side, (w * 0.8, line + 30), (w * 0.48, line + 4)]
        return [*half, (0, line - 14), *((-x, y) for x, y in reversed(half))]
    if look.style in BACK or look.style in ("cropped", "balding"):
        half = [ear, side, (w * 0.76, line + 16), (w * 0.6, line - 8 - 14 * look.old), (w * 0.32, line - 4)]
        return [*half, (0, line - 1), *((-x, y) for x, y in reversed(half))]
    if look.style == "bob":
        low = fig.brow - 14
        half = [(w - 2, eye + 26), (w - 3, eye - 12), (w * 0.86, low - 6), (w * 0.5, low + 2)]
        return [*half, (0, low), *((-x, y) for x, y in reversed(half))]
    if look.style == "tousled":
        spikes = [
            (w * 0.78, line + 22),
            (w * 0.62, line + 2),
            (w * 0.44, line + 30),
            (w * 0.28, line + 4),
            (w * 0.08, line + 32),
            (-w * 0.12, line + 4),
            (-w * 0.36, line + 26),
            (-w * 0.5, line + 2),
            (-w * 0.74, line + 24),
        ]
        return [ear, side, *spikes, (-side[0], side[1]), (-ear[0], ear[1])]
    swept = [
        ear,
        side,
        (w * 0.74, line + 26),
        (w * 0.3, line + 18),
        (-w * 0.14, line),
        (-w * 0.42, line - 16),
    ]
    swept += [(-w * 0.64, line + 6), (-side[0], side[1]), (-ear[0], ear[1])]
    return swept if turn > 0 else [(-x, y) for x, y in reversed(swept)]


def along(points: Sequence[tuple[float, float]], share: float) -> tuple[float, float]:
    place = share * (len(points) - 1)
    index = min(len(points) - 2, int(place))
    rest = place - index
    (x0, y0), (x1, y1) = points[index], points[index + 1]
    return x0 + (x1 - x0) * rest, y0 + (y1 - y0) * rest


def joined(out: Points, inner: Points, *, pointed: bool = False) -> str:
    ends = inner if pointed else None
    back = "".join(f"L{n(x)} {n(y)}" for x, y in ends) if ends else "L" + smooth(inner, close=False)[1:]
    return smooth(out, close=False) + back + "Z"


def _crown(hair: Hair, look: Look, fig: Figure, chance: random.Random, strands: int) -> None:
    style = look.style
    if style == "bald":
        return
    if style in ("balding", "tonsure"):
        _ring(hair, look, fig, chance)
        return
    if style == "mohawk":
        top, w = fig.top, fig.w
        crest = [(-w * 0.3, top + 44), (-w * 0.34, top - 10), (-w * 0.2, top - 52), (0, top - 66)]
        crest += [(w * 0.2, top - 50), (w * 0.34, top - 8), (w * 0.3, top + 44), (0, top + 56)]
        tufts: list[Line] = [
            (curve((x, top + 48), (x * 1.5, top, x * 0.8, top - 44)), 2.0, 0.6 - (i % 3) * 0.6)
            for i, x in enumerate(range(-18, 20, 5))
        ]
        hair.front.append(_shape(look, smooth(crest), tufts))
        return
    out, v = outer(look, fig)
    inner = hairline(look, fig)
    path = joined(out, inner)
    lines: list[Line] = []
    back = list(reversed(inner))
    for index in range(strands):
        share = (index + 0.5 + chance.uniform(-0.3, 0.3)) / strands
        (x0, y0), (x1, y1) = along(out, share), along(back, share)
        lean = (x0 + x1) / 2 * 1.12, (y0 + y1) / 2 - 6 + chance.uniform(-5, 5)
        start = x0 + (x1 - x0) * 0.08, y0 + (y1 - y0) * 0.08
        lines.append(
            (curve(start, (*lean, x1 * 0.99, y1 - 2)), chance.uniform(1.2, 2.6), (-0.8, 0.9, -0.5)[index % 3])
        )
    if style in ("curly", "afro"):
        path += _bumps(look, fig, out, inner, chance)
        lines = _curls(out, inner, chance)
    if style == "locs":
        lines = [(line, 5.0, -0.9) for line, _, _ in lines[::2]]
    if style in ("bun", "topknot"):
        r = 27 if style == "bun" else 19
        y = fig.top - v - r * 0.62
        knot = ellipse(3 * look.lots["tilt"], y, r * 1.12, r)
        rings = [
            (curve((-r * 0.8, y + 6), (0, y - r * s, r * 0.8, y + 6)), 2.0, 0.7 * (-1) ** k)
            for k, s in enumerate((0.2, 0.7, 1.1))
        ]
        hair.front.append(_shape(look, knot, rings, 10, "knot"))
    hair.front.append(_shape(look, path, lines, kind="fluff" if style in ("curly", "afro") else "hair"))


def _ring(hair: Hair, look: Look, fig: Figure, chance: random.Random) -> None:
    w, top, eye = fig.w, fig.top, fig.eye
    if look.style == "tonsure":
        band = [
            (-w - 4, eye + 14),
            (-w - 9, eye - 26),
            (-w * 0.9, top + 30),
            (-w * 0.5, top + 16),
            (0, top + 11),
        ]
        band += [(-x, y) for x, y in reversed(band[:-1])]
        inner = [
            (w - 8, eye + 12),
            (w - 9, eye - 22),
            (w * 0.8, top + 58),
            (w * 0.4, top + 46),
            (0, top + 43),
        ]
        inner += [(-x, y) for x, y in reversed(inner[:-1])]
        lines = [
            (
                curve((x, top + 16 + abs(x) * 0.12), (x, top + 44 + abs(x) * 0.15)),
                2.0,
                chance.choice((-0.7, 0.6)),
            )
            for x in range(-52, 56, 9)
        ]
        hair.front.append(_shape(look, joined(band, inner), lines, 8))
        return
    for side in (-1, 1):
        tuft = [
            (w - 8, eye + 24),
            (w - 10, eye - 20),
            (w - 6, top + 62),
            (w + 2, top + 56),
            (w + 9, eye - 34),
        ]
        tuft += [(w + 10, eye - 4), (w + 4, eye + 22)]
        points = [(side * x, y) for x, y in tuft]
        lines = [
            (curve((side * (w - 3), top + 70), (side * (w + 6), eye - 20, side * (w + k), eye + 16)), 1.8, t)
            for k, t in ((-4, -0.7), (0, 0.7), (4, -0.5))
        ]
        hair.front.append(_shape(look, smooth(points), lines, 6))


def _bumps(look: Look, fig: Figure, out: Points, inner: Points, chance: random.Random) -> str:
    big = look.style == "afro"
    radius = 30 if big else 15
    path = ""
    for index in range(22 if big else 26):
        x, y = along(out, index / (21 if big else 25))
        push = 1.16 if big else 1.0
        r = radius * chance.uniform(0.8, 1.15)
        path += ellipse(x * push, fig.top + 50 + (y - fig.top - 50) * push, r, r)
    for index in range(13):
        x, y = along(inner, index / 12)
        path += ellipse(x * 0.97, y - 6, radius * 0.55 * chance.uniform(0.8, 1.2), 9)
    return path


def _curls(out: Points, inner: Points, chance: random.Random) -> list[Line]:
    lines: list[Line] = []
    for index in range(46):
        share = chance.random()
        (x0, y0), (x1, y1) = along(out, share), along(inner, 1 - share)
        depth = chance.uniform(0.0, 0.9)
        x, y, r = x0 * 1.06 + (x1 - x0) * depth, y0 - 6 + (y1 - y0) * depth, chance.uniform(5, 9)
        lines.append(
            (f"M{n(x - r)} {n(y)}a{n(r)} {n(r)} 0 1 1 {n(r * 1.5)} {n(r * 0.7)}", 2.0, (-0.8, 0.5)[index % 2])
        )
    return lines


def _behind(hair: Hair, look: Look, fig: Figure, chance: random.Random) -> None:
    w, top, chin = fig.w, fig.top, fig.chin
    v = 16 + 3 * look.lots["volume"]
    dark = tone(look.hair, -0.28)
    path = ""
    if look.style == "bob":
        path = mirrored(
            (0, top),
            (w * 0.8, top, w + v, top + 50, w + v + 2, fig.eye),
            (w + v + 5, fig.eye + 60, w + v + 6, chin - 20, w + v - 4, chin + 4),
            (w - 10, chin + 16, w * 0.5, chin, 0, chin - 10),
        )
    elif look.style in ("long", "wavy", "locs", "plaits"):
        low = 330 if look.style == "plaits" else 470
        path = mirrored(
            (0, top),
            (w * 0.8, top, w + v, top + 50, w + v - 2, fig.eye),
            (w + v + 4, chin - 40, w + v + 16, chin + 30, w + v + 8, low),
            (w, low + 12, w * 0.5, low, 0, low),
        )
    elif look.style == "curly" and look.sex != "m":
        for index in range(24):
            turn = math.pi * (0.02 + 0.96 * index / 23)
            x, y = (w + 18) * math.cos(turn), fig.eye + 40 + 70 * math.sin(turn)
            path += ellipse(x, y, 21, 21)
    elif look.style == "afro":
        path = ellipse(0, fig.eye - 22, w + 52, 122)
    elif look.style == "ponytail":
        side = 1 if look.lots["tilt"] > 0 else -1
        points = [
            (w * 0.6, top + 30),
            (w + 26, top + 56),
            (w + 52, fig.eye + 20),
            (w + 46, chin),
            (w + 62, 400),
        ]
        points += [(w + 30, 440), (w + 8, 380), (w + 12, chin - 20), (w + 10, fig.eye)]
        path = smooth([(side * x, y) for x, y in points])
    elif look.style in ("short", "tousled", "slick", "plait", "curly"):
        path = mirrored(
            (0, fig.eye),
            (w, fig.eye, w + 6, fig.eye, w + 3, fig.eye + 20),
            (w, fig.mouth, w * 0.7, fig.mouth + 20, 0, fig.mouth + 20),
        )
    if path:
        lines = [
            (curve((x, fig.eye), (x * 1.25, chin, x * 1.2, 460)), 2.4, chance.choice((-0.7, 0.35)))
            for x in range(-90, 96, 14)
            if look.style in ("long", "wavy")
        ]
        hair.behind.append(
            Shape(path, dark, lines, kind="fluff" if look.style in ("curly", "afro") else "hair", depth=15)
        )


def _lock(side: int, fig: Figure, look: Look, low: float) -> Shape:
    """Return a lock that falls from the temple over the shoulder."""
    w = fig.w
    wave = 9 if look.style == "wavy" else 3
    outside, inside = [], []
    for index in range(9):
        share = index / 8
        y = fig.top + 56 + (low - fig.top - 56) * share
        swing = wave * math.sin(share * 9 + look.lots["tilt"] * 2)
        out = w + 4 + 22 * math.sin(min(1.0, share * 1.5) * 1.6) + swing * share
        wide = 6 + 38 * math.sin(math.pi * min(1.0, 0.02 + share * 0.86)) - 8 * share * share
        outside.append((side * out, y))
        inside.append((side * (out - max(3.0, wide)), y + 2))
    lines = []
    for k in (0.25, 0.5, 0.75):
        middle = [(a[0] + (b[0] - a[0]) * k, a[1]) for a, b in zip(outside, inside, strict=True)]
        lines.append((smooth(middle[1:-1], close=False), 2.0, 0.7 if k == 0.5 else -0.7))
    return _shape(look, smooth([*outside, *reversed(inside)]), lines, 8)


def _falling(hair: Hair, look: Look, fig: Figure, chance: random.Random) -> None:
    if look.style in ("long", "wavy"):
        hair.over += [_lock(side, fig, look, 452 + 16 * look.lots["fringe"] * side) for side in (-1, 1)]
    elif look.style == "plait":
        side = 1 if look.lots["tilt"] > 0 else -1
        hair.over += _plait(look, fig, side, 26)
    elif look.style == "plaits":
        hair.over += [shape for side in (-1, 1) for shape in _plait(look, fig, side, 15)]
    elif look.style == "locs":
        for index in range(12):
            side = -1 if index % 2 else 1
            x = fig.w + 2 + 4.4 * (index // 2)
            low = 372 + chance.uniform(-20, 50)
            points = [(side * x, fig.eye - 40), (side * (x + 9), fig.chin - 40), (side * (x + 10), low)]
            points += [
                (side * (x + 1), low + 2),
                (side * (x - 1), fig.chin - 40),
                (side * (x - 9), fig.eye - 40),
            ]
            cuts = [
                (curve((side * (x - 4), y), (side * (x + 8), y + 3)), 1.8, -0.8)
                for y in range(int(fig.eye), int(low), 15)
            ]
            hair.over.append(_shape(look, smooth(points), cuts, 5))


def _plait(look: Look, fig: Figure, side: int, thick: float) -> list[Shape]:
    shapes = []
    x0, y0 = fig.w * 0.74, fig.mouth + 14
    count = 9
    for index in range(count):
        share = index / (count - 1)
        x = side * (x0 + 20 * math.sin(share * 2.6) - 6 * share)
        y = y0 + (496 - y0) * share
        size = thick * (1 - 0.3 * share) * (0.8 if index == 0 else 1)
        for part in (-1, 1):
            bead = [
                (x + part * size * 0.04, y + size * 0.5),
                (x + part * size * 0.66, y + size * 0.22),
                (x + part * size * 0.86, y - size * 0.35),
                (x + part * size * 0.46, y - size * 0.72),
                (x - part * size * 0.1, y - size * 0.16),
            ]
            line = curve((x + part * size * 0.6, y - size * 0.4), (x + part * size * 0.3, y + size * 0.2))
            shapes.append(_shape(look, smooth(bead), [(line, 1.6, 0.8)], 5))
    return shapes


def _tucked(hair: Hair, look: Look, fig: Figure, chance: random.Random) -> None:
    """Draw what peeps out from under a hood or a cloth."""
    if look.style in ("bald", "balding", "tonsure", "cropped") or look.hat in ("wimple", "turban"):
        return
    w, line = fig.w, fig.hairline + 2
    half = [(w * 0.86, fig.eye - 6), (w * 0.8, line + 34), (w * 0.44, line + 14)]
    inner = [*half, (w * 0.06, line - 6), *((-x, y) for x, y in reversed(half))]
    out = [(-w * 0.98, fig.eye), (-w * 0.9, line), (0, fig.top + 12), (w * 0.9, line), (w * 0.98, fig.eye)]
    lines = [
        (curve((x * 0.6, line - 16), (x * 1.1, line, x * 1.25, line + 26)), 2.0, chance.choice((-0.7, 0.6)))
        for x in range(-48, 52, 12)
    ]
    hair.front.append(_shape(look, joined(out, inner), lines, 8))
    if look.style in ("long", "wavy", "plait", "plaits") and look.hat == "hood":
        hair.over += [_lock(side, fig, look, 430) for side in (-1, 1)]
