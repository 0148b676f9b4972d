"""A model is trusted with what it was seen to do, on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.errors import ModelUnavailable
from narratoria.inference import exam, installed_models
from narratoria.inference.catalogue import EMBEDDED
from narratoria.inference.model import LocalModel


async def test_the_smallest_model_may_weigh_choices_and_no_more(
    model_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    here = installed_models.find_model(EMBEDDED.name)
    assert exam.load_exam(here) is None
    steps: list[tuple[int, int]] = []
    model = LocalModel(model_file, threads=1)
    try:
        report = await exam.examine_model(model, on_step=lambda *step: steps.append(step))
    finally:
        await model.close()
    assert report.tier == "scores"
    assert report.tokens_per_second > 0
    assert steps[-1] == (len(steps), len(steps))
    exam.save_exam(here, report)
    assert exam.load_exam(here) == report


async def test_a_model_that_does_not_load_has_no_tier(tmp_path: Path) -> None:
    model = LocalModel(tmp_path / "nothing.gguf")
    with pytest.raises(ModelUnavailable):
        await exam.examine_model(model)
    await model.close()


@pytest.mark.parametrize(
    ("text", "well"),
    [
        ("You give Mara the ring. She smiles.", True),
        ("You give her the ring.", False),  # whom?
        ("You give Mara the ring, but she is angry.", False),  # she is not
        ("I give Mara the ring. You smile.", False),  # who speaks?
        ("The player gives Mara the ring.", False),  # to whom?
    ],
)
def test_a_narration_keeps_facts_and_person(text: str, well: bool) -> None:
    assert exam.keeps_facts(text, (r"\bMara\b", r"\bring\b"), (r"\bangry",)) is well


@pytest.mark.parametrize(
    ("fills", "facts", "told", "verdict"),
    [
        (0.5, 1.0, 1.0, "scores"),
        (1.0, 0.3, 1.0, "fills"),
        (1.0, 0.7, 1.0, "embellishes"),
        (1.0, 1.0, 0.5, "embellishes"),  # no better than what is found
        (1.0, 1.0, 1.0, "narrates"),
    ],
)
def test_more_trust_needs_more_of_everything(fills: float, facts: float, told: float, verdict: str) -> None:
    assert exam._tier(fills, facts, told) == verdict


def report(tokens_per_second: float, **marks: float) -> exam.ModelExam:
    parts = {"scores": 1.0, "fills": 1.0, "facts": 1.0, "told": 1.0, **marks}
    tier = exam._tier(parts["fills"], parts["facts"], parts["told"])
    return exam.ModelExam(
        tier=tier, **parts, tokens_per_second=tokens_per_second, prompt_per_second=tokens_per_second * 10,
        first_word_ms=1, load_seconds=1, memory_mb=1, seconds=1,
    )  # fmt: skip


def test_a_slow_machine_is_told_how_long_a_scene_takes_and_keeps_its_narrator() -> None:
    slow, quick = report(1.0), report(20.0)
    assert (slow.tier, quick.tier) == ("narrates", "narrates")
    assert exam.describe_exam(slow) == (
        "it kept the facts in 3 of 3 scenes and told 2 of 2 briefs as it should; "
        "a scene takes about 8 minutes here, and shows paragraph by paragraph"
    )
    assert exam.describe_exam(quick).endswith("a scene takes about 24 seconds here")


def test_the_verdict_says_what_a_model_did_badly() -> None:
    assert "kept the facts in 1 of 3 scenes;" in exam.describe_exam(report(9.0, facts=0.334))
    assert "filled in 2 of 4 forms rightly" in exam.describe_exam(report(9.0, fills=0.5))


BRIEF = {"people": [{"name": "Ines"}], "place": {"name": "the mill"}}
PROSE = "Ines does not look up. “An owl,” she says. “Every night since the frost.”"
REST = "\n\nTRUE NOW: You know of the owl.\nNEXT:\n1: Go up to the loft\nnew: Ask what it eats"


@pytest.mark.parametrize(
    ("answer", "well"),
    [
        (PROSE + REST, True),
        (PROSE, False),  # what is true now, and what can be done?
        (PROSE.replace("owl", "rat") + REST, False),  # nobody said so
        (PROSE.replace("Ines", "Captain Ahab of Ines") + REST, False),  # who is that?
        ("I look up. “An owl,” says Ines, and I laugh." + REST, False),  # who speaks?
    ],
)
def test_to_tell_by_a_brief_is_to_say_what_is_known_in_the_form_that_was_asked(
    answer: str, well: bool
) -> None:
    assert exam.is_well_told(answer, BRIEF, (r"\bowl\b",)) is well
