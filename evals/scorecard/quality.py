"""How good the answers are: what the evaluations beside this one find."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from evals.choices.ask import Asked as Offered
from evals.choices.ask import ask_scenario, ask_setting, opened
from evals.choices.cases import read_settings
from evals.choices.metrics import IN_TIME
from evals.choices.metrics import measure as measure_choices
from evals.choices.scenarios import Scenario, scenarios
from evals.gate.__main__ import measure as measure_gate
from evals.long_story.play import play
from evals.long_story.probes import Recalled, ask, names
from evals.planning import cases, score
from evals.planning.ask import Answer, ask_all
from evals.planning.offered import open_catalogue
from evals.planning.planners import SHIPPED, open_planner
from evals.portraits.__main__ import shares
from evals.portraits.ask import people, strangers, tell
from evals.retrieval import methods
from evals.retrieval.bundled import read_bundled
from evals.retrieval.conversations import make_conversations, searches_of_many
from evals.retrieval.corpus import read_cases
from evals.retrieval.metrics import figures
from evals.retrieval.report import standing
from evals.scorecard.figures import Figure, Figures, Size, milliseconds, share
from narratoria import paths
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder, install_embedder
from narratoria.store.search.ranking import load_calibration

LONG = {"whole": 300, "quick": 60}  # turns of one life


# planning


def planning(size: Size) -> Figures:
    held = _planned(SHIPPED, cases.load("heldout"), size)
    found = {
        "valid plans": share(sum(not answer.problems for answer in held), len(held)),
        "valid within 5 s": share(
            sum(not answer.problems and answer.seconds < score.IN_TIME for answer in held),
            len(held),
            timing=True,
        ),
        "right skills": _right(held),
        "right scripts": _exact(score.score(held).exact_scripts),
    }
    if size == "quick":
        return found
    others = {name: _planned(SHIPPED, cases.further(name), size) for name in cases.FURTHER}
    every = [*held, *(answer for answers in others.values() for answer in answers)]
    found["right skills, all rows that no fit saw"] = _right(every)
    found |= {f"right skills, {name}": _right(answers) for name, answers in others.items()}
    found["right skills, without a language model"] = _right(_planned("scorer", cases.load("heldout"), size))
    return {**found, "right skills, by patterns": _right(_planned("patterns", cases.load("heldout"), size))}


def _planned(planner: str, rows: Sequence[cases.Case], size: Size) -> list[Answer]:
    taken = rows if size == "whole" else rows[::3]  # the same ones in every quick run
    return asyncio.run(ask_all(open_planner(planner), taken, open_catalogue()))


def _right(answers: Sequence[Answer]) -> Figure:
    return _exact(score.score(answers).exact_skills)


def _exact(found: score.Share) -> Figure:
    told = share(found.count, found.of)
    return Figure(told.value, f"{told.text[:-1]}, {found.low:.0%}–{found.high:.0%})")


# choices


def choices(size: Size) -> Figures:
    asked, held = asyncio.run(_offered(size))
    found = {one.name: share(one.hits, one.of, timing="within" in one.name) for one in measure_choices(asked)}
    for criterion in dict.fromkeys(scenario.criterion for scenario, _ in held):
        of = [right for scenario, right in held if scenario.criterion == criterion]
        name = "opinion and standing together" if criterion.startswith("SC") else "rules of the specification"
        found[name] = share(sum(of), len(of))
    found["slowest of a hundred"] = milliseconds(
        1000 * float(np.percentile([one.seconds for one in asked], 99)), f"of {IN_TIME:g} s, p99"
    )
    return found


async def _offered(size: Size) -> tuple[list[Offered], list[tuple[Scenario, bool]]]:
    settings = read_settings()
    async with opened() as keeping:
        taken = settings if size == "whole" else settings[:1]
        asked = [one for setting in taken for one in await ask_setting(setting, keeping)]
        held = [(scenario, await ask_scenario(scenario, keeping)) for scenario in scenarios()]
    return asked, held


# the gate before the prose


def gate(_: Size) -> Figures:
    found = measure_gate("held-out")
    bad, good = found.right + found.missed, found.cases - found.right - found.missed
    return {
        "bad paragraphs refused": share(found.right, bad),
        "good paragraphs let pass": share(good - found.wrong, good),
        "the right reason named": share(found.named, found.right),
    }


# portraits


def portraits(size: Size) -> Figures:
    cast = people() if size == "whole" else people()[:6]
    found = asyncio.run(tell(cast, strangers()))
    many = (found.seconds, found.reappeared, found.later, found.meant, found.strangers)
    return {
        name: share(round(value * len(of)), len(of), timing="within" in name)
        for (name, _, value, _), of in zip(shares(found), many, strict=True)
    }


# retrieval


def retrieval(_: Size) -> Figures:
    return asyncio.run(_retrieval())


async def _retrieval() -> Figures:
    embedder = Embedder(find_embedder() or install_embedder(paths.INSTALLED_MODELS))
    try:
        fitted_on = await methods.ask_all(read_cases("fit"), embedder)
        stated_on = [*fitted_on, *await methods.ask_all(searches_of_many("fit"), embedder)]
        held = await methods.ask_all(read_cases("held-out"), embedder)
        bundled = await methods.ask_all(read_bundled(), embedder)
        talks = await methods.ask_all(make_conversations("held-out"), embedder)
    finally:
        await embedder.close()
    lore = [one for one in held if one.query.kind.startswith("lore")]
    memories = [one for one in held if not one.query.kind.startswith("lore")]
    waited = float(np.percentile([one.milliseconds for one in held], 95))
    return {
        **_compared("held-out", held, fitted_on, stated_on),
        **_compared("bundled lore", bundled, fitted_on, stated_on),
        **_stated("held-out stories", held),
        **_stated("held-out conversations", talks),
        "memory queries answered among the first five": _hits(memories),
        "lore queries answered among the first five": _hits(lore),
        "bundled lore queries answered among the first five": _hits(bundled),
        "embedding and ranking": milliseconds(waited),
    }


def _stated(title: str, asked: Sequence[methods.Asked]) -> Figures:
    """Return what relevance is stated of what is found first, and how often that is right."""
    found = figures(methods.answer("ours", asked, (), load_calibration()))
    text = f"{found.first_relevance:.2f} stated, {found.first_right:.2f} right"
    return {f"{title}, found first": Figure(abs(found.first_relevance - found.first_right), text)}


def _compared(
    title: str,
    asked: Sequence[methods.Asked],
    fitted_on: Sequence[methods.Asked],
    stated_on: Sequence[methods.Asked],
) -> Figures:
    ours = load_calibration()
    found = {
        name: figures(methods.answer(name, asked, fitted_on, ours, stated_on)) for name in methods.METHODS
    }
    behind = [name for name, place in standing(found).items() if place == "behind"]
    told = {
        f"{title}, recall@{first}, {name}": Figure(value, f"{value:.3f}")
        for name, of in found.items()
        for first, value in ((5, of.recall_at_5), (10, of.recall_at_10))
    }
    error = found["ours"].calibration_error
    gain = found["ours"].ndcg_at_10
    return {
        **told,
        f"{title}, nDCG@10, ours": Figure(gain, f"{gain:.3f}"),
        f"{title}, figures behind a peer": _listed(behind),
        f"{title}, error of the relevance": Figure(error, f"{error:.4f}"),
    }


def _listed(names: Sequence[str]) -> Figure:
    return Figure(len(names), f"{len(names)} ({', '.join(names)})" if names else "0")


def _hits(asked: Sequence[methods.Asked]) -> Figure:
    answers = methods.answer("ours", asked, asked, load_calibration())
    answered = [answer for answer in answers if answer.grades.any()]
    return share(round(figures(answers).hit_at_5 * len(answered)), len(answered))


# one life of many turns


def long_story(size: Size) -> Figures:
    return asyncio.run(_long_story(LONG[size]))


async def _long_story(turns: int) -> Figures:
    embedder = Embedder(find_embedder() or install_embedder(paths.INSTALLED_MODELS))
    with tempfile.TemporaryDirectory() as folder:
        try:
            played = await play(turns, Path(folder), embedder)
            try:
                recalled = await ask(played)
            finally:
                await played.store.close()
        finally:
            await embedder.close()
    met, known = names(played)
    return {
        "names of the first twenty turns still known": share(len(known), len(met)),
        "promises and debts kept word for word": _so(recalled, "kept"),
        "found when asked for in other words": _so(recalled, "found"),
        "in what a model reads": _so(recalled, "read"),
        "turns": Figure(len(played.seconds), f"{len(played.seconds):,}"),
    }


def _so(recalled: Sequence[Recalled], what: str) -> Figure:
    return share(sum(getattr(one, what) for one in recalled), len(recalled))
