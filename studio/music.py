"""Quiet loops without a seam: all is reckoned round in a circle, so that the end meets the beginning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import soundfile
from numpy.typing import NDArray

Sound: TypeAlias = NDArray[np.float64]

RATE = 32_000
SECONDS = 40
LENGTH = RATE * SECONDS


def pitch(note: str) -> float:
    """`A4` is 440; flats are written with b."""
    steps = {"C": -9, "D": -7, "E": -5, "F": -4, "G": -2, "A": 0, "B": 2}
    semitones = steps[note[0]] - note.count("b") + note.count("#")
    return 440.0 * 2 ** ((semitones + 12 * (int(note[-1]) - 4)) / 12)


class Loop:
    def __init__(self, seed: int) -> None:
        self.chance = np.random.default_rng(seed)
        self.sound: Sound = np.zeros((LENGTH, 2))

    def add(self, at: float, sound: Sound, *, pan: float = 0.0, loud: float = 1.0) -> None:
        """From `at` seconds on; what runs over the end is heard at the beginning."""
        places = (int(at * RATE) + np.arange(len(sound))) % LENGTH
        for channel, share in ((0, 1 - pan), (1, 1 + pan)):
            np.add.at(self.sound[:, channel], places, sound * loud * share * 0.5)

    def pad(self, at: float, seconds: float, notes: Sequence[str], *, loud: float = 0.1) -> None:
        """A slow chord: several voices a little out of tune, swelling and fading."""
        time = np.arange(int(seconds * RATE)) / RATE
        swell = np.sin(np.pi * time / seconds) ** 1.5
        for note in notes:
            for detune in (-0.0028, 0.0, 0.0031):
                base = pitch(note) * (1 + detune)
                drift = 0.25 * np.sin(2 * np.pi * self.chance.uniform(0.05, 0.16) * time)
                voice = sum(
                    np.sin(2 * np.pi * base * part * time + drift * part + self.chance.uniform(0, 6))
                    / part**2.1
                    for part in range(1, 6)
                )
                self.add(at, voice * swell, pan=self.chance.uniform(-0.7, 0.7), loud=loud / len(notes))

    def pluck(
        self, at: float, note: str, *, loud: float = 0.2, length: float = 3.2, soft: float = 1.0
    ) -> None:
        """A struck string, or a small piano heard through a wall."""
        time = np.arange(int(length * RATE)) / RATE
        base = pitch(note)
        tone = sum(
            np.sin(2 * np.pi * base * part * (1 + 0.0004 * part**2) * time)
            * np.exp(-time * (1.1 + 0.7 * part) * soft)
            / part**1.4
            for part in range(1, 8)
        )
        self.add(at, tone * np.minimum(1, time / 0.006), pan=self.chance.uniform(-0.4, 0.4), loud=loud)

    def bell(self, at: float, note: str, *, loud: float = 0.12, length: float = 11.0) -> None:
        """Hum, prime, tierce, quint and nominal, each dying at its own pace."""
        time = np.arange(int(length * RATE)) / RATE
        base = pitch(note)
        partials = ((0.5, 0.7, 0.32), (1.0, 1.0, 0.5), (1.19, 0.6, 0.8), (1.5, 0.35, 1.1), (2.0, 0.8, 1.0))
        more = ((2.51, 0.25, 1.9), (3.01, 0.2, 2.4), (4.1, 0.12, 3.6))
        tone = sum(
            share * np.sin(2 * np.pi * base * ratio * time) * np.exp(-time * decay)
            for ratio, share, decay in (*partials, *more)
        )
        self.add(at, tone * np.minimum(1, time / 0.01), pan=self.chance.uniform(-0.5, 0.5), loud=loud)

    def air(self, low: float, high: float, *, loud: float = 0.05, swell: float = 0.5, waves: int = 5) -> None:
        """Noise between two pitches that comes and goes: wind, water."""
        time = np.arange(LENGTH) / LENGTH
        for channel in range(2):
            spectrum = np.fft.rfft(self.chance.normal(0, 1, LENGTH))
            bins = np.fft.rfftfreq(LENGTH, 1 / RATE)
            shape = np.exp(
                -(((np.log2(bins + 1e-6) - np.log2((low * high) ** 0.5)) / np.log2(high / low)) ** 2)
            )
            noise = np.fft.irfft(spectrum * shape, LENGTH)
            noise /= np.abs(noise).max()
            level = 1 - swell * 0.5 * (
                1
                + np.sin(2 * np.pi * waves * time + self.chance.uniform(0, 6)) * np.sin(2 * np.pi * 2 * time)
            )
            self.sound[:, channel] += noise * level * loud

    def crackle(self, count: int, *, loud: float = 0.12) -> None:
        """A fire."""
        for at in self.chance.uniform(0, SECONDS, count):
            length = int(self.chance.uniform(0.002, 0.02) * RATE)
            snap = self.chance.normal(0, 1, length) * np.exp(-np.linspace(0, 6, length))
            self.add(
                float(at), snap, pan=self.chance.uniform(-0.5, 0.5), loud=loud * self.chance.uniform(0.1, 1)
            )

    def room(self, seconds: float, share: float) -> None:
        """Reverberation, round the circle."""
        for channel in range(2):
            time = np.arange(int(seconds * 2 * RATE)) / RATE
            tail = np.zeros(LENGTH)
            tail[: len(time)] = self.chance.normal(0, 1, len(time)) * np.exp(-time * 5 / seconds)
            tail /= np.sqrt((tail**2).sum())
            wet = np.fft.irfft(np.fft.rfft(self.sound[:, channel]) * np.fft.rfft(tail), LENGTH)
            self.sound[:, channel] = self.sound[:, channel] * (1 - share) + wet * share

    def save(
        self,
        path: Path,
        *,
        peak: float = 0.55,
        small: bool = False,
        channels: int = 2,
        compression: float = 0.92,
    ) -> None:
        """Write the loop; a small one has one channel and half the rate."""
        path.parent.mkdir(parents=True, exist_ok=True)
        sound, rate = self.sound, RATE
        if small:  # round in a circle, so that half a spectrum is the same loop with fewer samples
            mixed, rate = sound.mean(axis=1), RATE // 2
            sound = np.fft.irfft(np.fft.rfft(mixed)[: LENGTH // 4 + 1], LENGTH // 2)[:, None]
        elif channels == 1:
            sound = sound.mean(axis=1, keepdims=True)
        sound = sound / np.abs(sound).max() * peak
        with soundfile.SoundFile(
            path, "w", rate, sound.shape[1], format="OGG", subtype="VORBIS", compression_level=compression
        ) as file:
            for start in range(0, len(sound), rate):  # all at once is more than the encoder takes
                file.write(sound[start : start + rate])


def mist(path: Path) -> None:
    loop = Loop(1)
    for at, chord in (
        (0, ("D3", "A3", "E4")),
        (10, ("Bb2", "F3", "C4")),
        (20, ("G2", "D3", "A3")),
        (30, ("A2", "E3", "B3")),
    ):
        loop.pad(at, 14, chord, loud=0.3)
    for at, note in ((3, "A4"), (6.5, "E5"), (13, "F4"), (17, "C5"), (24, "D5"), (33, "B4"), (36, "E4")):
        loop.pluck(at, note, loud=0.1, soft=0.7)
    loop.air(180, 900, loud=0.05, waves=9)
    loop.room(3.5, 0.55)
    loop.save(path)


def furnace(path: Path) -> None:
    loop = Loop(2)
    for at, chord in ((0, ("C2", "G2", "C3")), (13, ("Ab1", "Eb2", "C3")), (27, ("F1", "C2", "Ab2"))):
        loop.pad(at, 17, chord, loud=0.4)
    loop.air(60, 260, loud=0.09, waves=7)
    loop.crackle(420, loud=0.1)
    for at in (6, 6.9, 19.5, 20.4, 34):
        loop.bell(at, "G5", loud=0.018, length=2.5)
    loop.room(2.2, 0.35)
    loop.save(path)


def cloister(path: Path) -> None:
    loop = Loop(3)
    for at, chord in (
        (0, ("D3", "F3", "A3")),
        (10, ("C3", "F3", "A3")),
        (20, ("Bb2", "D3", "F3", "C4")),
        (30, ("A2", "D3", "E3")),
    ):
        loop.pad(at, 15, chord, loud=0.36)
    loop.air(250, 1200, loud=0.018, waves=3)
    loop.room(6.0, 0.72)
    loop.save(path)


def deep(path: Path) -> None:
    loop = Loop(4)
    loop.pad(0, 26, ("D1", "A1", "Eb2"), loud=0.45)
    loop.pad(20, 24, ("C1", "G1", "Db2"), loud=0.45)
    for at, note in ((5, "D4"), (18, "A3"), (29, "Eb4")):
        loop.bell(at, note, loud=0.06)
    loop.air(40, 160, loud=0.07, waves=3)
    loop.room(7.5, 0.8)
    loop.save(path)


def snow(path: Path) -> None:
    loop = Loop(5)
    tune = ((0, "E4"), (2, "B4"), (4, "G4"), (7, "D5"), (10, "C4"), (12, "G4"), (14, "E5"), (17, "B4"))
    answer = ((20, "A3"), (22, "E4"), (24, "C5"), (27, "G4"), (30, "B3"), (32, "F#4"), (34, "D5"), (37, "A4"))
    for at, note in (*tune, *answer):
        loop.pluck(at, note, loud=0.16, length=5, soft=0.6)
    for at, chord in ((0, ("E3", "B3")), (10, ("C3", "G3")), (20, ("A2", "E3")), (30, ("B2", "F#3"))):
        loop.pad(at, 13, chord, loud=0.16)
    loop.air(400, 2600, loud=0.03, waves=4)
    loop.room(3.0, 0.45)
    loop.save(path)


def hearth(path: Path) -> None:
    loop = Loop(6)
    tune = ("G3", "D4", "B4", "D4", "A3", "E4", "C5", "E4", "F#3", "D4", "A4", "D4", "G3", "D4", "G4", "B4")
    for index in range(32):
        loop.pluck(index * SECONDS / 32, tune[index % 16], loud=0.11, length=2.4, soft=1.1)
    loop.crackle(520, loud=0.12)
    loop.air(90, 380, loud=0.035, waves=6)
    loop.room(1.4, 0.3)
    loop.save(path)


def gorge(path: Path) -> None:
    loop = Loop(7)
    for at, chord in ((0, ("E2", "B2", "F3")), (14, ("Eb2", "Bb2", "E3")), (28, ("D2", "A2", "Eb3"))):
        loop.pad(at, 18, chord, loud=0.36)
    for at in np.arange(0, SECONDS, 2.5):
        loop.pluck(float(at), "E2" if int(at / 2.5) % 4 else "F2", loud=0.12, length=2, soft=1.6)
    loop.air(120, 700, loud=0.08, waves=8)
    loop.room(4.0, 0.5)
    loop.save(path)
