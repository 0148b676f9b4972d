"""The figures as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evals.planning.ask import Answer
from evals.planning.score import Score, Scores, Share, Tally


def as_text(scores: Scores) -> str:
    all_ = scores.overall
    scene = scores.scene_types
    lines = [
        f"planner {scores.planner}, {scores.split}, {all_.cases} cases",
        "",
        f"  valid plans       {_percent(scores.valid)}",
        f"  under 5 s         {_percent(scores.in_time)}   "
        + ", ".join(f"{name} {1000 * value:.1f} ms" for name, value in scores.seconds.items()),
        f"  prose and choices {_percent(scores.whole)}",
        f"  in a sound order  {_percent(scores.ordered)}",
        f"  scene type        {_percent(scene) if scene.of else 'not told'}",
        "",
        f"  right skills      {_with_doubt(all_.exact_skills)}   {_tally(all_.skills)}",
        f"  right scripts     {_with_doubt(all_.exact_scripts)}   {_tally(all_.scripts)}",
        f"  by two readers    {_with_doubt(scores.agreed.exact_skills)} right skills",
        "",
        *_groups("by tag", scores.by_tag),
        *_groups("by setting", scores.by_setting),
        *_tallies("by skill", scores.by_skill),
        *_tallies("by script", scores.by_script),
    ]
    return "\n".join(lines)


def confusions(answers: Iterable[Answer], most: int) -> str:
    """The first answers that are not right, and what is wrong with them."""
    wrong = [answer for answer in answers if answer.problems or not answer.right_scripts]
    return "\n".join(map(_confusion, wrong[:most]))


def _confusion(answer: Answer) -> str:
    case = answer.case
    parts = [f"{case.id} [{', '.join(case.tags)}] {case.action}"]
    if answer.problems:
        parts.append(f"    no plan: {'; '.join(answer.problems)}")
    if missed := sorted(case.scripts - answer.chosen):
        parts.append(f"    missed: {', '.join(missed)}")
    if extra := sorted(answer.chosen - case.scripts - case.may_use):
        parts.append(f"    wrong:  {', '.join(extra)}")
    return "\n".join(parts)


def _groups(title: str, groups: Mapping[str, Score]) -> Sequence[str]:
    head = f"  {title:<34}{'cases':>6}{'skills':>9}{'scripts':>9}{'P':>7}{'R':>7}{'F1':>7}"
    rows = [
        f"  {name:<34}{group.cases:>6}{group.exact_skills.share:>9.0%}{group.exact_scripts.share:>9.0%}"
        f"{group.scripts.precision:>7.2f}{group.scripts.recall:>7.2f}{group.scripts.f1:>7.2f}"
        for name, group in groups.items()
    ]
    return [head, *rows, ""]


def _tallies(title: str, tallies: Mapping[str, Tally]) -> Sequence[str]:
    head = f"  {title:<34}{'needed':>7}{'hits':>6}{'wrong':>7}{'P':>7}{'R':>7}{'F1':>7}"
    rows = [
        f"  {name:<34}{tally.hits + tally.missed:>7}{tally.hits:>6}{tally.wrong:>7}"
        f"{tally.precision:>7.2f}{tally.recall:>7.2f}{tally.f1:>7.2f}"
        for name, tally in tallies.items()
    ]
    return [head, *rows, ""]


def _percent(share: Share) -> str:
    return f"{share.share:>6.1%}"


def _with_doubt(share: Share) -> str:
    return f"{share.share:>6.1%} ({share.low:.0%}–{share.high:.0%})"


def _tally(tally: Tally) -> str:
    return f"precision {tally.precision:.2f}, recall {tally.recall:.2f}, F1 {tally.f1:.2f}"
