"""The halls of Lull: the field, the luggage, the captain's room and the thaw rooms."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from studio import lull, shapes
from studio.lull import CENTRE, EVENING, HORIZON, INK, LAMP, QUALITY
from studio.paint import Point, Sheet
from studio.shapes import box, ring


def packet_field(path: Path) -> None:
    sheet = Sheet(51)
    sheet.sky(*EVENING)
    lull.landlady(sheet, 930, 190, 215)
    sheet.mist(470, 90, "#c8a98a", 0.35)
    lull.moor(sheet, 470, 20)
    lull.roofs(sheet, 492, scale=0.8, start=560)
    lull.moor(sheet, 500, 8)
    sheet.lay(sheet.mask([(-20, 560), (1100, 548), (1400, 720), (-20, 720)], blur=5), "#141a1a", 0.72)
    for leg in ([(300, 470), (232, 660)], [(372, 490), (372, 676)], [(440, 470), (514, 652)]):
        sheet.lay(sheet.lines(leg, width=11), INK)
        sheet.lay(sheet.mask(ring(*leg[1], 22, flat=0.3)), INK)
    hull = [
        (372, 130),
        (420, 190),
        (452, 290),
        (462, 400),
        (446, 486),
        (298, 486),
        (282, 400),
        (292, 290),
        (324, 190),
    ]
    sheet.lay(sheet.mask(hull), "#26343c")
    sheet.lay(
        sheet.mask(
            [
                (372, 130),
                (330, 186),
                (300, 290),
                (292, 400),
                (304, 486),
                (330, 486),
                (318, 400),
                (326, 290),
                (350, 190),
            ]
        ),
        "#b4977a",
        0.55,
    )
    sheet.lay(sheet.mask(ring(384, 270, 19), blur=0.5), LAMP)
    sheet.glow(384, 270, 46, "#ffb45e", 0.4)
    ladder: list[list[Point]] = [[(404, 486), (428, 676)], [(428, 484), (456, 674)]]
    ladder += [[(404 + k * 2.4, 486 + k * 19), (428 + k * 2.8, 484 + k * 19)] for k in range(10)]
    sheet.lay(sheet.lines(*ladder, width=3.4), "#0a1014")
    lull.figure(sheet, 436, 620, 92, "#04080a")
    sheet.glow(436, 560, 60, "#ffb45e", 0.14)
    sheet.lay(sheet.mask(box(520, 640, 84, 46)), "#39464c")
    sheet.lay(sheet.lines([(520, 652), (604, 652)], [(514, 650), (500, 640)], width=3), "#93a0a0", 0.8)
    sheet.lay(sheet.mask(box(1120, 520, 12, 150), box(1104, 486, 44, 40)), INK)
    sheet.lamp(1126, 506, size=4.4)
    sheet.finish(path, tint="#20343a", quality=QUALITY)


def luggage_hall(path: Path) -> None:
    sheet = Sheet(52)
    lull.room(sheet, "#2c3a40", "#1c2528", "#141d22", back=(230, 150))
    for side in (-1, 1):
        edge = CENTRE + side * 640
        for level in (-320, -170, -20, 130, 280):
            near, far = (edge, HORIZON + level * 1.15), lull.toward(edge, HORIZON + level * 1.15, 0.62)
            sheet.lay(sheet.lines([near, far], width=5), "#8b7a5c", 0.75)
        for depth in np.linspace(0, 0.62, 11):
            post = [lull.toward(edge, HORIZON - 380, depth), lull.toward(edge, HORIZON + 390, depth)]
            sheet.lay(sheet.lines(post, width=7 * (1 - depth)), "#0f171b")
            for level in (-250, -95, 55, 205):
                x, y = lull.toward(edge - side * 34, HORIZON + level * 1.15, depth + 0.02)
                size = 13 * (1 - depth)
                sheet.lay(sheet.mask(box(x - size * 0.5, y, size, size * 1.5)), "#e8d9b0", 0.85)
    tuba = [*ring(250, 470, 46), (250, 470), *ring(286, 430, 34, flat=0.5)]
    sheet.lay(sheet.mask(tuba), "#7a5a2c")
    lull.light(sheet, 640, 150, 180, 560)
    sheet.lay(sheet.mask([(500, 520), (780, 520), (806, 548), (474, 548)]), "#5a4630")
    sheet.lay(sheet.mask(box(500, 548, 12, 120), box(768, 548, 12, 120)), "#241a12")
    lull.suitcase(sheet, 564, 522, 152)
    sheet.lay(
        sheet.mask(box(838, 520, 10, 140), box(896, 520, 8, 140), box(838, 585, 66, 9), box(838, 490, 66, 8)),
        "#1a130d",
    )
    lull.figure(sheet, 960, 668, 250, "#0c1216")
    sheet.lay(sheet.mask([(916, 520), (962, 512), (968, 580), (922, 588)]), "#d9cba2", 0.9)
    sheet.finish(path, tint="#1d2c30", quality=QUALITY)


def captains_room(path: Path) -> None:
    sheet = Sheet(53)
    lull.room(sheet, "#33434a", "#2b2a28", "#1a2429", back=(420, 250))
    window = ring(640, 300, 235, points=120)
    sheet.lay(sheet.mask(ring(640, 300, 254, points=120)), "#7b6a4a")
    glass = sheet.mask(window)
    outside = Sheet(54)
    outside.sky(*EVENING)
    lull.landlady(outside, 740, 210, 180)
    lull.moor(outside, 450, 12)
    lull.roofs(outside, 476, scale=0.55)
    lull.moor(outside, 484, 6)
    sheet.pixels = sheet.pixels * (1 - glass[..., None]) + outside.pixels * glass[..., None]
    bars: list[list[Point]] = [[(640, 62), (640, 538)], [(402, 300), (878, 300)]]
    sheet.lay(sheet.lines(*bars, width=7), "#463a28")
    chair = [
        (270, 690),
        (262, 480),
        (276, 404),
        (330, 384),
        (384, 404),
        (398, 480),
        (392, 556),
        (476, 560),
        (482, 600),
        (470, 690),
    ]
    sheet.lay(sheet.mask(chair), "#3a1f18")
    sheet.lay(sheet.lines(chair[1:6], width=6, blur=2), "#8a4c34", 0.8)
    sheet.lay(sheet.mask(box(386, 542, 92, 16)), "#efe6cf", 0.85)
    sheet.lay(sheet.mask([(720, 560), (1060, 548), (1090, 574), (730, 588)]), "#8a7350")
    sheet.lay(
        sheet.lines(
            [(760, 580), (840, 715)],
            [(840, 580), (760, 715)],
            [(1000, 570), (1060, 712)],
            [(1050, 570), (990, 712)],
            width=7,
        ),
        "#241c12",
    )
    for x, y in ((780, 556), (860, 552), (960, 548)):
        sheet.lay(sheet.mask([(x, y), (x + 66, y - 3), (x + 72, y + 10), (x + 4, y + 13)]), "#f1e8d0", 0.9)
    sheet.lay(sheet.mask(box(1000, 150, 200, 260)), "#e9dfc4", 0.92)
    boiler = [*ring(1100, 230, 56, flat=0.5), *ring(1100, 340, 56, flat=0.5)]
    sheet.lay(
        sheet.lines(
            ring(1100, 230, 56, flat=0.4),
            ring(1100, 345, 56, flat=0.4),
            [(1044, 230), (1044, 345)],
            [(1156, 230), (1156, 345)],
            [(1100, 208), (1100, 165)],
            width=2.4,
        ),
        "#2b3b58",
    )
    sheet.lay(sheet.mask(boiler), "#2b3b58", 0.05)
    sheet.lay(sheet.mask(box(90, 160, 150, 96)), "#d8cba8", 0.8)
    for row in range(3):
        sheet.lay(sheet.lines([(106, 184 + row * 22), (224, 184 + row * 22)], width=3), "#4a4030", 0.8)
    sheet.lamp(900, 520, size=5)
    sheet.finish(path, tint="#25343a", quality=QUALITY)


def thaw_rooms(path: Path) -> None:
    sheet = Sheet(55)
    lull.room(sheet, "#8fa09c", "#5f6f6d", "#4a5a5a", back=(300, 190))
    for x in np.arange(0, 1281, 40):
        sheet.lay(sheet.lines([(x, 0), (x, 560)], width=1.1), "#5d706e", 0.35)
    for y in np.arange(0, 561, 40):
        sheet.lay(sheet.lines([(0, y), (1280, y)], width=1.1), "#5d706e", 0.35)
    for index, x in enumerate((380, 560, 740)):
        door = shapes.arch(x, 516, 150, 330, pointed=0.7)
        sheet.lay(sheet.mask(door), "#1c2a2e" if index != 1 else "#35484a")
        sheet.lay(sheet.lines(door, width=4), "#6b7d7a")
    tub = [(80, 470), (112, 610), (156, 640), (420, 640), (462, 610), (494, 470)]
    sheet.lay(sheet.mask(tub), "#e6e3d6")
    sheet.lay(sheet.mask(ring(287, 472, 208, flat=0.14)), "#c3c9c2")
    sheet.lay(sheet.mask(ring(287, 476, 186, flat=0.11)), "#47616a")
    sheet.lay(sheet.lines([(70, 300), (70, 420), (120, 420)], width=7), "#a58f5c")
    sheet.lay(sheet.mask(box(150, 636, 26, 34), box(398, 636, 26, 34)), "#4a4a44")
    for row in range(7):
        for column in range(2):
            left, top = 900 + column * 130, 560 - row * 34
            sheet.lay(sheet.mask(box(left, top, 118, 30)), "#d9cfb4" if (row + column) % 2 else "#cdc1a2")
            sheet.lay(sheet.lines([(left, top + 22), (left + 118, top + 22)], width=1.4), "#8f8364", 0.8)
    sheet.lay(sheet.mask(box(884, 592, 270, 10)), "#3b4646")
    sheet.lay(sheet.lines([(900, 600), (900, 670)], [(1138, 600), (1138, 670)], width=6), "#3b4646")
    sheet.lay(sheet.mask(ring(900, 676, 14), ring(1138, 676, 14)), "#20282a")
    sheet.lay(sheet.mask([(590, 150), (604, 140), (664, 300), (640, 330), (584, 320)]), "#ded4ba")
    sheet.lay(sheet.lines([(560, 140), (700, 140)], width=5), "#6b5a3a")
    for puff in range(5):
        sheet.glow(250 + puff * 22, 430 - puff * 46, 34 + puff * 8, "#dfe8e4", 0.09)
    sheet.glow(1190, 300, 60, "#ffcf86", 0.25)
    sheet.lay(sheet.mask([(1150, 330), (1164, 280), (1216, 280), (1230, 330)], blur=1), "#f0c888")
    sheet.finish(path, tint="#2c3f3e", quality=QUALITY)
