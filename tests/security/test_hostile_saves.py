"""A saved story that somebody sent: what it may say, and what it may not make this machine do."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from narratoria import app
from narratoria.engine.persistence import save
from narratoria.engine.persistence.save import read_save
from narratoria.errors import ContractViolation, NarratoriaException

SAVE = Path(__file__).parents[1] / "fuzz" / "seeds" / "save.json"


def changed(**fields: Any) -> bytes:
    document = json.loads(SAVE.read_bytes())
    document["story"] |= fields.pop("story", {})
    document["turns"][0]["chosen"] |= fields.pop("chosen", {})
    return json.dumps(document | fields).encode()


def test_the_save_that_these_tests_change_is_sound_itself() -> None:
    assert len(read_save(changed()).turns) == 2


@pytest.mark.parametrize(
    "name", ["/etc", "../../campaigns", "..", ".", "a/b", "\\\\host\\share", "C:\\x", " ", "x/"]
)
def test_a_save_names_a_campaign_and_no_folder(name: str) -> None:
    with pytest.raises(ContractViolation, match="campaign"):
        read_save(changed(story={"campaign": name}))


async def test_the_folder_that_a_save_names_is_neither_opened_nor_written_into(tmp_path: Path) -> None:
    lure = tmp_path / "documents"  # it would be taken for a campaign, and filled up
    lure.mkdir()
    (lure / "manifest.json").write_text('{"title": "Mine", "version": "1.0.0"}')
    assert all(not told.input.folder for told in read_save(changed(chosen={"folder": str(lure)})).turns)
    async with app.open_isolated_library(tmp_path / "home") as library:
        story = await library.import_save(changed(chosen={"folder": str(lure)}))
        telling = await library.open(story.id)
        assert telling.snapshot.campaign == "tomorrows-post"
        await telling.close()
        unknown = changed(chosen={"folder": str(lure)}, story={"campaign": "documents"})
        story = await library.import_save(unknown)
        with pytest.raises(NarratoriaException, match="there is no campaign 'documents'"):
            await library.open(story.id)
    assert [path.name for path in lure.iterdir()] == ["manifest.json"]


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"format": NaN}',
        b'{"format": 1, "format": 2}',
        b"\0" * 99,
    ],
)
def test_what_is_no_save_is_refused_in_words(document: bytes) -> None:
    with pytest.raises(ContractViolation):
        read_save(document)


def test_traces_that_grow_without_end_are_not_all_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(save, "LARGEST_EXPANDED", 2**20)
    document = json.loads(SAVE.read_bytes())
    for told in document["turns"]:
        trace = zlib.decompress(base64.b85decode(told["ended"]["trace"]))
        swollen = trace[:-1] + b" " * (700 * 1024) + trace[-1:]  # each has room by itself
        told["ended"]["trace"] = base64.b85encode(zlib.compress(swollen)).decode()
    with pytest.raises(ContractViolation, match="trace cannot be read") as refused:
        read_save(json.dumps(document).encode())
    assert [problem.pointer for problem in refused.value.problems] == ["/turns/1/ended/trace"]
