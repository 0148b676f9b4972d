"""`python -m evals.premises [--cases FILE] [--keep FOLDER]` fills up campaigns of one premise each.

Says of each what was made and what of it the premise excludes, and what any two of them share.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.campaign.check import check_campaign
from narratoria.campaign.enrich.enrichment import enrich_campaign
from narratoria.campaign.enrich.exclusions import find_exclusions
from narratoria.campaign.enrich.premise import Premise, read_premise
from narratoria.campaign.load import load_campaign
from narratoria.campaign.lore import sentences

CASES = Path(__file__).parent / "cases" / "fit.jsonl"
LEAST_PEOPLE, LEAST_PLACES, LEAST_ENDINGS, LEAST_BEATS = 4, 5, 1, 8
SHORTEST = 5  # words of a sentence that two stories may not share
_LEFT_OUT = ("provenance", "rules", "constraints")  # the same for every campaign


class Case(msgspec.Struct, frozen=True):
    """One line of the cases: a campaign of nothing but a title and a premise."""

    name: str
    title: str
    premise: str


class Made(msgspec.Struct, frozen=True):
    """What was made of one premise."""

    name: str
    plot: str
    premise: Premise
    campaign: Campaign
    sentences: frozenset[str]  # without the author's own
    excluded: tuple[str, ...]
    endings: int  # that can be reached

    @property
    def people(self) -> frozenset[str]:
        own = {one.name for one in self.premise.people}
        return frozenset(person.name for person in self.campaign.people.values() if person.name not in own)

    @property
    def places(self) -> frozenset[str]:
        return frozenset(place.name for place in self.campaign.places.values())


def make_campaign(case: Case, folder: Path) -> Made:
    """Write the premise into a folder of its own and fill it up, as a player's first start does."""
    root = folder / case.name
    (root / "plot").mkdir(parents=True)
    (root / "manifest.json").write_text(json.dumps({"title": case.title, "version": "0.1.0"}))
    (root / "plot" / "premise.md").write_text(f"{case.premise}\n", encoding="utf-8")
    premise = read_premise(load_campaign(root))
    enrich_campaign(root)
    gate = find_exclusions(premise)
    made = frozenset(_list_sentences(root, case))
    return Made(
        name=case.name,
        plot=json.loads((root / ".enrichment.json").read_text())["plot"],
        premise=premise,
        campaign=load_campaign(root),
        sentences=made,
        excluded=tuple(sentence for sentence in sorted(made) if gate.excludes(sentence)),
        endings=check_campaign(root).count("reachable", "endings"),
    )


def _list_sentences(root: Path, case: Case) -> Iterator[str]:
    own = {*sentences(case.premise), case.title}
    for file in sorted(root.rglob("*_generated.*")):
        if not any(word in file.name for word in _LEFT_OUT):
            for text in _texts(file):
                yield from (one for one in sentences(text) if one not in own)


def _texts(file: Path) -> Iterator[str]:
    content = file.read_text(encoding="utf-8")
    if file.suffix == ".json":
        yield from _strings(
            {key: value for key, value in json.loads(content).items() if key not in _LEFT_OUT}
        )
    else:
        yield from content.rpartition("---\n")[2].split("\n")


def _strings(value: object) -> Iterator[str]:
    match value:
        case dict():
            for item in value.values():
                yield from _strings(item)
        case list():
            for item in value:
                yield from _strings(item)
        case str():
            yield value


def compare(one: Made, other: Made) -> dict[str, list[str]]:
    """Return what two campaigns share: people, places, the plot, whole sentences."""
    ours, theirs = _without_names(one), _without_names(other)
    return {
        "people": sorted(one.people & other.people),
        "places": sorted(one.places & other.places),
        "plot": [one.plot] if one.plot == other.plot else [],
        "sentences": sorted(ours & theirs),
    }


def _without_names(made: Made) -> set[str]:
    names = {part for person in made.campaign.people.values() for part in person.name.split()}
    names |= {made.premise.home.word, made.premise.player.word}
    any_name = "|".join(map(re.escape, sorted(names, key=len)[::-1]))
    pattern = re.compile(rf"\b(?:{any_name})\b", re.IGNORECASE)
    plain = (" ".join(pattern.sub("…", sentence).split()) for sentence in made.sentences)
    return {sentence for sentence in plain if len(sentence.split()) > SHORTEST}


def report(made: Made) -> str:
    campaign, premise = made.campaign, made.premise
    wants = sum(bool(person.goals or person.motivations) for person in campaign.people.values())
    counts = (wants, len(campaign.places), len(campaign.beats), made.endings)
    least = (LEAST_PEOPLE, LEAST_PLACES, LEAST_BEATS, LEAST_ENDINGS)
    missed = any(count < floor for count, floor in zip(counts, least, strict=True))
    return (
        f"| {made.name}{' (!)' if missed or made.excluded else ''} | {made.plot} | {premise.player.word} "
        f"({premise.body}) | {premise.home.word} | {' | '.join(map(str, counts))} | {len(made.excluded)} |"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.premises", description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--keep", type=Path, help="an empty folder for the campaigns, to read and play")
    options = parser.parse_args(arguments)
    lines = options.cases.read_text(encoding="utf-8").splitlines()
    cases = [msgspec.json.decode(line, type=Case) for line in lines if line]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NARRATORIA_HOME"] = str(Path(folder) / "home")
        made = [make_campaign(case, options.keep or Path(folder) / "campaigns") for case in cases]
    print("| premise | story | player | place | people with wants | places | beats | endings | excluded |")
    print("| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    print("\n".join(map(report, made)))
    shared: Counter[str] = Counter()
    for one, other in combinations(made, 2):
        for what, which in compare(one, other).items():
            shared[what] += len(which)
            for each in which:
                print(f"{one.name} and {other.name} share {what}: {each}")
    pairs = len(made) * (len(made) - 1) // 2
    print(
        f"\n{pairs} pairs share: " + ", ".join(f"{shared[what]} {what}" for what in compare(made[0], made[0]))
    )


if __name__ == "__main__":
    main()
