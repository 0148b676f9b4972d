"""Draws a skill's SVG as a PNG, in a process of its own that can be ended."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from narratoria.errors import HostRefusal

CHILD = Path(__file__).with_name("rasterise_child.py")
# what would make the picture depend on files, fonts or entities
_OUTSIDE = re.compile(
    r"<!|<\s*(?:\w+:)?(?:image|feImage|text|script|foreignObject)\b|href\s*=\s*[\"'](?!#)|@import",
    re.IGNORECASE,
)


async def rasterise(svg: str, size: int, *, crisp: bool = False, timeout_s: float | None = None) -> bytes:
    """Draw a square PNG.

    HostRefusal for what is no picture, leads outside, or takes longer than `timeout_s`."""
    if reference := _OUTSIDE.search(svg):
        raise HostRefusal(
            "INVALID_PARAMS",
            f"/svg: {reference[0][:40]!r} is not drawn here",
            "draw with shapes, gradients, filters and clippings of the same document alone",
        )
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(CHILD),
        str(size),
        "crisp" if crisp else "smooth",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ},
    )
    try:
        async with asyncio.timeout(timeout_s):
            picture, stderr = await child.communicate(svg.encode())
    except TimeoutError:
        raise HostRefusal(
            "TIMEOUT", f"the picture was not drawn within {timeout_s:g} s", "draw less"
        ) from None
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if child.returncode:
        why = stderr.decode(errors="replace").strip().splitlines()
        raise HostRefusal(
            "INVALID_PARAMS",
            f"/svg: cannot be drawn: {why[-1][:200] if why else 'it needs too much'}",
            "check it with any viewer of SVG pictures",
        )
    return picture
