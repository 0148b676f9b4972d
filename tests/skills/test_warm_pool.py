"""Processes that were started ahead: used once, given up when anything changes, and never left behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.skills.conftest import MakeSkill

from narratoria import paths
from narratoria.planning.execute import execute
from narratoria.planning.plan import Plan, RetryPolicy, ToolInvocation
from narratoria.planning.prepare import prepare_plan
from narratoria.planning.result import ToolResult
from narratoria.protocol.process_limits import MIB
from narratoria.skills import warm_pool
from narratoria.skills.config import config_file
from narratoria.skills.decisions import change_decisions
from narratoria.skills.discovery import discover
from narratoria.skills.resolve import Tools
from narratoria.skills.sandbox import probe
from narratoria.skills.sandbox.backends import Backend
from narratoria.skills.warm_pool import MOST, WarmPool
from narratoria.state import SessionState

HOME = """
    import os, time, uuid
    from pathlib import Path
    STARTED = time.monotonic()
    Path(os.environ["HOME"], f"started-{uuid.uuid4().hex}").touch()
"""
ECHO = f"""
    {HOME}
    from narratoria import sdk
    import _words
    def main(request):
        return {{"started": STARTED, "input": request.input, "words": _words.WORDS}}
    sdk.run(main)
"""
SCHEMA = {"type": "object", "properties": {"mood": {"type": "string", "default": "calm"}}}


class Bench:
    """A home with a skill that may be started ahead, and what runs it."""

    def __init__(self, folder: Path, make_skill: MakeSkill) -> None:
        self.folder, self._make_skill = folder, make_skill
        self.campaign, self.assets = folder / "campaign", folder / "story" / "assets"
        self.campaign.mkdir()
        self.assets.mkdir(parents=True)
        self.skill = self.write(
            "echoes",
            {
                "scripts/echo.py": _dedent(ECHO),
                "scripts/_words.py": "WORDS = 'first'\n",
                "config-schema.json": json.dumps(SCHEMA),
            },
            scripts=[{"name": "echo", "path": "echo.py", "warmStart": True}],
            permissions=["network"],
        )
        self.pool = WarmPool(lambda script: self.tools().resolve(script), check_s=0.05, start_after_s=0)

    def write(self, name: str, files: dict[str, str], **fields: Any) -> Path:
        return self._make_skill(paths.home() / "skills", name, files, **fields)

    def add(self, name: str, script: str, **listed: Any) -> str:
        """Add a skill with one script, and return the path that plans call it by."""
        entry = {"name": "run", "path": "run.py", "warmStart": True, **listed}
        folder = self.write(name, {f"scripts/{entry['path']}": _dedent(script)}, scripts=[entry])
        (folder / "scripts" / entry["path"]).chmod(0o755)
        return f"{name}/run"

    def tools(self) -> Tools:
        return Tools(discover([paths.home() / "skills"]))

    @property
    def context(self) -> dict[str, Any]:
        return {"campaignDir": str(self.campaign), "assetDir": str(self.assets), "playthroughId": "p1"}

    async def warm(self, *scripts: str) -> None:
        """Have these scripts expected in the next turn, and wait until their processes are up."""
        for script in scripts or ("echoes/echo",):
            self.pool.note_run(script, self.context)
        await self.pool.expect_turn(self.context)
        for script in scripts or ("echoes/echo",):
            await until(lambda script=script: self.started(script.split("/")[0]) > 0)

    def started(self, skill: str = "echoes") -> int:
        """How many processes of a skill got as far as their imports."""
        return len(list((paths.home() / "skills" / skill / "data").glob("started-*")))

    async def run(self, script: str = "echoes/echo", **input_: Any) -> ToolResult:
        call = ToolInvocation(
            tool_id="t", tool_path=script, input=input_, retry_policy=RetryPolicy(max_retries=0)
        )
        tools = replace(self.tools(), pool=self.pool)
        prepared = prepare_plan(Plan(request_id="p", tools=(call,)), tools.resolve)
        return (await execute(prepared, SessionState({}), context=self.context)).of("t")

    async def run_fresh(self, script: str = "echoes/echo", **input_: Any) -> dict[str, Any]:
        before = time.monotonic()
        result = await self.run(script, **input_)
        assert result.ok, result.error
        output = result.output or {}
        assert output["started"] > before
        return output

    async def run_warm(self, script: str = "echoes/echo", **input_: Any) -> dict[str, Any]:
        before = time.monotonic()
        result = await self.run(script, **input_)
        assert result.ok, result.error
        output = result.output or {}
        assert output["started"] < before
        return output


@pytest.fixture
async def bench(
    tmp_path: Path, make_skill: MakeSkill, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Bench]:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    bench = Bench(tmp_path, make_skill)
    yield bench
    await bench.pool.close()
    assert processes_of(tmp_path) == []


async def test_a_waiting_process_answers_one_request_and_no_other(bench: Bench) -> None:
    await bench.warm()
    assert (await bench.run_warm(n=1))["input"] == {"n": 1}
    assert bench.pool.waiting == ()
    assert (await bench.run_fresh(n=2))["input"] == {"n": 2}
    assert bench.started() == 2


async def test_two_calls_in_one_plan_do_not_share_a_process(bench: Bench) -> None:
    await bench.warm()
    first, second = await asyncio.gather(bench.run(n=1), bench.run(n=2))
    assert first.output
    assert second.output
    assert (first.output["input"], second.output["input"]) == ({"n": 1}, {"n": 2})
    assert first.output["started"] != second.output["started"]


async def test_a_script_that_does_not_say_so_is_never_started_ahead(bench: Bench) -> None:
    path = bench.add("shy", ECHO.replace("import _words", "").replace("_words.WORDS", "''"), warmStart=False)
    bench.pool.note_run(path, bench.context)
    await bench.pool.expect_turn(bench.context)
    assert bench.pool.waiting == ()
    await bench.run_fresh(path)


@pytest.mark.parametrize(
    "change",
    ["script", "module", "settings", "grant", "environment", "data folder", "campaign", "manifest"],
)
async def test_what_was_started_before_a_change_is_given_up(
    change: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.warm()
    (process,) = bench.pool.waiting
    CHANGES[change](bench, monkeypatch)
    await until(lambda: bench.pool.waiting == ())
    await until(process.child.exited.is_set)
    output = await bench.run_fresh()
    assert output["words"] == ("second" if change == "module" else "first")


@pytest.mark.parametrize("change", ["script", "module", "settings", "grant", "environment", "data folder"])
async def test_a_run_right_after_a_change_does_not_take_what_was_started_before_it(
    change: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.pool = WarmPool(bench.pool._resolve, check_s=3600, start_after_s=0)
    await bench.warm()
    CHANGES[change](bench, monkeypatch)
    output = await bench.run_fresh()
    assert output["words"] == ("second" if change == "module" else "first")
    assert len(bench.pool.waiting) == 1, "nobody has looked at it yet"


def _change_script(bench: Bench, _: pytest.MonkeyPatch) -> None:
    script = bench.skill / "scripts" / "echo.py"
    script.write_text(script.read_text() + "# changed\n")


def _change_module(bench: Bench, _: pytest.MonkeyPatch) -> None:
    (bench.skill / "scripts" / "_words.py").write_text("WORDS = 'second'\n")


def _change_settings(_: Bench, __: pytest.MonkeyPatch) -> None:
    config_file(paths.home(), "echoes").write_text('{"mood": "wild"}')


def _grant(_: Bench, __: pytest.MonkeyPatch) -> None:
    change_decisions(paths.home(), lambda decisions: decisions.with_granted("echoes", ["network"]))


def _change_environment(_: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Chatham")


def _replace_data_folder(bench: Bench, _: pytest.MonkeyPatch) -> None:
    data = paths.home() / "skills" / "echoes" / "data"
    data.rename(data.with_name("data-before"))
    data.mkdir()


def _replace_campaign(bench: Bench, _: pytest.MonkeyPatch) -> None:
    bench.campaign.rmdir()
    bench.campaign.mkdir()
    (bench.campaign / "manifest.json").touch()


def _change_manifest(bench: Bench, _: pytest.MonkeyPatch) -> None:
    manifest = bench.skill / "skill.json"
    document = json.loads(manifest.read_text())
    document["scripts"][0]["warmStart"] = False
    manifest.write_text(json.dumps(document))


CHANGES: dict[str, Callable[[Bench, pytest.MonkeyPatch], None]] = {
    "script": _change_script,
    "module": _change_module,
    "settings": _change_settings,
    "grant": _grant,
    "environment": _change_environment,
    "data folder": _replace_data_folder,
    "campaign": _replace_campaign,
    "manifest": _change_manifest,
}


async def test_a_skill_that_is_turned_off_or_removed_leaves_no_process(bench: Bench) -> None:
    await bench.warm()
    change_decisions(paths.home(), lambda decisions: decisions.with_enabled("echoes", False))
    await until(lambda: bench.pool.waiting == ())
    await until(lambda: processes_of(bench.folder) == [])


async def test_another_story_takes_the_room_of_the_one_before(bench: Bench) -> None:
    bench.pool = WarmPool(bench.pool._resolve, most=1, start_after_s=0)
    await bench.warm()
    bench.assets = bench.folder / "other-story" / "assets"
    bench.assets.mkdir(parents=True)
    await bench.pool.expect_turn(bench.context)
    (process,) = bench.pool.waiting
    assert process.request.context["assetDir"] == str(bench.assets)


async def test_stories_that_are_played_by_turns_end_no_process_of_each_other(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.pool = WarmPool(bench.pool._resolve, most=1, start_after_s=0)
    stories = [bench.folder / name / "assets" for name in ("one", "two", "three")]
    for bench.assets in stories:
        bench.assets.mkdir(parents=True)
    one, two, three = stories
    for bench.assets in (one, two, one):
        await bench.warm()
    (waits,) = bench.pool.waiting
    for bench.assets in (one, two, three):
        await bench.pool.expect_turn(bench.context)
        assert bench.pool.waiting == (waits,)
    monkeypatch.setattr(warm_pool, "PLAYED_S", 0)  # the others have not been played for long
    await bench.pool.expect_turn(bench.context)
    assert [process.request.context["assetDir"] for process in bench.pool.waiting] == [str(three)]


async def test_nothing_waits_when_nobody_plays(bench: Bench) -> None:
    bench.pool = WarmPool(bench.pool._resolve, check_s=0.05, idle_s=0.5, start_after_s=0)
    await bench.warm()
    await until(lambda: bench.pool.waiting == ())
    await until(lambda: processes_of(bench.folder) == [])


async def test_no_more_wait_than_may(bench: Bench) -> None:
    names = [bench.add(f"skill{number}", WAITS) for number in range(MOST + 2)]
    for name in names:
        bench.pool.note_run(name, bench.context)
    await bench.pool.expect_turn(bench.context)
    assert len(bench.pool.waiting) == MOST


async def test_the_scripts_that_ran_most_often_are_started(bench: Bench) -> None:
    bench.pool = WarmPool(bench.pool._resolve, most=1, start_after_s=0)
    often, once = bench.add("often", WAITS), bench.add("once", WAITS)
    for ran in ([often], [often, once], [often]):
        for script in ran:
            bench.pool.note_run(script, bench.context)
        await bench.pool.expect_turn(bench.context)
    assert [process.script for process in bench.pool.waiting] == [often]


async def test_a_process_that_needs_too_much_memory_to_wait_is_given_up_and_runs_when_asked(
    bench: Bench,
) -> None:
    greedy = bench.add("greedy", WAITS.replace("def main", f"BLOCK = b'.' * {200 * MIB}\n    def main"))
    await bench.warm("echoes/echo", greedy)
    await until(lambda: [process.script for process in bench.pool.waiting] == ["echoes/echo"])
    await bench.pool.expect_turn(bench.context)
    assert [process.script for process in bench.pool.waiting] == ["echoes/echo"]
    await bench.run_fresh(greedy)


async def test_where_a_waiting_process_was_killed_another_is_launched(bench: Bench) -> None:
    bench.pool = WarmPool(bench.pool._resolve, check_s=3600, start_after_s=0)
    await bench.warm()
    (process,) = bench.pool.waiting
    os.killpg(process.child.pid, signal.SIGKILL)
    await until(process.child.has_ended)
    await bench.run_fresh()
    await bench.pool.expect_turn(bench.context)
    assert len(bench.pool.waiting) == 1, "it did wait, and may again"


async def test_a_script_that_does_not_wait_is_launched_for_its_run(bench: Bench) -> None:
    hasty = bench.add("hasty", f"{HOME}\n    from narratoria import sdk\n    sdk.done(output={{}})")
    await bench.warm(hasty)
    await until(lambda: bench.pool.waiting == ())
    assert (await bench.run(hasty)).ok
    await bench.pool.expect_turn(bench.context)
    assert bench.pool.waiting == ()
    assert bench.started("hasty") == 2


async def test_what_cannot_be_started_ahead_is_a_failure_of_its_run_alone(bench: Bench) -> None:
    path = bench.add("broken", "#!/no/such/interpreter\n", path="run.sh")
    bench.pool.note_run(path, bench.context)
    await bench.pool.expect_turn(bench.context)
    assert bench.pool.waiting == ()
    result = await bench.run(path)
    assert result.error
    assert "interpreter" in result.error.message


async def test_the_time_limit_begins_with_the_request(bench: Bench) -> None:
    slow = bench.add("slow", WAITS, timeout=1500)
    await bench.warm(slow)
    await asyncio.sleep(2)
    result = await bench.run(slow)
    assert result.ok, result.error
    assert len(result.attempts) == 1
    assert result.attempts[0].execution_time_ms < 1500


async def test_a_waiting_process_that_fails_or_hangs_counts_like_any_other(bench: Bench) -> None:
    failing = bench.add("failing", WAITS.replace("return", "raise ValueError('no') #"))
    hanging = bench.add("hanging", WAITS.replace("return", "time.sleep(600) #"), timeout=300)
    await bench.warm(failing, hanging)
    failed, hung = await bench.run(failing), await bench.run(hanging)
    assert (failed.state, hung.state) == ("failed", "timeout")
    assert failed.error
    assert failed.error.code == "UNHANDLED_EXCEPTION"


async def test_a_script_in_another_language_waits_for_its_input(bench: Bench) -> None:
    shell = bench.add(
        "shell",
        """\
        #!/bin/sh
        touch "$HOME/started-shell"
        request=$(cat)
        printf '{"version":"0","type":"done","ok":true,"output":{"bytes":%d}}\\n' "${#request}"
        """,
        path="run.sh",
    )
    await bench.warm(shell)
    (process,) = bench.pool.waiting
    result = await bench.run(shell, word="x" * 100_000)
    assert result.output
    assert result.output["bytes"] > 100_000
    assert process.child.exit_code == 0


async def test_what_is_said_before_the_request_belongs_to_its_run(bench: Bench) -> None:
    path = bench.add(
        "chatty", WAITS.replace("def main", "sdk.log('up'); os.write(2, b'x' * 200_000)\n    def main")
    )
    await bench.warm(path)
    result = await bench.run(path)
    assert result.ok, result.error
    assert "up" in str(result.attempts[0].events)


async def test_the_channel_is_that_of_the_request(bench: Bench) -> None:
    asking = bench.add(
        "asking", WAITS.replace("return {", "from narratoria.sdk import host; return {**host.info(), ")
    )
    await bench.warm(asking)
    assert (await bench.run_warm(asking))["playthroughId"] == "p1"


BACKENDS: tuple[Backend, ...] = ("bubblewrap", "namespaces", "landlock", "plain")


@pytest.mark.parametrize("backend", BACKENDS)
async def test_the_box_is_the_one_of_a_fresh_launch(
    backend: Backend, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    if backend not in probe().backends:
        pytest.skip(f"{backend} does not work here: {probe().reasons[backend]}")
    support = replace(probe(), backends=(backend,))
    monkeypatch.setattr("narratoria.skills.sandbox.probe", lambda: support)
    looking = bench.add("looking", LOOKS)
    await bench.warm(looking)
    warm, fresh = await bench.run_warm(looking), await bench.run_fresh(looking)
    for output in (warm, fresh):
        del output["started"]
    assert warm == fresh
    assert warm["limits"]
    assert warm["environment"]["HOME"].endswith("looking/data")


async def test_a_run_that_is_cancelled_ends_what_it_took(bench: Bench) -> None:
    hanging = bench.add("hanging", WAITS.replace("return", "time.sleep(600) #"))
    await bench.warm(hanging)
    (process,) = bench.pool.waiting
    running = asyncio.create_task(bench.run(hanging))
    await until(lambda: bench.pool.waiting == ())
    running.cancel()
    await asyncio.wait({running})
    assert process.child.exited.is_set()
    assert processes_of(bench.folder) == []


async def test_closing_leaves_nothing_behind(bench: Bench) -> None:
    await bench.warm()
    assert processes_of(bench.folder)
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    await bench.pool.close()
    assert processes_of(bench.folder) == []
    assert len(list(Path("/proc/self/fd").iterdir())) < descriptors
    await bench.pool.expect_turn(bench.context)
    assert bench.pool.waiting == ()


def test_nothing_waits_any_longer_when_the_runtime_was_killed(
    tmp_path: Path, make_skill: MakeSkill, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    bench = Bench(tmp_path, make_skill)
    with subprocess.Popen(
        [sys.executable, "-c", RUNTIME, json.dumps(bench.context)], stdout=subprocess.PIPE
    ) as runtime:
        assert runtime.stdout
        assert runtime.stdout.readline() == b"waiting\n"
        assert processes_of(tmp_path)
        runtime.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while processes_of(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes_of(tmp_path) == []


RUNTIME = """
import asyncio, json, sys
from narratoria import paths
from narratoria.skills.discovery import discover
from narratoria.skills.resolve import Tools
from narratoria.skills.warm_pool import WarmPool

