"""The channel to the host in a tool: shared by threads, kept from children, closed with a reason."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from narratoria.skills.host.dispatch import ChannelLimits

SOURCE = Path(__file__).parents[2] / "src"


async def test_a_text_can_be_left_and_other_calls_made_in_between(theatre, host):
    output = await theatre.output(
        theatre.tool("""
        def main(request):
            heard = []
            for piece in host.generate("round and round", system="for ever"):
                heard.append(piece)
                host.store("n", {"piece": piece})
                if len(heard) == 3:
                    break
            return {"heard": heard, "stored": len(host.exact_match()), "still": host.info()["skill"]}

        sdk.run(main)
        """)
    )
    assert output == {"heard": ["round ", "and ", "round "], "stored": 3, "still": "memory"}
    assert host.model.ended == host.model.begun == 1


async def test_threads_share_the_channel(theatre):
    output = await theatre.output(
        theatre.tool("""
        def main(request):
            wrong = []

            def work(name):
                for n in range(20):
                    kept = host.store("n", {"by": name, "n": n})
                    record = host.exact_match({"identifier": kept})[0]["record"]
                    text = "".join(host.generate(f"{name} {n}"))
                    if record != {"by": name, "n": n} or text != f"{name} {n} ":
                        wrong.append((record, text))

            threads = [threading.Thread(target=work, args=(name,)) for name in "abcdef"]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            return {"wrong": wrong, "stored": len(host.exact_match(limit=5000))}

        sdk.run(main)
        """)
    )
    assert output == {"wrong": [], "stored": 120}


async def test_what_a_tool_starts_does_not_get_the_channel(theatre):
    output = await theatre.output(
        theatre.tool("""
        import subprocess

        def main(request):
            number = int(os.environ["NARRATORIA_HOST_FD"])
            host.info()
            code = "import os, sys; print(sorted(k for k in os.environ if k.startswith('NARRATORIA_HOST')))"
            seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
            held = subprocess.run(["sh", "-c", f"test -e /proc/self/fd/{number}"], close_fds=False).returncode
            pid = os.fork()
            if pid == 0:
                try:
                    host.info()
                except host.HostError as error:
                    os._exit(7 if "copy of that process" in error.message else 1)
                os._exit(0)
            return {"seen": seen, "held": held, "forked": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}

        sdk.run(main)
        """)
    )
    assert output == {"seen": "[]\n", "held": 1, "forked": 7}


async def test_a_tool_that_was_hung_up_on_is_told_why(theatre):
    theatre.options = {"limits": ChannelLimits(requests=3)}
    output = await theatre.output(
        theatre.tool("""
        def main(request):
            said = []
            for _ in range(6):
                try:
                    said.append(host.info()["skill"])
                except host.HostError as error:
                    said.append(error.code)
                    last = error.message
            return {"said": said}

        sdk.run(main)
        """)
    )
    assert output["said"] == ["memory"] * 3 + ["CHANNEL_CLOSED"] * 3


def test_a_bad_value_is_refused_at_the_authors_line():
    code = """
import os, socket
ours, theirs = socket.socketpair()
os.environ["NARRATORIA_HOST_FD"] = str(theirs.detach())
from narratoria.sdk import host
for bad, kind in (
    (float("nan"), ValueError),
    ({1, 2}, TypeError),
    ("\\ud800", ValueError), ("x" * 2_000_000, host.HostError)
):
    try:
        host.store("n", {"a": bad})
    except kind as error:
        assert str(error), bad
    else:
        raise SystemExit(f"{bad!r} was sent")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_tool_that_does_not_use_the_host_does_not_pay_for_it():
    code = (
        "import sys, narratoria.sdk; print({'socket', 'threading', 'narratoria.sdk.host'} & {*sys.modules})"
    )
    ended = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=SOURCE, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "set()\n"
