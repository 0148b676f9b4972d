"""From answers to figures: precision, recall and exact match, for all cases, by skill and by tag."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace

import msgspec

from evals.planning.ask import Answer
from evals.planning.cases import LABELS, SKILLS, TAGS, agreed

IN_TIME = 5.0  # seconds


class Tally(msgspec.Struct, frozen=True):
    """Counts of right, wrong and missed choices; what may be used counts nowhere."""

    hits: int
    wrong: int
    missed: int
    precision: float
    recall: float
    f1: float


class Share(msgspec.Struct, frozen=True):
    count: int
    of: int
    share: float
    low: float  # of the 95 % interval
    high: float


class Score(msgspec.Struct, frozen=True):
    """A planner's figures on some cases. `exact`: all that is needed was chosen, and nothing forbidden."""

    cases: int
    exact_skills: Share
    exact_scripts: Share
    skills: Tally
    scripts: Tally


class Scores(msgspec.Struct, frozen=True):
    planner: str
    split: str
    valid: Share
    in_time: Share
    whole: Share
    ordered: Share
    scene_types: Share  # of the plans that say one
    seconds: Mapping[str, float]
    overall: Score
    agreed: Score  # by what two readers have in common, where there were two
    by_tag: Mapping[str, Score]
    by_setting: Mapping[str, Score]
    by_skill: Mapping[str, Tally]
    by_script: Mapping[str, Tally]


def scores(planner: str, split: str, answers: Sequence[Answer]) -> Scores:
    told = [answer for answer in answers if answer.scene_type]
    valid = [answer for answer in answers if not answer.problems]
    return Scores(
        planner=planner,
        split=split,
        valid=_share(not answer.problems for answer in answers),
        in_time=_share(answer.seconds < IN_TIME for answer in answers),
        whole=_share(answer.whole for answer in valid),
        ordered=_share(answer.ordered for answer in valid),
        scene_types=_share(answer.scene_type == answer.case.scene_type for answer in told),
        seconds=_seconds([answer.seconds for answer in answers]),
        overall=score(answers),
        agreed=score([replace(answer, case=agreed(answer.case)) for answer in answers]),
        by_tag=_grouped(answers, lambda answer: answer.case.tags, TAGS),
        by_setting=_grouped(answers, lambda answer: (answer.case.setting,)),
        by_skill={skill: skill_tally(answers, {skill}) for skill in SKILLS},
        by_script={label: script_tally(answers, {label}) for label in LABELS},
    )


def score(answers: Sequence[Answer]) -> Score:
    # a plan that cannot run chose nothing, which is not right even where nothing was needed
    return Score(
        cases=len(answers),
        exact_skills=_share(not answer.problems and answer.right_skills for answer in answers),
        exact_scripts=_share(not answer.problems and answer.right_scripts for answer in answers),
        skills=skill_tally(answers, set(SKILLS)),
        scripts=script_tally(answers, set(LABELS)),
    )


def skill_tally(answers: Sequence[Answer], only: Set[str]) -> Tally:
    return _tally((a.skills & only, a.case.needs & only, a.case.forbids & only) for a in answers)


def script_tally(answers: Sequence[Answer], only: Set[str]) -> Tally:
    return _tally((a.chosen & only, a.case.scripts & only, a.case.wrong & only) for a in answers)


def _tally(cases: Iterable[tuple[Set[str], Set[str], Set[str]]]) -> Tally:
    hits = wrong = missed = 0
    for chosen, needed, forbidden in cases:
        hits += len(chosen & needed)
        wrong += len(chosen & forbidden)
        missed += len(needed - chosen)
    return Tally(
        hits,
        wrong,
        missed,
        precision=_ratio(hits, hits + wrong),
        recall=_ratio(hits, hits + missed),
        f1=_ratio(2 * hits, 2 * hits + wrong + missed),
    )


def _share(outcomes: Iterable[bool]) -> Share:
    """With Wilson's interval: a few hundred cases leave some points of doubt."""
    listed = list(outcomes)
    count, of = sum(listed), len(listed)
    if of == 0:
        return Share(0, 0, 1.0, 0.0, 1.0)
    z = 1.96
    middle = (count / of + z * z / (2 * of)) / (1 + z * z / of)
    spread = z * math.sqrt(count * (of - count) / of**3 + z * z / (4 * of * of)) / (1 + z * z / of)
    return Share(count, of, count / of, max(0.0, middle - spread), min(1.0, middle + spread))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0  # nothing was asked for and nothing was done


def _seconds(values: Sequence[float]) -> dict[str, float]:
    ranked = sorted(values) or [0.0]
    last = len(ranked) - 1
    return {"p50": ranked[last // 2], "p95": ranked[math.ceil(last * 0.95)], "max": ranked[last]}


def _grouped(
    answers: Sequence[Answer], groups_of: Callable[[Answer], Iterable[str]], order: Sequence[str] = ()
) -> dict[str, Score]:
    groups: dict[str, list[Answer]] = {name: [] for name in order}
    for answer in answers:
        for name in groups_of(answer):
            groups.setdefault(name, []).append(answer)
    return {name: score(group) for name, group in groups.items() if group}
