"""The composition root: the one place where the parts are put together."""

from __future__ import annotations

from pathlib import Path

from narratoria import places
from narratoria.planning.journal import Journal
from narratoria.skills.discovery import Catalogue, discover
from narratoria.skills.mcontrol.config import load_config
from narratoria.skills.mcontrol.discovery import discover as discover_mcontrol
from narratoria.skills.mcontrol.discovery import tools_roots
from narratoria.skills.resolve import Tools


def open_skills() -> Catalogue:
    """The skills that came with the package, then the user's, then the project's."""
    return discover([places.BUNDLED_SKILLS, places.home() / "skills", Path.cwd() / "skills"])


def open_tools(*, allow_path: bool = False) -> Tools:
    """What plans may run; ContractViolation for an m-control config that cannot be used."""
    config = load_config(Path.cwd())
    mcontrol = discover_mcontrol(tools_roots(config))
    return Tools(open_skills(), mcontrol, config, allow_path=allow_path)


def open_journal() -> Journal:
    return Journal(places.home() / "logs")
