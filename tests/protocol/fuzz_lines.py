"""A fuzz target for the decoders: mutated lines, blocks and splits, for as long as one likes.

    python tests/protocol/fuzz_lines.py --rounds 200000 --seed 7

Every round takes known lines, the misbehaving tools' own among them, damages them and asks three things:
nothing but a ProtocolViolationException is raised, a block read at once says what its lines say, and where
the bytes are cut makes no difference.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

from narratoria.errors import ProtocolViolationException
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.mctl_v1 import mctl_v1
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, decode_block, decode_line

LIMITS = Limits(max_line_bytes=4000, max_depth=12)
SEEDS = [
    {
        "version": "0",
        "type": "log",
        "level": "info",
        "message": 'say "hi" \\ é 👻',
        "fields": {"a": [1, {"b": None}]},
    },
    {"version": "0", "type": "state_patch", "patch": {"a": {"b": {"c": [1.5e300, -0.0, "\u2028"]}}}},
    {
        "version": "0",
        "type": "asset",
        "assetId": "a",
        "kind": "image",
        "mediaType": "image/png",
        "path": "/x",
    },
    {"version": "0", "type": "ui_event", "event": "e", "payload": {"choices": ["x", "y"]}, "requestId": "r"},
    {
        "version": "0",
        "type": "error",
        "errorCode": "E",
        "errorMessage": "m",
        "timestamp": "2026-11-15T10:00:00Z",
    },
    {"version": "0", "type": "done", "ok": True, "summary": "s", "output": {}},
    {
        "type": "log",
        "ts": "2026-11-15T10:00:00Z",
        "toolId": "t",
        "payload": {"level": "info", "message": "m"},
    },
    {"type": "result", "ts": "2026-11-15T10:00:00Z", "toolId": "t", "payload": [1, 2]},
]
PIECES = [
    *(
        b'"',
        b"\\",
        b'\\"',
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\n",
        b"\r",
        b" ",
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
    ),
    *(
        b"}\n{",
        b"\\u0022",
        b"\\ud800",
        b"NaN",
        b"1e999",
        b"-0",
        b"null",
        b'"type":"done",',
        b'"version":"0",',
    ),
    *(b"[" * 13, b"]" * 13, b"9" * 400, b"x" * 4001, b'{"a":' * 13, b"\xc3", b"\xed\xa0\x80"),
]


def lines() -> list[bytes]:
    compact = [json.dumps(seed, separators=(",", ":"), ensure_ascii=False).encode() for seed in SEEDS]
    spaced = [json.dumps(seed).encode() for seed in SEEDS]
    zoo = Path(__file__).parents[1] / "tools" / "v0"
    quoted = [
        line
        for file in sorted(zoo.glob("*.py"))
        for line in file.read_bytes().splitlines()
        if b"version" in line
    ]
    return [*compact, *spaced, *quoted]


def damaged(block: bytes, chance: random.Random) -> bytes:
    data = bytearray(block)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(4):
            case 0:
                data[at:at] = chance.choice(PIECES)
            case 1:
                del data[at : at + chance.randrange(1, 20)]
            case 2:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case _:
                data[at:at] = data[chance.randrange(len(data) + 1) :][:40]
    return bytes(data)


def check(block: bytes, chance: random.Random) -> None:
    whole = block if block.endswith(b"\n") else block + b"\n"
    at_once = decode_block(whole, LIMITS)
    if at_once is not None:
        assert at_once == [decode_line(line, 1, LIMITS) for line in whole.split(b"\n")[:-1]], whole
    for dialect in (NARRATORIA_V0, mctl_v1("t"), mctl_v1("t", strict=True)):
        assert _read(dialect, [whole]) == _read(dialect, _cut(whole, chance)), whole


def _read(dialect: Any, blocks: list[bytes]) -> tuple[list[object], list[str], str]:
    """What a conversation makes of these blocks of whole lines, up to the end or a violation."""
    conversation = dialect.open(LIMITS, Path("/"))
    events: list[object] = []
    warnings: list[str] = []
    number = 1
    for block in blocks:
        batch = conversation.read(block, number)
        number += block.count(b"\n")
        events += batch.events
        warnings += batch.warnings
        if batch.violation is not None or batch.ended:
            assert batch.violation is None or isinstance(batch.violation, ProtocolViolationException)
            return events, warnings, str(batch.violation or "")
    return events, warnings, ""


def _cut(block: bytes, chance: random.Random) -> list[bytes]:
    pieces = [line + b"\n" for line in block.split(b"\n")[:-1]]
    middle = chance.randrange(len(pieces) + 1)
    return [part for part in (b"".join(pieces[:middle]), b"".join(pieces[middle:])) if part]


def fuzz(rounds: int, seed: int) -> None:
    chance = random.Random(seed)
    known = lines()
    for _ in range(rounds):
        block = b"\n".join(chance.choices(known, k=chance.randrange(1, 5)))
        check(damaged(block, chance), chance)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    options = parser.parse_args()
    print(f"{options.rounds} rounds, seed {options.seed}")
    fuzz(options.rounds, options.seed)
