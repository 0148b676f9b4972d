"""PNG files by the standard library: small pictures read, and written large."""

from __future__ import annotations

import struct
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    Pixel: TypeAlias = tuple[int, int, int, int]

MAGIC = b"\x89PNG\r\n\x1a\n"
LARGEST = 32 * 1024 * 1024


class NotAPicture(ValueError):
    """Bytes that are no PNG, or one of a kind that is not read here."""


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height; NotAPicture for anything that does not begin like a whole PNG."""
    if len(data) < 45 or not data.startswith(MAGIC) or data[12:16] != b"IHDR" or len(data) > LARGEST:
        raise NotAPicture("not a PNG")
    width, height = struct.unpack(">II", data[16:24])
    if not (0 < width <= 4096 and 0 < height <= 4096) or b"IEND" not in data[-16:]:
        raise NotAPicture("a PNG that is broken off or too large")
    return width, height


def read_pixels(data: bytes) -> list[list[Pixel]]:
    """Return the rows of a PNG of eight bits with transparency, which is what the rasteriser makes."""
    width, height = size_of(data)
    if data[24:29] != b"\x08\x06\x00\x00\x00":
        raise NotAPicture("not a PNG of eight bits with transparency")
    packed, at = b"", 8
    while at + 8 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += 12 + length
    try:
        raw = zlib.decompress(packed)
    except zlib.error as problem:
        raise NotAPicture(f"a PNG that cannot be unpacked: {problem}") from None
    stride, before = width * 4, bytearray(width * 4)
    rows: list[list[Pixel]] = []
    for number in range(height):
        start = number * (stride + 1)
        before = _unfiltered(raw[start], raw[start + 1 : start + 1 + stride], before)
        rows.append([(before[i], before[i + 1], before[i + 2], before[i + 3]) for i in range(0, stride, 4)])
    return rows


def _unfiltered(kind: int, line: bytes, before: bytearray) -> bytearray:
    out = bytearray(line)
    for i in range(len(out)):
        left = out[i - 4] if i >= 4 else 0
        up, corner = before[i], before[i - 4] if i >= 4 else 0
        if kind == 1:
            add = left
        elif kind == 2:
            add = up
        elif kind == 3:
            add = (left + up) // 2
        elif kind == 4:
            add = _paeth(left, up, corner)
        else:
            add = 0
        out[i] = (out[i] + add) & 255
    return out


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    near = abs(guess - left), abs(guess - up), abs(guess - corner)
    return left if near[0] <= near[1] and near[0] <= near[2] else up if near[1] <= near[2] else corner


def write_blocks(rows: Sequence[Sequence[tuple[int, int, int]]], size: int) -> bytes:
    """Return a square PNG in which every pixel is a block of its own."""
    block = size // len(rows)
    return write_rows([b"".join(bytes(pixel) * block for pixel in row) for row in rows], size)


def write_rows(rows: Sequence[bytes], size: int) -> bytes:
    """Return a square PNG of rows of red, green and blue, each as high as it must be to fill the square."""
    same = b"\x02" + bytes(size * 3)  # a row like the one above
    raw = bytearray()
    for row in rows:
        raw += b"\x00" + row + same * (size // len(rows) - 1)
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    packed = zlib.compress(bytes(raw), 6)
    return MAGIC + _chunk(b"IHDR", header) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
