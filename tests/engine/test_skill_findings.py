"""What skills have found is kept, and later answers can be made of it."""

from __future__ import annotations

from narratoria.engine.skill_findings import MOST_FINDINGS, finding_evidence, keep_findings
from narratoria.engine.snapshot import Progress, SkillFinding

LIT = SkillFinding(scene=3, source="lantern/light", text="The lantern is lit.", about="lantern")


def test_a_finding_is_evidence_with_the_skill_in_its_id():
    (evidence,) = finding_evidence(keep_findings(Progress(), [LIT]))
    assert (evidence.id, evidence.source, evidence.text) == (
        "skill/lantern/light/3",
        "skill",
        "The lantern is lit.",
    )


def test_what_is_found_later_about_the_same_thing_replaces_it():
    out = SkillFinding(scene=5, source="lantern/light", text="The lantern is not lit.", about="lantern")
    progress = keep_findings(keep_findings(Progress(), [LIT]), [out])
    assert [one.text for one in progress.findings] == ["The lantern is not lit."]


def test_findings_about_nothing_in_particular_are_all_kept_up_to_a_limit():
    progress = Progress()
    for scene in range(MOST_FINDINGS + 5):
        progress = keep_findings(
            progress, [SkillFinding(scene=scene, source="tides/tide", text=f"Tide {scene}.")]
        )
    assert len(progress.findings) == MOST_FINDINGS
    assert finding_evidence(progress)[0].text == f"Tide {MOST_FINDINGS + 4}."
