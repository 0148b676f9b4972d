"""The size of a picture and the length of a sound are read from their first bytes."""

from __future__ import annotations

import struct

import pytest

from narratoria.campaign.assets import AudioInfo, ImageInfo, read_audio_info, read_image_info

# what files say of themselves

WAV = (
    b"RIFF"
    + struct.pack("<I", 36 + 16_000)
    + b"WAVEfmt "
    + struct.pack("<IHHIIHH", 16, 1, 1, 8_000, 16_000, 2, 16)
)


FLAC_BITS = (44_100 << 44) | (1 << 41) | (15 << 36) | 88_200


OPUS = (
    b"OggS"
    + bytes(2)
    + struct.pack("<q", 0)
    + bytes(14)
    + b"OpusHead"
    + struct.pack("<BBHI", 1, 2, 312, 48_000)
)


FILES = {
    "a.png": (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480),
        ImageInfo("png", 640, 480),
    ),
    "b.jpg": (
        b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08" + struct.pack(">HH", 300, 400) + bytes(20),
        ImageInfo("jpeg", 400, 300),
    ),
    "c.webp": (
        b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + (799).to_bytes(3, "little") + (599).to_bytes(3, "little"),
        ImageInfo("webp", 800, 600),
    ),
    "d.webp": (
        b"RIFF\0\0\0\0WEBPVP8L" + bytes(4) + b"\x2f" + (99 | 49 << 14).to_bytes(4, "little"),
        ImageInfo("webp", 100, 50),
    ),
    "e.svg": (b'<?xml version="1.0"?><svg viewBox="0 0 32 16" xmlns="x"/>', ImageInfo("svg", 32, 16)),
    "f.png": (b"\x89PNG\r\n\x1a\n", ImageInfo("png")),
    "g.jpg": (b"\xff\xd8\xff" + bytes(200), ImageInfo("jpeg")),
    "h.wav": (WAV + b"data" + struct.pack("<I", 16_000) + bytes(16_000), AudioInfo("wav", 1.0, 128_000)),
    "i.flac": (
        b"fLaC" + bytes(14) + FLAC_BITS.to_bytes(8, "big") + bytes(8_000),
        AudioInfo("flac", 2.0, 32_104),
    ),
    "j.ogg": (
        OPUS + bytes(40) + b"OggS" + bytes(2) + struct.pack("<q", 48_000 * 3 + 312) + bytes(14),
        AudioInfo("ogg", 3.0, 299),
    ),
    "k.mp3": (b"\xff\xfb\x90\x00" + bytes(15_996), AudioInfo("mp3", 1.0, 128_000)),
    "l.mp3": (b"ID3\x04\0\0" + b"\x7f" * 4, AudioInfo("mp3")),
    "m.ogg": (b"OggS", AudioInfo("ogg")),
}


@pytest.mark.parametrize("name", FILES)
def test_the_first_bytes_of_a_file_tell_its_size_or_length(tmp_path, name):
    content, expected = FILES[name]
    (tmp_path / name).write_bytes(content)

    assert (read_image_info if isinstance(expected, ImageInfo) else read_audio_info)(
        tmp_path / name
    ) == expected
