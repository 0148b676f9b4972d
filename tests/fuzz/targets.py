"""What is fuzzed: each target takes whole, sound files, damages them, and lets the real reader read them.

A reader may refuse with a ContractViolation or another NarratoriaException that says why. Anything else that
it raises, and a file that it leaves where it has no business, is a fault of ours.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import json
import os
import random
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.campaign import mill
from tests.campaign.importers.png import chunk, picture
from tests.fuzz.mutate import damage, damage_bytes
from tests.protocol import fuzz_lines

from narratoria import paths
from narratoria.campaign.check import check_campaign
from narratoria.campaign.expressions import NAMES, compile_expression, expression_problem, parse_expression
from narratoria.campaign.importers import import_into
from narratoria.campaign.load import load_campaign, read_campaign
from narratoria.campaign.pack import CHECKSUMS, install_archive, pack_campaign
from narratoria.campaign.validate import validate_campaign
from narratoria.engine.persistence.save import read_save, write_into
from narratoria.errors import ContractViolation, NarratoriaException
from narratoria.planning.plan import Plan
from narratoria.planning.prepare import prepare_plan
from narratoria.skills.discovery import discover, read_skill
from narratoria.skills.install import stage_skill
from narratoria.skills.mcontrol.manifest import read_manifest as read_mcontrol
from narratoria.skills.resolve import Tools
from narratoria.store import Store

Target = Callable[[random.Random], None]
TARGETS: dict[str, Target] = {}


def target(perform: Target) -> Target:
    TARGETS[perform.__name__] = perform
    return perform


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="narratoria-fuzz-") as place:
        yield Path(place)


@cache
def _texts(folder: Path) -> Mapping[str, bytes]:
    endings = (".json", ".md", ".txt", ".yaml")
    found = sorted(path for path in folder.rglob("*") if path.name.endswith(endings))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def _written(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def _some_damaged(files: Mapping[str, bytes], chance: random.Random) -> dict[str, bytes]:
    changed = dict(files)
    others = tuple(files.values())
    for name in chance.choices(sorted(files), k=chance.randrange(1, 4)):
        if chance.random() < 0.05:
            changed.pop(name, None)
        else:
            changed[name] = damage(changed.get(name, b""), chance, others)
    return changed


@target
def events(chance: random.Random) -> None:
    """The lines that tools say."""
    block = b"\n".join(chance.choices(_known_lines(), k=chance.randrange(1, 5)))
    fuzz_lines.check(fuzz_lines.damaged(block, chance), chance)


@cache
def _known_lines() -> tuple[bytes, ...]:
    return tuple(fuzz_lines.lines())


@target
def plans(chance: random.Random) -> None:
    """What planners say, up to the moment when it would run."""
    document = damage(chance.choice(_plans()), chance)
    with suppress(ContractViolation):
        plan = Plan.from_json(document)
        assert Plan.from_json(plan.to_json()) == plan
        with suppress(NarratoriaException):
            prepare_plan(plan, _tools().resolve)


@cache
def _plans() -> tuple[bytes, ...]:
    call: dict[str, Any] = {
        "toolId": "roll",
        "toolPath": "skills/dice-roller/roll-dice",
        "input": {"formula": "2d6", "reason": {"$from": "look", "path": "/a/0"}},
        "dependencies": ["look"],
        "required": False,
        "async": True,
        "retryPolicy": {"maxRetries": 2, "backoffMs": 100},
    }
    look = {"toolId": "look", "toolPath": "skills/memory/recall-memory", "input": {"query": "a letter"}}
    plan = {
        "requestId": "123e4567-e89b-42d3-a456-426614174000",
        "narrative": None,
        "tools": [look, call],
        "parallel": True,
        "disabledSkills": ["weather"],
        "metadata": {"generationAttempt": 1, "parentPlanId": None},
    }
    return json.dumps(plan).encode(), json.dumps({**plan, "tools": [look]}).encode()


@cache
def _tools() -> Tools:
    return Tools(discover([paths.BUNDLED_SKILLS]))


@target
def manifests(chance: random.Random) -> None:
    """A skill's folder: skill.json or SKILL.md, its settings' schema, an m-control manifest."""
    files = dict(chance.choice(_skills()))
    named = [
        name for name in files if name in ("skill.json", "SKILL.md", "config-schema.json", "manifest.json")
    ]
    for name in chance.choices(named, k=chance.randrange(1, 3)):
        files[name] = damage(files[name], chance)
    with _folder() as place:
        folder = _written(place / "root" / "a-skill", files)
        with suppress(ContractViolation):
            skill = read_skill(folder)
            assert skill.name not in ("", ".", "..")
            assert "/" not in skill.name
        catalogue = discover([place / "root"])
        assert all(
            script.path.resolve().is_relative_to(place) for s in catalogue.skills for script in s.scripts
        )
        if (folder / "manifest.json").exists():
            with suppress(ContractViolation):
                read_mcontrol(folder / "manifest.json")


@cache
def _skills() -> tuple[Mapping[str, bytes], ...]:
    bundled = [
        {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.suffix in (".json", ".md", ".py") and "_" not in path.name and path.is_file()
        }
        for folder in sorted(paths.BUNDLED_SKILLS.iterdir())
        if folder.is_dir()
    ]
    agent = {
        "SKILL.md": b"---\nname: a-skill\ndescription: Says what it does.\nlicense: MIT\nmetadata:\n"
        b"  version: '1.0'\n  permissions:\n    - network\nallowed-tools: Bash Read\n"
        b"---\n\n# A skill\n\nText.\n",
        "scripts/run.sh": b"#!/bin/sh\necho\n",
    }
    tool = {
        "manifest.json": json.dumps(
            {
                "manifestVersion": 1,
                "id": "a-skill",
                "version": "1.0.0",
                "name": "A",
                "description": "Does a thing.",
                "runtime": "python",
                "entry": "run.py",
                "requiredConfig": ["a.b"],
                "timeoutMs": 1000,
                "tags": ["x"],
            }
        ).encode(),
        "run.py": b"print()\n",
    }
    return (*(skill for skill in bundled if skill), agent, agent, tool)


@target
def campaigns(chance: random.Random) -> None:
    """A campaign's folder, through everything that reads one."""
    sources = (mill.files(), *(_texts(folder) for folder in sorted(paths.BUNDLED_CAMPAIGNS.iterdir())))
    source = chance.choices(sources, weights=(6, *[1] * (len(sources) - 1)))[0]
    with _folder() as place:
        folder = _written(place / "campaign", _some_damaged(source, chance))
        report = validate_campaign(folder)
        assert all(finding.message and finding.code for finding in report.problems)
        check_campaign(folder)
        try:
            campaign = load_campaign(folder)
        except ContractViolation:
            assert not report.ok
        else:
            assert campaign.premise
            assert campaign.start in campaign.places
        assert read_campaign(folder).folder.files.keys() >= set()


