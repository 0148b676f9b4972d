"""Finds the pictures and music of a campaign by name, and reads their size and length."""

from __future__ import annotations

import re
import struct
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from narratoria.campaign.folder import AUDIO, IMAGES, KEYWORDS, Folder, stem_of


@dataclass(frozen=True, slots=True)
class AssetIndex:
    """Finds pictures and pieces of music by folder and name."""

    pictures: Mapping[tuple[str, str], str]  # (the folder under art, the name as a slug): the file
    music: Mapping[str, str]  # by slug

    def find_picture(self, folder: str, *names: str) -> str:
        """Return the picture in this folder of `art/` with one of the names; empty if there is none."""
        files = (self.pictures.get((folder, slug(name))) for name in names)
        return next((file for file in files if file), "")

    def find_music(self, *names: str) -> str:
        return next((file for name in names if (file := self.music.get(slug(name)))), "")


def index_assets(folder: Folder) -> AssetIndex:
    pictures: dict[tuple[str, str], str] = {}
    for file in folder.under("art", *IMAGES):
        group = file.removeprefix("art/").rpartition("/")[0].partition("/")[0]
        pictures.setdefault((group, slug(stem_of(file))), file)
    music: dict[str, str] = {}
    for file in folder.under("music", *AUDIO):
        music.setdefault(slug(stem_of(file)), file)
    return AssetIndex(pictures, music)


def slug(name: str) -> str:
    """Return one spelling for a name: `old-wizard` for `npc_Old Wizard`."""
    plain = unicodedata.normalize("NFC", name).casefold()
    return re.sub(r"[\s_'’.-]+", "-", plain).strip("-").removeprefix("npc-")


def portrait_beside(folder: Folder, home: str) -> str:
    """Return `portrait.png`, or another image format, in a person's folder."""
    return next((file for file in folder.directly_in(home, *IMAGES) if stem_of(file) == "portrait"), "")


def all_assets(folder: Folder) -> Iterator[str]:
    """Yield every picture and piece of music of the folder."""
    for file in folder.files:
        if file.lower().endswith((*IMAGES, *AUDIO)):
            yield file


def has_keywords(folder: Folder, file: str) -> bool:
    """Return whether a keywords file lies beside the file."""
    return f"{file}{KEYWORDS}" in folder.files


HEAD = 256 * 1024  # bytes; a JPEG may hold a picture of itself before it says how large it is
TAIL = 64 * 1024  # the last page of an Ogg file is no larger


@dataclass(frozen=True, slots=True)
class ImageInfo:
    format: str
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True, slots=True)
class AudioInfo:
    format: str
    seconds: float | None = None
    bitrate: int | None = None  # bits a second


def read_image_info(path: Path) -> ImageInfo:
    with path.open("rb") as file:
        head = file.read(HEAD)
    for kind, magic, look in _PICTURES:
        if re.match(magic, head, re.DOTALL):
            size = _safely(look, head)
            return ImageInfo(kind, *size) if size and all(size) else ImageInfo(kind)
    return ImageInfo(path.suffix[1:].lower().replace("jpg", "jpeg"))


def read_audio_info(path: Path) -> AudioInfo:
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(HEAD)
        for kind, magic, look in _SOUNDS:
            if re.match(magic, head, re.DOTALL):
                try:
                    length = look(file, head, size)
                except (struct.error, IndexError, ZeroDivisionError, OSError):
                    length = None
                return _sound(kind, size, length)
    return AudioInfo(path.suffix[1:].lower())


def _sound(kind: str, size: int, length: tuple[float, int | None] | None) -> AudioInfo:
    if not length or not 0 < length[0] < 1e6:  # no piece lasts for days
        return AudioInfo(kind)
    seconds, bitrate = length
    return AudioInfo(kind, round(seconds, 3), bitrate or round(size * 8 / seconds))


def _safely(look: Callable[[bytes], tuple[int, int] | None], head: bytes) -> tuple[int, int] | None:
    try:
        return look(head)
    except (struct.error, IndexError):
        return None


# pictures


