"""The page about the host channel shows what is: its examples fit the contracts, and nothing is left out."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from narratoria import contracts
from narratoria.contracts import Contract
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.sdk import host as sdk_host
from narratoria.skills.host.dispatch import HANDLERS
from narratoria.skills.host.messages import CODES
from narratoria.skills.host.method_table import METHODS
from narratoria.skills.host.services import Host
from narratoria.store import Store

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "host-channel.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```json(?: (\S+))?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(10))
def test_an_example_fits_its_contract(number):
    method, example = EXAMPLES[number]
    assert not contracts.check("host-request", example) or not contracts.check("host-answer", example)
    if method:
        result = Contract({"$ref": f"urn:narratoria:contract:host-answer#/$defs/{method}"})
        assert result.check_value(json.loads(example)["result"]) == ()


def test_every_example_is_looked_at():
    assert len(EXAMPLES) == 10


def test_every_method_stands_there_with_its_permission():
    for name, method in METHODS.items():
        permission = f"`{method.permission}`" if method.permission else "none"
        assert re.search(rf"^\| \[`{re.escape(name)}`\]\(#[a-z]+\) \| {permission} \|", PAGE, re.MULTILINE), (
            name
        )
        assert f"\n### {name}\n" in PAGE


def test_every_method_has_a_handler():
    assert [*HANDLERS] == [*METHODS]


def test_every_error_stands_there_with_its_number():
    told = {
        reason: int(code) for code, reason in re.findall(r"^\| (-\d+) \| `([A-Z_]+)` \|", PAGE, re.MULTILINE)
    }
    assert told == CODES


def test_every_function_of_the_sdk_is_shown():
    shown = set(re.findall(r"host\.([a-zA-Z_]+)", PAGE.split("## In Python")[1]))
    assert {name for name in sdk_host.__all__ if name != "info"} <= shown


class Letters:
    """An embedder that counts letters: quick, and near for texts of the same words."""

    model_id = "letters"

    def windows(self, text: str) -> list[str]:
        return [text]

    async def embed(self, texts: Sequence[str]) -> Any:
        return np.array([[text.lower().count(chr(97 + n)) + 0.01 for n in range(26)] for text in texts], "f4")

    async def close(self) -> None:
        """Nothing was opened."""


@pytest.fixture
async def story(tmp_path: Path, host: Host) -> AsyncIterator[Host]:
    """The host of a story in a real store, with the model and the gate of these tests."""

    async def embedder() -> Any:
        return Letters()

    provider = MemoryProvider(lambda one: Store.open(tmp_path / "narratoria.db", one), embedder)
    await (await provider.store()).playthroughs.create("mill", identifier="p1")
    memory = StoryMemory("p1", provider, branch="p1")
    yield replace(host, store=memory, embedder=memory)
    await provider.close()


def shape(value: Any) -> Any:
    """The fields of an answer, whatever they hold; of a list, those of its first item."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    return [shape(value[0])] if isinstance(value, list) and value else type(value).__name__


async def test_every_request_is_answered_by_a_real_store_as_it_stands(open_line, story):
    examples = [json.loads(text) for _, text in EXAMPLES]
    asked = {one["method"]: one["params"] for one in examples if one.get("method") in METHODS}
    answers = {method: json.loads(text)["result"] for method, text in EXAMPLES if method}
    assert {*asked} == {"store.store", "store.semanticSearch", "model.generate"}
    async with open_line(host=story) as line:
        await line.ask("store.store", **asked["store.store"])
        matches = await line.ask("store.semanticSearch", **asked["store.semanticSearch"])
        text = await line.ask("model.generate", **{**asked["model.generate"], "stream": False})
    assert shape(matches) == shape(answers["store.semanticSearch"])
    assert shape(text) == shape(answers["model.generate"])
    (shown,), (match,) = answers["store.semanticSearch"]["records"], matches["records"]
    assert shown["record"] | asked["store.store"]["record"] == shown["record"]
    assert shown["record"]["summary"] == match["record"]["summary"]
    for name in ("identifier", "dataType", "skill"):
        assert shown[name] == match[name]


async def test_the_refusal_is_what_the_host_says(open_line, story):
    (shown,) = (json.loads(text) for _, text in EXAMPLES if '"error"' in text)
    params = next(json.loads(text)["params"] for _, text in EXAMPLES if '"store.store"' in text)
    async with open_line(host=story, permissions=["store:read"]) as line:
        assert await line.refused("store.store", **params) == shown["error"]


async def test_the_calls_in_python_work_as_they_stand(theatre, story):
    theatre.host = story
    (block,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    calls = textwrap.indent(block.replace("from narratoria.sdk import host\n", ""), "    ")
    output = await theatre.output(
        theatre.tool(f"def main(request):\n{calls}\n    return {{'vectors': len(vectors)}}\nsdk.run(main)\n")
    )
    assert output == {"vectors": 2}


async def test_the_lines_in_bash_ask_as_they_stand(theatre, tmp_path):
    (block,) = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    script = tmp_path / "ask.sh"
    done = """echo '{"version":"0","type":"done","ok":true,"output":'"$answer"'}'"""
    script.write_text(f"#!/usr/bin/env bash\n{block}{done}\n", encoding="utf-8")
    assert (await theatre.output(theatre.tool(script)))["result"]["skill"] == "memory"
