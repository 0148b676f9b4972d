"""The places of Callow: a village below a pass, in snow, on one evening."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from studio import shapes
from studio.paint import Sheet

DUSK = ((0.0, "#28324e"), (0.45, "#56648a"), (0.62, "#9aa3bd"), (1.0, "#c6ccd8"))
NIGHT = ((0.0, "#141b33"), (0.5, "#2c3a5e"), (0.7, "#5a6a8c"), (1.0, "#8592ab"))
INK, SNOW = "#10162a", "#d7ddea"


def _mountains(sheet: Sheet, level: float = 400) -> None:
    for lift, colour in ((0, "#6b7899"), (70, "#4a5879"), (130, "#36435f")):
        hill = sheet.mask(shapes.ridge(sheet, level + lift, 170 - lift * 0.5, rough=1.1), blur=1)
        sheet.lay(hill, colour)
        crest = (
            np.clip(sheet.noise(60) - 0.45, 0, 1) * hill * np.clip((level + lift + 90 - sheet.y) / 200, 0, 1)
        )
        sheet.lay(np.clip(crest * 3, 0, 1), "#dfe5f1", 0.7)
        sheet.mist(level + lift + 60, 60, "#a8b2c9", 0.4)


def _firs(sheet: Sheet, foot: float, count: int, tall: tuple[float, float], colour: str = INK) -> None:
    trees = [
        shapes.fir(x, foot + sheet.chance.uniform(-14, 18), sheet.chance.uniform(*tall))
        for x in sheet.chance.uniform(-20, sheet.width + 20, count)
    ]
    sheet.lay(sheet.mask(*trees), colour)


def _ground(sheet: Sheet, level: float, rise: float = 20) -> None:
    sheet.wash(sheet.mask(shapes.ridge(sheet, level, rise, rough=1.6), blur=1.5), "#aab4cc", "#59658a")


def _cottage(sheet: Sheet, x: float, foot: float, width: float, height: float, *, lit: int = 2) -> None:
    """Dark walls, a white roof, and light in the windows."""
    sheet.lay(sheet.mask(shapes.house(x, foot, width, height, height * 0.7)), INK)
    roof = [
        (x - width * 0.1, foot - height + 4),
        (x + width / 2, foot - height * 1.74),
        (x + width * 1.1, foot - height + 4),
        (x + width * 1.02, foot - height + 8),
        (x + width / 2, foot - height * 1.56),
        (x - width * 0.02, foot - height + 8),
    ]
    sheet.lay(sheet.mask(roof), SNOW)
    for index in range(lit):
        left = x + width * (index + 0.7) / (lit + 0.9)
        pane = shapes.box(left, foot - height * 0.68, width * 0.12, height * 0.3)
        sheet.lay(sheet.mask(pane, blur=0.6), "#ffd28a")
        sheet.glow(left + width * 0.06, foot - height * 0.5, width * 0.2, "#ffb45e", 0.4)


def post_office(path: Path) -> None:
    sheet = Sheet(31)
    sheet.sky(*DUSK)
    _mountains(sheet, 330)
    _firs(sheet, 520, 26, (80, 190), "#2a3553")
    _ground(sheet, 540)
    _cottage(sheet, 120, 560, 150, 90, lit=1)
    _cottage(sheet, 930, 556, 170, 96, lit=2)
    _cottage(sheet, 470, 600, 330, 190, lit=2)
    sheet.lay(sheet.mask(shapes.box(602, 470, 70, 130)), "#070b18")
    sheet.lay(sheet.mask(shapes.box(560, 428, 160, 26)), "#7c1f2a")
    sheet.lay(sheet.lines([(580, 441), (700, 441)], width=3), "#f0e6cf", 0.9)
    sheet.lay(sheet.mask(shapes.box(716, 300, 26, 90)), INK)
    sheet.lay(sheet.mask(shapes.box(752, 520, 34, 84), shapes.ring(769, 520, 17, flat=0.6)), "#8c2430")
    sheet.lay(sheet.lines([(758, 536), (780, 536)], width=4), "#160a0e")
    sheet.lamp(590, 500, size=4)
    sheet.glow(620, 640, 190, "#ffb45e", 0.22)
    sheet.snow(900)
    sheet.finish(path, tint="#26304c")


def last_fire(path: Path) -> None:
    sheet = Sheet(32)
    sheet.sky(*NIGHT)
    _mountains(sheet, 300)
    _firs(sheet, 500, 34, (120, 260), "#1c2542")
    _ground(sheet, 560)
    _cottage(sheet, 300, 610, 430, 210, lit=5)
    _cottage(sheet, 700, 610, 230, 130, lit=2)
    sheet.lay(sheet.mask(shapes.box(400, 216, 34, 110), shapes.box(640, 230, 30, 90)), INK)
    for x, top in ((417, 214), (655, 228)):
        for puff in range(9):
            sheet.glow(x + puff * 9 + puff**1.6, top - puff * 20, 16 + puff * 6, "#8b93a8", 0.1)
    sheet.lay(sheet.mask(shapes.arch(480, 610, 66, 112)), "#ffbf70")
    sheet.glow(513, 580, 110, "#ff9d48", 0.16)
    sheet.lay(sheet.lines([(900, 470), (980, 470)], [(980, 470), (980, 500)], width=4), INK)
    sheet.lay(sheet.mask(shapes.box(952, 500, 56, 60)), INK)
    sheet.lay(sheet.mask([(980, 512), (992, 536), (980, 552), (968, 536)]), "#ff9d48")
    coach = [shapes.box(1030, 548, 130, 74), shapes.box(1010, 536, 170, 14), shapes.box(1168, 520, 30, 40)]
    sheet.lay(sheet.mask(*coach, shapes.ring(1056, 628, 28), shapes.ring(1138, 628, 28)), "#070b18")
    sheet.lay(sheet.mask(shapes.box(1062, 562, 24, 24), shapes.box(1104, 562, 24, 24)), "#ffcf8a", 0.8)
    sheet.lamp(1024, 560, size=3.4)
    sheet.snow(1100)
    sheet.finish(path, tint="#2c2438")


def bridge(path: Path) -> None:
    sheet = Sheet(33)
    sheet.sky(*NIGHT)
    _mountains(sheet, 280)
    sheet.mist(470, 120, "#8d9ab8", 0.5)
    left = [(-10, 420), (250, 424), (276, 470), (300, 560), (360, 730), (-10, 730)]
    right = [(1290, 410), (1030, 424), (1010, 470), (970, 590), (900, 730), (1290, 730)]
    sheet.wash(sheet.mask(left, right, blur=1), "#4a587a", "#0d1326")
    sheet.lay(sheet.lines([(-10, 420), (250, 424)], [(1030, 424), (1290, 410)], width=9, blur=1), SNOW, 0.9)
    sheet.lay(sheet.mask(shapes.box(226, 360, 828, 62)), INK)
    sheet.lay(sheet.mask([(206, 362), (246, 316), (1034, 316), (1074, 362)]), "#1a2240")
    sheet.lay(
        sheet.mask(
            [
                (214, 352),
                (250, 312),
                (1030, 312),
                (1066, 352),
                (1052, 340),
                (1026, 320),
                (254, 320),
                (228, 340),
            ]
        ),
        SNOW,
    )
    for x in np.linspace(250, 1030, 26):
        sheet.lay(sheet.mask(shapes.box(x, 366, 7, 40)), "#31406a", 0.8)
    for start in (250, 510, 770):
        brace = [(start, 424), (start + 130, 486), (start + 260, 424)]
        sheet.lay(
            sheet.lines(
                brace,
                [(start + 65, 424), (start + 65, 456)],
                [(start + 195, 424), (start + 195, 456)],
                width=7,
            ),
            INK,
        )
    for x in (508, 770):
        sheet.lay(sheet.mask([(x - 10, 424), (x + 14, 424), (x + 30, 730), (x - 26, 730)]), "#0b1022")
    sheet.lay(sheet.lines([(852, 470), (866, 484), (858, 490), (874, 506)], width=3), "#cfd8ea", 0.9)
    sheet.lamp(238, 384, size=4.4)
    sheet.lay(sheet.mask(shapes.box(1042, 380, 8, 12)), "#070b18")
    sheet.lay(
        sheet.mask(shapes.ring(196, 372, 9), [(182, 424), (186, 392), (196, 382), (208, 392), (212, 424)]),
        "#060a16",
    )
    sheet.mist(690, 70, "#6f7d9d", 0.7)
    sheet.snow(900)
    sheet.finish(path, tint="#1e2a4a")


def gorge_stair(path: Path) -> None:
    sheet = Sheet(34)
    sheet.sky((0, "#49567a"), (0.3, "#2b3658"), (1, "#070b18"))
    wall = np.clip(sheet.noise(90, stretch=0.35), 0, 1)
    for side, colour in ((0, "#27314e"), (1, "#1c2540")):
        edge = 470 + 120 * (sheet.noise(160, stretch=0.3) - 0.5) + sheet.y * 0.08
        face = (sheet.x < edge) if side == 0 else (sheet.x > 1280 - edge * 0.86)
        sheet.lay(face.astype(np.float32), colour)
        sheet.lay(np.clip(wall - 0.55, 0, 1) * face * 2.2, "#0a1020", 0.8)
        sheet.lay(np.clip(0.36 - wall, 0, 1) * face * 2.4, "#9fb0cc", 0.5)
    steps = []
    x, y = 470.0, 70.0
    for index in range(15):
        steps.append(shapes.box(x - 118, y, 118, 9))
        x += 8 if index % 6 < 3 else -6
        y += 43
    sheet.lay(sheet.mask(*steps), "#0a0e1c")
    sheet.lay(
        sheet.mask(*[[(a, b - 3), (c, d - 3), (c, d + 1), (a, b + 1)] for (a, b), (c, d), *_ in steps]),
        SNOW,
        0.8,
    )
    sheet.lay(sheet.lines([(372, 30), (384, 250), (380, 460), (392, 700)], width=3), "#b9a88a", 0.8)
    sheet.lay(sheet.mask(shapes.box(300, -10, 700, 56)), "#05080f")
    for start in (300, 540, 780):
        sheet.lay(sheet.lines([(start, 46), (start + 120, 128), (start + 240, 46)], width=12), "#05080f")
    sheet.lamp(420, 340, size=5)
    figure = [(400, 388), (404, 350), (412, 340), (424, 350), (428, 388)]
    sheet.lay(sheet.mask(shapes.ring(413, 330, 10), figure), "#04060e")
    sheet.mist(690, 80, "#5b6a8c", 0.7)
    sheet.snow(420, largest=2.0)
    sheet.finish(path, tint="#16203c")


def telegraph_hut(path: Path) -> None:
    sheet = Sheet(35)
    sheet.sky(*DUSK)
    _mountains(sheet, 380)
    slope = [(-10, 640), (500, 560), (1290, 430), (1290, 730), (-10, 730)]
    sheet.wash(sheet.mask(slope, blur=1.5), "#b4bed3", "#5a6688")
    sheet.lay(np.clip(sheet.noise(40) - 0.6, 0, 1) * sheet.mask(slope) * 3, "#3a4565", 0.7)
    poles = [
        (180, 618, 330),
        (430, 574, 270),
        (640, 538, 214),
        (810, 508, 168),
        (950, 486, 130),
        (1066, 468, 100),
    ]
    tops = []
    for x, foot, height in poles:
        arm = height * 0.22
        sheet.lay(
            sheet.lines(
                [(x, foot), (x, foot - height)],
                [(x - arm, foot - height * 0.9), (x + arm, foot - height * 0.9)],
                [(x - arm * 0.7, foot - height * 0.78), (x + arm * 0.7, foot - height * 0.78)],
                width=height * 0.026,
            ),
            INK,
        )
        tops.append((x, foot - height * 0.9, arm))
    for (x1, y1, a1), (x2, y2, a2) in pairwise(tops[1:]):
        for side in (-1, 1):
            sag = [
                (
                    x1 + side * a1 + (x2 + side * a2 - x1 - side * a1) * t,
                    y1 + (y2 - y1) * t + 22 * np.sin(np.pi * t),
                )
                for t in np.linspace(0, 1, 16)
            ]
            sheet.lay(sheet.lines(sag, width=1.3), INK, 0.9)
    sheet.lay(sheet.lines([(180 + 70, 322), (270, 420), (276, 500)], width=1.6), INK)
    sheet.lay(sheet.lines([(430 - 60, 332), (372, 420), (366, 470)], width=1.6), INK)
    _cottage(sheet, 560, 640, 170, 100, lit=1)
    sheet.lay(sheet.mask(shapes.box(600, 470, 18, 60)), INK)
    sheet.glow(650, 590, 90, "#ffb45e", 0.35)
    sheet.snow(800)
    sheet.finish(path, tint="#26304c")


def cover(path: Path) -> None:
    sheet = Sheet(36, width=900, height=1200)
    sheet.sky((0, "#161d38"), (0.4, "#33426a"), (0.62, "#8b98b6"), (1, "#cdd4e2"))
    _mountains(sheet, 560)
    _firs(sheet, 800, 26, (120, 280), "#1d2746")
    sheet.wash(
        sheet.mask(shapes.ridge(sheet, 830, 26, rough=1.6, floor=1200), blur=1.5), "#aab4cc", "#46527a"
    )
    _cottage(sheet, 250, 850, 400, 230, lit=1)
    sheet.lay(sheet.mask(shapes.box(404, 700, 92, 150)), "#070b18")
    sheet.glow(340, 760, 120, "#ffb45e", 0.5)
    envelope = [(250, 930), (650, 930), (650, 1130), (250, 1130)]
    turned = [(x * 0.992 - (y - 1030) * 0.09 + 8, y * 0.99 + (x - 450) * 0.09 + 8) for x, y in envelope]
    sheet.lay(sheet.mask([(x + 10, y + 16) for x, y in turned], blur=14), "#10162a", 0.6)
    sheet.lay(sheet.mask(turned), "#efe6d2")
    (x1, y1), (x2, y2), (x3, y3), (x4, y4) = turned
    sheet.lay(
        sheet.lines([(x1, y1), ((x1 + x3) / 2, (y1 + y3) / 2 + 6), (x2, y2)], width=2, blur=0.6),
        "#a89a80",
        0.9,
    )
    sheet.lay(
        sheet.lines([*shapes.ring(x2 - 76, y2 + 62, 40)], [*shapes.ring(x2 - 76, y2 + 62, 31)], width=2.4),
        "#3a3050",
        0.85,
    )
    sheet.lay(sheet.lines([(x2 - 106, y2 + 62), (x2 - 46, y2 + 62)], width=2.4), "#3a3050", 0.85)
    for row, length in ((0, 170), (26, 130), (52, 90)):
        line = [
            (x4 + 70 + t * length, y4 - 108 + row + t * length * 0.09 + 2.5 * np.sin(t * 60))
            for t in np.linspace(0, 1, 60)
        ]
        sheet.lay(sheet.lines(line, width=2.2), "#2a2440", 0.85)
    sheet.snow(1200)
    sheet.finish(path, tint="#26304c")


PLACES = {
    "post-office": post_office,
    "last-fire": last_fire,
    "bridge": bridge,
    "gorge-stair": gorge_stair,
    "telegraph-hut": telegraph_hut,
}
