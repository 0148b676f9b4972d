"""`python -m evals.beats [--seeds N] [--turns N]`: scenes from "its conditions are met" to "it is told"."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from evals.beats.play import Turn, turns
from narratoria import paths
from narratoria.campaign.campaign import Beat, Conditions
from narratoria.engine import beats
from narratoria.engine.action import situation_of

WITHIN = 2  # scenes
TURNS, SEEDS = 80, 10
CAMPAIGNS = tuple(sorted(folder.name for folder in paths.BUNDLED_CAMPAIGNS.iterdir() if folder.is_dir()))


@dataclass(frozen=True, slots=True)
class Measured:
    """Of the beats that come by themselves."""

    waited: tuple[int, ...] = ()  # scenes, of each that was told
    late: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()  # due for longer than they may be when the turns were over
    kinds: Counter[str] = field(default_factory=Counter)  # the conditions they had

    @property
    def in_time(self) -> int:
        return sum(scenes <= WITHIN for scenes in self.waited)

    @property
    def all(self) -> int:
        return len(self.waited) + len(self.forgotten)


def measure(
    campaigns: Iterable[str] = CAMPAIGNS, seeds: Iterable[int] = range(SEEDS), many: int = TURNS
) -> Measured:
    found = [_measure(turns(name, seed, many)) for name in campaigns for seed in seeds]
    return Measured(
        waited=tuple(scenes for one in found for scenes in one.waited),
        late=tuple(beat for one in found for beat in one.late),
        forgotten=tuple(beat for one in found for beat in one.forgotten),
        kinds=sum((one.kinds for one in found), Counter()),
    )


def _measure(told: Iterable[Turn]) -> Measured:
    since: dict[str, int] = {}  # the scene after which a beat was due
    waited, late, kinds = [], [], Counter[str]()
    now = 0
    for turn in told:
        for beat in _by_itself(turn):
            scenes = turn.scene.number - since.get(beat.id, turn.scene.number)
            waited.append(scenes)
            late += [beat.id] if scenes > WITHIN else []
            kinds.update(_kinds(beat.conditions))
        now = turn.after.progress.scene
        due = beats.dues(situation_of(turn.after, turn.campaign)) if not turn.after.progress.ending else ()
        since = {beat.id: since.get(beat.id, now) for beat in due}
    forgotten = tuple(beat for beat, scene in since.items() if now - scene > WITHIN)
    return Measured(tuple(waited), tuple(late), forgotten, kinds)


def _by_itself(turn: Turn) -> Iterator[Beat]:
    for name in turn.scene.beats:
        beat = turn.campaign.beat(name)
        if beat is not None and not beats.offer_of(beat):
            yield beat


def _kinds(conditions: Conditions) -> Iterator[str]:
    plain = Conditions()
    for name in msgspec.structs.asdict(plain):
        if getattr(conditions, name) != getattr(plain, name):
            yield name


def report(found: Measured) -> str:
    lines = [
        f"{found.in_time} of {found.all} beats that come by themselves were told within {WITHIN} scenes.",
        "scenes they waited: " + ", ".join(f"{n}: {c}" for n, c in sorted(Counter(found.waited).items())),
        "their conditions: " + ", ".join(f"{name} {many}" for name, many in found.kinds.most_common()),
    ]
    return "\n".join([*lines, *(f"late: {beat}" for beat in (*found.late, *found.forgotten))])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.beats", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--turns", type=int, default=TURNS)
    options = parser.parse_args(arguments)
    print(report(measure(seeds=range(options.seeds), many=options.turns)))


if __name__ == "__main__":
    main()
