"""The channel reaches into every box this machine has, and brings nothing else in with it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import get_args

import pytest

from narratoria.skills.host.transport import open_channel
from narratoria.skills.permissions import Permissions
from narratoria.skills.runnable import Runnable, nest_contexts
from narratoria.skills.sandbox import run_confined
from narratoria.skills.sandbox.backends import Backend
from narratoria.skills.sandbox.probe import probe

EXAMPLES = Path(__file__).parents[3] / "examples" / "tools"
GRANTED = ("store:read", "store:write", "embed", "model")


@pytest.fixture(params=get_args(Backend))
def boxed(request, theatre, host, tmp_path, monkeypatch):
    backend = request.param
    if backend not in probe().backends:
        pytest.skip(
            f"{backend} does not work here: {probe().reasons.get(backend, 'it is for another system')}"
        )
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))

    def boxing(script: str | Path) -> Runnable:
        folder = tmp_path / "skill"
        folder.mkdir(exist_ok=True)
        path = folder / "tool.py" if isinstance(script, str) else folder / script.name
        shutil.copy(theatre.write(script) if isinstance(script, str) else script, path)
        permissions = Permissions.parse(GRANTED)
        channel = partial(open_channel, skill="memory", permissions=permissions, host=host)
        box = run_confined("memory", folder, permissions, backend=backend)
        return replace(theatre.tool(path), around=nest_contexts(channel, box))

    boxing.backend = backend
    return boxing


@pytest.mark.parametrize("name", ["remember.py", "remember.mjs"])
async def test_a_tool_in_a_box_reaches_the_host(theatre, boxed, name):
    if name.endswith(".mjs") and not shutil.which("node"):
        pytest.skip("node is not installed")
    tool = boxed(EXAMPLES / name)
    assert await theatre.output(tool, inputs=[{"note": "a bell"}]) == {"recalled": ["a bell"]}
    assert await theatre.output(tool, inputs=[{"about": "bell"}]) == {"recalled": ["a bell"]}
    assert await theatre.output(tool, inputs=[{"about": "bell"}], playthrough="p2") == {"recalled": []}


async def test_a_text_streams_into_a_box_and_can_be_left(theatre, boxed, host):
    output = await theatre.output(
        boxed("""
        def main(request):
            pieces = host.generate("round and round", system="for ever")
            heard = [next(pieces), next(pieces)]
            pieces.close()
            return {"heard": heard, "still": host.info()["skill"]}

        sdk.run(main)
        """)
    )
    assert output == {"heard": ["round ", "and "], "still": "memory"}
    assert host.model.ended == host.model.begun == 1


async def test_the_records_are_out_of_reach_but_for_the_channel(theatre, boxed, tmp_path):
    """What is outside the box is not seen: a tool asks, or it sees nothing."""
    if boxed.backend == "plain":
        pytest.skip("a plain box isolates no files")
    records = tmp_path / "playthroughs"
    records.mkdir()
    (records / "p1.db").write_text("bell")
    output = await theatre.output(
        boxed(f"""
        def main(request):
            host.store("n", {{"secret": "bell"}})
            try:
                return {{"seen": os.listdir({str(records)!r})}}
            except OSError as error:
                return {{"seen": [], "asked": len(host.exact_match())}}

        sdk.run(main)
        """)
    )
    assert output == {"seen": [], "asked": 1}
