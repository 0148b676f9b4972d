"""Uses damaged files as the program would, each in a home of its own, and counts how that ended."""

from __future__ import annotations

import asyncio
import contextlib
import io
import random
import shutil
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from click import Command
from click.testing import CliRunner
from starlette.testclient import TestClient
from tests.fuzz.mutate import damage as damage_document
from tests.fuzz.mutate import damage_bytes
from tests.fuzz.targets import rezip_damaged

from evals.damaged_store.damage import damage_database
from evals.damaged_store.home import CAMPAIGN, DATABASE, PACK, PIN, SAVE, home_at
from narratoria import app
from narratoria.campaign.pack import install_archive
from narratoria.cli.commands import narratoria
from narratoria.engine.persistence.repository import read_turn
from narratoria.errors import NarratoriaException
from narratoria.mctl.cli import mctl
from narratoria.store import Store
from narratoria.store.engines.sqlite import find_damage
from narratoria.web.access_guard import HostNames
from narratoria.web.access_keys import open_access_keys
from narratoria.web.app_state import AppState
from narratoria.web.server import FOLDER, build_app

COMMANDS = (  # those of `narratoria` that read settings and logs
    ("skills", "list"),
    ("skills", "config", "get", "storyteller"),
    ("model", "list"),
    ("trace",),
    ("doctor",),
    ("store", "stats"),
    ("store", "retention"),
    ("stories", "list"),
)
PAGES = ("home", "settings", "skills", "models", "teller", "providers", "privacy", "profiles", "audit")
REFUSED, BROKEN = 400, 500  # the first status of a refusal, and that of a traceback


class Refused(Exception):
    """Says that a damaged file was refused with words."""


@dataclass
class Tally:
    """Counts how the damaged files of one kind ended."""

    files: int = 0
    refused: int = 0  # with words, when they were opened or when what is damaged was needed
    opened: int = 0  # everything could be read
    seen: int = 0  # of databases, by `store check`
    by_way: Counter[str] = field(default_factory=Counter)  # of those refused, by what is damaged
    tracebacks: list[str] = field(default_factory=list)


def use_damaged(
    kind: str, whole: Mapping[str, bytes], files: int, first: int = 0, *, damage: bool = True
) -> Tally:
    """Use so many homes with one damaged file each, and count how that ended."""
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="narratoria-damaged-") as name:
        for seed in range(first, first + files):
            home = Path(name) / str(seed)
            for file, content in whole.items():
                (home / file).parent.mkdir(parents=True, exist_ok=True)
                (home / file).write_bytes(content)
            way = _damage_one(kind, home, whole, seed) if damage else ""
            _count(kind, home, way, f"{kind} {seed}, {way}", tally)
            shutil.rmtree(home)
    return tally


def _damage_one(kind: str, home: Path, whole: Mapping[str, bytes], seed: int) -> str:
    """Damage one file of a home, and return which, or how."""
    chance = random.Random(f"damage/{kind}/{seed}")
    file = sorted(whole)[seed % len(whole)]
    if kind == "databases":
        return damage_database(whole[file], home / file, seed)
    if file == PACK:
        anew = chance.random() < 0.6  # by somebody who lists its checksums anew
        content = (rezip_damaged if anew else damage_bytes)(whole[file], chance)
        (home / file).write_bytes(content)
        return "archive packed anew" if anew else "archive"
    others = tuple(whole.values())
    lines = whole[file].split(b"\n")
    if len(lines) > 2 and file.endswith(".jsonl") and chance.random() < 0.7:
        at = chance.randrange(len(lines))
        lines[at] = damage_document(lines[at], chance)
        content = b"\n".join(lines)
    else:
        content = damage_document(whole[file], chance, others)
    (home / file).write_bytes(content)
    return file


def _count(kind: str, home: Path, way: str, what: str, tally: Tally) -> None:
    tally.files += 1
    try:
        with home_at(home), contextlib.redirect_stderr(io.StringIO()):
            USES[kind](home, tally)
        tally.opened += 1
    except (NarratoriaException, Refused):
        tally.refused += 1
        tally.by_way[way] += 1
    except Exception:  # noqa: BLE001  whatever it is, it is what is looked for
        tally.tracebacks.append(f"{what}:\n{traceback.format_exc()}")


def use_database(home: Path, tally: Tally) -> None:
    tally.seen += bool(find_damage(home / DATABASE))
    asyncio.run(_read_store(home / DATABASE))


async def _read_store(file: Path) -> None:
    """Read what the program reads: counts, stories, their turns, memories and lore."""
    store = await Store.open(file, None)
    try:
        await store.inventory()
        for story in await store.playthroughs.all():
            for turn in await store.turns.history(story.id):
                read_turn(turn)
            scope = store.at(story.id)
            await scope.exact_match("memory")
            await scope.semantic_search("the comet over the tea room", "memory", 5)
        lore = store.campaign(CAMPAIGN)
        await lore.exact_match("lore")
        await lore.semantic_search("the comet", "lore", 5)
    finally:
        await store.close()


def use_turn_log(home: Path, _: Tally) -> None:
    """Recover the turns of a log as the next start does, and go on with the story."""
    asyncio.run(_recover(home))
    if list((home / "unsaved").glob("*")):
        raise Refused  # set apart, or left as it is


async def _recover(home: Path) -> None:
    async with app.open_isolated_library(home, most_warm=0) as library:
        for story in await library.stories():
            for turn in await library.turns(story.id):
                assert turn.output.scene.paragraphs
            session = await library.open(story.id)
            session.log.since(0)
            await session.close()


def use_save(home: Path, _: Tally) -> None:
    _command(narratoria, "stories", "import", str(home / SAVE))


def use_pack(home: Path, _: Tally) -> None:
    install_archive(home / PACK)


def use_settings(home: Path, _: Tally) -> None:
    """Ask every command and page that reads settings; one that refuses is enough to count as refused."""
    refusals = [_is_refused(narratoria, words) for words in COMMANDS]
    refusals.append(_is_refused(mctl, ("list",)))
    keys = open_access_keys(home / FOLDER, guarded=True)
    keys.matches("what somebody types")
    names = HostNames.of("127.0.0.1", 8000, None)
    address = "http://127.0.0.1:8000"
    with TestClient(build_app(AppState(home, app.open_library), keys, names), base_url=address) as client:
        client.headers["authorization"] = f"Bearer {keys.token}"
        entered = client.post("/api/profiles/enter", json={"profile": "home", "pin": PIN})
        for answer in (entered, *(client.get(f"/api/{page}") for page in PAGES)):
            assert answer.status_code != BROKEN, f"{answer.url}: {answer.text}"
            refusals.append(answer.status_code >= REFUSED)
    if any(refusals):
        raise Refused


def _is_refused(group: Command, words: Sequence[str]) -> bool:
    try:
        _command(group, *words)
    except Refused:
        return True
    return False


def _command(group: Command, *words: str) -> None:
    """Run a command in this process; Refused when it says that it cannot be done."""
    result = CliRunner().invoke(group, words)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if result.exit_code:
        raise Refused(result.output)


USES: Mapping[str, Callable[[Path, Tally], None]] = {
    "databases": use_database,
    "turn logs": use_turn_log,
    "saved stories": use_save,
    "campaign packs": use_pack,
    "settings": use_settings,
}
