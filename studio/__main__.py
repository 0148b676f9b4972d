"""Draws and sounds the bundled campaigns anew: `python -m studio`, or a campaign's name for one of them."""

from __future__ import annotations

import sys
from pathlib import Path

from studio import (
    faithful_likeness,
    harrowmere,
    lull_music,
    music,
    one_case_over,
    tomorrows_post,
    wickering_music,
)

CAMPAIGNS = Path("src/narratoria/bundled/campaigns")
PICTURES = {
    "faithful-likeness": faithful_likeness,
    "harrowmere": harrowmere,
    "tomorrows-post": tomorrows_post,
    "one-case-over": one_case_over,
}
SOUNDS = {
    "faithful-likeness": (wickering_music.saturday, wickering_music.minutes, wickering_music.musicbox),
    "harrowmere": (music.mist, music.furnace, music.cloister, music.deep),
    "tomorrows-post": (music.snow, music.hearth, music.gorge),
    "one-case-over": (lull_music.evening, lull_music.works, lull_music.needle, lull_music.berths),
}


def main(wanted: list[str]) -> None:
    for name in wanted or list(PICTURES):
        folder = CAMPAIGNS / name
        for place, draw in PICTURES[name].PLACES.items():
            draw(folder / "art" / "locations" / f"{place}.webp")
        PICTURES[name].cover(folder / "art" / "cover.webp")
        for sound in SOUNDS[name]:
            sound(folder / "music" / "ambient" / f"{sound.__name__}.ogg")


if __name__ == "__main__":
    main(sys.argv[1:])