async def wait():
    pool = WarmPool(Tools(discover([paths.home() / "skills"])).resolve)
    pool.note_run("echoes/echo", {})
    await pool.expect_turn(json.loads(sys.argv[1]))
    while not list((paths.home() / "skills" / "echoes" / "data").glob("started-*")):
        await asyncio.sleep(0.02)
    print("waiting", flush=True)
    await asyncio.sleep(600)

asyncio.run(wait())
"""

WAITS = f"""
    {HOME}
    from narratoria import sdk
    def main(request):
        return {{"started": STARTED}}
    sdk.run(main)
"""
LOOKS = f"""
    {HOME}
    import resource
    from narratoria import sdk
    OURS = ("NARRATORIA_INVOCATION", "NARRATORIA_HOST_FD", "TMPDIR")
    def lists(path):
        try:
            return sorted(os.listdir(path))
        except OSError as error:
            return type(error).__name__
    def reads(path):
        try:
            return Path(path).read_text()
        except OSError as error:
            return type(error).__name__
    def main(request):
        status = reads("/proc/self/status").splitlines()
        return {{
            "started": STARTED,
            "environment": {{k: v for k, v in os.environ.items() if k not in OURS}},
            "limits": [resource.getrlimit(number) for number in range(16)],
            "cwd": os.getcwd(),
            "root": lists("/"),
            "etc": lists("/etc"),
            "dev": lists("/dev"),
            "campaign": lists(request.campaign_dir),
            "assets": lists(request.asset_dir),
            "skills": lists(Path(request.data_dir).parent.parent),
            "rights": [line for line in status if line.startswith(("Cap", "Seccomp", "NoNewPrivs"))],
            "descriptors": len(lists("/proc/self/fd")),
        }}
    sdk.run(main)
"""


def _dedent(text: str) -> str:
    return textwrap.dedent("\n".join(line for line in text.splitlines() if line.strip()) + "\n")


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something is so; the machine may be busy."""
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.02)


def processes_of(folder: Path) -> list[int]:
    """The living processes that were started with a file of this folder."""
    return [pid for pid in _pids() if pid != os.getpid() and str(folder / "home").encode() in _command(pid)]


def _pids() -> Iterator[int]:
    return (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
