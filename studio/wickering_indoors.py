"""The rooms of Wickering: the ticket hut, the two pubs, the hall, and the workroom above it."""

from __future__ import annotations

from pathlib import Path

from studio import shapes
from studio.paint import Sheet
from studio.wickering_shapes import (
    BLUE,
    CREAM,
    DARK_OAK,
    INK,
    OAK,
    PINK,
    QUALITY,
    RED,
    ROAD,
    draw_church,
    draw_cottage,
    draw_person,
    fill,
    write_letters,
)


def ticket_hut(path: Path) -> None:
    sheet = Sheet(53)
    sheet.sky((0, "#c9a878"), (1, "#a9824f"))
    planks = [[(0, float(y)), (1280, float(y))] for y in range(0, 720, 48)]
    sheet.lay(sheet.lines(*planks, width=2), "#8f6a3d", 0.8)
    fill(sheet, DARK_OAK, shapes.box(420, 110, 470, 320))
    fill(sheet, "#cfe0dc", shapes.box(440, 130, 430, 280))
    fill(sheet, "#9fb778", shapes.box(440, 330, 430, 80))
    draw_church(sheet, 560, 350, 190)
    draw_cottage(sheet, 452, 372, 90, 40, wall=CREAM, door=BLUE)
    draw_cottage(sheet, 780, 372, 84, 40, wall="#ead9c2", door="#7d8f6a")
    fill(sheet, OAK, shapes.box(380, 420, 550, 30))
    key = [*shapes.ring(200, 206, 26)]
    sheet.lay(
        sheet.lines([*key, key[0]], [(200, 232), (200, 320), (226, 320)], [(200, 296), (220, 296)], width=8),
        "#d9b44a",
    )
    rim = [*shapes.ring(200, 206, 40)]
    sheet.lay(
        sheet.lines(
            [*rim, rim[0]], [(182, 244), (182, 336), (242, 336), (242, 284), (218, 284), (218, 244)], width=2
        ),
        INK,
        0.7,
    )
    for x, y, wide, high in (
        (70, 170, 60, 130),
        (290, 190, 70, 90),
        (1000, 170, 70, 140),
        (1120, 180, 90, 110),
    ):
        outline = shapes.box(x, y, wide, high)
        sheet.lay(sheet.lines([*outline, outline[0]], width=2), INK, 0.7)
        if x != 290:
            fill(
                sheet,
                ("#5f7f8a", "#8a4f42", "#d8cdb4")[(x // 300) % 3],
                shapes.box(x + 8, y + 8, wide - 16, high - 16),
            )
    books = ("#6b2f2a", "#31465c", "#4c5a3a")
    for index in range(8):
        fill(sheet, books[index % 3], shapes.box(1000 + index * 27, 470, 23, 110))
        fill(sheet, "#d9b44a", shapes.box(1000 + index * 27, 492, 23, 5))
    fill(sheet, OAK, shapes.box(-10, 580, 1300, 150))
    fill(
        sheet,
        "#fbf4e2",
        [(420, 610), (620, 590), (636, 668), (430, 690)],
        [(620, 590), (820, 606), (820, 686), (636, 668)],
    )
    ruled = [[(440.0, 624.0 + row * 13), (606.0, 608.0 + row * 13)] for row in range(5)]
    sheet.lay(sheet.lines(*ruled, width=2), "#8fa0b0")
    sheet.lay(sheet.lines([(650, 622), (800, 634)], [(650, 636), (800, 648)], width=2.4), RED)
    kettle = [shapes.ring(200, 560, 62, flat=0.8), [(250, 540), (300, 500), (310, 512), (262, 572)]]
    fill(sheet, "#7d8790", *kettle)
    sheet.lay(sheet.lines([(150, 520), (170, 470), (232, 470), (250, 520)], width=8), INK)
    sheet.glow(200, 440, 60, "#f3ead8", 0.25)
    sheet.finish(path, tint="#c9a878", quality=QUALITY)


def perch(path: Path) -> None:
    sheet = Sheet(54)
    sheet.sky((0, "#5a3d2c"), (0.5, "#7a5438"), (1, "#4a3326"))
    fill(sheet, "#dfe6d8", shapes.box(70, 150, 190, 420))
    fill(sheet, "#8fab84", shapes.box(70, 430, 190, 140))
    fill(sheet, ROAD, shapes.box(70, 480, 190, 90))
    fill(sheet, "#c9c2b4", shapes.box(110, 360, 110, 90))
    fill(sheet, INK, shapes.box(124, 400, 82, 50))
    sheet.lamp(165, 372, size=4)
    fill(sheet, BLUE, [(-10, 120), (70, 150), (70, 570), (-10, 620)])
    sheet.lay(sheet.lines([(70, 150), (70, 570)], width=6), "#4f7d45")
    sheet.lay(sheet.lines([(70, 144), (264, 144), (264, 570)], width=10), DARK_OAK)
    fill(sheet, DARK_OAK, shapes.box(400, 90, 620, 330))
    fill(sheet, "#9fb3b4", shapes.box(560, 120, 300, 170))
    fill(sheet, "#cfd9d2", shapes.box(640, 170, 120, 90))
    fill(sheet, "#3a3f48", shapes.box(672, 206, 56, 54))
    sheet.lamp(700, 196, size=3, air=0.5)
    for shelf in (316, 390):
        fill(sheet, OAK, shapes.box(420, shelf, 580, 10))
        for x in range(440, 990, 38):
            tint = ("#5f7f5a", "#a5673a", "#7f4a3a", "#c9b27a")[int(sheet.chance.integers(4))]
            high = float(sheet.chance.uniform(40, 58))
            fill(
                sheet,
                tint,
                shapes.box(x, shelf - high, 20, high),
                shapes.box(x + 6, shelf - high - 12, 8, 14),
            )
    fill(sheet, OAK, shapes.box(1060, 130, 180, 150))
    fill(sheet, "#26302c", shapes.box(1072, 142, 156, 126))
    write_letters(sheet, "PIES", (1092, 172), 21, "#f3efe2")
    draw_person(sheet, (760, 640), 320, "#5c6f7f", hair="#6a5342")
    fill(sheet, "#4a3628", [(734, 372), (786, 372), (790, 384), (760, 378), (730, 384)])
    fill(sheet, CREAM, [(706, 410), (726, 404), (730, 480), (706, 480)])
    fill(sheet, OAK, shapes.box(330, 470, 960, 36))
    fill(sheet, "#6b472d", shapes.box(350, 506, 940, 224))
    seams = [[(float(x), 516.0), (float(x), 730.0)] for x in range(420, 1290, 90)]
    sheet.lay(sheet.lines(*seams, width=3), DARK_OAK)
    for x in (480, 520, 560):
        fill(sheet, "#d9b44a", shapes.box(x, 400, 12, 74), shapes.ring(x + 6, 396, 12))
    pie = [(920, 470), (930, 440), (1040, 440), (1050, 470)]
    fill(sheet, "#d39a4c", pie, shapes.ring(985, 440, 56, flat=0.35))
    sheet.glow(985, 400, 46, "#f3ead8", 0.22)
    fill(
        sheet,
        "#3a281d",
        *(shapes.box(x, 560, 92, 12) for x in (400, 640, 1060)),
        *(shapes.box(x, 572, 8, 150) for x in (410, 476, 650, 716, 1070, 1136)),
    )
    sheet.finish(path, tint="#5a3d2c", quality=QUALITY)


def other_half(path: Path) -> None:
    sheet = Sheet(55)
    sheet.sky((0, "#6f6a63"), (1, "#55504a"))
    bricks = [[(0, float(y)), (1280, float(y))] for y in range(0, 720, 26)]
    sheet.lay(sheet.lines(*bricks, width=1.6), "#8a847b", 0.6)
    fill(sheet, "#cfe0dc", shapes.box(250, 300, 780, 300))
    fill(sheet, "#a3ba9b", shapes.box(250, 400, 780, 80))
    draw_cottage(sheet, 440, 500, 400, 170, wall=CREAM, door=BLUE)
    sheet.glow(510, 410, 50, "#ffcf8a", 0.35)
    sheet.glow(770, 410, 50, "#ffcf8a", 0.35)
    fill(sheet, ROAD, shapes.box(250, 500, 780, 100))
    dashes = [shapes.box(float(x), 546, 60, 8) for x in range(270, 1020, 110)]
    fill(sheet, "#f5f1e6", *dashes)
    fill(sheet, "#8f9aa0", shapes.box(238, 120, 804, 200))
    ribs = [[(238.0, float(y)), (1042.0, float(y))] for y in range(146, 320, 26)]
    sheet.lay(sheet.lines(*ribs, width=2.5), "#6f7a80")
    fill(sheet, INK, shapes.box(600, 296, 80, 12))
    fill(sheet, "#7a746b", shapes.box(-10, 600, 1300, 130))
    sheet.lay(sheet.lines([(640, 0), (640, 66)], width=3), INK)
    fill(sheet, INK, [(614, 66), (666, 66), (676, 110), (604, 110)])
    sheet.lamp(640, 96, size=9, air=1.4)
    fill(sheet, "#2f343a", shapes.box(60, 170, 150, 190))
    write_letters(sheet, "I", (84, 206), 15, "#f3efe2")
    sheet.lay(
        sheet.lines([(112, 222), (190, 222)], [(84, 262), (186, 262)], [(84, 292), (150, 292)], width=4),
        "#f3efe2",
        0.9,
    )
    fill(sheet, OAK, shapes.ring(1150, 520, 78, flat=1.1))
    sheet.lay(sheet.lines([(1076, 480), (1224, 480)], [(1074, 560), (1226, 560)], width=7), INK)
    fill(sheet, "#d9b44a", shapes.box(1142, 590, 16, 26))
    fill(sheet, OAK, shapes.box(120, 640, 1080, 26))
    fill(sheet, DARK_OAK, shapes.box(160, 666, 24, 64), shapes.box(1130, 666, 24, 64))
    for x, seat, legs in ((430, "#6b472d", 92), (800, "#c79a62", 92)):
        fill(sheet, seat, shapes.ring(x, 540, 62, flat=0.22))
        sheet.lay(
            sheet.lines(
                [(x - 44, 544), (x - 56, 544 + legs)], [(x + 44, 544), (x + 56, 544 + legs)], width=10
            ),
            seat,
        )
    fill(sheet, "#d8b25a", [(560, 566), (612, 566), (606, 640), (566, 640)])
    fill(sheet, "#f6efe0", shapes.box(560, 556, 52, 14))
    sheet.finish(path, tint="#55504a", quality=QUALITY)


def village_hall(path: Path) -> None:
    sheet = Sheet(56)
    sheet.sky((0, "#d9d2b8"), (0.72, "#cbbf9c"), (0.721, "#b98a58"), (1, "#9a6c40"))
    fill(sheet, "#8d9a78", shapes.box(-10, 360, 1300, 160))
    boards = [[(float(x), 520.0), (640 + (x - 640) * 1.9, 730.0)] for x in range(-200, 1500, 90)]
    sheet.lay(sheet.lines(*boards, width=2), "#7d5632", 0.7)
    for x in (90, 1000):
        fill(sheet, "#eef0e2", shapes.arch(x, 340, 190, 260, pointed=0.7))
        sheet.lay(sheet.lines([(x + 95, 90), (x + 95, 340)], [(x, 230), (x + 190, 230)], width=5), "#b9ad8c")
        sheet.glow(x + 95, 220, 120, "#fff4d6", 0.12)
    fill(sheet, "#d9b44a", shapes.box(530, 60, 220, 270))
    fill(sheet, "#3f4a42", shapes.box(548, 78, 184, 234))
    fill(sheet, "#26211f", [(566, 312), (590, 230), (630, 210), (660, 210), (694, 232), (716, 312)])
    fill(sheet, "#d3a88c", shapes.ring(642, 164, 34, flat=1.35))
    fill(sheet, "#8f8a84", shapes.ring(642, 128, 36, flat=0.6))
    fill(sheet, "#f3efe2", shapes.box(618, 202, 50, 18))
    sheet.lay(sheet.lines([(690, 300), (722, 120)], width=4), "#c9a878")
    fill(sheet, DARK_OAK, shapes.box(800, 190, 96, 128))
    fill(sheet, "#efe2c2", shapes.box(808, 198, 80, 112))
    typed = [[(818.0, 216.0 + row * 11), (818.0 + 60 - (row % 3) * 9, 216.0 + row * 11)] for row in range(8)]
    sheet.lay(sheet.lines(*typed, width=2), "#6a5a44", 0.9)
    draw_person(sheet, (640, 600), 280, "#6c4f74", hair="#f4f1ea")
    fill(sheet, "#d9b44a", shapes.box(664, 418, 22, 9))
    fill(sheet, "#3f6b4c", [(330, 500), (950, 500), (990, 640), (290, 640)])
    fill(sheet, "#345a40", shapes.box(290, 640, 700, 50))
    fill(sheet, "#7a2f2a", shapes.box(400, 520, 130, 60))
    fill(sheet, "#f3efe2", shapes.ring(830, 566, 74, flat=0.3))
    crumbs = [shapes.ring(790 + (index % 5) * 20, 556 + index // 5 * 16, 9, flat=0.6) for index in range(9)]
    fill(sheet, "#c98f4c", *crumbs)
    fill(sheet, OAK, shapes.box(560, 566, 90, 10), shapes.box(556, 552, 30, 38))
    stack = [shapes.box(60 + lean * 6, 640 - lean * 34, 120, 12) for lean in range(6)]
    fill(sheet, "#5c4a3c", *stack, shapes.box(64, 640, 10, 76), shapes.box(166, 640, 10, 76))
    backs = [shapes.box(60 + lean * 6, 560 - lean * 34, 10, 90) for lean in range(6)]
    fill(sheet, "#4a3b30", *backs)
    fill(sheet, "#aeb4b4", shapes.box(1090, 500, 100, 150), shapes.ring(1140, 500, 50, flat=0.3))
    fill(sheet, INK, shapes.box(1126, 612, 30, 10))
    sheet.finish(path, tint="#d9c9a0", quality=QUALITY)


def workroom(path: Path) -> None:
    sheet = Sheet(57)
    sheet.sky((0, "#cfd8cf"), (0.7, "#bfc9bd"), (0.701, "#a58a68"), (1, "#8a7050"))
    fill(sheet, "#f4f1dc", shapes.box(80, 90, 360, 330))
    fill(sheet, "#b7c9b4", shapes.box(80, 330, 360, 90))
    draw_church(sheet, 160, 350, 130)
    sheet.lay(
        sheet.lines(
            [(260, 90), (260, 420)],
            [(80, 250), (440, 250)],
            [(80, 90), (440, 90), (440, 420), (80, 420), (80, 90)],
            width=8,
        ),
        CREAM,
    )
    sheet.glow(260, 250, 220, "#fff0c4", 0.2)
    for row in range(4):
        y = 120 + row * 78
        fill(sheet, OAK, shapes.box(640, y + 56, 600, 10))
        for x in range(656, 1220, 46):
            fill(
                sheet,
                ("#e2a39a", "#efc3b8", "#d98f88", "#f1dcc8", "#9fb3b4")[int(sheet.chance.integers(5))],
                shapes.box(x, y + 8, 32, 48),
            )
            fill(sheet, "#7d8790", shapes.box(x - 1, y, 34, 10))
    fill(
        sheet,
        "#6f7d80",
        [(190, 520), (470, 420), (500, 460), (220, 580)],
        [(160, 380), (230, 350), (290, 500), (200, 560)],
    )
    fill(sheet, "#55636a", shapes.box(300, 540, 50, 110), shapes.ring(325, 660, 110, flat=0.2))
    fill(sheet, "#a5524a", [(250, 500), (460, 424), (500, 470), (300, 566)])
    fill(sheet, "#6f8f7a", [(222, 470), (268, 430), (330, 500), (270, 540)])
    fill(sheet, "#ece8de", shapes.ring(226, 416, 36))
    fill(sheet, "#d9b49a", shapes.ring(234, 424, 28))
    glasses = [[*shapes.ring(236, 420, 10)], [*shapes.ring(256, 422, 9)], [*shapes.ring(232, 396, 8)]]
    sheet.lay(sheet.lines(*glasses, width=2.6), INK)
    sheet.lay(sheet.lines([(590, 540), (620, 350), (540, 270)], width=8), "#55636a")
    fill(sheet, "#55636a", [(500, 262), (560, 244), (580, 290), (508, 306)])
    sheet.glow(540, 330, 70, "#ffe9b0", 0.35)
    fill(sheet, OAK, shapes.box(560, 540, 730, 34))
    fill(sheet, "#6b472d", shapes.box(580, 574, 710, 156))
    fill(sheet, "#3f6b4c", shapes.box(640, 606, 260, 60))
    for index in range(7):
        fill(sheet, ("#7d5a7c", "#5c7a5a", BLUE)[index % 3], shapes.box(656 + index * 34, 618, 16, 38))
    for index in range(9):
        x = 690 + index * 62
        fill(
            sheet,
            PINK,
            [(x - 13, 540), (x - 10, 492), (x - 4, 484), (x + 4, 484), (x + 10, 492), (x + 13, 540)],
            shapes.ring(x, 472, 10),
        )
    sheet.finish(path, tint="#cbbf9c", quality=QUALITY)