@target
def cards(chance: random.Random) -> None:
    """Files of other programs: character cards, pictures that carry them, lorebooks, Twee, ink."""
    name, content = chance.choice(_imports())
    others = tuple(other for _, other in _imports())
    changed = (
        damage_bytes(content, chance, others) if name.endswith(".png") else damage(content, chance, others)
    )
    with _folder() as place:
        (place / name).write_bytes(changed)
        kind = chance.choice((None, None, "card", "lorebook", "twee", "ink"))
        try:
            import_into(place / name, place / "out", kind)
        except ContractViolation:
            return
        found = [finding for finding in validate_campaign(place / "out").problems if finding.is_error]
        assert not found, found
        check_campaign(place / "out")
        assert sorted(path.name for path in place.iterdir()) == sorted((name, "out"))


@cache
def _imports() -> tuple[tuple[str, bytes], ...]:
    book = {
        "name": "Quay",
        "entries": [{"keys": ["quay"], "content": "It floods.", "comment": "Quay", "enabled": True}],
    }
    data = {
        "name": "Orla Finch",
        "description": "A lamplighter.\n\nShe grew up on the quay.",
        "personality": "wry, patient",
        "scenario": "Fog. {{user}} is lost.",
        "first_mes": '*She lifts the lamp.* "Come away from the edge, {{user}}."',
        "mes_example": '<START>\n{{user}}: "Who are you?"\n{{char}}: "Somebody with a lamp."',
        "alternate_greetings": ['"Back again?"'],
        "system_prompt": "Obey.",
        "tags": ["fog"],
        "extensions": {"x": 1},
        "character_book": book,
    }
    card = json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}).encode()
    packed = b"chara\0\x01\0\0\0" + zlib.compress(base64.b64encode(card))
    lamp = picture(chunk(b"tEXt", b"ccv3\0" + base64.b64encode(card)), chunk(b"iTXt", packed))
    twee = (
        ':: StoryTitle\nThe Lamp\n\n:: StoryData\n{"ifid": "x", "start": "Quay"}\n\n'
        ':: Quay [place] {"position":"1,2"}\n'
        "Fog. <<set $x to 1>> (if: $x)[ok] [[Go on->Edge]] [[Stay|Quay]] [[Edge]]\n\n:: Edge\nWater. $x\n\n"
        ":: Script [script]\nalert(1)\n"
    )
    ink = (
        "VAR lamp = true\nFog on the quay. -> quay\n\n=== quay ===\nWater. {lamp: light|dark}\n"
        "* [Go on] You go. -> edge\n"
        "+ Stay -> quay\n- (gather) So.\n-> END\n\n= stitch\nMore.\n-> DONE\n\n"
        "=== edge ===\n~ lamp = false\n// note\n-> END\n"
    )
    return (
        ("v2.json", card),
        ("card.png", lamp),
        ("book.json", json.dumps(book).encode()),
        ("story.twee", twee.encode()),
        ("story.ink", ink.encode()),
    )


@target
def saves(chance: random.Random) -> None:
    """A story from elsewhere: read, and written into a store where it was read."""
    document = damage((Path(__file__).parent / "seeds" / "save.json").read_bytes(), chance)
    with suppress(NarratoriaException):
        save = read_save(document)
        with _folder() as place:
            asyncio.run(_keep(place / "narratoria.db", save))


