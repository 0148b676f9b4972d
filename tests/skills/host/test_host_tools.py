"""Real tools that a plan starts and that reach the host: with the SDK, from Node or bash, and to do harm."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import textwrap
import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from narratoria.planning.plan import Plan, ToolInvocation
from narratoria.planning.replan import update_health
from narratoria.skills.health import HOST_LATE, SessionHealth
from narratoria.skills.host.services import Caller, Host

EXAMPLES = Path(__file__).parents[3] / "examples" / "tools"
TRANSPORTS = ["socket", "port"]


def example(name: str) -> Path:
    if name.endswith(".mjs") and not shutil.which("node"):
        pytest.skip("node is not installed")
    return EXAMPLES / name


# the examples


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("name", ["remember.py", "remember.mjs"])
async def test_an_example_remembers_from_one_plan_to_the_next(theatre, name, transport):
    theatre.options = {"transport": transport}
    tool = theatre.tool(example(name), ["store:read", "store:write"])
    notes = ["Aldric's anvil is cracked", "The harbour is frozen ❄"]
    for note in notes:
        output = await theatre.output(tool, inputs=[{"note": note}])
        assert output["recalled"][0] == note
    assert await theatre.output(tool, inputs=[{"about": "the anvil"}]) == {"recalled": notes[::-1]}
    assert await theatre.output(tool, inputs=[{"about": "anvil"}]) == {"recalled": notes[:1]}
    assert await theatre.output(tool, inputs=[{"about": "anvil"}], playthrough="p2") == {"recalled": []}


@pytest.mark.parametrize("name", ["remember.py", "remember.mjs"])
async def test_an_example_without_its_permission_fails_with_the_reason(theatre, name):
    tool = theatre.tool(example(name), ["store:read"])
    (result,) = (await theatre.play(tool, inputs=[{"note": "a"}])).tool_results
    assert (result.state, result.error.code) == ("failed", "NOT_PERMITTED")
    assert "store:write" in result.error.message


@pytest.mark.parametrize("name", ["remember.py", "remember.mjs"])
def test_an_example_started_by_hand_says_that_there_is_no_host(name):
    argv = [sys.executable] if name.endswith(".py") else ["node"]
    ended = subprocess.run(
        [*argv, str(example(name))], input=b'{"input": {"note": "a"}}', capture_output=True, check=True
    )
    assert b'"NO_HOST"' in ended.stdout
    assert b'"ok":false' in ended.stdout
    assert b"not started by Narratoria" in ended.stdout


async def test_bash_can_speak_to_the_host(theatre, tmp_path):
    script = tmp_path / "ask.sh"
    script.write_text("""#!/usr/bin/env bash
