"""Skills that change while a story runs: picked up as they are, and never half."""

from __future__ import annotations

import asyncio
import json
import shutil
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from narratoria.planning.execute import execute
from narratoria.planning.plan import Plan, ToolInvocation
from narratoria.planning.prepare import prepare_plan
from narratoria.skills.discovery import Catalogue, discover, watch_skills
from narratoria.skills.resolve import Tools
from narratoria.skills.skill import data_dir
from narratoria.state import SessionState

if TYPE_CHECKING:
    from tests.skills.conftest import MakeSkill

PATIENCE = 30.0


def names(catalogue: Catalogue) -> list[str]:
    return [skill.name for skill in catalogue.skills]


class Watching:
    """Every catalogue that came, and a way to wait for one that is as expected."""

    def __init__(self) -> None:
        self.seen: list[Catalogue] = []
        self._news = asyncio.Condition()

    async def listen(self, roots: tuple[Path, ...]) -> None:
        async with aclosing(
            watch_skills(roots, discover(roots), settle_ms=50, look_around_ms=100)
        ) as changes:
            async for catalogue in changes:
                async with self._news:
                    self.seen.append(catalogue)
                    self._news.notify_all()

    async def until(self, wanted: Callable[[Catalogue], Any]) -> Catalogue:
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: self.seen and wanted(self.seen[-1]))
            return self.seen[-1]


@asynccontextmanager
async def watching(*roots: Path) -> AsyncIterator[Watching]:
    skills = Watching()
    task = asyncio.create_task(skills.listen(roots))
    await asyncio.sleep(0.3)  # most changes then come while it listens; those before it are found as well
    try:
        yield skills
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_folder_that_is_dropped_in_is_a_skill_and_one_that_goes_is_none(
    tmp_path: Path, make_skill: MakeSkill
) -> None:
    make_skill(tmp_path, "dice")
    async with watching(tmp_path) as skills:
        make_skill(tmp_path, "memory")
        await skills.until(lambda now: names(now) == ["dice", "memory"])

        shutil.rmtree(tmp_path / "dice")
        await skills.until(lambda now: names(now) == ["memory"])


async def test_an_edit_is_picked_up_and_whoever_holds_the_old_catalogue_keeps_it(
    tmp_path: Path, make_skill: MakeSkill
) -> None:
    make_skill(tmp_path, "dice", description="old")
    before = discover([tmp_path])
    async with watching(tmp_path) as skills:
        make_skill(tmp_path, "dice", {"prompt.md": "Roll."}, description="new")
        after = await skills.until(lambda now: now.skills[0].description == "new" and now.skills[0].prompt)

    assert after.skills[0].prompt == "Roll."
    assert before.skills[0].description == "old"


async def test_a_broken_edit_keeps_the_last_good_version_and_says_so(
    tmp_path: Path, make_skill: MakeSkill
) -> None:
    folder = make_skill(tmp_path, "dice", {"scripts/roll.py": ""}, description="good")
    good = (folder / "skill.json").read_text()
    async with watching(tmp_path) as skills:
        (folder / "skill.json").write_text(good.replace('"name"', '"nam'))
        broken = await skills.until(lambda now: now.problems)

        assert [skill.description for skill in broken.skills] == ["good"]
        assert broken.last_good == ("dice",)
        fault, kept = broken.problems
        assert (fault.file, fault.line > 0) == (str(folder / "skill.json"), True)
        assert kept.message == "the skill 'dice' stays in use as it was before this change"

        (folder / "skill.json").write_text(good.replace("good", "better"))
        mended = await skills.until(lambda now: not now.problems)

    assert [skill.description for skill in mended.skills] == ["better"]
    assert mended.last_good == ()


