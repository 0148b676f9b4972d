"""The sounds of Lull: four loops, and in each, whole or in part, the tune that nobody taught anyone."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from studio.music import SECONDS, Loop

TUNE = ("G3", "A3", "B3", "D4", "E4", "F#4", "D4", "B3", "G3")  # five up, a step, and three down


def evening(path: Path) -> None:
    loop = Loop(11)
    for at, chord in (
        (0, ("G2", "D3", "B3")),
        (10, ("E2", "B2", "G3")),
        (20, ("C2", "G2", "E3")),
        (30, ("D2", "A2", "F#3")),
    ):
        loop.pad(at, 15, chord, loud=0.3)
    for index, note in enumerate(TUNE):
        loop.pluck(4 + index * 1.6 + 1.2 * (index > 5), note, loud=0.1, length=5, soft=0.6)
    for at, note in ((24, "B4"), (28, "E4"), (33, "A4")):
        loop.bell(at, note, loud=0.02, length=6)
    loop.air(140, 800, loud=0.05, waves=6)
    loop.room(4.0, 0.55)
    loop.save(path, small=True)


def works(path: Path) -> None:
    loop = Loop(12)
    for at in np.arange(0, SECONDS, 1.25):  # twelve pumps, nearly in step
        loop.pluck(float(at), "G1" if int(at / 1.25) % 4 else "D1", loud=0.16, length=1.4, soft=2.2)
        loop.pluck(float(at) + 0.55, "D2", loud=0.06, length=0.9, soft=3.0)
    for at, chord in ((0, ("E2", "B2", "D3")), (13, ("C2", "G2", "B2")), (27, ("D2", "A2", "C3"))):
        loop.pad(at, 17, chord, loud=0.3)
    for index, note in enumerate(TUNE[:6]):
        loop.pluck(21 + index * 1.25, note, loud=0.06, length=3)
    loop.air(70, 300, loud=0.06, waves=10)
    loop.room(2.4, 0.4)
    loop.save(path, small=True)


def needle(path: Path) -> None:
    loop = Loop(13)
    for at in np.arange(0, SECONDS, 0.5):  # clocks that do not agree
        loop.pluck(float(at), "B6", loud=0.012, length=0.12, soft=9)
        loop.pluck(float(at) * 1.0 + 0.21, "E6", loud=0.008, length=0.12, soft=9)
    for start, loud in ((2, 0.13), (22, 0.1)):
        for index, note in enumerate(TUNE):
            higher = f"{note[:-1]}{int(note[-1]) + 1}"
            loop.pluck(start + index * 1.1 + 0.9 * (index > 5), higher, loud=loud, length=3.6, soft=0.8)
    for at, chord in ((0, ("G2", "D3")), (10, ("E2", "B2")), (20, ("C3", "G3")), (30, ("D2", "A2"))):
        loop.pad(at, 14, chord, loud=0.2)
    loop.room(1.6, 0.3)
    loop.save(path, small=True)


def berths(path: Path) -> None:
    loop = Loop(14)
    loop.pad(0, 24, ("G1", "D2", "A2"), loud=0.42)
    loop.pad(19, 25, ("E1", "B1", "F#2"), loud=0.42)
    for at, note in (
        (7, "E4"),
        (10.5, "F#4"),
        (15, "D4"),
        (17, "B3"),
        (19, "G3"),
    ):  # as it comes along the row
        loop.bell(at, note, loud=0.028, length=7)
    loop.air(300, 1800, loud=0.014, waves=3)
    loop.air(40, 140, loud=0.05, waves=4)
    loop.room(7.0, 0.78)
    loop.save(path, small=True)
