"""The page about the host channel shows what is: its examples fit the contracts, and nothing is left out."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest

from narratoria import contracts
from narratoria.contracts import Contract
from narratoria.sdk import host
from narratoria.skills.host.messages import CODES
from narratoria.skills.host.methods import METHODS

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


def test_every_error_stands_there_with_its_number():
    told = {
        reason: int(code) for code, reason in re.findall(r"^\| (-\d+) \| `([A-Z_]+)` \|", PAGE, re.MULTILINE)
    }
    assert told == CODES


def test_every_function_of_the_sdk_is_shown():
    shown = set(re.findall(r"host\.([a-zA-Z_]+)", PAGE.split("## In Python")[1]))
    assert {name for name in host.__all__ if name != "info"} <= shown


async def test_the_calls_in_python_work_as_they_stand(theatre):
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
