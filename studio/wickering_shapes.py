"""What the pictures of Wickering are made of: cottages, the church, people, ducks, and letters."""

from __future__ import annotations

from studio import shapes
from studio.paint import Colour, Point, Sheet
from studio.shapes import Polygon

QUALITY = 58  # of the files: flat colours need less than mist
DAY = ((0.0, "#a9c8d8"), (0.4, "#cfe0dc"), (0.62, "#efe6cd"), (1.0, "#f2dcb4"))
INK, CREAM, BRICK, SAGE = "#2b2f38", "#f3e8d2", "#b0624a", "#7f9a72"
BLUE, RED, GRASS, YEW, ROAD, PINK = "#2f6f9f", "#d8432e", "#9fb778", "#3f5a48", "#b9b3a6", "#e2a39a"
OAK, DARK_OAK = "#8a5f3c", "#4a3326"
STROKES: dict[str, list[list[Point]]] = {  # letters in a box of one by two
    "C": [[(1, 0.3), (0.6, 0), (0, 0.5), (0, 1.5), (0.6, 2), (1, 1.7)]],
    "D": [[(0, 0), (0, 2), (0.6, 2), (1, 1.4), (1, 0.6), (0.6, 0), (0, 0)]],
    "E": [[(1, 0), (0, 0), (0, 2), (1, 2)], [(0, 1), (0.8, 1)]],
    "G": [[(1, 0.3), (0.6, 0), (0, 0.5), (0, 1.5), (0.6, 2), (1, 1.6), (1, 1.1), (0.6, 1.1)]],
    "I": [[(0.5, 0), (0.5, 2)]],
    "K": [[(0, 0), (0, 2)], [(1, 0), (0, 1.1), (1, 2)]],
    "N": [[(0, 2), (0, 0), (1, 2), (1, 0)]],
    "O": [[(0.5, 0), (0, 0.5), (0, 1.5), (0.5, 2), (1, 1.5), (1, 0.5), (0.5, 0)]],
    "P": [[(0, 2), (0, 0), (0.7, 0), (1, 0.4), (1, 0.7), (0.7, 1.1), (0, 1.1)]],
    "R": [[(0, 2), (0, 0), (0.7, 0), (1, 0.4), (1, 0.7), (0.7, 1.1), (0, 1.1)], [(0.5, 1.1), (1, 2)]],
    "S": [[(1, 0.3), (0.6, 0), (0, 0.3), (0.1, 0.8), (0.9, 1.2), (1, 1.7), (0.5, 2), (0, 1.7)]],
    "U": [[(0, 0), (0, 1.6), (0.5, 2), (1, 1.6), (1, 0)]],
    "W": [[(0, 0), (0.25, 2), (0.5, 0.6), (0.75, 2), (1, 0)]],
}


def write_letters(sheet: Sheet, text: str, at: Point, size: float, colour: Colour) -> None:
    x, y = at
    lines = [
        [(x + (index * 1.5 + across) * size, y + down * size) for across, down in stroke]
        for index, letter in enumerate(text)
        for stroke in STROKES.get(letter, [])
    ]
    sheet.lay(sheet.lines(*lines, width=size * 0.28), colour)


def fill(sheet: Sheet, colour: Colour, *polygons: Polygon, blur: float = 0.0) -> None:
    sheet.lay(sheet.mask(*polygons, blur=blur), colour)


def draw_hills(sheet: Sheet, level: float) -> None:
    for lift, colour in ((0, "#b7c9b4"), (34, "#a3ba9b"), (66, "#8fab84")):
        hill = shapes.ridge(sheet, level + lift, 60, rough=1.5, floor=sheet.height)
        sheet.lay(sheet.mask(hill, blur=1), colour)


def draw_tree(sheet: Sheet, x: float, foot: float, height: float, colour: Colour = SAGE) -> None:
    fill(sheet, DARK_OAK, shapes.box(x - height * 0.03, foot - height * 0.5, height * 0.06, height * 0.5))
    puffs = [
        shapes.ring(x + across * height, foot - up * height, size * height)
        for across, up, size in ((-0.2, 0.52, 0.2), (0.2, 0.54, 0.2), (0, 0.74, 0.24), (0, 0.5, 0.22))
    ]
    fill(sheet, colour, *puffs, blur=1)


