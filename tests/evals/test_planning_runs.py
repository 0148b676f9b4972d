"""The planning cases are what their guide says, the splits are apart, and the figures can be trusted."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from evals.planning import cases, voices
from evals.planning.ask import Answer, ask, ask_all, labels
from evals.planning.cases import LABELS, SKILLS, SPLITS, TAGS, Case, Scene, skill_of
from evals.planning.offered import open_catalogue
from evals.planning.planners import SamePlanner, open_planner
from evals.planning.score import score, scores, script_tally

from narratoria.errors import NarratoriaException
from narratoria.planning.plan import Plan, PlanRequest, ToolInvocation

ROOT = Path(__file__).parents[2]
CASES = {split: cases.load(split) for split in SPLITS}
FURTHER = [case for name in cases.FURTHER for case in cases.further(name)]
EVERY = [*(case for split in SPLITS for case in CASES[split]), *FURTHER]
CATALOGUE = open_catalogue()
SCRIPTS = {f"{skill.name}/{script.name}" for skill in CATALOGUE.skills for script in skill.scripts}
ALIKE = 0.34  # of the words of two actions
# words that any two sentences share
COMMON = re.compile(
    r"\b(?:an?|the|i|my|me|you|your|he|she|it|his|her|him|them|they|we|us|to|of|in|on|at|for|and|or|but|that|this"
    r"|is|are|was|were|be|with|as|by|from|up|out|into|over|so|not?|do|don|t|s|if|what|who|how|where|which|there"
    r"|all|have|has|had|will|would|could|can|about|before|after|while|then|just)\b"
)


def test_every_case_has_an_id_of_its_own_and_words_of_its_own() -> None:
    assert max(Counter(case.id for case in EVERY).values()) == 1
    words = Counter(case.action.casefold().strip(" .!?") for split in SPLITS for case in CASES[split])
    assert max(words.values()) == 1  # two hands may both say "rest"


def test_every_case_is_labelled_with_known_labels_each_once() -> None:
    assert [case.id for case in EVERY if not _is_well_labelled(case)] == []


def _is_well_labelled(case: Case) -> bool:
    allowed = case.scripts | case.may_use
    return (
        allowed <= set(LABELS)
        and not case.scripts & case.may_use
        and case.needs == set(map(skill_of, case.scripts))
        and case.forbids == set(SKILLS) - set(map(skill_of, allowed))
        and set() < set(case.tags) <= set(TAGS)
        and ("none" in case.tags) == (not case.scripts)
        and (case.scene_type == "danger") == ("dice-roller/roll-dice" in case.scripts)
    )


def test_the_splits_are_large_enough_and_share_no_setting() -> None:
    assert len(CASES["fit"]) >= 160
    assert len(CASES["heldout"]) >= 220
    for split in SPLITS:
        assert {cases.settings()[case.setting].split for case in CASES[split]} == {split}
        assert len({case.setting for case in CASES[split]}) >= 5


def test_the_rows_of_other_hands_are_in_settings_that_nobody_fits_on() -> None:
    fitted = {case.setting for case in (*CASES["fit"], *cases.more())} | set(voices.settings())
    assert not {case.setting for case in FURTHER} & (fitted | {case.setting for case in CASES["heldout"]})
    assert {cases.settings()[case.setting].split for case in FURTHER} == {"fresh"}


@pytest.mark.parametrize("split", SPLITS)
def test_every_label_and_every_manner_of_speaking_is_there_often_enough(split: cases.Split) -> None:
    needed = Counter(label for case in CASES[split] for label in case.scripts)
    tagged = Counter(tag for case in CASES[split] for tag in case.tags)
    print(split, len(CASES[split]), dict(needed), dict(tagged))
    assert min(needed[label] for label in LABELS) >= 15
    assert min(tagged[tag] for tag in TAGS) >= 7


def test_no_held_out_action_is_nearly_one_that_planners_are_fitted_on() -> None:
    labelled = [(case.id, case.action) for case in (*CASES["fit"], *cases.more())]
    fitted = [(row, action, _words(action)) for row, action in (*labelled, *voices.actions())]
    scored = [(case.id, _words(case.action)) for case in CASES["heldout"]]
    near = [  # by id alone, as whoever mends a fitted row is not to read the other
        (row, action, held)
        for held, these in scored
        for row, action, those in fitted
        if len(those & these) > ALIKE * len(those | these)
    ]
    assert near == []


def _words(text: str) -> set[str]:
    return {word[:5] for word in re.findall("[a-z]+", COMMON.sub("", text.casefold()))}


def test_the_planner_sees_all_seven_skills_and_every_labelled_script() -> None:
    assert len(CATALOGUE.skills) == 7
    assert set(cases.EVERY_PLAN) | set(cases.SAME) <= SCRIPTS
    assert set(LABELS) <= labels(SCRIPTS)


A_CASE = Case(
    id="test-001",
    setting="thornmoot",
    action="I leap",
    scene=Scene("a ledge"),
    needs=frozenset({"dice-roller"}),
    scripts=frozenset({"dice-roller/roll-dice"}),
    may_use=frozenset({"memory/store-memory"}),
    forbids=frozenset({"reputation", "npc-perception", "character-portraits"}),
    scene_type="danger",
    tags=("plain",),
)


@pytest.mark.parametrize(
    ("chosen", "skills", "scripts"),
    [
        ({"dice-roller/roll-dice"}, True, True),
        ({"dice-roller/roll-dice", "memory/store-memory"}, True, True),
        ({"dice-roller/roll-dice", "memory/recall-memory"}, True, False),
        ({"dice-roller/roll-dice", "character-portraits"}, False, False),
        ({"dice-roller/roll-dice", "a-strangers/script"}, True, False),
        (set(), False, False),
    ],
)
def test_a_choice_is_right_with_all_that_is_needed_and_nothing_forbidden(
    chosen: set[str], skills: bool, scripts: bool
) -> None:
    answer = Answer(A_CASE, frozenset(chosen), 0.0)
    assert (answer.right_skills, answer.right_scripts) == (skills, scripts)


def test_what_may_be_used_counts_neither_for_nor_against() -> None:
    tally = script_tally([Answer(A_CASE, A_CASE.scripts | A_CASE.may_use, 0.0)], set(LABELS))
    assert (tally.hits, tally.wrong, tally.missed) == (1, 0, 0)


def test_precision_and_recall_count_labels_over_all_cases() -> None:
    right = Answer(A_CASE, A_CASE.scripts, 0.0)
    missed = Answer(A_CASE, frozenset({"character-portraits"}), 0.0)
    found = score([right, right, missed])
    assert (found.scripts.hits, found.scripts.wrong, found.scripts.missed) == (2, 1, 1)
    assert found.scripts.precision == found.scripts.recall == pytest.approx(2 / 3)
    assert found.exact_scripts.count == 2
    assert found.exact_scripts.low < 2 / 3 < found.exact_scripts.high


async def test_whoever_chooses_nothing_is_right_where_nothing_is_needed_and_nowhere_else() -> None:
    answers = await ask_all(SamePlanner(), CASES["heldout"], CATALOGUE)
    found = scores("nothing", "heldout", answers)
    assert found.by_tag["none"].exact_scripts.share == 1
    assert found.overall.exact_scripts.count == found.by_tag["none"].cases
    assert found.valid.share == found.whole.share == found.ordered.share == 1


async def test_whoever_chooses_everything_misses_nothing_and_is_hardly_ever_right() -> None:
    answers = await ask_all(open_planner("everything"), CASES["heldout"], CATALOGUE)
    found = scores("everything", "heldout", answers)
    assert found.overall.scripts.recall == 1
    assert found.overall.exact_skills.share < 0.05
    assert found.ordered.share == 0, "it stores what has not been told yet"


@dataclass(frozen=True)
class Prepared:
    """A planner that answers with a plan made beforehand."""

    tools: tuple[ToolInvocation, ...]
    parallel: bool = True

    async def generate(self, request: PlanRequest) -> Plan:
        return Plan(
            request_id="3f0e8a0e-7f43-4a43-9a55-8d5c1b2a9e10", tools=self.tools, parallel=self.parallel
        )


def call(script: str, *after: str, **told: str) -> ToolInvocation:
    return ToolInvocation(tool_id=script, tool_path=f"skills/{script}", dependencies=after, input={**told})


async def test_a_roll_that_the_prose_does_not_wait_for_is_out_of_order() -> None:
    roll, narrate = "dice-roller/roll-dice", "storyteller/narrate"
    beside = await ask(Prepared((call(roll), call(narrate))), A_CASE, CATALOGUE)
    before = await ask(Prepared((call(roll), call(narrate, roll))), A_CASE, CATALOGUE)
    one_by_one = await ask(Prepared((call(roll), call(narrate)), parallel=False), A_CASE, CATALOGUE)
    assert (beside.ordered, before.ordered, one_by_one.ordered) == (False, True, True)
    assert not before.whole, "it offers no choices"


async def test_a_plan_with_a_script_nobody_offered_is_not_valid_and_not_right() -> None:
    nothing_needed = next(case for case in CASES["heldout"] if not case.scripts)
    answer = await ask(Prepared((call("files/delete"),)), nothing_needed, CATALOGUE)
    assert "files/delete" in answer.problems[0]
    assert score([answer]).exact_skills.count == 0


async def test_a_planner_that_fails_is_scored_and_does_not_end_the_run() -> None:
    class Failing:
        async def generate(self, request: PlanRequest) -> Plan:
            raise NarratoriaException("no model")

    answers = await ask_all(Failing(), CASES["fit"][:3], CATALOGUE)
    assert [answer.problems for answer in answers] == [("NarratoriaException: no model",)] * 3


async def test_the_first_opinion_of_somebody_new_counts_as_asking_for_it_and_any_portrait_as_a_portrait() -> (
    None
):
    tools = (call("npc-perception/initialize-perception"), call("character-portraits/lookup-portrait"))
    answer = await ask(Prepared(tools), A_CASE, CATALOGUE)
    assert answer.chosen == {"npc-perception/query-perception", "character-portraits"}


async def test_the_scene_type_is_read_where_a_plan_tells_it() -> None:
    told = await ask(Prepared((call("storyteller/narrate", sceneType="danger"),)), A_CASE, CATALOGUE)
    untold = await ask(Prepared((call("storyteller/narrate"),)), A_CASE, CATALOGUE)
    found = scores("some", "fit", [told, untold])
    assert (found.scene_types.count, found.scene_types.of) == (1, 1)


def test_the_command_prints_figures_for_people_and_for_programs() -> None:
    told = run("--planner", "patterns", "--split", "fit", "--show", "2")
    assert told.returncode == 0, told.stderr
    assert "right skills" in told.stdout
    assert "missed:" in told.stdout
    figures = json.loads(
        run("--planner", "nothing", "--planner", "patterns", "--tag", "negation", "--json").stdout
    )
    assert [found["planner"] for found in figures] == ["nothing", "patterns"]
    assert figures[0]["overall"]["cases"] == sum("negation" in case.tags for case in CASES["heldout"])


def test_cases_of_somebody_elses_are_scored_file_by_file(tmp_path: Path) -> None:
    lines = (ROOT / "evals/planning/cases/fit.jsonl").read_text().splitlines()
    files = [tmp_path / "mine.jsonl", tmp_path / "yours.jsonl"]
    for file, rows in zip(files, (lines[:3], lines[3:8]), strict=True):
        file.write_text("\n".join(rows))
    told = run("--planner", "nothing", *(f"--file={file}" for file in files), "--json")
    assert [(one["split"], one["overall"]["cases"]) for one in json.loads(told.stdout)] == [
        ("mine", 3),
        ("yours", 5),
    ]


def test_what_only_one_of_two_readers_needs_or_allows_is_allowed() -> None:
    rows = [*CASES["heldout"], *cases.further("fresh")]
    assert {case.id for case in rows} == set(cases.second_readings())
    agreed = list(map(cases.agreed, rows))
    for case, both in zip(rows, agreed, strict=True):
        second = cases.second_readings()[case.id]
        assert both.scripts == case.scripts & second.scripts
        assert both.wrong == case.wrong - second.scripts - second.may_use
        assert both.forbids == set(SKILLS) - {skill_of(label) for label in set(LABELS) - both.wrong}
    assert sum(case.scripts != both.scripts for case, both in zip(rows, agreed, strict=True)) < len(rows) / 10
    assert cases.agreed(CASES["fit"][0]) == CASES["fit"][0]


def test_every_further_row_is_labelled_with_known_labels_and_has_words_of_its_own() -> None:
    rows = voices.load()
    assert len(rows) > 3_900
    assert max(Counter(case.id for case in (*rows, *EVERY, *cases.more())).values()) == 1
    assert [case.id for case in rows if not _is_well_labelled(case)] == []
    assert len({case.setting for case in rows}) >= 8


def test_an_unknown_planner_is_refused_with_those_there_are() -> None:
    refused = run("--planner", "oracle")
    assert refused.returncode == 2
    assert "patterns" in refused.stderr


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evals.planning", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
