"""The places of Wickering, a village and its model, on a mild day in September."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from studio import shapes, wickering_indoors
from studio.paint import Sheet
from studio.wickering_shapes import (
    BLUE,
    BRICK,
    CREAM,
    DARK_OAK,
    DAY,
    GRASS,
    INK,
    OAK,
    QUALITY,
    RED,
    ROAD,
    YEW,
    draw_church,
    draw_cottage,
    draw_duck,
    draw_hills,
    draw_person,
    draw_shadow,
    draw_tree,
    fill,
    write_letters,
)


def green(path: Path) -> None:
    sheet = Sheet(51)
    sheet.sky(*DAY)
    draw_hills(sheet, 330)
    for x, height in ((60, 150), (1180, 170), (930, 120)):
        draw_tree(sheet, x, 440, height, YEW)
    draw_church(sheet, 560, 440, 210)
    draw_cottage(sheet, 110, 460, 210, 96, wall=CREAM, door=BLUE)
    draw_cottage(sheet, 350, 452, 160, 78, wall="#e6d3b3", door="#f0ece0")
    draw_cottage(sheet, 890, 460, 190, 88, wall="#ead9c2", door="#7d8f6a")
    fill(sheet, ROAD, [(-10, 462), (1290, 462), (1290, 500), (-10, 500)])
    fill(sheet, GRASS, [(-10, 500), (1290, 500), (1290, 730), (-10, 730)])
    fill(sheet, "#8fb7c4", shapes.ring(460, 610, 230, flat=0.28), blur=1)
    fill(sheet, "#b7d3d6", shapes.ring(440, 604, 160, flat=0.2), blur=3)
    draw_duck(sheet, 430, 604, 30, "#2f6b52")
    fill(sheet, DARK_OAK, shapes.box(196, 530, 10, 96))
    fill(sheet, CREAM, shapes.box(120, 486, 162, 60))
    write_letters(sheet, "ONE DUCK", (136, 500), 11, INK)
    draw_shadow(sheet, 900, 654, 150)
    bench = [shapes.box(770, 566, 250, 12), shapes.box(770, 586, 250, 12), shapes.box(762, 610, 266, 16)]
    fill(sheet, OAK, *bench)
    fill(sheet, DARK_OAK, *(shapes.box(x, 560, 12, 92) for x in (780, 1000)))
    pale = [shapes.box(x, 650, 22, 10) for x in (1050, 1090)]
    fill(sheet, "#d7d2bd", *pale)
    fill(sheet, RED, [(850, 634), (856, 548), (876, 530), (900, 530), (920, 548), (926, 634)])
    fill(sheet, INK, shapes.box(858, 630, 22, 26), shapes.box(896, 630, 22, 26))
    fill(sheet, "#2e2620", shapes.ring(888, 505, 25))
    fill(sheet, "#a9765a", shapes.ring(888, 511, 21))
    fill(sheet, "#d9d4c7", shapes.box(866, 580, 46, 30))
    fill(sheet, "#e9e3d2", shapes.box(1140, 250, 5, 300))
    fill(sheet, BLUE, [(1145, 254), (1215, 266), (1145, 290)])
    sheet.finish(path, tint="#e8d9b8", quality=QUALITY)


def draw_little_village(sheet: Sheet) -> None:
    """The model as one stands in it: cottages at the knee, and people as long as a pen."""
    rows = ((60, 500, 150, 66), (270, 470, 120, 54), (880, 476, 130, 58), (1060, 512, 170, 72))
    for index, (x, foot, width, height) in enumerate(rows):
        draw_cottage(
            sheet,
            x,
            foot,
            width,
            height,
            wall=(CREAM, "#e6d3b3", "#ead9c2", "#f0e2c8")[index],
            door=BLUE if index == 0 else "#7d8f6a",
        )
    draw_church(sheet, 560, 520, 330)
    for x in (236, 414, 842, 1040):
        fill(
            sheet,
            "#6f8f5e",
            shapes.ring(x, 496, 34, flat=0.6),
            shapes.ring(x + 26, 502, 24, flat=0.6),
            blur=1,
        )


def model(path: Path) -> None:
    sheet = Sheet(52)
    sheet.sky((0, "#bcd5dc"), (0.3, "#e4e6d4"), (1, "#efe0bd"))
    fill(sheet, BRICK, shapes.box(-10, 190, 1300, 210))
    courses = [[(-10, float(y)), (1290, float(y))] for y in range(206, 400, 16)]
    joints = [
        [(float(x + (row % 2) * 22), 190.0 + row * 16), (float(x + (row % 2) * 22), 206.0 + row * 16)]
        for row in range(13)
        for x in range(0, 1290, 44)
    ]
    sheet.lay(sheet.lines(*courses, *joints, width=1.4), "#d0947c", 0.6)
    fill(sheet, "#8e4f3c", shapes.box(-10, 178, 1300, 16))
    fill(sheet, DARK_OAK, [(1180, 200), (1210, 200), (1130, 40), (1110, 50)])
    puffs = [(1000, 60, 90), (1110, 30, 120), (1220, 70, 110), (1060, 120, 80), (1180, 130, 70)]
    fill(sheet, "#7f9f5e", *(shapes.ring(x, y, size) for x, y, size in puffs), blur=2)
    fill(
        sheet,
        "#d9c25e",
        *(shapes.ring(x, y, 11) for x, y in ((1020, 110), (1090, 150), (1160, 90), (1230, 140), (1050, 60))),
    )
    fill(sheet, GRASS, shapes.box(-10, 396, 1300, 340))
    fill(sheet, ROAD, [(380, 730), (560, 560), (-10, 520), (-10, 548), (430, 580), (210, 730)])
    fill(sheet, ROAD, [(560, 560), (1290, 530), (1290, 562), (640, 584), (380, 730), (300, 730)])
    draw_little_village(sheet)
    fill(sheet, "#8fb7c4", shapes.ring(760, 640, 110, flat=0.28))
    draw_duck(sheet, 760, 636, 9, "#2f6b52")
    for x, foot, coat in (
        (520, 600, BLUE),
        (980, 560, "#7d5a7c"),
        (1010, 562, "#c79a3c"),
        (140, 548, RED),
        (640, 690, INK),
        (240, 560, "#5c7a5a"),
    ):
        draw_shadow(sheet, x, foot, 18, 4)
        draw_person(sheet, (x, foot), 52, coat)
    fill(sheet, "#e8e2d4", [(404, 646), (452, 636), (456, 646), (408, 656)])
    fill(sheet, "#5a4636", shapes.ring(402, 651, 7))
    fill(
        sheet,
        "#5f8a86",
        [(1090, 700), (1100, 560), (1200, 560), (1214, 700)],
        [(1200, 600), (1262, 540), (1270, 552), (1206, 640)],
    )
    sheet.lay(sheet.lines([(1100, 566), (1110, 520), (1180, 520), (1198, 566)], width=9), "#4c716e")
    sheet.finish(path, tint="#e8d9b8", quality=QUALITY)


def church(path: Path) -> None:
    sheet = Sheet(58)
    sheet.sky(*DAY)
    draw_hills(sheet, 360)
    fill(sheet, GRASS, shapes.box(-10, 500, 1300, 230))
    draw_church(sheet, 430, 540, 400)
    fill(sheet, "#7f8a88", shapes.box(556, 340, 22, 26))
    sheet.lamp(566, 350, size=2.4, colour="#7de08a", air=0.5)
    for x, height, wide in ((80, 330, 90), (230, 260, 70), (1080, 300, 84), (1220, 360, 100)):
        yew = [
            (x - wide, 560),
            (x - wide * 0.8, 560 - height * 0.6),
            (x, 560 - height),
            (x + wide * 0.8, 560 - height * 0.6),
            (x + wide, 560),
        ]
        fill(sheet, YEW, yew, blur=3)
    sheet.lay(np.clip(sheet.noise(30) - 0.6, 0, 1) * (sheet.y > 520), "#7f9a5f", 0.7)
    for x, foot, wide in ((330, 600, 54), (420, 640, 62), (960, 610, 58), (1060, 660, 66)):
        fill(sheet, "#cfc8b4", shapes.arch(x, foot, wide, wide * 1.5, pointed=0.75))
        sheet.lay(
            sheet.lines(
                [(x + 12, foot - wide * 0.8), (x + wide - 12, foot - wide * 0.8)],
                [(x + 12, foot - wide * 0.6), (x + wide - 16, foot - wide * 0.6)],
                width=2.4,
            ),
            "#9a937f",
        )
    draw_shadow(sheet, 700, 684, 210)
    fill(sheet, "#b0a894", [(520, 610), (880, 610), (900, 690), (500, 690)])
    fill(sheet, "#c6bea9", [(530, 590), (870, 590), (882, 616), (518, 616)])
    fill(sheet, "#9d9683", [(570, 592), (580, 566), (800, 566), (812, 592)], shapes.ring(830, 574, 20))
    fill(sheet, "#9d9683", shapes.ring(560, 578, 16), shapes.box(544, 578, 30, 14))
    fill(sheet, "#7d9468", [(540, 600), (860, 600), (868, 612), (530, 612)])
    draw_person(sheet, (210, 700), 150, "#52606c", hair="#8a8178")
    fill(sheet, RED, shapes.box(222, 590, 18, 10))
    sheet.lay(sheet.lines([(240, 595), (486, 430)], width=1.6), "#e8604c", 0.9)
    sheet.finish(path, tint="#e8d9b8", quality=QUALITY)


def cover(path: Path) -> None:
    sheet = Sheet(59, width=900, height=1200)
    sheet.sky((0, "#a9c8d8"), (0.45, "#dfe6d4"), (0.7, "#f2e3bf"), (1, "#f2dcb4"))
    draw_hills(sheet, 560)
    fill(sheet, GRASS, shapes.box(-10, 740, 920, 470))
    draw_church(sheet, 300, 800, 380)
    draw_cottage(sheet, 40, 830, 220, 100, wall=CREAM, door=BLUE)
    draw_cottage(sheet, 680, 836, 190, 92, wall="#ead9c2", door="#7d8f6a")
    fill(sheet, ROAD, [(-10, 850), (910, 850), (910, 910), (-10, 910)])
    fill(sheet, "#8fb7c4", shapes.ring(640, 1010, 170, flat=0.26))
    draw_duck(sheet, 600, 1004, 18, "#2f6b52")
    draw_duck(sheet, 690, 1010, 17, "#8d7b66")
    draw_shadow(sheet, 336, 1100, 70, 12)
    draw_person(sheet, (336, 1100), 210, RED, hair="#2e2620", face="#a9765a")
    fill(sheet, OAK, shapes.box(394, 1058, 54, 40))
    sheet.lay(sheet.lines([(410, 1058), (410, 1046), (432, 1046), (432, 1058)], width=4), DARK_OAK)
    sleeve = [(910, 90), (720, 210), (660, 330), (760, 420), (910, 330)]
    fill(sheet, "#52606c", sleeve)
    fill(sheet, CREAM, [(672, 312), (648, 344), (752, 434), (778, 408)])
    hand = [
        (660, 350),
        (560, 430),
        (440, 600),
        (330, 800),
        (300, 880),
        (316, 900),
        (360, 860),
        (470, 690),
        (520, 640),
        (380, 860),
        (350, 900),
    ]
    hand += [(372, 912), (420, 880), (560, 690), (640, 640), (740, 520), (752, 430)]
    sheet.lay(sheet.mask([(x + 12, y + 16) for x, y in hand], blur=12), INK, 0.3)
    fill(sheet, "#d9a98a", hand)
    sheet.lay(sheet.lines([(520, 640), (470, 690), (400, 800)], width=3, blur=0.6), "#b07f62")
    rule = shapes.box(40, 1130, 820, 40)
    fill(sheet, "#c3c9cc", rule)
    marks = [
        [(60.0 + step * 16.5, 1130.0), (60.0 + step * 16.5, 1130.0 + (22 if step % 12 == 0 else 11))]
        for step in range(49)
    ]
    sheet.lay(sheet.lines(*marks, width=2), INK)
    sheet.finish(path, tint="#e8d9b8", quality=QUALITY)


PLACES = {
    "green": green,
    "model": model,
    "ticket-hut": wickering_indoors.ticket_hut,
    "perch": wickering_indoors.perch,
    "other-half": wickering_indoors.other_half,
    "village-hall": wickering_indoors.village_hall,
    "workroom": wickering_indoors.workroom,
    "church": church,
}