def draw_cottage(
    sheet: Sheet, x: float, foot: float, width: float, height: float, *, wall: Colour, door: Colour
) -> None:
    """Plaster walls, a tiled roof, a door and a window on either side."""
    fill(sheet, wall, shapes.box(x, foot - height, width, height))
    fill(sheet, BRICK, shapes.box(x + width * 0.74, foot - height * 2.02, width * 0.1, height * 0.6))
    over, top = width * 0.06, foot - height
    roof = [
        (x - over, top),
        (x + width * 0.12, top - height * 0.7),
        (x + width * 0.88, top - height * 0.7),
        (x + width + over, top),
    ]
    fill(sheet, "#8d5a48", roof)
    fill(sheet, door, shapes.box(x + width * 0.42, foot - height * 0.66, width * 0.16, height * 0.66))
    panes = [
        shapes.box(x + width * place, foot - height * 0.72, width * 0.18, height * 0.36)
        for place in (0.12, 0.7)
    ]
    fill(sheet, INK, *panes)
    bars = [
        [
            (pane[0][0] + width * 0.09, pane[0][1]),
            (pane[0][0] + width * 0.09, pane[2][1]),
        ]
        for pane in panes
    ]
    sheet.lay(sheet.lines(*bars, width=max(1.0, width * 0.012)), CREAM)


def draw_church(sheet: Sheet, x: float, foot: float, size: float, wall: Colour = "#b8b2a2") -> None:
    nave = shapes.house(x + size * 0.34, foot, size * 0.9, size * 0.42, size * 0.3)
    fill(sheet, "#a39d8e", nave)
    fill(sheet, wall, shapes.box(x, foot - size, size * 0.36, size))
    teeth = [
        shapes.box(x + size * (0.0775 * step), foot - size * 1.06, size * 0.05, size * 0.07)
        for step in range(5)
    ]
    fill(sheet, wall, *teeth)
    lancets = [
        shapes.arch(x + size * place, foot - size * 0.08, size * 0.09, size * 0.26)
        for place in (0.48, 0.7, 0.92)
    ]
    fill(sheet, INK, *lancets, shapes.arch(x + size * 0.12, foot - size * 0.66, size * 0.12, size * 0.2))
    fill(sheet, CREAM, shapes.ring(x + size * 0.18, foot - size * 0.5, size * 0.06))
    hands = [
        [
            (x + size * 0.18, foot - size * 0.55),
            (x + size * 0.18, foot - size * 0.5),
            (x + size * 0.2, foot - size * 0.49),
        ]
    ]
    sheet.lay(sheet.lines(*hands, width=max(1.0, size * 0.012)), INK)


def draw_person(
    sheet: Sheet, at: Point, tall: float, coat: Colour, *, hair: Colour = "#5a4636", face: Colour = "#d9a98a"
) -> None:
    x, foot = at
    body = [
        (x - tall * 0.13, foot - tall * 0.12),
        (x - tall * 0.12, foot - tall * 0.7),
        (x - tall * 0.05, foot - tall * 0.8),
        (x + tall * 0.05, foot - tall * 0.8),
        (x + tall * 0.12, foot - tall * 0.7),
        (x + tall * 0.13, foot - tall * 0.12),
    ]
    legs = [
        shapes.box(x + tall * side, foot - tall * 0.16, tall * 0.07, tall * 0.16) for side in (-0.09, 0.02)
    ]
    fill(sheet, INK, *legs)
    fill(sheet, coat, body)
    fill(sheet, hair, shapes.ring(x, foot - tall * 0.9, tall * 0.1))
    fill(sheet, face, shapes.ring(x, foot - tall * 0.87, tall * 0.085))


def draw_duck(sheet: Sheet, x: float, y: float, size: float, head: Colour, *, right: bool = True) -> None:
    turn = 1 if right else -1
    fill(
        sheet,
        "#8d7b66",
        shapes.ring(x, y, size, flat=0.5),
        [
            (x - turn * size * 0.7, y),
            (x - turn * size * 1.35, y - size * 0.45),
            (x - turn * size * 0.5, y - size * 0.3),
        ],
    )
    fill(sheet, head, shapes.ring(x + turn * size * 0.85, y - size * 0.62, size * 0.34))
    fill(
        sheet,
        "#e3a93c",
        shapes.box(x + turn * size * (1.1 if right else 1.5), y - size * 0.66, size * 0.4, size * 0.14),
    )


def draw_shadow(sheet: Sheet, x: float, y: float, width: float, depth: float = 14) -> None:
    sheet.lay(sheet.mask(shapes.ring(x, y, width, flat=depth / width), blur=6), INK, 0.3)
