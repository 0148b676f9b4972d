"""A campaign is taken into the store whole or not at all, and only what has changed is taken in again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from tests.campaign import mill

from narratoria.campaign.ingest import IngestReport, ingest_campaign
from narratoria.errors import ContractViolation
from narratoria.store import Store
from narratoria.store.validation import MISSING_PROVENANCE, UNEXPECTED_PROVENANCE


async def _asset(store: Store, folder: Path, path: str) -> dict[str, object]:
    entry = await store.campaign(folder.name).get("asset", path)
    found = msgspec.to_builtins(entry.record)
    assert isinstance(found, dict)
    return found


async def test_lore_and_files_can_be_found_once_they_are_taken_in(tmp_path, store):
    folder = mill.build(tmp_path / "the-mill")
    steps: list[tuple[int, int, str]] = []

    done = await ingest_campaign(folder, store, on_step=lambda *step: steps.append(step))

    assert (done.campaign, done.files) == (folder.name, len(done.added))
    assert steps[-1] == (done.files, done.files, "")
    assert len(steps) == done.files + 1
    (found, *_) = await store.campaign(folder.name).semantic_search("the year of the water", "lore")
    assert (found.record.file_path, found.record.heading) == ("lore/history/flood.md", "The flood")
    assert found.record.token_count > 0
    playthrough = await store.playthroughs.create(folder.name)
    (seen, *_) = await store.at(playthrough.id).semantic_search("the year of the water", "lore")
    assert seen.identifier == found.identifier, "a story finds its campaign's lore"


async def test_what_has_not_changed_is_not_written_again(tmp_path, store):
    folder = mill.build(tmp_path / "the-mill")
    first = await ingest_campaign(folder, store)
    writes = store.stats()["exchange"].calls

    again = await ingest_campaign(folder, store)

    assert (again.added, again.changed, again.removed) == ((), (), ())
    assert (again.files, again.chunks) == (first.files, first.chunks)
    assert store.stats()["exchange"].calls == writes


async def test_a_changed_file_is_taken_in_again_and_a_deleted_one_goes(tmp_path, store):
    folder = mill.build(tmp_path / "the-mill")
    await ingest_campaign(folder, store)
    (folder / "lore/history/flood.md").write_text("# The flood\n\nIt was a drought, in fact.\n")
    (folder / "lore/factions/guild.md").write_text("# The guild\n\nMillers, mostly.\n")  # the same, newer
    (folder / "art/items/sack.png").unlink()
    (folder / "art/items/sack.png.keywords.txt").unlink()

    done = await ingest_campaign(folder, store)

    assert done.changed == ("lore/history/flood.md",)
    assert done.removed == ("art/items/sack.png", "art/items/sack.png.keywords.txt")
    scope = store.campaign(folder.name)
    assert "drought" in (await scope.get("lore", "lore/history/flood.md#0")).record.content
    assert not await scope.exact_match("asset", {"path": "art/items/sack.png"})


async def test_a_change_of_the_same_length_within_the_clocks_grain_is_seen(tmp_path, store):
    folder = mill.build(tmp_path / "the-mill")
    await ingest_campaign(folder, store)
    page = folder / "lore/history/flood.md"
    about = page.stat()
    page.write_text(page.read_text().replace("water", "fires"))
    os.utime(page, ns=(about.st_atime_ns, about.st_mtime_ns))

    assert (await ingest_campaign(folder, store)).changed == ("lore/history/flood.md",)


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ({"generated": True}, MISSING_PROVENANCE),
        (
            {"generated": True, "provenance": {"source_model": "m", "generated_at": "2026-02-03T11:00:00Z"}},
            MISSING_PROVENANCE,
        ),
        ({"provenance": mill.PROVENANCE}, UNEXPECTED_PROVENANCE),
        ({"generated": True, "provenance": {**mill.PROVENANCE, "generated_at": "yesterday"}}, "ISO 8601"),
    ],
)
async def test_what_hides_who_made_it_is_refused_and_nothing_is_taken_in(tmp_path, store, marks, message):
    folder = mill.build(tmp_path / "the-mill", mill.added("art/items/sack.png.metadata.json", marks))

    with pytest.raises(ContractViolation) as refusal:
        await ingest_campaign(folder, store)

    assert message in str(refusal.value)
    assert (await store.inventory()).records == {}


async def test_a_broken_campaign_leaves_what_was_taken_in_before(tmp_path, store):
    folder = mill.build(tmp_path / "the-mill")
    await ingest_campaign(folder, store)
    before = (await store.inventory()).records
    (folder / "plot/beats.json").write_text("{")
    (folder / "lore/history/flood.md").unlink()

    with pytest.raises(ContractViolation):
        await ingest_campaign(folder, store)

    assert (await store.inventory()).records == before


async def test_the_warning_about_generated_files_comes_every_time(tmp_path, store):
    page = "---\ngenerated: true\nprovenance:\n" + "".join(
        f"  {name}: {value}\n" for name, value in mill.PROVENANCE.items()
    )
    folder = mill.build(
        tmp_path / "the-mill", mill.added("lore/history/guess_generated.md", f"{page}---\n\nA guess.\n")
    )
    told = (
        "Campaign contains 1 AI-generated asset(s). "
        "Review generated flags and provenance metadata to verify correctness."
    )

    assert [(await ingest_campaign(folder, store)).warning for _ in range(2)] == [told, told]
    found = await _asset(store, folder, "lore/history/guess_generated.md")
    assert found["generated"] is True
    assert found["provenance"]["source_model"] == mill.PROVENANCE["source_model"]


INGEST = """
import asyncio, sys
from pathlib import Path
from narratoria.campaign.ingest import ingest_campaign
from narratoria.store import Store

async def main():
    store = await Store.open(Path(sys.argv[2]), None)
    print("ready", flush=True)
    await ingest_campaign(Path(sys.argv[1]), store)
    print("done", flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize("part", [0.05, 0.4, 0.8])
async def test_a_killed_ingestion_leaves_all_or_nothing(tmp_path, part):
    folder = mill.build(tmp_path / "the-mill")
    for number in range(150):
        (folder / f"lore/history/year-{number}.md").write_text(f"# Year {number}\n\n{'It rained. ' * 60}\n")
    database = tmp_path / "killed.db"
    running = subprocess.Popen(
        [sys.executable, "-c", INGEST, str(folder), str(database)], stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    time.sleep(part)
    running.send_signal(signal.SIGKILL)
    running.communicate()

    store = await Store.open(database, None)
    try:
        kept = (await store.inventory()).records
        done: IngestReport = await ingest_campaign(folder, store)
        if kept:
            assert done.added == done.changed == (), "all of it was there"
        else:
            assert len(done.added) == done.files, "nothing of it was there"
        lore = await store.campaign(folder.name).exact_match("lore")
        assert len(lore) == done.chunks
    finally:
        await store.close()
