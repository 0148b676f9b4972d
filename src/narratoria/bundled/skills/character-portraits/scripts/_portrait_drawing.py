"""From a description to the bytes of a PNG: in one of the four presets, or as a silhouette."""

from __future__ import annotations

import threading

from _portrait_colours import light, mix, rgb, tone
from _portrait_png import write_rows

from narratoria.sdk import host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from _portrait_look import Look

PRESETS = ("realistic", "stylized", "anime", "pixel")


class NotDrawn(Exception):
    """There will be no picture; says why."""


def draw(look: Look, preset: str, size: int, *, timeout_s: float) -> bytes:
    """Return the portrait of somebody; raise NotDrawn when it cannot be had in this time."""
    if preset == "pixel":
        from _portrait_pixel import place

        return _within(timeout_s, lambda: place(look, rasterise, size))
    svg = svg_of(look, preset)
    return _within(timeout_s, lambda: rasterise(svg, size, False))


def svg_of(look: Look, preset: str) -> str:
    if look.species == "unseen":
        from _portrait_ripple import ripple

        return ripple(look, preset)
    if preset == "stylized":
        from _portrait_poster import print_poster

        return print_poster(look)
    if preset == "anime":
        from _portrait_anime import ink

        return ink(look)
    from _portrait_painted import paint

    return paint(look)


def rasterise(svg: str, size: int, crisp: bool) -> bytes:
    return host.rasterise(svg, size, crisp=crisp)


def _within(timeout_s: float, work: Callable[[], bytes]) -> bytes:
    """Return what the work gives in this time; the thread of one that is late ends with the process."""
    got: list[bytes | str] = []

    def run() -> None:
        try:
            got.append(work())
        except (host.HostError, ValueError) as problem:
            got.append(str(problem))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(0.1, timeout_s))
    if not got:
        raise NotDrawn(f"the picture was not drawn within {timeout_s:g} s")
    if isinstance(got[0], str):
        raise NotDrawn(got[0])
    return got[0]


def silhouette(size: int, palette: Sequence[str]) -> bytes:
    """Head and shoulders against a lamp: what stands for somebody whom nobody could draw."""
    dark = min(palette, key=light) if palette else "#2b3150"
    glow = max(palette, key=light) if palette else "#c9b08a"
    figure = rgb(tone(mix(dark, "#14121c", 0.5), -0.2))
    rows = []
    for y in range(size):
        at = y / size
        ground = rgb(mix(mix(dark, glow, 0.55), dark, abs(at - 0.4) * 1.4 if abs(at - 0.4) < 0.7 else 1.0))
        half = _half(at) * size
        left, right = round(size / 2 - half), round(size / 2 + half)
        row = bytes(ground) * left + bytes(figure) * (right - left) + bytes(ground) * (size - right)
        rows.append(row)
    return write_rows(rows, size)


def _half(at: float) -> float:
    """Half the width of the figure at this height, both as shares of the picture."""
    head = max(0.0, 1 - ((at - 0.42) / 0.23) ** 2) ** 0.5 * 0.185
    neck = 0.085 if 0.6 < at < 0.8 else 0.0
    body = 0.0 if at < 0.74 else min(0.42, 0.085 + 0.34 * min(1.0, (at - 0.74) / 0.16) ** 0.55)
    return float(max(head, neck, body))
