"""Kills a process that writes to a store, again and again: `kills.py FILE ROUNDS SEED` prints what it saw.

Everything is imported and done once; every writer is a fork of that, so that a round takes as long as the
store needs to open. A writer first looks for all that was ever acknowledged, and then acknowledges what it
writes, each record after the store has returned, until it is killed at a random moment, sometimes while it
still opens.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import random
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from narratoria.errors import RecordExists
from narratoria.store import Store


async def open_store(file: Path) -> Store:
    store = await Store.open(file, None)
    for name in ("mill", "tower"):
        with contextlib.suppress(RecordExists):
            await store.playthroughs.create("stories", identifier=name)
    return store


async def find_kept(store: Store) -> set[str]:
    mill, tower = store.at("mill"), store.at("tower")
    kept = {f"memory {entry.identifier}" for entry in await mill.exact_match("memory")}
    kept |= {f"change {change.reason}" for change in await mill.history("perception", "miller")}
    told = {entry.identifier for entry in await tower.exact_match("memory")}
    return kept | {
        f"turn {turn.choice['text']}"
        for turn in await store.turns.history("tower")
        if turn.choice["text"] in told
    }


async def add(store: Store, round_: int, number: int, tell: Callable[[str], object]) -> None:
    mill, tower = store.at("mill"), store.at("tower")
    name = f"{round_}-{number}"
    await mill.store("memory", {"summary": f"The {name}th bell rang", "location": "mill"}, name)
    tell(f"memory {name}")
    await mill.store("perception", {"npcId": "miller", "change": 0.1, "reason": name})
    tell(f"change {name}")
    begun = await store.turns.begin("tower", {"text": name})  # what a turn left unfinished goes
    await tower.store("memory", {"summary": f"The {name}th step creaked"}, name)
    await store.turns.finish(begun, {"text": name}, {}, game_time=number)
    tell(f"turn {name}")


async def write(file: Path, round_: int, acknowledged: set[str], out: int) -> None:
    def tell(line: str) -> None:
        os.write(out, f"{line}\n".encode())

    store = await open_store(file)
    for lost in acknowledged - await find_kept(store):
        tell(f"lost {lost}")
    tell("opened")
    for number in itertools.count(1):
        await add(store, round_, number, tell)


async def rehearse(file: Path) -> None:
    """What is imported and prepared at the first use is there in every fork."""
    store = await open_store(file)
    await add(store, 0, 0, str)
    await find_kept(store)
    await store.close()


def one_round(file: Path, round_: int, acknowledged: set[str], dice: random.Random) -> tuple[list[str], bool]:
    """What a writer said before it was killed, and whether it had opened the store."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        asyncio.run(write(file, round_, acknowledged, writing))
        os._exit(1)
    os.close(writing)
    heard = b""
    # by what was said rather than by the clock: a busy machine gets as far as an idle one
    lines = dice.randrange(8)  # 0: while it opens
    while heard.count(b"\n") < lines and select.select([reading], [], [], 30)[0]:
        if not (chunk := os.read(reading, 65536)):
            break
        heard += chunk
    time.sleep(dice.uniform(0, 0.01))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    while chunk := os.read(reading, 65536):
        heard += chunk
    os.close(reading)
    said = heard.decode().split("\n")[:-1]
    if not os.WIFSIGNALED(status):
        said.append("lost the writer itself: it ended before it was killed")
    return said, "opened" in said


def main(file: Path, rounds: int, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(rehearse(Path(folder) / "home" / "narratoria.db"))
    dice, acknowledged, lost, opened = random.Random(seed), set[str](), list[str](), 0
    for round_ in range(rounds):
        lines, was_opened = one_round(file, round_, acknowledged, dice)
        opened += was_opened
        lost += [line for line in lines if line.startswith("lost ")]
        acknowledged |= {line for line in lines if line.split()[0] in ("memory", "change", "turn")}
    print(json.dumps({"opened": opened, "lost": lost, "acknowledged": sorted(acknowledged)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
