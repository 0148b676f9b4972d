"""The music of Wickering: a waltz for the green, a clock for meetings, a music box for the model."""

from __future__ import annotations

from pathlib import Path

from studio.music import SECONDS, Loop

BAR = SECONDS / 16  # sixteen bars, whatever the measure


def saturday(path: Path) -> None:
    """A waltz in G, by somebody who plays it every week and looks out of the window meanwhile."""
    loop = Loop(51)
    basses = ("G3", "D3", "E3", "B2", "C3", "G3", "A2", "D3")
    chords = (
        *(("B3", "D4"), ("A3", "D4"), ("G3", "B3"), ("F#3", "B3")),
        *(("E3", "G3"), ("B3", "D4"), ("C4", "E4"), ("A3", "C4")),
    )
    tune = (
        *(("D5", "B4", "G4"), ("A4", "", "F#4"), ("G4", "A4", "B4"), ("D5", "", "")),
        *(("E5", "D5", "C5"), ("B4", "", "G4"), ("A4", "B4", "C5"), ("A4", "", "")),
        *(("D5", "B4", "G4"), ("F#4", "", "A4"), ("B4", "C5", "D5"), ("F#5", "", "")),
        *(("G5", "E5", "C5"), ("D5", "", "B4"), ("C5", "A4", "F#4"), ("G4", "", "")),
    )
    for bar in range(16):
        at = bar * BAR
        loop.pluck(at, basses[bar % 8], loud=0.16, length=1.8, soft=1.2)
        for beat in (1, 2):
            for note in chords[bar % 8]:
                loop.pluck(at + beat * BAR / 3, note, loud=0.05, length=1.0, soft=2.2)
        for beat, note in enumerate(tune[bar]):
            if note:
                loop.pluck(at + beat * BAR / 3, note, loud=0.12, length=2.4, soft=1.0)
    loop.room(1.6, 0.3)
    loop.save(path, channels=1, compression=0.97)


def minutes(path: Path) -> None:
    """A hall clock, a harmonium with one finger on it, and a pause for any other business."""
    loop = Loop(52)
    for second in range(SECONDS):
        loop.pluck(float(second), "C6" if second % 2 else "G5", loud=0.028, length=0.25, soft=9)
    for at, chord in (
        (0, ("C3", "G3", "E4")),
        (10, ("A2", "E3", "C4")),
        (20, ("F2", "C3", "A3")),
        (30, ("G2", "D3", "B3")),
    ):
        loop.pad(at, 12, chord, loud=0.2)
    for at, note in ((2, "G4"), (4, "E4"), (7, "C5"), (12, "A4"), (15, "E4"), (22, "F4"), (25, "A4")):
        loop.pluck(at, note, loud=0.12, length=2.6, soft=1.1)
    for at, note in ((31, "D4"), (32, "G4"), (33, "B4"), (36, "D5")):
        loop.pluck(at, note, loud=0.1, length=2.6, soft=1.1)
    loop.room(2.2, 0.4)
    loop.save(path, channels=1, compression=0.97)


def musicbox(path: Path) -> None:
    """The waltz again, at one to twelve: two octaves up, and slower than the hand that wound it."""
    loop = Loop(53)
    tune = ("D6", "B5", "G5", "A5", "F#5", "G5", "B5", "D6", "E6", "C6", "B5", "G5", "A5", "C6", "A5", "G5")
    for index, note in enumerate(tune):
        at = index * BAR + 0.35 * (index / 16) ** 2
        loop.bell(at, note, loud=0.035, length=4.0)
        loop.bell(at + BAR * 0.5, ("G5", "D5", "E5", "B4")[index // 4], loud=0.018, length=3.0)
    for at, chord in ((0, ("G3", "D4")), (10, ("E3", "B3")), (20, ("C3", "G3")), (30, ("D3", "A3"))):
        loop.pad(at, 13, chord, loud=0.1)
    loop.room(3.0, 0.5)
    loop.save(path, channels=1, compression=0.97)
