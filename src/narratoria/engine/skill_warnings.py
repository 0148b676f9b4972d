"""Says in plain words which skills cannot be used, with the reasons that only their authors can use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from narratoria.errors import Problem
from narratoria.skills.discovery import Catalogue

LEFT_OUT = "The {skill} skill cannot be used as it is. The story continues without it."
LAST_GOOD = "The {skill} skill has a mistake since it was changed. It is used as it was before."
DOUBLE = "There is a second {skill} skill. The story uses the first."


@dataclass(frozen=True, slots=True)
class StoryWarning:
    """Holds what a player is told before a turn, and the reason for whoever wrote the skill."""

    message: str
    reason: str = ""


def describe_broken_skills(catalogue: Catalogue) -> Iterator[StoryWarning]:
    """Yield one warning for each folder that is no skill, or none any more."""
    by_folder = sorted(catalogue.problems, key=_folder_of)
    for folder, problems in groupby(by_folder, key=_folder_of):
        name = Path(folder).name
        template = LEFT_OUT
        if name in catalogue.last_good:
            template = LAST_GOOD
        elif catalogue.skill(name) is not None:
            template = DOUBLE
        yield StoryWarning(template.format(skill=name), "\n".join(map(str, problems)))


def _folder_of(problem: Problem) -> str:
    """Return the folder of the skill that a problem is about."""
    path = Path(problem.file)
    return str(path.parent if path.suffix else path)
