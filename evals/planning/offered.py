"""The seven skills a planner chooses from: those that are bundled, and stand-ins for the others."""

from __future__ import annotations

from pathlib import Path

from narratoria import contracts, places
from narratoria.protocol.command import Command
from narratoria.skills.discovery import Catalogue, discover
from narratoria.skills.runnable import Runnable, v0_tool
from narratoria.skills.skill import Skill, SkillScript

STAND_INS = Path(__file__).parent / "skills"


def open_catalogue() -> Catalogue:
    """Every bundled skill, and the stand-in of each that is not bundled."""
    bundled = discover([places.BUNDLED_SKILLS]).skills
    there = {skill.name for skill in bundled}
    return Catalogue((*bundled, *(skill for skill in stand_ins() if skill.name not in there)))


def stand_ins() -> tuple[Skill, ...]:
    """Skills of which there is only the manifest: enough to be chosen, and never run."""
    return tuple(_stand_in(file) for file in sorted(STAND_INS.glob("*/skill.json")))


def _stand_in(file: Path) -> Skill:
    manifest = contracts.parse("skill-manifest", file.read_bytes(), file=str(file))
    folder = file.parent.resolve()
    return Skill(
        name=manifest["name"],
        version=manifest["version"],
        description=manifest["description"],
        folder=folder,
        display_name=manifest["displayName"],
        scripts=tuple(
            SkillScript(
                script["name"],
                folder / "scripts" / script["path"],
                script["description"],
                required=script["required"],
            )
            for script in manifest["scripts"]
        ),
        capabilities=tuple(manifest["capabilities"]),
        examples=tuple(manifest.get("examples", ())),
        priority=manifest["priority"],
    )


def resolve_in(catalogue: Catalogue, tool_path: str) -> Runnable:
    """What a plan's path means; it says whose script it is, and is not meant to be started."""
    skill, script = catalogue.find(tool_path)
    return v0_tool(script.name, Command((str(script.path),)), skill=skill.name)
