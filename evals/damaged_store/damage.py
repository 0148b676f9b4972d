"""Damages a copy of a database in the ways of disks, cables and careless programs."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

PAGE = 4096
NAMES = b"record turn scene playthrough clock label change embedding alembic_version CREATE TABLE INDEX"


def flip_bytes(content: bytearray, dice: random.Random) -> None:
    for _ in range(dice.choice((1, 1, 1, 8, 64))):
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)


def change_name(content: bytearray, dice: random.Random) -> None:
    """Change one letter of a name or a statement in the schema."""
    word = dice.choice(NAMES.split())
    places = [at for at in range(len(content) - len(word)) if content[at : at + len(word)] == word]
    if places:
        content[dice.choice(places) + dice.randrange(len(word))] ^= 1 << dice.randrange(6)


def change_header(content: bytearray, dice: random.Random) -> None:
    content[dice.randrange(108)] = dice.randrange(256)


def cut_off(content: bytearray, dice: random.Random) -> None:
    del content[dice.randrange(len(content)) :]


def clear_page(content: bytearray, dice: random.Random) -> None:
    at = dice.randrange(len(content) // PAGE) * PAGE
    content[at : at + PAGE] = bytes(PAGE) if dice.random() < 0.5 else dice.randbytes(PAGE)


def swap_pages(content: bytearray, dice: random.Random) -> None:
    one, other = (dice.randrange(len(content) // PAGE) * PAGE for _ in range(2))
    content[one : one + PAGE], content[other : other + PAGE] = (
        content[other : other + PAGE],
        content[one : one + PAGE],
    )


def change_cell(content: bytearray, dice: random.Random) -> None:
    """Change what stands in rows: the letters and brackets of stored documents."""
    places = [at for at in range(PAGE, len(content)) if content[at] in b'{}[]":']
    for _ in range(dice.randrange(1, 6)):
        content[dice.choice(places)] = dice.randrange(256)


WAYS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flip_bytes,
    change_name,
    change_header,
    cut_off,
    clear_page,
    swap_pages,
    change_cell,
)


def damage_database(whole: bytes, target: Path, seed: int) -> str:
    """Write a damaged copy, and return in which way it is damaged."""
    dice = random.Random(f"damage/{seed}")
    content, way = bytearray(whole), WAYS[seed % len(WAYS)]
    way(content, dice)
    target.write_bytes(content)
    return way.__name__
