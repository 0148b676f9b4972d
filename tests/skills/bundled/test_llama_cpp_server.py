"""llama.cpp's own server, with the smallest model: found, asked, counted, cached and held to a schema."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.skills.bundled.provider_servers import Provider
from tests.skills.bundled.test_provider_transport import SCHEMA, ask

from narratoria.inference.installed_models import InstalledModel
from narratoria.inference.local_servers import find_servers
from narratoria.sdk import narration, structured_answer
from narratoria.sdk.usage import UsageLog

SERVER = Path(__file__).with_name("llama_server.py")


@pytest.fixture
def llama(embedded: InstalledModel, unused_tcp_port: int) -> Iterator[Provider]:
    with subprocess.Popen(
        [sys.executable, str(SERVER), str(embedded.path), str(unused_tcp_port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        url = process.stdout.readline().strip()
        yield Provider("openai", url=f"{url}/v1")
        process.stdin.close()
        process.kill()


def test_it_is_found_asked_counted_cached_and_held_to_a_schema(llama: Provider, tmp_path: Path) -> None:
    port = int(llama.url.removesuffix("/v1").rpartition(":")[2])
    (found,) = [one for one in find_servers([port]) if one.base_url == llama.url]
    assert (found.name, found.provider, len(found.models)) == ("llama.cpp", "openai", 1)
    stable = "You are on a lake, in a boat, at night. " * 20
    config = {"model": found.models[0], "apiKey": ""}
    first = ask(llama, tmp_path, config=config, stable=stable, most=20, timeout=60)
    assert first["error"] == ""
    assert first["text"].strip()
    held = ask(llama, tmp_path, config=config, stable=stable, schema=SCHEMA, timeout=60)
    used = UsageLog(str(tmp_path)).of_day()
    assert used.requests == 2
    assert used.cached > 100, "the part that stays the same was not read again"
    if not held["error"]:  # the smallest model may fill the text up to the limit
        assert list(json.loads(held["text"])) == ["prose"]
    else:
        assert "may write no more" in held["error"]
        assert held["text"].lstrip().startswith("{")


def test_its_answer_is_held_to_the_form_of_a_telling(llama: Provider, tmp_path: Path) -> None:
    paragraph = {"type": "string", "minLength": 5, "maxLength": 60}
    properties = dict(structured_answer.SCHEMA["properties"])
    properties["paragraphs"] = {**properties["paragraphs"], "items": paragraph}
    schema = {**structured_answer.SCHEMA, "properties": properties}
    held = ask(llama, tmp_path, config={"apiKey": ""}, schema=schema, most=480, timeout=120)
    telling = narration.Telling()
    paragraphs = telling.add(held["text"])
    assert paragraphs, "the smallest model too comes as far as a paragraph"
    assert held["text"].lstrip().startswith("{")
    # what so small a model puts into the form is another matter, and a telling that is cut off has none
    if not held["error"] and held["text"].rstrip().endswith("}"):
        assert set(structured_answer.SCHEMA["required"]) <= json.loads(held["text"]).keys()
