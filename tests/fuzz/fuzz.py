"""Fuzzes what comes from strangers, for as long as one likes; `make fuzz` runs it.

    python tests/fuzz/fuzz.py [--rounds 2000] [--seed 7] [--first 0] [TARGET …]

Every round has a seed of its own, so that one that fails can be had again by itself: the failure prints the
command. A round that takes longer than a minute fails too.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import NoReturn

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fuzz.targets import TARGETS

LONGEST = 60  # seconds of a round


class TooLong(BaseException):
    """Not an Exception: nothing may catch it on the way."""


def run(target: str, rounds: int, seed: int, first: int = 0) -> None:
    """The rounds of a target from `first` on; whatever one of them raises goes through."""
    for number in range(first, first + rounds):
        try:
            TARGETS[target](random.Random(f"{target}/{seed}/{number}"))
        except BaseException as error:
            again = f"python tests/fuzz/fuzz.py {target} --seed {seed} --first {number} --rounds 1"
            error.add_note(f"to have it again: {again}")
            raise


def _stop(_: int, __: FrameType | None) -> NoReturn:
    raise TooLong(f"a round took more than {LONGEST} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; all")
    parser.add_argument("--rounds", type=int, default=2000, help="of each target")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--first", type=int, default=0, help="the number of the first round")
    options = parser.parse_args()
    unknown = [name for name in options.targets if name not in TARGETS]
    if unknown:
        parser.error(f"there is no target {unknown[0]}; there are {', '.join(TARGETS)}")
    signal.signal(signal.SIGALRM, _stop)
    for name in options.targets or TARGETS:
        began = time.monotonic()
        for number in range(options.first, options.first + options.rounds):
            signal.alarm(LONGEST)
            run(name, 1, options.seed, number)
        signal.alarm(0)
        seconds = time.monotonic() - began
        print(
            f"{name}: {options.rounds} rounds, seed {options.seed}, nothing found in {seconds:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
