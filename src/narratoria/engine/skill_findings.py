"""Keeps what skills have found in a story, and gives it as evidence to later answers."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from narratoria.engine.snapshot import Progress, SkillFinding
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.skill_prose import as_words

MOST_FINDINGS = 40  # that a story keeps for its own answers; the store keeps them all


def keep_findings(progress: Progress, findings: Sequence[SkillFinding]) -> Progress:
    """Return the progress with new findings; one about the same thing replaces what was found before."""
    if not findings:
        return progress
    replaced = {(one.source, one.about) for one in findings if one.about}
    earlier = (one for one in progress.findings if (one.source, one.about) not in replaced)
    return msgspec.structs.replace(progress, findings=(*earlier, *findings)[-MOST_FINDINGS:])


def finding_evidence(progress: Progress) -> list[Evidence]:
    """Return what skills have found as evidence, the latest first."""
    return [
        Evidence(
            id=f"skill/{one.source}/{one.scene}",
            text=one.text,
            source="skill",
            about=(about := one.about or as_words(one.source.partition("/")[0])),
            questions=(f"the {about}", f"what about the {about}"),
        )
        for one in reversed(progress.findings)
    ]