echo '{"jsonrpc":"2.0","id":1,"method":"store.exactMatch"}' >&"$NARRATORIA_HOST_FD"
read -r answer <&"$NARRATORIA_HOST_FD"
echo '{"version":"0","type":"done","ok":true,"output":'"$answer"'}'
""")
    output = await theatre.output(theatre.tool(script))
    assert output == {"jsonrpc": "2.0", "id": 1, "result": {"records": [], "more": False}}


# isolation


async def test_two_invocations_at_once_never_see_each_others_playthrough(theatre):
    tool = theatre.tool("""
    def main(request):
        mine = request.playthrough_id
        seen = set()
        for n in range(25):
            host.store("n", {"secret": mine, "text": "the same words", "n": n}, identifier=f"same-{n}")
            seen |= {m["record"]["secret"] for m in host.exact_match(limit=1000)}
            seen |= {m["record"]["secret"] for m in host.semantic_search("same words", limit=1000)}
            host.update("n", f"same-{n}", {"changed": mine})
            if n % 5 == 0:
                host.delete("n", f"same-{n}")
        return {"seen": sorted(seen), "left": len(host.exact_match({"changed": mine}))}

    sdk.run(main)
    """)
    names = ["p1", "p2", "P1"]
    outputs = await asyncio.gather(*(play_alone(theatre, tool, name) for name in names))
    assert outputs == [{"seen": [name], "left": 20} for name in names]


async def play_alone(theatre, tool, playthrough):
    result = (await theatre.play(tool, playthrough=playthrough, alone=False)).tool_results[0]
    assert result.ok, result.error
    return result.output


# bad intent: each of these ends as the tool's own result, and the host goes on

HOSTILE = {
    "garbage": """
        wire.sendall(os.urandom(100_000) + b"\\n")
        """,
    "a huge line": """
        try:
            for _ in range(200):
                wire.sendall(b"x" * 1_000_000)
        except OSError:
            pass
        """,
    "never reads": """
        wire.settimeout(1)
        try:
            while True:
                wire.sendall(b'{"jsonrpc":"2.0","id":%d,"method":"host.info"}\\n' % time.monotonic_ns())
        except OSError:
            pass
        """,
    "a hundred thousand requests": """
        def read():
            while wire.recv(65536):
                pass
        threading.Thread(target=read, daemon=True).start()
        try:
            for n in range(100_000):
                wire.sendall(b'{"jsonrpc":"2.0","id":%d,"method":"store.exactMatch"}\\n' % n)
        except OSError:
            pass
        """,
    "half closed": """
        params = {"prompt": "a", "system": "for ever", "stream": True}
        call = {"jsonrpc": "2.0", "id": 1, "method": "model.generate", "params": params}
        wire.sendall(json.dumps(call).encode() + b"\\n")
        wire.shutdown(socket.SHUT_WR)
        wire.recv(100)
        """,
    "a fork that keeps the channel": """
        if os.fork() == 0:
            os.setsid()
            for fd in (0, 1, 2):
                os.close(fd)
            while True:
                time.sleep(60)
        """,
    "closed at once": """
        wire.close()
        """,
    "killed while it generates": """
        params = {"prompt": "a", "system": "for ever", "stream": True}
        call = {"jsonrpc": "2.0", "id": 1, "method": "model.generate", "params": params}
        wire.sendall(json.dumps(call).encode() + b"\\n")
        wire.recv(100)
        os.kill(os.getpid(), 9)
        """,
}
TAKE = """
os.set_inheritable(int(os.environ["NARRATORIA_HOST_FD"]), True)
wire = socket.socket(fileno=int(os.environ["NARRATORIA_HOST_FD"]))
"""


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_tool_harms_only_itself(theatre, host: Host, name):
    tool = theatre.tool(f"{TAKE}{textwrap.dedent(HOSTILE[name])}\nsdk.done(True)\n", skill="hostile")
    honest = theatre.tool("""
    def main(request):
        for n in range(30):
            host.store("n", {"n": n})
        return {"stored": len(host.exact_match(data_type="n"))}

    sdk.run(main)
    """)
    bad, good = (await theatre.play(tool, honest)).tool_results
    assert good.output == {"stored": 30}
    assert bad.ok == (name != "killed while it generates"), bad.error
    assert host.model.ended == host.model.begun


async def test_a_tool_that_is_stopped_leaves_nothing(theatre, host: Host):
    """The plan is cancelled while its tool listens to a text without end."""
    tool = theatre.tool("""
    def main(request):
        for piece in host.generate("round and round", system="for ever"):
            pass

    sdk.run(main)
    """)
    playing = asyncio.create_task(theatre.play(tool, grace=0))
    async with asyncio.timeout(20):
        while host.model.begun == 0:
            await asyncio.sleep(0.01)
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert host.model.ended == 1


async def test_a_tool_that_cannot_be_started_leaves_nothing(theatre, tmp_path):
    script = tmp_path / f"{uuid.uuid4().hex}.sh"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    (result,) = (await theatre.play(theatre.tool(script))).tool_results
    assert (result.state, result.error.code) == ("failed", "NOT_STARTED")


async def test_each_attempt_of_a_tool_has_a_channel_of_its_own(theatre, host: Host):
    tool = theatre.tool("""
    def main(request):
        seen = len(host.exact_match())
        host.store("n", {"try": seen})
        if seen < 2:
            os._exit(1)
        return {"seen": seen}

    sdk.run(main)
    """)
    assert await theatre.output(tool) == {"seen": 2}
    kept = await host.store.exact_match(
        Caller("x", "p1"), data_type=None, filters={}, limit=9, offset=0, newest_first=False
    )
    assert [entry.record["try"] for entry in kept] == [0, 1, 2]


# a host that is slow


class NeverAnswers:
    async def embed(self, caller: Caller, texts):
        await asyncio.sleep(60)


@pytest.mark.parametrize(
    "script",
    [
        "sdk.run(lambda request: {'found': host.embed(['a'])})",  # it fails over what it was refused
        # it is stopped while it waits
        "host_channel.open_channel().send('embed.embed', {'texts': ['a']}); time.sleep(60)",
    ],
)
async def test_a_run_that_fails_while_the_host_keeps_it_waiting_does_not_count_against_its_skill(
    theatre, script
):
    theatre.host = Host(embedder=NeverAnswers())
    theatre.options = {"run_seconds": 1}
    tool = theatre.tool(script)
    tool = replace(tool, limits=replace(tool.limits, timeout=1))
    (result,) = (await theatre.play(tool)).tool_results
    assert not result.ok
    assert result.error.code == HOST_LATE
    plan = Plan(request_id="p", tools=(ToolInvocation(tool_id="t0", tool_path="t0", input={}),))
    assert update_health(SessionHealth(), plan, [result]).disabled == frozenset()


async def test_a_run_that_fails_on_its_own_counts_although_the_host_was_asked(theatre):
    tool = theatre.tool("host.embed(['a']); time.sleep(60)")
    tool = replace(tool, limits=replace(tool.limits, timeout=2))
    (result,) = (await theatre.play(tool)).tool_results
    assert result.error.code != HOST_LATE
