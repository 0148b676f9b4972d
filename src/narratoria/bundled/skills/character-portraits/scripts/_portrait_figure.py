"""Defines the anatomy all presets share: the places in a face, the outlines of head, neck and body.

The picture is 512 wide and high. x is counted from the middle of the face, y from the top of the picture.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from _portrait_look import Look

    Curve: TypeAlias = Sequence[float]  # two handles and an end
    Line: TypeAlias = tuple[str, float, float]  # path, width, tone


class Shape:
    """One thing with one colour: what it is made of decides nothing, each preset lights it in its own way."""

    def __init__(
        self,
        path: str,
        colour: str,
        lines: Sequence[Line] = (),
        *,
        kind: str = "cloth",
        depth: float = 14,
    ) -> None:
        self.path, self.colour, self.lines, self.kind, self.depth = path, colour, tuple(lines), kind, depth


class Figure:
    """Holds the places of a person's features and the outlines between them."""

    def __init__(self, look: Look, *, anime: bool = False) -> None:
        lot = look.lots
        woman, child = look.sex == "f", look.child
        heavy, thin = look.build == "heavy", look.build == "thin"
        self.top = 110.0
        self.w = 81 + 5 * lot["wide"] + (5 if heavy else -4 if thin else 0) - (3 if woman else 0)
        self.jaw = 62 + 5 * lot["jaw"] + (11 if heavy else -5 if thin else 4 if look.build == "broad" else 0)
        self.jaw -= 9 if woman else 0
        self.point = 24 + 5 * lot["chin"] + (6 if heavy else 0) - (7 if woman else 0)
        self.chin = 332 + 4 * lot["lean"] + (3 if look.sex == "m" else -4)
        self.eye, self.brow, self.nose, self.mouth = (
            228.0,
            204.0,
            272 + 3 * lot["nose"],
            298 + 2 * lot["mouth"],
        )
        self.apart = 36 + 1.8 * lot["apart"]
        self.open = 11 + 1.6 * lot["eyes"] + (1.4 if woman else 0) - 2.2 * look.old
        self.neck = (
            40.0 + (7 if look.build in ("broad", "heavy") else -4 if thin else 0) - (8 if woman else 0)
        )
        self.shoulder = {"thin": 128, "slim": 134, "average": 148, "broad": 176, "heavy": 172}[look.build]
        self.shoulder -= 12 if woman else 0
        self.slope = 398.0
        if look.species == "dwarf":
            self.w, self.jaw, self.neck, self.shoulder = self.w + 7, self.jaw + 9, self.neck + 8, 178
        if look.species == "orc":
            self.jaw, self.neck, self.shoulder = self.jaw + 12, self.neck + 10, self.shoulder + 16
        if child:
            self._make_young()
        if anime:
            self._make_anime(look)
        self.hairline = self.top + 47

    def _make_young(self) -> None:
        self.top, self.w, self.jaw = self.top + 6, self.w + 3, self.jaw + 2
        self.chin, self.point = 324, self.point - 2
        self.eye, self.brow, self.nose, self.mouth = 238, 214, 272, 293
        self.open, self.apart = self.open + 2.2, self.apart + 0.5
        self.neck, self.shoulder, self.slope = 31, 108, 402

    def _make_anime(self, look: Look) -> None:
        self.w, self.jaw, self.point = self.w + 1, self.jaw - 9, max(7, self.point - 13)
        self.eye, self.brow = self.eye + 8, self.brow - 4
        self.nose, self.mouth = self.nose + 4, self.mouth + 5
        self.apart, self.open = self.apart + 3, self.open * 2.1
        self.neck = self.neck * (0.8 if look.sex != "m" else 0.88)
        if look.build in ("heavy", "broad"):
            self.jaw, self.point = self.jaw + 4, self.point + 5

    def head(self) -> str:
        w, jaw, chin = self.w, self.jaw, self.chin
        return mirrored(
            (0, self.top),
            (w * 0.62, self.top, w, self.top + 44, w, self.eye - 12),
            (w, self.eye + 34, jaw + (w - jaw) * 0.55, self.mouth - 22, jaw, self.mouth),
            (jaw * 0.86, self.mouth + (chin - self.mouth) * 0.72, self.point + 6, chin, 0, chin),
        )

    def neck_path(self) -> str:
        n = self.neck
        return mirrored(
            (0, self.mouth),
            (n, self.mouth, n, self.mouth, n, self.mouth + 16),
            (n, 350, n + 2, 362, n + 16, 376),
            (n + 30, 392, n + 44, 396, n + 60, 402),
            (40, 440, 20, 446, 0, 448),
        )

    def torso(self, *, rise: float = 0, spread: float = 0, neck: float = 0) -> str:
        """Shoulders and chest under cloth; `rise` brings the cloth up the neck."""
        n, s, y = self.neck + neck, self.shoulder + spread, self.slope
        return mirrored(
            (0, 372 - rise),
            (n * 0.6, 372 - rise, n * 0.9, 366 - rise, n + 4, 354 - rise),
            (n + 16, 372, s * 0.62, y - 16, s * 0.86, y),
            (s * 1.06, y + 12, s * 1.14, y + 60, s * 1.2, 520),
            (s * 0.5, 520, s * 0.2, 520, 0, 520),
        )

    def ear(self, side: int, species: str) -> str:
        x, y = self.w - 3, self.eye + 2
        if species in ("elf", "goblin", "vampire", "horned"):
            out = 34 if species == "goblin" else 22
            tip = (x + 8, y - 22, x + out * 0.8, y - 40, x + out, y - 52)
            outline = [tip, (x + out, y - 20, x + 14, y + 26, x - 4, y + 40)]
            start = y - 8
        else:
            rise = (x + 16, y - 22, x + 19, y + 2, x + 12, y + 22)
            outline, start = [rise, (x + 9, y + 38, x + 2, y + 42, x - 5, y + 38)], y - 6
        turned = [[value * (side if at % 2 == 0 else 1) for at, value in enumerate(part)] for part in outline]
        return curve((side * x, start), *turned, close=True)


