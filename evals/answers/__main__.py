"""Measures how the story answers: `python -m evals.answers [intents | own-words]`, both without a word."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from narratoria import app
from narratoria.engine.action import choose, here_of, openings_at, prepare_answers, situation_of
from narratoria.engine.memory.recall import RecallResult
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.engine.understanding import Understander
from narratoria.inference.installed_models import find_embedder
from narratoria.planner.act_classifier import open_reader
from narratoria.planner.intent import KnownPerson, ReadingContext

CASES = Path(__file__).parent / "cases"


def read_cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def score_intents(name: str = "intents-score") -> dict[str, float]:
    """Return the share of acts and people that one of two annotators accepts, on rows no fit has seen."""
    folder = find_embedder()
    assert folder is not None
    reader = open_reader(folder)
    rows = read_cases(name)
    acts = people = asked = agreed = with_person = 0
    for row in rows:
        context = ReadingContext(
            people=tuple(
                KnownPerson(one["name"], one["name"], one["name"].split()[0], descriptions=(one["about"],))
                for one in row["people"]
            )
        )
        read = reader.read_now(row["text"], context)
        asked += read.question is not None
        accepted = {*row["first"]["acts"], *row["second"]["acts"]}
        acts += any(intent.act in accepted for intent in read.intents[:1])
        agreed += row["first"]["acts"][0] in row["second"]["acts"]
        wanted = {row["first"]["person"], row["second"]["person"]} - {"-", "?"}
        if wanted and row["first"]["person"] == row["second"]["person"]:
            with_person += 1
            named = [intent.person.name for intent in read.intents if intent.person]
            people += any(word.casefold() in name.casefold() for word in wanted for name in named)
    return {
        "rows": len(rows),
        "act accepted": acts / len(rows),
        "annotators agree": agreed / len(rows),
        "person right": people / max(1, with_person),
        "asked back": asked / len(rows),
    }


async def score_own_words() -> dict[str, float]:
    """Return how own words are met in the bundled campaigns: routed, answered, asked back, by what."""
    folder = find_embedder()
    assert folder is not None
    embedder = await app.open_embedder()
    assert embedder is not None
    reader, matcher, unit_matcher = app._load_readers(folder)
    understander = Understander(reader, embedder.embed, matcher, unit_matcher)
    sources: Counter[str] = Counter()
    right = wrong = missed = answered = asked = nonsense = sensible = 0
    try:
        for case in read_cases("own-words"):
            campaign = app.open_campaign(case["campaign"])
            story = StorySnapshot(
                id="eval", campaign=campaign.name, seed=1, progress=Progress(place=case["place"], scene=3)
            )
            situation = situation_of(story, campaign)
            offered = {beat.id for beat in openings_at(here_of(situation), situation)}
            choice = Choice(text=case["words"])
            meaning = await understander.understand_choice(choice, story, campaign, RecallResult())
            assert meaning is not None
            if case["expects"] == "asks back":
                nonsense += 1
                asked += meaning.question is not None
                continue
            sensible += 1
            wanted = case["beat"] if case["beat"] in offered else ""
            right += bool(wanted) and meaning.beat == wanted
            missed += bool(wanted) and meaning.beat != wanted
            wrong += bool(meaning.beat) and meaning.beat != case["beat"]
            recalled = RecallResult(understanding=meaning)
            action = prepare_answers(choose(choice, story, campaign, recalled), story, campaign, recalled)
            answer = next(iter(action.answers.values()), None)
            source = "beat" if action.beat else "way" if action.choice.kind == "go" else "nothing"
            source = answer.source.partition(":")[0] if answer else source
            answered += source != "nothing"
            sources[source] += 1
    finally:
        await embedder.close()
    routed = right + wrong
    return {
        "cases": sensible,
        "has a source": answered / sensible,
        "beats: precision": right / max(1, routed),
        "beats: recall": right / max(1, right + missed),
        "nonsense asked back": asked / max(1, nonsense),
        **{f"from {source}": count / sensible for source, count in sources.items()},
    }


def main() -> None:
    wanted = sys.argv[1:] or ["intents", "own-words"]
    for name in wanted:
        figures = score_intents() if name == "intents" else asyncio.run(score_own_words())
        print(name)
        for figure, value in figures.items():
            print(f"  {figure:24} {value:.3f}" if isinstance(value, float) else f"  {figure:24} {value}")


if __name__ == "__main__":
    main()