def _png(head: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", head[16:24])
    return width, height


def _jpeg(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at < len(head) - 9:
        if head[at] != 0xFF:
            return None
        marker = head[at + 1]
        if marker == 0xFF:  # filling
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return width, height
        elif marker in (0x01, *range(0xD0, 0xD9)):
            at += 2
        else:
            at += 2 + max(struct.unpack(">H", head[at + 2 : at + 4])[0], 2)
    return None


def _webp(head: bytes) -> tuple[int, int] | None:
    match head[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(head[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            width, height = struct.unpack("<HH", head[26:30])
            return width & 0x3FFF, height & 0x3FFF
    return None


def _svg(head: bytes) -> tuple[int, int] | None:
    tag = re.search(rb"<svg\b[^>]{0,2000}", head)
    if tag is None:
        return None
    sides = [re.search(rb"\s%s\s*=\s*[\"'](\d{1,5})(?:\.\d+)?(?:px)?[\"']" % side, tag[0]) for side in _SIDES]
    if sides[0] and sides[1]:
        return int(sides[0][1]), int(sides[1][1])
    box = _VIEW_BOX.search(tag[0])
    return (int(box[1]), int(box[2])) if box else None


_VIEW_BOX = re.compile(rb"viewBox\s*=\s*[\"']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+(\d{1,5})[\d.]*[\s,]+(\d{1,5})")
_SIDES = (b"width", b"height")
_PICTURES: tuple[tuple[str, bytes, Callable[[bytes], tuple[int, int] | None]], ...] = (
    ("png", rb"\x89PNG\r\n\x1a\n.{4}IHDR", _png),
    ("jpeg", rb"\xff\xd8\xff", _jpeg),
    ("webp", rb"RIFF.{4}WEBP", _webp),
    ("svg", rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|svg|!--|!DOCTYPE)", _svg),
)

# sounds: seconds, and the bitrate where the file says it


def _wav(_file: BinaryIO, head: bytes, size: int) -> tuple[float, int | None] | None:
    at, rate = 12, 0
    while at + 8 <= len(head):
        name, length = struct.unpack("<4sI", head[at : at + 8])
        if name == b"fmt ":
            rate = struct.unpack("<I", head[at + 16 : at + 20])[0]  # bytes a second
        elif name == b"data":
            return min(length, size - at - 8) / rate, rate * 8
        at += 8 + length + length % 2
    return None


def _flac(_file: BinaryIO, head: bytes, _size: int) -> tuple[float, int | None]:
    bits = int.from_bytes(head[18:26], "big")
    return (bits & 0xFFFFFFFFF) / (bits >> 44), None


def _ogg(file: BinaryIO, head: bytes, size: int) -> tuple[float, int | None] | None:
    file.seek(max(size - TAIL, 0))
    tail = file.read(TAIL)
    last = tail.rfind(b"OggS")
    samples = struct.unpack("<q", tail[last + 6 : last + 14])[0]
    if (at := head.find(b"\x01vorbis", 0, 200)) >= 0:
        return samples / struct.unpack("<I", head[at + 12 : at + 16])[0], None
    if (at := head.find(b"OpusHead", 0, 200)) >= 0:
        skipped = struct.unpack("<H", head[at + 10 : at + 12])[0]
        return (samples - skipped) / 48_000, None
    return None


_RATES = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
_KBITS = {
    1: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}


def _mp3(file: BinaryIO, head: bytes, size: int) -> tuple[float, int | None] | None:
    start = 0
    if head[:3] == b"ID3":
        marks = head[6:10]
        start = 10 + (marks[0] << 21 | marks[1] << 14 | marks[2] << 7 | marks[3])
        file.seek(start)
        head = file.read(HEAD)
    for at in range(min(len(head) - 4, 8192)):
        if head[at] == 0xFF and (frame := _mp3_frame(head[at : at + 4])):
            rate, kbits, samples = frame
            info = head[at : at + 200]
            mark = max(info.find(b"Xing"), info.find(b"Info"))
            if mark > 0 and info[mark + 7] & 1:
                frames = struct.unpack(">I", info[mark + 8 : mark + 12])[0]
                return frames * samples / rate, None
            length = size - start - at
            return length * 8 / (kbits * 1000), kbits * 1000
    return None


def _mp3_frame(header: bytes) -> tuple[int, int, int] | None:
    """Return the sampling rate, the kbit/s and the samples of a frame."""
    version, layer = header[1] >> 3 & 3, header[1] >> 1 & 3
    rate, kbits = header[2] >> 2 & 3, header[2] >> 4
    if header[1] & 0xE0 != 0xE0 or version == 1 or layer != 1 or rate == 3 or not 0 < kbits < 15:
        return None
    later = version != 3
    return _RATES[version][rate], _KBITS[2 if later else 1][kbits], 576 if later else 1152


_SOUNDS: tuple[tuple[str, bytes, Callable[[BinaryIO, bytes, int], tuple[float, int | None] | None]], ...] = (
    ("wav", rb"RIFF.{4}WAVE", _wav),
    ("flac", rb"fLaC", _flac),
    ("ogg", rb"OggS", _ogg),
    ("mp3", rb"ID3|\xff[\xe0-\xff]", _mp3),
)
