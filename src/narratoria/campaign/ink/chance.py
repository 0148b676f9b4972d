"""Decides what chance decides in an ink story, by the story's seed alone."""

from __future__ import annotations

from hashlib import sha256

_MODULUS = 2_147_483_647


def next_number(seed: int) -> int:
    """Return the number after this one, by Lehmer's generator."""
    seed %= _MODULUS
    return (seed or _MODULUS - 1) * 48_271 % _MODULUS


def shuffled_index(seed: int, name: str, visit: int, count: int) -> int:
    """Return which of several comes at a visit: each once in a round, in an order of this story's own."""
    if count < 1:
        return 0
    left = list(range(count))
    digest = sha256(f"{seed}/{name}/{visit // count}".encode()).digest()
    number = int.from_bytes(digest[:6])
    for _ in range(visit % count):
        left.pop(number % len(left))
        number = next_number(number)
    return left[number % len(left)]