def n(value: float) -> str:
    """Return a number as SVG wants it, without digits nobody sees."""
    return f"{value:.1f}".removesuffix(".0")


def curve(start: Sequence[float], *parts: Curve, close: bool = False) -> str:
    """Return a path: parts of six numbers are curves, of four are simple curves, of two are lines."""
    letters = {6: "C", 4: "Q", 2: "L"}
    segments = "".join(letters[len(part)] + " ".join(map(n, part)) for part in parts)
    return f"M{n(start[0])} {n(start[1])}{segments}{'Z' if close else ''}"


def mirrored(start: Sequence[float], *parts: Curve) -> str:
    """Return the right half of an outline, from top to bottom, and the same on the left."""
    points: list[tuple[float, float]] = [(start[0], start[1])]
    for part in parts:
        points += [(part[0], part[1]), (part[2], part[3]), (part[4], part[5])]
    back = [(-x, y) for x, y in reversed(points)]
    segments = [f"M{n(points[0][0])} {n(points[0][1])}"]
    for side in (points, back):
        if side is back:
            segments.append(f"L{n(back[0][0])} {n(back[0][1])}")
        segments += [
            "C" + " ".join(f"{n(x)} {n(y)}" for x, y in side[index : index + 3])
            for index in range(1, len(side), 3)
        ]
    return "".join(segments) + "Z"


def smooth(points: Sequence[tuple[float, float]], *, close: bool = True) -> str:
    """Return a soft curve through points (Catmull and Rom's)."""
    many = len(points)
    segments = [f"M{n(points[0][0])} {n(points[0][1])}"]
    for index in range(many if close else many - 1):
        if close:
            before, here, there, after = (points[(index + step) % many] for step in (-1, 0, 1, 2))
        else:
            before, here = points[max(0, index - 1)], points[index]
            there, after = points[index + 1], points[min(many - 1, index + 2)]
        one = here[0] + (there[0] - before[0]) / 6, here[1] + (there[1] - before[1]) / 6
        two = there[0] - (after[0] - here[0]) / 6, there[1] - (after[1] - here[1]) / 6
        segments.append("C" + " ".join(n(value) for value in (*one, *two, *there)))
    return "".join(segments) + ("Z" if close else "")


def ellipse(x: float, y: float, rx: float, ry: float) -> str:
    half = f"A{n(rx)} {n(ry)} 0 1 1"
    return f"M{n(x - rx)} {n(y)}{half} {n(x + rx)} {n(y)}{half} {n(x - rx)} {n(y)}Z"


def polygon(*points: tuple[float, float]) -> str:
    return "M" + "L".join(f"{n(x)} {n(y)}" for x, y in points) + "Z"


def both(make: Any) -> str:
    """Return a path for the left and one for the right."""
    return str(make(-1)) + str(make(1))