async def test_a_namesake_in_a_later_root_does_not_step_in_for_a_broken_skill(
    tmp_path: Path, make_skill: MakeSkill
) -> None:
    mine = make_skill(tmp_path / "one", "dice", description="mine")
    make_skill(tmp_path / "two", "dice", description="theirs")
    async with watching(tmp_path / "one", tmp_path / "two") as skills:
        (mine / "skill.json").write_text("{")
        broken = await skills.until(lambda now: now.last_good)

    assert [skill.description for skill in broken.skills] == ["mine"]


async def test_a_skill_that_was_never_good_is_reported_and_not_kept(tmp_path: Path) -> None:
    async with watching(tmp_path) as skills:
        (tmp_path / "odd").mkdir()
        (tmp_path / "odd" / "skill.json").write_text("{}")
        found = await skills.until(lambda now: now.problems)

    assert (found.skills, found.last_good) == ((), ())


async def test_a_root_may_come_go_and_come_again(tmp_path: Path, make_skill: MakeSkill) -> None:
    root = tmp_path / "not" / "yet"
    async with watching(root) as skills:
        make_skill(root, "dice")
        await skills.until(lambda now: names(now) == ["dice"])

        shutil.rmtree(root)
        await skills.until(lambda now: names(now) == [])

        make_skill(root, "memory")
        await skills.until(lambda now: names(now) == ["memory"])
        make_skill(root, "weather")
        await skills.until(lambda now: names(now) == ["memory", "weather"])


async def test_a_skill_behind_a_link_is_watched_where_it_lies(tmp_path: Path, make_skill: MakeSkill) -> None:
    make_skill(tmp_path / "elsewhere", "dice", description="old")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "dice").symlink_to(tmp_path / "elsewhere" / "dice")
    async with watching(tmp_path / "skills") as skills:
        make_skill(tmp_path / "elsewhere", "dice", description="new")
        await skills.until(lambda now: now.skills[0].description == "new")


async def test_what_a_skill_keeps_for_itself_is_no_change_of_the_skill(
    tmp_path: Path, make_skill: MakeSkill
) -> None:
    folder = make_skill(tmp_path, "dice")
    async with watching(tmp_path) as skills:
        (folder / "data").mkdir()
        for number in range(20):
            (folder / "data" / f"{number}.json").write_text("{}")
        (folder / "config.json").write_text(json.dumps({"sides": 6}))
        make_skill(tmp_path, "memory")
        await skills.until(lambda now: "memory" in names(now))

    assert len(skills.seen) == 1


WAITS = """
import json, pathlib, sys, time
request = json.load(sys.stdin)
here = pathlib.Path(request["context"]["dataDir"])
(here / "began").touch()
while not (here / "go").exists():
    time.sleep(0.01)
print(json.dumps({"version": "0", "type": "done", "ok": True, "output": {"heard": "to the end"}}))
"""


async def test_what_is_running_goes_on_as_it_began_while_its_skill_changes_and_goes(
    tmp_path: Path, make_skill: MakeSkill, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    root = tmp_path / "skills"
    scripts = [{"name": "wait", "path": "wait.py"}]
    folder = make_skill(root, "patient", {"scripts/wait.py": WAITS}, scripts=scripts)
    call = ToolInvocation(tool_id="w", tool_path="patient/wait")
    plan = Plan(request_id=str(uuid.uuid4()), tools=(call,))
    prepared = prepare_plan(plan, Tools(discover([root])).resolve)
    async with watching(root) as skills, asyncio.timeout(PATIENCE):
        running = asyncio.create_task(execute(prepared, SessionState()))
        here = data_dir("patient")
        while not (here / "began").exists():
            await asyncio.sleep(0.01)
        (folder / "scripts" / "wait.py").write_text("raise SystemExit(1)")
        make_skill(root, "patient", description="changed", scripts=scripts)
        await skills.until(lambda now: now.skills[0].description == "changed")
        shutil.rmtree(folder)
        await skills.until(lambda now: not now.skills)
        (here / "go").touch()
        result = await running

    assert result.success
    assert result.tool_results[0].output == {"heard": "to the end"}
