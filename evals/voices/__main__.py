"""`python -m evals.voices [--show]`: who says this? asked of whoever knows the profiles and nothing else.

Stories play themselves, and what is said in them is gathered with the name that stands beside it. Each saying
then goes to the person whose profile has the sentence that is nearest in meaning. Sayings that stand in a
profile word for word are the author's own and easy; the others are counted by themselves too.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evals.beats.play import turns
from narratoria import paths
from narratoria.campaign.campaign import Campaign, Profile
from narratoria.campaign.load import load_campaign
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder, install_embedder
from narratoria.narrator.grammar import call_name

CAMPAIGNS = tuple(sorted(folder.name for folder in paths.BUNDLED_CAMPAIGNS.iterdir() if folder.is_dir()))
SEEDS, TURNS = 6, 80
SHORTEST = 4  # words: “Yes.” is nobody's
GOES_ON = re.compile(r"\.?,?\s*“([^”]+)”")
VERBS = r"(?:says|said|asks|asked|answers|answered|whispers|calls|adds)"


@dataclass(frozen=True, slots=True)
class Saying:
    campaign: str
    who: str
    text: str
    written: bool  # stands in a profile word for word
    heard_as: str = ""  # whose it was taken for

    @property
    def recognized(self) -> bool:
        return self.heard_as == self.who


def measure(
    campaigns: Iterable[str] = CAMPAIGNS, seeds: Iterable[int] = range(SEEDS), many: int = TURNS
) -> list[Saying]:
    return asyncio.run(_measure(campaigns, list(seeds), many))


async def _measure(campaigns: Iterable[str], seeds: Sequence[int], many: int) -> list[Saying]:
    embedder = Embedder(find_embedder() or install_embedder(paths.INSTALLED_MODELS))
    try:
        found = []
        for name in campaigns:
            campaign = load_campaign(paths.BUNDLED_CAMPAIGNS / name)
            said = dict.fromkeys(one for seed in seeds for one in _said(name, campaign, seed, many))
            found += await _recognize(list(said), campaign, embedder)
    finally:
        await embedder.close()
    return found


async def _recognize(said: Sequence[Saying], campaign: Campaign, embedder: Embedder) -> list[Saying]:
    lines = [(who, line) for who, profile in campaign.people.items() for line in profile_lines(profile)]
    if not said or len(campaign.people) < 2:  # alone, anybody is recognized
        return []
    known = await embedder.embed([line for _, line in lines])
    heard = await embedder.embed([one.text for one in said])
    nearest = np.argmax(_unit(heard) @ _unit(known).T, axis=1)
    return [
        Saying(one.campaign, one.who, one.text, one.written, lines[place][0])
        for one, place in zip(said, nearest, strict=True)
    ]


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def profile_lines(profile: Profile) -> Iterator[str]:
    """All that whoever casts a voice can read of somebody."""
    speech, person = profile.speech_patterns, profile.personality
    yield from (*speech.examples, *speech.greetings.values())
    yield from filter(None, (speech.style, profile.role, ", ".join(person.traits)))
    yield from (*person.habits, *person.virtues, *person.flaws, *profile.relationships.values())
    yield from (*profile.motivations, *(goal.goal for goal in profile.goals))
    yield from re.split(r"(?<=[.!?])\s+", profile.background) if profile.background else ()


def _said(name: str, campaign: Campaign, seed: int, many: int) -> Iterator[Saying]:
    written = " ".join(_plain(line) for one in campaign.people.values() for line in profile_lines(one))
    names = {name: who for who, one in campaign.people.items() for name in (one.name, call_name(one.name))}
    for turn in turns(name, seed, many):
        for paragraph in turn.scene.paragraphs:
            for who, text in sayings(paragraph, names):
                yield Saying(name, who, text, _plain(text) in written)


def sayings(paragraph: str, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Return what is said with a name beside it, the halves of a broken sentence together."""
    called = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    tag = re.compile(rf"”\s+(?:{VERBS}\s+(?P<after>{called})|(?P<before>{called})\s+{VERBS})\b")
    for found in tag.finditer(paragraph):
        spoken = [paragraph[paragraph.rfind("“", 0, found.start()) + 1 : found.start()]]
        if goes_on := GOES_ON.match(paragraph, found.end()):
            spoken.append(goes_on[1])
        text = " ".join(spoken)
        if len(text.split()) >= SHORTEST:
            yield names[found["after"] or found["before"]], text


def _plain(text: str) -> str:
    return re.sub(r"[^\w ]", "", text).casefold()


def report(said: Sequence[Saying]) -> str:
    lines = []
    for title, some in (
        ("all", said),
        ("in a profile word for word", [one for one in said if one.written]),
        ("in no profile", [one for one in said if not one.written]),
    ):
        right = sum(one.recognized for one in some)
        lines.append(f"{title}: {right} of {len(some)} sayings recognized ({right / max(1, len(some)):.0%})")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.voices", description=__doc__)
    parser.add_argument("--show", action="store_true", help="print what was taken for somebody else's")
    show = parser.parse_args(arguments).show
    said = measure()
    print(report(said))
    for one in said if show else ():
        if not one.recognized:
            print(f"  {one.who} taken for {one.heard_as}: {one.text}")


if __name__ == "__main__":
    main()
