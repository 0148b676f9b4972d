"""A small painter: skies, silhouettes, lamps, mist and water, in the manner of an aquatint."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

Pixels: TypeAlias = NDArray[np.float32]
Point: TypeAlias = tuple[float, float]
Colour: TypeAlias = str  # "#rrggbb"

WIDTH, HEIGHT = 1280, 720
SMOOTH = 2  # shapes are drawn this much larger, and scaled down


def rgb(colour: Colour) -> Pixels:
    return np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)], np.float32) / 255


class Sheet:
    """A picture in the making; everything is drawn over what is there."""

    def __init__(self, seed: int, *, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.width, self.height = width, height
        self.chance = np.random.default_rng(seed)
        self.pixels: Pixels = np.zeros((height, width, 3), np.float32)
        self.y, self.x = np.mgrid[0:height, 0:width].astype(np.float32)

    def sky(self, *stops: tuple[float, Colour]) -> None:
        """Colours from the top (0) to the bottom (1)."""
        at = self.y / self.height
        places = [place for place, _ in stops]
        colours = np.stack([rgb(colour) for _, colour in stops])
        for channel in range(3):
            self.pixels[..., channel] = np.interp(at, places, colours[:, channel])

    def noise(self, scale: float, *, stretch: float = 1.0, octaves: int = 5) -> Pixels:
        """Clouds between 0 and 1; `stretch` draws them out sideways."""
        total = np.zeros((self.height, self.width), np.float32)
        weight = 1.0
        for octave in range(octaves):
            rows = max(2, int(self.height / scale * 2**octave))
            columns = max(2, int(self.width / (scale * stretch) * 2**octave))
            field = self.chance.random((rows, columns)).astype(np.float32)
            image = Image.fromarray((field * 255).astype(np.uint8)).resize(
                (self.width, self.height), Image.Resampling.BICUBIC
            )
            total += weight * np.asarray(image, np.float32) / 255
            weight *= 0.5
        low, high = total.min(), total.max()
        return (total - low) / (high - low)

    def mask(self, *polygons: Sequence[Point], blur: float = 0.0) -> Pixels:
        image = Image.new("L", (self.width * SMOOTH, self.height * SMOOTH))
        draw = ImageDraw.Draw(image)
        for polygon in polygons:
            draw.polygon([(x * SMOOTH, y * SMOOTH) for x, y in polygon], fill=255)
        return self._scaled(image, blur)

    def lines(self, *lines: Sequence[Point], width: float = 2.0, blur: float = 0.0) -> Pixels:
        image = Image.new("L", (self.width * SMOOTH, self.height * SMOOTH))
        draw = ImageDraw.Draw(image)
        for line in lines:
            draw.line(
                [(x * SMOOTH, y * SMOOTH) for x, y in line],
                fill=255,
                width=max(1, round(width * SMOOTH)),
                joint="curve",
            )
        return self._scaled(image, blur)

    def _scaled(self, image: Image.Image, blur: float) -> Pixels:
        image = image.resize((self.width, self.height), Image.Resampling.LANCZOS)
        if blur:
            image = image.filter(ImageFilter.GaussianBlur(blur))
        return np.asarray(image, np.float32) / 255

    def lay(self, mask: Pixels, colour: Colour, strength: float = 1.0) -> None:
        share = (mask * strength)[..., None]
        self.pixels = self.pixels * (1 - share) + rgb(colour) * share

    def wash(self, mask: Pixels, top: Colour, bottom: Colour) -> None:
        """A shape whose colour changes from the top of the sheet to the bottom."""
        at = (self.y / self.height)[..., None]
        paint = rgb(top) * (1 - at) + rgb(bottom) * at
        self.pixels = self.pixels * (1 - mask[..., None]) + paint * mask[..., None]

    def glow(self, x: float, y: float, radius: float, colour: Colour, strength: float = 1.0) -> None:
        """A light, and the air around it."""
        distance = np.hypot(self.x - x, self.y - y)
        light = np.exp(-((distance / radius) ** 2)) * 0.6 + np.exp(-distance / (radius * 1.7)) * 0.4
        self.pixels += light[..., None] * rgb(colour) * strength

    def lamp(
        self, x: float, y: float, *, size: float = 3.0, colour: Colour = "#ffc477", air: float = 1.0
    ) -> None:
        """`air` is how much of the mist around it is lit."""
        self.glow(x, y, size * 16, colour, 0.32 * air)
        self.glow(x, y, size * 4, colour, 0.55 * min(1.0, 0.4 + air))
        core = np.exp(-((np.hypot(self.x - x, self.y - y) / size) ** 4))
        self.lay(core, "#fff2d8")

    def mist(self, level: float, depth: float, colour: Colour, strength: float = 0.7) -> None:
        """A bank of it about the height `level`, drawn out sideways."""
        band = np.exp(-(((self.y - level) / depth) ** 2))
        cloud = 0.35 + 0.65 * self.noise(120, stretch=4.5)
        self.lay(np.clip(band * cloud, 0, 1), colour, strength)

    def reflect(self, shore: float, colour: Colour, *, dark: float = 0.55, ripple: float = 5.0) -> None:
        """Everything above the shore again below it, moved by the water."""
        rows = np.arange(int(shore), self.height)
        depth = (rows - shore) / (self.height - shore)
        source = np.clip(2 * shore - rows - 1, 0, self.height - 1).astype(int)
        wave = self.noise(26, stretch=9, octaves=3)[int(shore) :] - 0.5
        shift = wave * ripple * (1 + 7 * depth[:, None])
        columns = np.clip(self.x[int(shore) :] + shift * 3, 0, self.width - 1).astype(int)
        lift = np.clip(source[:, None] + shift.astype(int), 0, int(shore) - 1)
        mirrored = self.pixels[lift, columns]
        share = (dark * (0.45 + 0.55 * depth))[:, None, None]
        self.pixels[int(shore) :] = mirrored * (1 - share) + rgb(colour) * share
        glint = np.clip((wave - 0.22) * 5, 0, 1)[..., None] * 0.05
        self.pixels[int(shore) :] += glint

    def snow(self, flakes: int, *, colour: Colour = "#f4f6fb", largest: float = 2.6) -> None:
        image = Image.new("L", (self.width, self.height))
        draw = ImageDraw.Draw(image)
        for x, y, size in zip(
            self.chance.uniform(0, self.width, flakes),
            self.chance.uniform(0, self.height, flakes),
            self.chance.uniform(0.4, largest, flakes),
            strict=True,
        ):
            draw.ellipse((x - size, y - size, x + size, y + size), fill=int(90 + 60 * size))
        near = np.asarray(image.filter(ImageFilter.GaussianBlur(0.8)), np.float32) / 255
        self.lay(np.clip(near, 0, 1), colour, 0.85)

    def finish(self, path: Path, *, tint: Colour = "#2a1e3c", quality: int = 78) -> None:
        """Grain, a darker edge and a common tint, then the file."""
        across = (self.x / self.width - 0.5) * 2
        down = (self.y / self.height - 0.5) * 2
        edge = np.clip(1.14 - 0.34 * (across**2 + down**2), 0, 1)[..., None]
        bloom = Image.fromarray((np.clip(self.pixels, 0, 1) * 255).astype(np.uint8)).filter(
            ImageFilter.GaussianBlur(14)
        )
        soft = np.asarray(bloom, np.float32) / 255
        picture = 1 - (1 - np.clip(self.pixels, 0, 1)) * (1 - 0.18 * soft)
        picture = picture * edge
        picture = picture * 0.94 + rgb(tint) * 0.06
        grain = self.chance.normal(0, 0.018, (self.height, self.width, 1))
        paper = (self.noise(7, octaves=2)[..., None] - 0.5) * 0.035
        done = np.clip(picture + grain + paper, 0, 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray((done * 255).astype(np.uint8)).save(path, "WEBP", quality=quality, method=6)
