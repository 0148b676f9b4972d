"""Makes a home with one whole file of every kind that the program reads again later."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import patch

import msgspec
from tests.campaign import mill

from narratoria import app
from narratoria.campaign.pack import pack_campaign
from narratoria.engine.memory.retention import change_policy
from narratoria.errors import StoreUnavailable
from narratoria.skills.decisions import change_decisions
from narratoria.web.access_keys import open_access_keys, set_passphrase
from narratoria.web.accounts import Accounts

CAMPAIGN = "comet-tea-room"
DATABASE, SAVE, PACK = "narratoria.db", "story.json", "sent.campaign.zip"
EVENTS, PIN = "events.jsonl", "123456"
# what is set by a click or an option elsewhere, as it is written there
_DOCUMENTS: dict[str, object] = {
    "settings.json": {"theme": "dark", "textSize": 1.2, "music": {"volume": 0.5, "on": True}},
    "skills/storyteller/config.json": {"provider": "local", "temperature": 0.7},
    "models/chosen.json": {"name": "smollm2-135m"},
    "models/declined.json": ["smollm2-135m"],
    "models/tiers.json": {
        "0123456789abcdef a machine": dict.fromkeys(("scores", "fills", "facts", "told"), 0.5)
        | dict.fromkeys(("promptPerSecond", "tokensPerSecond", "firstWordMs"), 20.0)
        | dict.fromkeys(("loadSeconds", "memoryMb", "seconds"), 3.0)
        | {"tier": "scores"}
    },
    "mcontrol/config.json": {"configVersion": 1, "paths": {"toolsRoots": ["tools"]}},
}


@contextmanager
def home_at(folder: Path) -> Iterator[None]:
    """Have the program take a folder for the user's home meanwhile."""
    named = {"NARRATORIA_HOME": str(folder), "M_CONTROL_HOME": str(folder / "mcontrol")}
    with patch.dict(os.environ, named):
        yield


def make_home(folder: Path) -> dict[str, dict[str, bytes]]:
    """Return whole files by kind and name: those of a home in which a story was played."""
    story, sent = folder / "story", folder / "sent"
    sent.mkdir(parents=True)
    (sent / SAVE).write_bytes(asyncio.run(_play(story)))
    logs = asyncio.run(_play_without_store(folder / "logs"))
    pack_campaign(mill.build(folder / "the-mill"), sent / PACK)
    settings = folder / "settings"
    settings.mkdir()
    _set_everything(settings)
    (settings / "logs").mkdir(exist_ok=True)
    for log in sorted((story / "logs").glob("*.jsonl")):
        (settings / "logs" / log.name).write_bytes(log.read_bytes())
    return {
        "databases": {DATABASE: _whole_database(story / DATABASE)},
        "turn logs": logs,
        "saved stories": {SAVE: (sent / SAVE).read_bytes()},
        "campaign packs": {PACK: (sent / PACK).read_bytes()},
        "settings": {
            path.relative_to(settings).as_posix(): path.read_bytes()
            for path in sorted(settings.rglob("*"))
            if path.is_file() and not path.name.startswith(".")
        },
    }


async def _play(folder: Path) -> bytes:
    """Play a story of three scenes, and return it as a saved one."""
    async with app.open_isolated_library(folder) as library:
        session = await library.begin(CAMPAIGN, {}, seed=5)
        await session.resume()
        for _ in range(2):
            await session.choose(0)
        return await library.export(session.story.id, "json")


async def _play_without_store(folder: Path) -> dict[str, bytes]:
    """Return the log of events and the log of unsaved turns of a story that the store did not take."""
    refuse = patch("narratoria.store.Store.open", side_effect=StoreUnavailable("no store today"))
    async with app.open_isolated_library(folder) as library:
        with refuse:
            session = await library.begin(CAMPAIGN, {}, seed=5)
            await session.resume()
            for _ in range(2):
                await session.choose(0)
            return await asyncio.to_thread(_read_logs, folder)


def _read_logs(folder: Path) -> dict[str, bytes]:
    logs = (*(folder / "unsaved").glob("*.jsonl"), *folder.rglob(EVENTS))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in logs}


def _whole_database(file: Path) -> bytes:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file.read_bytes()


def _set_everything(home: Path) -> None:
    for name, document in _DOCUMENTS.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(msgspec.json.encode(document))
    change_policy(home, {"maxAgeDays": 400, "maxRecords": 5000})
    change_decisions(
        home, lambda decisions: decisions.with_enabled("weather", False).with_granted("portraits", [])
    )
    Accounts(home).add("Ada", "owner", PIN)
    set_passphrase(home / "web", "the lamp over the quay")
    open_access_keys(home / "web", guarded=True)
