"""The places of Harrowmere: a town on piles, in mist, by lamplight."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from studio import shapes
from studio.paint import Sheet

NIGHT = ((0.0, "#151a2e"), (0.42, "#2b3353"), (0.62, "#6a6c86"), (1.0, "#20263c"))
DUSK = ((0.0, "#1b1c38"), (0.4, "#4a3f63"), (0.58, "#a8798a"), (0.66, "#c99a8b"), (1.0, "#2a2740"))
INK, FAR, FARTHER = "#0d1120", "#2c3350", "#4b5170"
SHORE = 505.0


def _town(sheet: Sheet, *, water: float = SHORE) -> None:
    """Three rows of houses, the nearest one dark, with lights in them."""
    for foot, colour, scale, lit in ((water - 70, FARTHER, 0.6, 0), (water - 44, FAR, 0.8, 0.35)):
        rows, windows = shapes.stilt_row(sheet, foot, water - 10, scale=scale)
        sheet.lay(sheet.mask(*rows, blur=1.2), colour, 0.9)
        for x, y in windows:
            if sheet.chance.random() < lit:
                sheet.lamp(x, y, size=1.2)
        sheet.mist(foot + 10, 44, "#8d92a8", 0.55)


def landing(path: Path) -> None:
    sheet = Sheet(11)
    sheet.sky(*NIGHT)
    _town(sheet)
    rows, windows = shapes.stilt_row(sheet, SHORE - 26, SHORE + 4, end=620, scale=1.25)
    sheet.lay(sheet.mask(*rows), INK)
    for x, y in windows[::2]:
        sheet.lamp(x, y, size=1.8)
    for index in range(8):
        x = 640 + index * 84
        sheet.lay(sheet.mask(shapes.box(x, SHORE - 70 + index * 4, 3, 78)), INK)
        sheet.lamp(x + 1, SHORE - 74 + index * 4, size=3.0 - index * 0.24)
    sheet.reflect(SHORE, "#141a2c")
    sheet.mist(SHORE + 6, 40, "#a9adbf", 0.75)
    for x, y, long in ((760, 560, 150), (960, 590, 190), (1130, 566, 130)):
        sheet.lay(sheet.mask(shapes.boat(x, y, long)), INK)
    sheet.lay(sheet.mask(shapes.boat(330, 640, 330), *shapes.rower(350, 628, 44)), "#090c18")
    sheet.lay(sheet.lines([(365, 590), (500, 690)], width=5), "#090c18")
    sheet.lamp(192, 600, size=4.5)
    sheet.mist(690, 60, "#5a607a", 0.5)
    sheet.finish(path)


def foundry(path: Path) -> None:
    sheet = Sheet(12)
    sheet.sky((0, "#0e0c14"), (0.6, "#1e1720"), (1, "#120d10"))
    for x in range(0, 1280, 160):
        sheet.lay(
            sheet.lines([(x + 80, -10), (640 + (x - 640) * 0.72, 330)], width=9, blur=1), "#241b22", 0.9
        )
    for y in (60, 150, 230):
        sheet.lay(sheet.lines([(0, y), (1280, y)], width=10 - y / 40, blur=1), "#2a1f24", 0.8)
    sheet.lay(sheet.mask(shapes.box(560, 40, 160, 60), blur=6), "#5b6384", 0.75)
    beam = sheet.mask([(575, 90), (705, 90), (860, 480), (430, 480)], blur=26)
    sheet.lay(beam, "#55608a", 0.22)
    for index in range(9):
        size = 34 + index * 5
        sheet.lay(
            sheet.lines([*shapes.bell(90 + index * 62, 330, size)], width=1.6, blur=0.4), "#a99a94", 0.55
        )
    sheet.lay(sheet.lines([*shapes.bell(668, 330, 86)], width=1.8, blur=0.4), "#d8c6b8", 0.75)
    sheet.lay(sheet.mask(shapes.ring(560, 560, 330, flat=0.24)), "#07060a")
    sheet.glow(560, 545, 260, "#ff7a2f", 0.55)
    sheet.glow(560, 560, 130, "#ffb05a", 0.5)
    mould = shapes.bell(560, 580, 165)
    sheet.lay(sheet.mask(mould), "#2b1a17")
    lit = sheet.mask(mould, blur=3) - sheet.mask([(x - 12, y - 6) for x, y in mould], blur=6)
    sheet.lay(np.clip(lit, 0, 1), "#ff9a55", 0.8)
    for y in (400, 450, 505, 556):
        half = 72 + (y - 380) * 0.26
        sheet.lay(sheet.lines([(560 - half, y), (560 + half, y)], width=6), "#140d0e", 0.9)
    sheet.lay(sheet.mask(shapes.box(930, 300, 240, 330), shapes.box(1010, -10, 90, 320)), "#171017")
    sheet.lay(sheet.mask(shapes.arch(1000, 600, 100, 120)), "#ff8a3a")
    sheet.glow(1050, 560, 120, "#ff8a3a", 0.7)
    sheet.lay(
        sheet.mask(shapes.ring(300, 470, 15), [(276, 650), (284, 500), (300, 484), (318, 500), (326, 650)]),
        "#0a080c",
    )
    for _ in range(70):
        x, y = sheet.chance.normal(600, 220), sheet.chance.uniform(180, 560)
        sheet.glow(x, y, sheet.chance.uniform(1.2, 2.6), "#ffb066", 0.8)
    sheet.finish(path, tint="#3a1c10")


def market(path: Path) -> None:
    sheet = Sheet(13)
    sheet.sky(*DUSK)
    sheet.mist(420, 160, "#b58a92", 0.35)
    for tier, (foot, colour) in enumerate(((600, "#6b5872"), (500, "#4a3d5c"), (640, "#2a2440"))):
        rows, windows = shapes.stilt_row(sheet, foot, 720, scale=1.0 + tier * 0.3, start=-60 + tier * 40)
        sheet.lay(sheet.mask(*rows, blur=1.5 - tier * 0.5), colour)
        for x, y in windows:
            if sheet.chance.random() < 0.3 + 0.2 * tier:
                sheet.lamp(x, y, size=1.3 + tier * 0.4, air=0.25)
        sheet.mist(foot, 50, "#a47f92", 0.3)
    for base in (250, 330, 415):
        string = [
            (x, base + 70 * math.sin(math.pi * (x % 427) / 427) + x * 0.02) for x in range(-20, 1301, 12)
        ]
        sheet.lay(sheet.lines(string, width=1.4), "#17132a", 0.9)
        for x, y in string[3::6]:
            sheet.lamp(x, y + 9, size=sheet.chance.uniform(2, 3.4), colour="#ffb96b", air=0.1)
    stalls = []
    for x in (60, 300, 560, 830, 1080):
        stalls += [
            [(x, 610), (x + 90, 560), (x + 180, 610)],
            shapes.box(x + 10, 610, 5, 110),
            shapes.box(x + 165, 610, 5, 110),
            shapes.box(x + 4, 665, 172, 9),
        ]
    sheet.lay(sheet.mask(*stalls), "#120e20")
    for x in sheet.chance.uniform(20, 1260, 34):
        height = sheet.chance.uniform(52, 76)
        foot = 728.0
        person = [
            (x - 13, foot),
            (x - 11, foot - height * 0.7),
            (x, foot - height * 0.82),
            (x + 11, foot - height * 0.7),
            (x + 13, foot),
        ]
        sheet.lay(sheet.mask(shapes.ring(x, foot - height * 0.92, 8), person), "#0c0918")
    sheet.finish(path)


def ferry_house(path: Path) -> None:
    sheet = Sheet(14)
    sheet.sky((0, "#120e12"), (0.7, "#2a1a16"), (1, "#120c0c"))
    sheet.glow(640, 520, 420, "#c8642a", 0.4)
    for index in range(11):
        x = 90 + index * 110
        rib = [(x, 720 - 150 + 40), (x + (640 - x) * 0.12, 330), (x + (640 - x) * 0.55, 120), (640, 46)]
        curve = [
            (
                (1 - t) ** 3 * rib[0][0]
                + 3 * (1 - t) ** 2 * t * rib[1][0]
                + 3 * (1 - t) * t**2 * rib[2][0]
                + t**3 * rib[3][0],
                (1 - t) ** 3 * rib[0][1]
                + 3 * (1 - t) ** 2 * t * rib[1][1]
                + 3 * (1 - t) * t**2 * rib[2][1]
                + t**3 * rib[3][1],
            )
            for t in np.linspace(0, 1, 24)
        ]
        sheet.lay(sheet.lines(curve, width=13, blur=0.8), "#0b0809", 0.95)
        sheet.lay(sheet.lines([(a + 5, b + 3) for a, b in curve], width=2, blur=1), "#8a4a26", 0.5)
    sheet.lay(sheet.lines([(640, 0), (640, 60)], width=24), "#0b0809")
    for index in range(14):
        x = 30 + index * 26 if index < 7 else 1270 - (index - 7) * 26
        sheet.lay(sheet.lines([(x, 300), (x + 6, 620)], width=5), "#050405")
        sheet.lay(sheet.mask(shapes.ring(x, 280, 11, flat=3.4)), "#050405")
    sheet.glow(640, 585, 120, "#ff9440", 0.8)
    sheet.glow(640, 610, 44, "#ffd08a", 0.8)
    sheet.lay(
        sheet.mask(
            shapes.ring(640, 520, 62, flat=0.7),
            shapes.box(578, 470, 124, 40),
            shapes.ring(640, 470, 66, flat=0.16),
        ),
        "#060505",
    )
    sheet.lay(sheet.lines([(640, 60), (640, 430), (585, 470)], [(640, 430), (695, 470)], width=3), "#060505")
    for x, lean in ((470, 1), (812, -1), (380, 1), (905, -1)):
        foot = 700.0
        body = [
            (x - 46, foot),
            (x - 34 + lean * 8, foot - 96),
            (x + lean * 16, foot - 122),
            (x + 34 + lean * 8, foot - 96),
            (x + 46, foot),
        ]
        sheet.lay(sheet.mask(shapes.ring(x + lean * 20, foot - 142, 21), body), "#070506")
        edge = [(x + lean * 36, foot - 100), (x + lean * 46, foot - 20)]
        sheet.lay(sheet.lines(edge, width=3, blur=2), "#d9793a", 0.7)
    sheet.finish(path, tint="#3a1c10")


def lamp_tower(path: Path) -> None:
    sheet = Sheet(15)
    sheet.sky((0, "#0c1226"), (0.5, "#24304f"), (0.72, "#5f6c8a"), (1, "#141b30"))
    for x, y, bright in zip(
        sheet.chance.uniform(0, 1280, 130),
        sheet.chance.uniform(0, 330, 130),
        sheet.chance.uniform(0.2, 0.8, 130),
        strict=True,
    ):
        sheet.glow(x, y, 1.2, "#dfe6ff", bright)
    for end in ((-200, -60), (-200, 170), (1500, 330), (1500, 90)):
        beam = sheet.mask([(820, 150), (end[0], end[1] - 90), (end[0], end[1] + 90)], blur=20)
        fade = np.exp(-np.abs(sheet.x - 820) / 520)
        sheet.lay(beam * fade, "#ffe2a8", 0.32)
    _town(sheet, water=560)
    tower = [(776, 560), (792, 190), (848, 190), (864, 560)]
    room = [(780, 190), (786, 118), (820, 84), (854, 118), (860, 190)]
    sheet.lay(sheet.mask(tower, room, shapes.box(770, 184, 100, 10), shapes.box(817, 58, 6, 40)), INK)
    sheet.lay(sheet.mask(shapes.box(794, 124, 52, 54), blur=2), "#ffe6b0")
    sheet.glow(820, 150, 150, "#ffd890", 0.75)
    for step in range(7):
        sheet.lay(sheet.mask(shapes.arch(812 + (step % 2) * 8, 250 + step * 44, 8, 18)), "#ffcf86", 0.9)
    rows, windows = shapes.stilt_row(sheet, 548, 580, scale=0.9)
    sheet.lay(sheet.mask(*rows), INK)
    for x, y in windows[::3]:
        sheet.lamp(x, y, size=1.4)
    sheet.reflect(576, "#101730")
    sheet.mist(572, 34, "#a4abc2", 0.7)
    sheet.finish(path)


def abbey(path: Path) -> None:
    sheet = Sheet(16)
    sheet.sky((0, "#222741"), (0.5, "#6d7291"), (0.7, "#b3b0bd"), (1, "#2c3048"))
    sheet.lay(sheet.mask(shapes.ridge(sheet, 470, 60)), "#7d829c", 0.7)
    sheet.mist(470, 70, "#c9c8d2", 0.8)
    rock = [
        (300, 560),
        (360, 470),
        (430, 452),
        (470, 400),
        (560, 380),
        (760, 374),
        (860, 404),
        (900, 460),
        (980, 486),
        (1040, 560),
    ]
    nave = shapes.house(500, 400, 250, 110, 92)
    tower = [shapes.box(730, 170, 96, 230), [(722, 170), (778, 96), (834, 170)]]
    wings = [shapes.house(420, 420, 90, 70, 44), shapes.house(822, 420, 90, 60, 40)]
    sheet.wash(sheet.mask(rock, nave, *tower, *wings), "#2a2d47", "#12152a")
    sheet.lay(sheet.mask(shapes.arch(754, 262, 48, 74)), "#a6a6b8")
    for x in range(520, 720, 34):
        sheet.lay(sheet.mask(shapes.arch(x, 384, 15, 58)), "#4e5170")
    sheet.lay(sheet.mask(shapes.arch(600, 398, 46, 66)), "#d9b98a", 0.9)
    sheet.glow(623, 376, 40, "#ffcf90", 0.4)
    causeway = [(0, 540), (0, 531), (420, 508), (420, 516)]
    sheet.lay(sheet.mask(causeway, *[shapes.box(x, 520, 4, 50) for x in range(20, 410, 44)]), "#1a1d33")
    sheet.reflect(560, "#1b2038", dark=0.5)
    sheet.mist(560, 40, "#d4d3dc", 0.85)
    sheet.mist(300, 26, "#aeb0c4", 0.3)
    for x in (120, 168, 204):
        sheet.lay(
            sheet.mask(
                shapes.ring(x, 478, 6), [(x - 9, 530), (x - 6, 488), (x, 482), (x + 6, 488), (x + 9, 530)]
            ),
            "#15182c",
        )
    sheet.finish(path)


def under_choir(path: Path) -> None:
    sheet = Sheet(17)
    sheet.sky((0, "#0a0d14"), (0.6, "#16202a"), (1, "#05070b"))
    for index in range(7):
        part = index / 7
        width, foot = 1150 * (1 - part) ** 1.35 + 70, 620 - 190 * part
        height = 640 * (1 - part) ** 1.2 + 60
        opening = sheet.mask(shapes.arch(640 - width / 2, foot, width, height), blur=1 + part)
        shade = ["#182630", "#14202a", "#101a24", "#0c141d", "#090f17", "#060a11", "#010204"][index]
        rim = np.clip(
            opening - sheet.mask(shapes.arch(640 - width / 2 + 9, foot, width - 18, height - 14)), 0, 1
        )
        sheet.lay(opening, shade)
        sheet.lay(rim, "#6f8a92", 0.36 * (1 - part))
    sheet.reflect(470, "#03060a", dark=0.5, ripple=2.5)
    for side in (-1, 1):
        for index in range(5):
            x = 640 + side * (170 + index * 86)
            top = 470 + index * 16
            sheet.lay(sheet.mask(shapes.box(x - 26, top, 52, 150 + index * 20)), "#0a0e14", 0.94)
            sheet.lay(sheet.lines([(x - 26, top), (x + 26, top)], width=3), "#3c5058", 0.7)
    for radius in (30, 62, 104, 158):
        sheet.lay(
            sheet.lines([*shapes.ring(640, 520, radius, flat=0.16)], width=1.4, blur=0.6), "#9fc0c4", 0.4
        )
    sheet.lay(sheet.mask(shapes.box(196, 590, 10, 44)), "#cfc4ad")
    sheet.lamp(201, 578, size=4.2)
    sheet.glow(201, 590, 120, "#ffbf78", 0.28)
    sheet.finish(path, tint="#0e2a2c")


def reed_maze(path: Path) -> None:
    sheet = Sheet(18)
    sheet.sky((0, "#3a3f52"), (0.45, "#8b8a8c"), (0.6, "#c4b59a"), (1, "#3a3c40"))
    sheet.glow(860, 300, 190, "#ffe0a6", 0.4)
    sheet.reflect(470, "#3c4248", dark=0.35)
    for foot, count, tall, colour, wide in (
        (500, 170, (90, 210), "#9a9280", 1.4),
        (560, 150, (150, 330), "#6a6557", 2.2),
        (640, 120, (240, 480), "#3e3c38", 3.2),
        (740, 80, (340, 690), "#181a1e", 4.6),
    ):
        stalks, plumes = zip(*shapes.reeds(sheet, foot, count, tall), strict=True)
        clear = np.clip(np.abs(sheet.x - 620) / (70 + (foot - 480) * 0.9) - 0.35, 0, 1)
        sheet.lay(sheet.lines(*stalks, width=wide) * clear, colour)
        sheet.lay(sheet.mask(*plumes) * clear, colour)
        sheet.mist(foot - 40, 60, "#cbbfa6", 0.36)
    hut = [
        (560, 468),
        (572, 440),
        (606, 422),
        (650, 418),
        (694, 428),
        (716, 452),
        (720, 468),
    ]
    sheet.lay(sheet.mask(hut, shapes.box(540, 466, 200, 12)), "#2a2826")
    sheet.lay(sheet.mask(shapes.arch(634, 468, 22, 30)), "#e9b877", 0.9)
    sheet.lay(sheet.mask(shapes.boat(610, 640, 210), *shapes.rower(640, 630, 34)), "#121418")
    sheet.lay(sheet.lines([(655, 560), (700, 700)], width=4), "#121418")
    for x, y in ((420, 430), (838, 400), (985, 470)):
        sheet.lay(sheet.mask([(x, y), (x + 26, y + 6), (x + 22, y + 34), (x - 2, y + 28)]), "#d8cfbd", 0.85)
        sheet.lay(sheet.lines([*shapes.house(x + 6, y + 24, 11, 7, 7)], width=1.2), "#22201e", 0.9)
    sheet.finish(path, tint="#3a3118")


def drowned_quarter(path: Path) -> None:
    sheet = Sheet(19)
    sheet.sky((0, "#5f7f8c"), (0.25, "#2f5666"), (0.6, "#12303f"), (1, "#04121b"))
    rays = np.clip(np.sin(sheet.x / 46 + sheet.noise(200) * 5) * np.exp(-sheet.y / 260), 0, 1)
    sheet.lay(rays, "#a8cdd0", 0.22)
    for level, colour, scale in ((330, "#1d4252", 0.9), (420, "#15333f", 1.2), (520, "#0c222d", 1.6)):
        rows, _ = shapes.stilt_row(sheet, level, level + 300, scale=scale)
        gap = np.clip(np.abs(sheet.x - 640) / (240 + level * 0.2) - 0.6, 0, 1)
        sheet.lay(sheet.mask(*rows, blur=2.2) * gap, colour, 0.95)
        sheet.mist(level + 40, 80, "#2f5a69", 0.35)
    square = sheet.mask(shapes.ring(640, 600, 420, flat=0.24), blur=18)
    sheet.lay(square, "#16343f", 0.8)
    for index in range(9):
        turn = math.pi * 2 * index / 9 - math.pi / 2
        x, y = 640 + 300 * math.cos(turn), 596 + 74 * math.sin(turn)
        size = 46 + 16 * math.sin(turn)
        body = [(a, 2 * (y - size * 0.4) - b) for a, b in shapes.bell(x, y, size)]
        sheet.lay(sheet.mask(body, blur=0.8), "#061118", 0.96)
        sheet.lay(
            sheet.lines([*shapes.ring(x, y - size * 0.8, size * 0.72, flat=0.22)], width=2.2, blur=0.6),
            "#7fb0b2",
            0.65,
        )
    dark = np.exp(-(((sheet.x - 640) / 130) ** 2 + ((sheet.y - 600) / 40) ** 2))
    sheet.lay(dark, "#000306", 0.95)
    hull = [(500, 40), (560, 74), (720, 74), (790, 36), (770, 30), (520, 32)]
    sheet.lay(sheet.mask(hull, blur=1), "#0b1a22")
    sheet.lay(sheet.lines([(0, 34), (1280, 34)], width=4, blur=3), "#d5ebe8", 0.5)
    sheet.glow(560, 30, 60, "#ffd79a", 0.6)
    for _ in range(60):
        sheet.glow(
            sheet.chance.uniform(300, 980),
            sheet.chance.uniform(80, 560),
            sheet.chance.uniform(0.8, 2.2),
            "#cfe9e6",
            0.35,
        )
    sheet.finish(path, tint="#08303a")


def cover(path: Path) -> None:
    sheet = Sheet(20, width=900, height=1200)
    sheet.sky((0, "#10142a"), (0.3, "#2a3054"), (0.43, "#7c7590"), (0.5, "#b99a9a"), (1, "#0a0d1c"))
    rows, windows = shapes.stilt_row(sheet, 520, 560, end=940, scale=0.7)
    sheet.lay(sheet.mask(*rows, blur=1), "#1a1d36")
    for x, y in windows[::2]:
        sheet.lamp(x, y, size=1.3)
    sheet.lay(
        sheet.mask([(620, 520), (628, 300), (656, 300), (664, 520)], [(616, 300), (642, 258), (668, 300)]),
        "#1a1d36",
    )
    sheet.lamp(642, 288, size=4)
    sheet.reflect(560, "#0b1024", dark=0.62)
    sheet.mist(556, 40, "#c4b2b8", 0.75)
    great = shapes.bell(450, 1080, 250)
    sheet.lay(sheet.mask(great, blur=5), "#04060f", 0.86)
    rim = np.clip(sheet.mask(great, blur=2) - sheet.mask([(x + 9, y + 5) for x, y in great], blur=4), 0, 1)
    sheet.lay(rim, "#8fa6c8", 0.7)
    sheet.lay(sheet.lines([*shapes.ring(450, 1082, 182, flat=0.16)], width=4, blur=1.5), "#9fb4d6", 0.5)
    for index in range(9):
        turn = math.pi * 2 * index / 9
        sheet.lamp(450 + 350 * math.cos(turn), 860 + 150 * math.sin(turn), size=2.6 + math.sin(turn))
    sheet.lay(sheet.mask(shapes.boat(430, 700, 170), *shapes.rower(440, 692, 26)), "#060814")
    sheet.lamp(362, 676, size=3)
    sheet.finish(path)


PLACES = {
    "landing": landing,
    "foundry": foundry,
    "market": market,
    "ferry-house": ferry_house,
    "lamp-tower": lamp_tower,
    "abbey": abbey,
    "under-choir": under_choir,
    "reed-maze": reed_maze,
    "drowned-quarter": drowned_quarter,
}
