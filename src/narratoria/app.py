"""The composition root: the one place where the parts are put together."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from narratoria import places
from narratoria.campaign.campaign import Campaign
from narratoria.campaign.load import load_campaign
from narratoria.engine.hosting import SharedMemory, Story
from narratoria.engine.session import Session, free_id, latest, save
from narratoria.engine.turn import Stage
from narratoria.errors import ContractViolation, NarratoriaException
from narratoria.inference.models import find_embedder
from narratoria.narrator.patterns import PatternPlanner
from narratoria.planning.journal import Journal
from narratoria.skills.discovery import Catalogue, discover
from narratoria.skills.host import Host
from narratoria.skills.install import mend
from narratoria.skills.mcontrol.config import Config, load_config
from narratoria.skills.mcontrol.discovery import discover as discover_mcontrol
from narratoria.skills.mcontrol.discovery import tools_roots
from narratoria.skills.resolve import Tools
from narratoria.skills.sandbox import probe
from narratoria.skills.watch import Following

if TYPE_CHECKING:
    from narratoria.inference.embedder import Embedder
    from narratoria.store import Store


def open_skills() -> Catalogue:
    """The skills that came with the package, then the user's, then the project's."""
    mend(places.home() / "skills")
    return discover(skill_roots())


def skill_roots() -> tuple[Path, ...]:
    """Where skills are looked for; of two with one name the first stays."""
    return (places.BUNDLED_SKILLS, places.home() / "skills", Path.cwd() / "skills")


def open_tools(*, allow_path: bool = False) -> Tools:
    """What plans may run; ContractViolation for an m-control config that cannot be used."""
    config = load_config(Path.cwd())
    mcontrol = discover_mcontrol(tools_roots(config))
    return Tools(open_skills(), mcontrol, config, host=open_host(), allow_path=allow_path)


def open_host(memory: SharedMemory | None = None) -> Host:
    """What skills share, outside a story nothing. The boxes that this machine gives are tried out here, once,
    before a story waits."""
    probe()
    return Host() if memory is None else Host(memory, memory if find_embedder() else None)


def open_memory(session: Session) -> SharedMemory:
    """What a story remembers; nothing is opened yet."""
    return SharedMemory(Story(session.id, session.campaign, session.seed), open_store, open_embedder)


async def open_store(embedder: Embedder | None) -> Store:
    """The store of this home, or of NARRATORIA_DATABASE_URL; StoreUnavailable says what is in the way."""
    await asyncio.to_thread(import_module, "narratoria.store")  # too long for an event loop to wait
    from narratoria.store import Store

    return await Store.open(store_place(), embedder, logs=places.home() / "logs")


def store_place() -> str | Path:
    return os.environ.get("NARRATORIA_DATABASE_URL") or places.home() / "narratoria.db"


async def open_embedder() -> Embedder | None:
    """The embedding model that is installed here, if there is one."""
    folder = find_embedder()
    return None if folder is None else await asyncio.to_thread(_load_embedder, folder)


def _load_embedder(folder: Path) -> Embedder:
    from narratoria.inference.embedder import Embedder

    return Embedder(folder)


def open_journal() -> Journal:
    return Journal(places.home() / "logs")


def open_campaign(name: str) -> Campaign:
    """The campaign in this folder, or the one of this name among the user's and those of the package."""
    roots = (places.home() / "campaigns", places.BUNDLED_CAMPAIGNS)
    if Path(name).is_dir():
        return load_campaign(Path(name).resolve())
    for root in roots:
        if (root / name).is_dir():
            return load_campaign(root / name)
    known = sorted(
        {folder.name for root in roots for folder in root.glob("*/") if not folder.name.startswith(".")}
    )
    message = f"there is no campaign '{name}'; give the path of its folder, or one of: {', '.join(known)}"
    raise NarratoriaException(message)


@contextmanager
def follow_skills(memory: SharedMemory | None = None) -> Iterator[Callable[[], Tools]]:
    """What a story may run, as it is at the moment: skills are picked up while it is played."""
    host = open_host(memory)
    config = _mcontrol_config()
    following = Following(skill_roots(), open_skills())
    try:
        yield lambda: Tools(following.catalogue, mcontrol_config=config, host=host)
    finally:
        following.close()


def _mcontrol_config() -> Config | None:
    """For the tools of m-control among the skills; a story does not end over a config that cannot be used."""
    try:
        return load_config(Path.cwd())
    except ContractViolation:
        return None


def set_stage(campaign: Campaign, tools: Tools) -> Stage:
    return Stage(
        campaign, PatternPlanner(), tools.offered(), tools.resolve, open_journal(), assets=playthroughs()
    )


def open_session(campaign: Campaign, *, seed: int | None = None, new: bool = False) -> Session:
    """The story of this campaign that was played last, unless a new one is wanted or there is none."""
    folder = playthroughs()
    if not new and (found := latest(folder, campaign.name)):
        return found
    number = secrets.randbelow(2**32) if seed is None else seed
    return Session(id=free_id(folder, campaign.name), campaign=campaign.name, seed=number)


def save_session(session: Session) -> Path:
    return save(session, playthroughs())


def playthroughs() -> Path:
    return places.home() / "playthroughs"
