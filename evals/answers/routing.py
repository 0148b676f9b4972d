"""Measures how own words are routed to the beats that are open: precision and recall.

`python -m evals.answers.routing CASES [--list]`: CASES is a file of JSON lines, or a name in `cases/`. A case
has `campaign`, `place`, `words` and `beat`, the wanted beat or nothing. The open beats are those of a story
that has just come to the place; `told` names beats that were told before, `flags` what is so, `scene` the
number of scenes told, and `open` the open beats themselves, whatever their conditions. `--list` prints every
case that went wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from evals.answers.walk import HERE, _begin
from narratoria import app
from narratoria.campaign.campaign import Beat, Campaign
from narratoria.engine.action import here_of, openings_at, situation_of
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.engine.understanding import Understander

SCENE = 3  # of a story that has just begun
Verdict: TypeAlias = Literal["right", "missed", "other beat", "no beat wanted", "none, rightly"]


@dataclass(frozen=True, slots=True)
class RoutedCase:
    """A case with the beats that were open, the one that was wanted of them, and the one that was set off."""

    words: str
    open_beats: tuple[str, ...]
    wanted: str
    routed: str

    @property
    def verdict(self) -> Verdict:
        if self.wanted:
            return "right" if self.routed == self.wanted else "other beat" if self.routed else "missed"
        return "no beat wanted" if self.routed else "none, rightly"


def read_case_file(name: str) -> list[dict[str, Any]]:
    """Return the cases of a file, given by its path or by its name in `cases/`."""
    path = Path(name)
    if not path.is_file():
        path = HERE / "cases" / f"{name}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def story_of(case: dict[str, Any], begun: StorySnapshot) -> StorySnapshot:
    """Return the story in the situation of a case."""
    told = dict.fromkeys(case.get("told", ()), "")
    progress = Progress(place=case["place"], scene=case.get("scene", SCENE + len(told)), beat_outcomes=told)
    state = begun.state.apply_patch({"flags": dict.fromkeys(case.get("flags", ()), True)})
    return StorySnapshot(id="eval", campaign=begun.campaign, seed=1, progress=progress, state=state)


async def route_cases(cases: Iterable[dict[str, Any]]) -> list[RoutedCase]:
    """Return each case as it is routed with the models that ship."""
    stories: dict[str, tuple[Campaign, StorySnapshot]] = {}
    routed = []
    async with app.use_understander() as understander:
        for case in cases:
            if case["campaign"] not in stories:
                stories[case["campaign"]] = await _begin(case["campaign"])
            campaign, begun = stories[case["campaign"]]
            routed.append(await _route_case(case, story_of(case, begun), campaign, understander))
    return routed


async def _route_case(
    case: dict[str, Any], story: StorySnapshot, campaign: Campaign, understander: Understander
) -> RoutedCase:
    situation = situation_of(story, campaign)
    beats: Sequence[Beat] = openings_at(here_of(situation), situation)
    if "open" in case:
        beats = [beat for name in case["open"] if (beat := campaign.beat(name))]
    meaning = await understander.understand(case["words"], situation, beats)
    names = tuple(beat.id for beat in beats)
    return RoutedCase(case["words"], names, case["beat"] if case.get("beat") in names else "", meaning.beat)


def score_routing(cases: Sequence[RoutedCase]) -> dict[str, float]:
    """Return precision and recall, and the counts they are made of."""
    verdicts = [case.verdict for case in cases]
    right = verdicts.count("right")
    routed = right + verdicts.count("other beat") + verdicts.count("no beat wanted")
    wanted = sum(bool(case.wanted) for case in cases)
    return {
        "cases": len(cases),
        "with an open beat": sum(bool(case.open_beats) for case in cases),
        "a beat is wanted": wanted,
        "right": right,
        "missed": verdicts.count("missed"),
        "another beat": verdicts.count("other beat"),
        "a beat where none is wanted": verdicts.count("no beat wanted"),
        "precision": right / routed if routed else 1.0,
        "recall": right / wanted if wanted else 1.0,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.answers.routing", description=__doc__)
    parser.add_argument("cases", metavar="CASES")
    parser.add_argument("--list", action="store_true", dest="is_listed")
    options = parser.parse_args(arguments)
    routed = asyncio.run(route_cases(read_case_file(options.cases)))
    for name, value in score_routing(routed).items():
        figure = f"{value:.3f}" if name in ("precision", "recall") else f"{value:g}"
        print(f"  {name:28} {figure}")
    for case in routed if options.is_listed else ():
        if case.verdict not in ("right", "none, rightly"):
            print(f"{case.verdict}: “{case.words}”: {case.routed or 'none'}, wanted {case.wanted or 'none'}")


if __name__ == "__main__":
    main()