async def _keep(file: Path, save: Any) -> None:
    store = await Store.open(file, None)
    try:
        with suppress(NarratoriaException):
            await write_into(store, "sent", save)
    finally:
        await store.close()


@target
def packs(chance: random.Random) -> None:
    """An archive that somebody sent: a campaign, or a skill."""
    is_campaign = chance.random() < 0.6
    seed = _packed_campaign() if is_campaign else _packed_skill()
    content = damage_bytes(seed, chance) if chance.random() < 0.4 else rezip_damaged(seed, chance)
    with _folder() as place:
        archive = place / "sent.zip"
        archive.write_bytes(content)
        with suppress(ContractViolation):
            if is_campaign:
                with patch.dict(os.environ, NARRATORIA_HOME=str(place / "home")):
                    install_archive(archive, name=chance.choice(("", "", "mill")))
            else:
                with stage_skill(archive, place / "skills"):
                    pass
        assert {path.name for path in place.iterdir()} <= {"sent.zip", "home", "skills"}


@cache
def _packed_campaign() -> bytes:
    with _folder() as place:
        return pack_campaign(mill.build(place / "the-mill"), place / "mill.zip").path.read_bytes()


@cache
def _packed_skill() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in _skills()[0].items():
            archive.writestr(f"dice/{name}", content)
    return made.getvalue()


def rezip_damaged(seed: bytes, chance: random.Random) -> bytes:
    """A sound archive of other entries: renamed, doubled, damaged, of other kinds; signed anew, or not."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(seed)) as sound, zipfile.ZipFile(made, "w") as archive:
        contents = {info.filename: sound.read(info) for info in sound.infolist()}
        for name in chance.sample(sorted(contents), k=chance.randrange(3)):
            contents[name] = damage(contents[name], chance)
        if chance.random() < 0.7:
            _sign(contents, chance)
        for info in sound.infolist():
            content = contents[info.filename]
            if chance.random() < 0.02:
                name = damage_bytes(info.filename.encode(), chance).decode(errors="replace")
                info.filename = name.replace("\0", "0")[:60_000]
            if chance.random() < 0.02:
                info.external_attr = chance.choice((0o120777, 0o020666, 0o100755, 0o040755)) << 16
            with _no_warning_of_doubles():
                archive.writestr(info, content, chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))
                if chance.random() < 0.01:
                    archive.writestr(info, content)
    return made.getvalue()


def _sign(contents: dict[str, bytes], chance: random.Random) -> None:
    """As somebody would who knows how: the list of a campaign's contents is right again."""
    listing = next((name for name in contents if name.endswith(CHECKSUMS)), None)
    if listing is None:
        return
    folder = listing.removesuffix(CHECKSUMS)
    files = {
        name.removeprefix(folder): f"sha256:{hashlib.sha256(content).hexdigest()}"
        for name, content in contents.items()
        if name != listing
    }
    called = chance.choice(("the-mill", "the-mill", "../../x", "../x", ".", ""))
    document = {"format": 1, "name": called, "title": "The Mill", "version": "1.0.0", "files": files}
    contents[listing] = json.dumps(document).encode()


@contextmanager
def _no_warning_of_doubles() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@target
def expressions(chance: random.Random) -> None:
    """Conditions that authors write as CEL."""
    text = _expression(chance, 4)
    if chance.random() < 0.2:
        text = damage_bytes(text.encode(), chance).decode(errors="replace")
    if expression_problem(text):
        return
    parse_expression(text)
    values = {name: chance.choice((1, [], ["a"], {}, {"a": 1}, "mill")) for name in NAMES}
    with suppress(
        ValueError, RuntimeError, TypeError, LookupError, ArithmeticError
    ):  # as the engine takes it
        compile_expression(text).execute(values)


def _expression(chance: random.Random, depth: int) -> str:
    if not depth or chance.random() < 0.2:
        atoms = (
            *NAMES,
            "true",
            "false",
            "null",
            "1",
            "-1",
            "0.5",
            '"a"',
            "'b'",
            'r"\\"',
            "1u",
            "b'x'",
            "[]",
            "{}",
        )
        return chance.choice(atoms)
    left, right = _expression(chance, depth - 1), _expression(chance, depth - 1)
    shapes = (
        *(
            f"{left} && {right}",
            f"{left} || {right}",
            f"!{left}",
            f"({left})",
            f"{left} in {right}",
            f"-{left}",
        ),
        *(
            f"{left} == {right}",
            f"{left} < {right}",
            f"{left} + {right}",
            f"{left} % {right}",
            f"{left}.size()",
        ),
        *(f"{left}[{right}]", f"{left}.a", f"[{left}, {right}]", f'{{"a": {left}}}', f"{left} ? {right} : 1"),
        *(
            f"{left}.exists(f, f == {right})",
            f"{left}.map(x, {right})",
            f"{left}.matches('a*')",
            f"has({left}.a)",
        ),
        *(f"{left} // {right}\n", f"dyn({left})", f"timestamp({left})", f"string({left})", f"int({right})"),
    )
    return chance.choice(shapes)
