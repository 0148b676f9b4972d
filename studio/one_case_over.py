"""The places of Lull: a town cut out of a slow liner, on a moor, in a long evening."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from studio import lull, lull_halls, shapes
from studio.lull import CENTRE, EVENING, HORIZON, INK, LAMP, QUALITY
from studio.paint import Point, Sheet
from studio.shapes import box, ring


def school(path: Path) -> None:
    sheet = Sheet(56)
    sheet.sky(*EVENING)
    lull.landlady(sheet, 700, 215, 190)
    sheet.mist(430, 70, "#c8a98a", 0.3)
    lull.moor(sheet, 420, 26)
    sheet.lay(sheet.mask(box(0, 0, 1280, 34), box(0, 505, 1280, 215)), "#2c2a26")
    for x in (0, 250, 500, 750, 1000, 1250):
        sheet.lay(sheet.mask(box(x - 9, 0, 18, 520)), "#1c2124")
    sheet.lay(sheet.mask(box(0, 200, 1280, 7)), "#1c2124")
    sheet.lay(sheet.mask(box(0, 498, 1280, 22)), "#6a5638")
    sheet.lay(sheet.mask(box(60, 560, 620, 16), box(80, 576, 14, 60), box(640, 576, 14, 60)), "#4a3a26")
    sheet.lay(sheet.mask([(70, 562), (180, 562), (176, 542), (76, 542)]), "#a8492f")
    pot = [(866, 498), (936, 498), (926, 440), (876, 440)]
    sheet.lay(sheet.mask(pot), "#9a5434")
    sheet.lay(sheet.lines([(914, 440), (916, 250)], width=7), "#5a4428")
    sheet.lay(sheet.lines([(900, 440), (896, 390), (904, 330)], width=3.4), "#33502c")
    for index in range(11):
        turn, up = -0.4 + index * 0.9, 420 - index * 10
        x, y = 899 + 22 * math.cos(turn * 2.3), up - 6
        leaf = ring(x, y, 15, flat=0.45)
        sheet.lay(sheet.mask(leaf), "#4c7a3a" if index % 2 else "#5f8c44")
    for row, (foot, size) in enumerate(((640, 58), (704, 76))):
        for index in range(6):
            x = 230 + index * 168 + row * 60
            back = box(x, foot - size * 1.5, size * 0.8, size * 0.5)
            seat = box(x - 3, foot - size * 0.72, size * 0.86, size * 0.13)
            legs = [
                box(x, foot - size * 1.5, 6, size * 1.5),
                box(x + size * 0.72, foot - size * 1.5, 6, size * 1.5),
            ]
            sheet.lay(sheet.mask(back, seat, *legs), "#14181a")
            if (index + row) % 3 == 0:
                sheet.lay(sheet.mask(ring(x + size * 0.4, foot - size * 1.72, size * 0.25)), "#0d1114")
                sheet.lay(
                    sheet.mask(
                        [
                            (x, foot - size * 0.7),
                            (x + 6, foot - size * 1.44),
                            (x + size * 0.7, foot - size * 1.44),
                            (x + size * 0.82, foot - size * 0.7),
                        ]
                    ),
                    "#0d1114",
                )
    bear = [*ring(386, 360, 34), *ring(386, 316, 22)]
    sheet.lay(
        sheet.lines(
            ring(386, 366, 34),
            ring(386, 318, 22),
            ring(370, 300, 7),
            ring(402, 300, 7),
            [(330, 400), (450, 400)],
            width=2.4,
        ),
        "#e9efe8",
        0.55,
    )
    sheet.lay(sheet.mask(bear), "#ffffff", 0.02)
    sheet.glow(1190, 640, 150, "#ff9a4a", 0.32)
    sheet.lay(sheet.mask(box(1150, 560, 90, 130), box(1186, 0, 18, 560)), "#0c1012")
    sheet.lay(sheet.mask(box(1168, 610, 54, 36)), "#ffb45e")
    sheet.finish(path, tint="#2e342e", quality=QUALITY)


def mending_shop(path: Path) -> None:
    sheet = Sheet(57)
    lull.room(sheet, "#3c3328", "#241d16", "#1a1510", back=(330, 215))
    sheet.lay(sheet.mask(box(470, 150, 340, 250)), "#5a472e")
    pane = sheet.mask(box(484, 164, 312, 222))
    outside = Sheet(58)
    outside.sky((0, "#2c4552"), (0.3, "#7f8a80"), (0.55, "#d9a878"), (1, "#4a4a40"))
    lull.roofs(outside, 372, scale=0.9)
    sheet.pixels = sheet.pixels * (1 - pane[..., None]) + outside.pixels * pane[..., None]
    sheet.lay(sheet.lines([(640, 164), (640, 386)], width=6), "#4a3a24")
    spiral = [
        (560 + (30 - k * 0.14) * math.sin(k * 0.32), 196 + k * 0.95 + 5 * math.cos(k * 0.32))
        for k in range(128)
    ]
    sheet.lay(sheet.lines([(560, 150), (560, 200)], width=1.4), "#e8dcc0", 0.9)
    sheet.lay(sheet.lines(spiral, width=7), "#a5571e")
    sheet.lay(sheet.lines(spiral, width=2.4), "#e2954a", 0.8)
    for x, long, colour in (
        (120, 300, "#27333a"),
        (232, 250, "#4a2f2a"),
        (330, 280, "#2f3a2a"),
        (930, 260, "#3a3448"),
        (1040, 310, "#4c3d28"),
        (1160, 280, "#243440"),
    ):
        coat = [
            (x - 14, 26),
            (x + 14, 26),
            (x + 58, 74),
            (x + 70, 60 + long * 0.7),
            (x + 50, 60 + long * 0.72),
            (x + 46, 30 + long),
            (x - 46, 30 + long),
            (x - 50, 60 + long * 0.72),
            (x - 70, 60 + long * 0.7),
            (x - 58, 74),
        ]
        sheet.lay(sheet.lines([(x, 0), (x, 30)], width=3), INK)
        sheet.lay(sheet.mask(coat), colour)
        sheet.lay(sheet.lines([(x, 60), (x, 24 + long)], width=2), INK, 0.5)
        sheet.lay(sheet.mask(box(x + 8, 120, 22, 15)), "#eadcb8", 0.9)
    sheet.lay(sheet.mask([(0, 560), (430, 520), (470, 545), (0, 600)], box(0, 590, 30, 130)), "#5b4327")
    for x, y, size in ((60, 548, 26), (150, 536, 20), (236, 528, 24), (330, 520, 17)):
        sheet.lay(sheet.mask(ring(x, y - size, size)), "#8c7146")
        sheet.lay(sheet.mask(ring(x, y - size, size * 0.78)), "#efe5ca")
        sheet.lay(
            sheet.lines(
                [(x, y - size), (x, y - size * 1.6)],
                [(x, y - size), (x + size * 0.4, y - size * 0.8)],
                width=2,
            ),
            INK,
        )
    sheet.lay(sheet.mask(box(90, 620, 250, 90)), "#5d666a")
    sheet.lay(sheet.lines([(90, 650), (340, 650)], width=3), "#2d3438")
    chair = [box(800, 480, 14, 230), box(940, 560, 12, 150), box(800, 566, 150, 14)]
    sheet.lay(sheet.mask(*chair), "#1c130c")
    body = [
        (800, 590),
        (806, 480),
        (838, 430),
        (880, 424),
        (912, 460),
        (930, 540),
        (1000, 566),
        (996, 596),
        (930, 600),
    ]
    sheet.lay(sheet.mask(body, ring(866, 392, 37)), "#241d18")
    sheet.lay(sheet.mask(ring(876, 402, 24, flat=1.1), blur=2), "#b98a62", 0.75)
    sheet.lay(
        sheet.mask(
            [
                (826, 412),
                (826, 376),
                (840, 352),
                (868, 344),
                (894, 354),
                (906, 380),
                (904, 388),
                (850, 388),
                (848, 412),
            ]
        ),
        "#d8d4ca",
    )
    sheet.lay(sheet.mask([(930, 540), (1060, 556), (1066, 630), (950, 640), (922, 590)]), "#4d6b86")
    sheet.lay(sheet.lines([(960, 560), (990, 530), (1004, 566)], width=1.6), "#f4efe0", 0.9)
    sheet.lamp(1050, 470, size=6)
    sheet.lay(sheet.lines([(1050, 482), (1050, 700)], width=5), INK)
    sheet.finish(path, tint="#3a2c1a", quality=QUALITY)


def waterworks(path: Path) -> None:
    sheet = Sheet(59)
    lull.room(sheet, "#2d3a3c", "#1d2525", "#11191b", back=(210, 150))
    door = box(560, 250, 160, 230)
    opening = sheet.mask(door)
    outside = Sheet(60)
    outside.sky((0, "#3d5a69"), (0.45, "#c39c78"), (0.52, "#e2bd92"), (0.53, "#5d6858"), (1, "#28332d"))
    for x, y, size in ((616, 398, 13), (640, 400, 15), (664, 397, 14), (628, 382, 12), (652, 381, 13)):
        outside.lay(outside.mask(ring(x, y, size, flat=0.72)), "#232b28")
        outside.lay(outside.mask(ring(x - 2, y - 3, size * 0.7, flat=0.5)), "#5c6258", 0.6)
    outside.lay(outside.mask(ring(641, 368, 22, flat=0.28)), "#6d7066")
    outside.lay(outside.lines([(596, 480), (588, 440), (606, 412)], width=3, blur=1.4), "#8a9472", 0.6)
    sheet.pixels = sheet.pixels * (1 - opening[..., None]) + outside.pixels * opening[..., None]
    sheet.lay(sheet.lines([*door, door[0]], width=7), "#0c1214")
    for depth in (0.62, 0.5, 0.36, 0.2, 0.0):
        for side in (-1, 1):
            x, foot = lull.toward(CENTRE + side * 470, 700, depth)
            size = 190 * (1 - depth)
            drum = [
                (x - size * 0.5, foot),
                (x - size * 0.5, foot - size * 0.9),
                (x + size * 0.5, foot - size * 0.9),
                (x + size * 0.5, foot),
            ]
            cap = ring(x, foot - size * 0.9, size * 0.5, flat=0.3)
            sheet.lay(sheet.mask(drum, ring(x, foot, size * 0.5, flat=0.3)), "#33474c")
            sheet.lay(
                sheet.mask(
                    [
                        (x - side * size * 0.5, foot),
                        (x - side * size * 0.5, foot - size * 0.9),
                        (x - side * size * 0.3, foot - size * 0.86),
                        (x - side * size * 0.3, foot + size * 0.1),
                    ]
                ),
                "#c09868",
                0.45,
            )
            sheet.lay(sheet.mask(cap), "#52686c")
            sheet.lay(
                sheet.mask(
                    ring(x, foot - size * 1.02, size * 0.14, flat=0.6),
                    box(x - size * 0.07, foot - size * 1.35, size * 0.14, size * 0.45),
                ),
                "#1a2426",
            )
            sheet.lay(
                sheet.lines(
                    [
                        (x, foot - size * 1.32),
                        (x + side * size * 0.62, foot - size * 1.32),
                        (x + side * size * 0.62, foot - size * 2.4),
                    ],
                    width=size * 0.1,
                ),
                "#1f2c2f",
            )
            for band in (0.25, 0.6):
                sheet.lay(
                    sheet.lines(
                        [
                            (x - size * 0.5, foot - size * band),
                            (x, foot - size * band + size * 0.15),
                            (x + size * 0.5, foot - size * band),
                        ],
                        width=size * 0.05,
                    ),
                    "#7a5a34",
                    0.9,
                )
    lull.figure(sheet, 512, 600, 210, "#070c0d")
    sheet.lay(sheet.mask([(552, 490), (576, 490), (582, 520), (548, 520)]), "#8c6b3a")
    sheet.lay(sheet.lines([(578, 500), (602, 482)], width=4), "#8c6b3a")
    sheet.glow(640, 420, 170, "#e8bd8a", 0.2)
    lull.light(sheet, 640, 90, 150, 420)
    sheet.finish(path, tint="#1c2c2c", quality=QUALITY)


def berth_hall(path: Path) -> None:
    sheet = Sheet(61)
    lull.room(sheet, "#26363f", "#2c3c44", "#0d161c", back=(60, 40))
    for depth in (0.9, 0.86, 0.81, 0.75, 0.67, 0.57, 0.44, 0.27, 0.04):
        for side in (-1, 1):
            shade = 1 - depth

            def at(x: float, y: float, *, turn: int = side, far: float = depth) -> Point:
                return lull.toward(CENTRE + turn * x, y, far)

            def back(x: float, y: float, *, turn: int = side, far: float = depth) -> Point:
                return lull.toward(CENTRE + turn * x, y, far + (1 - far) * 0.22)

            sheet.lay(sheet.mask([at(200, 560), at(640, 560), at(640, 700), at(200, 700)]), "#3b505a")
            sheet.lay(sheet.mask([at(200, 560), back(200, 560), back(200, 700), at(200, 700)]), "#20303a")
            sheet.lay(sheet.mask([at(200, 560), at(640, 560), back(640, 560), back(200, 560)]), "#9fb0ae")
            lid = [back(210, 556), back(640, 556), back(640, 330), back(250, 300)]
            sheet.lay(sheet.mask(lid), "#6f8a92", 0.5)
            sheet.lay(sheet.lines(lid, width=1 + 4 * shade), "#c8d6d2", 0.45)
            x, y = at(260, 600)
            sheet.lay(sheet.mask(box(x - 20 * shade, y, 40 * shade, 26 * shade)), "#c8a860", 0.85)
    track = [
        lull.toward(560, 720, 0),
        lull.toward(604, 720, 0),
        lull.toward(604, 720, 0.9),
        lull.toward(560, 720, 0.9),
    ]
    other = [
        lull.toward(676, 720, 0),
        lull.toward(720, 720, 0),
        lull.toward(720, 720, 0.9),
        lull.toward(676, 720, 0.9),
    ]
    sheet.lay(sheet.mask(track, other, blur=2), "#c9d4ce", 0.55)
    sheet.mist(HORIZON + 40, 60, "#8fa6ac", 0.4)
    sheet.lamp(640, 316, size=4)
    lull.figure(sheet, 655, 352, 44)
    sheet.glow(640, 330, 90, LAMP, 0.22)
    sheet.finish(path, tint="#16303c", quality=QUALITY)


def linen_room(path: Path) -> None:
    sheet = Sheet(62)
    lull.room(sheet, "#3a3a36", "#33312c", "#1b1c1b", back=(300, 230))
    for side in (-1, 1):
        for level in range(6):
            for index in range(6):
                depth, deep = index * 0.085, (index + 0.9) * 0.085
                top, low = HORIZON - 350 + level * 125, HORIZON - 270 + level * 125
                edge = CENTRE + side * 610
                stack = [
                    lull.toward(edge, top, depth),
                    lull.toward(edge, top, deep),
                    lull.toward(edge, low, deep),
                    lull.toward(edge, low, depth),
                ]
                sheet.lay(sheet.mask(stack), "#d6cfbb" if (level + index) % 3 else "#c2bba6", 0.9 - depth)
                for fold in (0.3, 0.6):
                    line = [
                        lull.toward(edge, top + (low - top) * fold, depth),
                        lull.toward(edge, top + (low - top) * fold, deep),
                    ]
                    sheet.lay(sheet.lines(line, width=1.4), "#7a735e", 0.7)
            shelf = [
                lull.toward(CENTRE + side * 640, HORIZON - 266 + level * 125, 0),
                lull.toward(CENTRE + side * 640, HORIZON - 266 + level * 125, 0.53),
            ]
            sheet.lay(sheet.lines(shelf, width=7), "#5a4a32")
    sheet.lay(sheet.mask(box(340, 110, 560, 450)), "#191a19")
    gap = box(838, 110, 66, 450)
    sheet.lay(sheet.mask(gap, blur=3), "#ffc877", 0.9)
    sheet.glow(872, 330, 150, "#ffb45e", 0.4)
    sheet.lay(sheet.mask([(838, 560), (904, 560), (1010, 720), (800, 720)], blur=10), "#ffc877", 0.32)
    for level in range(5):
        for index in range(6):
            left, top = 352 + index * 80, 122 + level * 88
            sheet.lay(
                sheet.mask(box(left, top + 8, 72, 66)), "#cfc8b4" if (level * 2 + index) % 3 else "#b8b09a"
            )
            for fold in (26, 44, 60):
                sheet.lay(
                    sheet.lines([(left, top + fold), (left + 72, top + fold)], width=1.4), "#7a735e", 0.7
                )
        sheet.lay(sheet.lines([(340, 200 + level * 88), (838, 200 + level * 88)], width=7), "#5a4a32")
    stool = [box(858, 470, 34, 8), box(862, 478, 5, 60), box(884, 478, 5, 60)]
    sheet.lay(sheet.mask(*stool), "#5a3410", 0.9)
    curve = [(838 + 150 * math.sin(t), 566 + 60 * (1 - math.cos(t))) for t in np.linspace(0, 1.4, 20)]
    sheet.lay(sheet.lines(curve, width=3, blur=1), "#8d8470", 0.7)
    lull.light(sheet, 560, 60, 120, 420, colour="#f3e6c0")
    sheet.finish(path, tint="#2e2a20", quality=QUALITY)


def cover(path: Path) -> None:
    sheet = Sheet(63, width=900, height=1200)
    sheet.sky((0, "#0f1f2e"), (0.3, "#2f4d5c"), (0.55, "#a3937c"), (0.63, "#e0b081"), (1, "#1a2422"))
    lull.landlady(sheet, 470, 380, 330)
    sheet.mist(760, 90, "#d0ad88", 0.4)
    lull.roofs(sheet, 800, scale=0.85, end=940)
    ground = sheet.mask(shapes.ridge(sheet, 806, 10, rough=1.7, floor=1200), blur=1.2)
    sheet.wash(ground, "#6f7a66", "#141d1a")
    sheet.lay(np.clip(sheet.noise(24, stretch=3.5) - 0.52, 0, 1) * ground * 2.4, "#a0a47c", 0.35)
    sheet.lay(sheet.mask(ring(450, 1120, 300, flat=0.12), blur=14), "#060a0a", 0.7)
    lull.suitcase(sheet, 250, 1120, 400)
    lull.figure(sheet, 742, 880, 78)
    sheet.lamp(770, 846, size=4.6)
    sheet.glow(742, 900, 130, "#ffb45e", 0.2)
    sheet.finish(path, tint="#20343a", quality=QUALITY)


PLACES = {
    "packet-field": lull_halls.packet_field,
    "luggage-hall": lull_halls.luggage_hall,
    "captains-room": lull_halls.captains_room,
    "thaw-rooms": lull_halls.thaw_rooms,
    "school": school,
    "mending-shop": mending_shop,
    "waterworks": waterworks,
    "berth-hall": berth_hall,
    "linen-room": linen_room,
}
