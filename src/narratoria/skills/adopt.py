"""m-control's tools as skills: each is one with a single script, which keeps speaking its own protocol.

A tool is adopted by putting its folder, or a link to it, among the skills. Those in m-control's own roots can
be named by plans, but no planner is offered them: they were not written for a story.
"""

from __future__ import annotations

from pathlib import Path

from narratoria.skills.mcontrol.manifest import FILE_NAME, Manifest, read_manifest
from narratoria.skills.mcontrol.places import real
from narratoria.skills.skill import Skill, SkillScript

MANIFEST = FILE_NAME
DEFAULT_TIMEOUT_MS = 30_000


def adopt(tool: Manifest) -> Skill:
    """The skill that a tool is to a plan; its settings stay where m-control keeps them."""
    folder = tool.path.parent
    script = SkillScript(
        name=tool.id,
        path=real(tool.entry),
        description=tool.description,
        timeout=(tool.timeout_ms or DEFAULT_TIMEOUT_MS) / 1000,
        protocol="m-control-1",
    )
    return Skill(
        name=tool.id,
        version=tool.version,
        description=tool.description,
        folder=folder,
        display_name=tool.name,
        scripts=(script,),
        capabilities=tool.tags,
    )


def read_adopted(folder: Path) -> Skill:
    """The tool in this folder as a skill; ContractViolation with every problem of its manifest."""
    return adopt(read_manifest(folder / FILE_NAME))
