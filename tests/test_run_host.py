"""What is run by hand outside a story has an empty store, and nothing of it is left."""

from __future__ import annotations

from pathlib import Path

from narratoria.run_host import THROW_AWAY, open_run_host
from narratoria.skills.host.services import Caller


async def test_what_is_stored_is_found_until_the_run_is_over() -> None:
    caller = Caller("notes", THROW_AWAY, "s")
    async with open_run_host(None) as run_host:
        store = run_host.host.store
        assert store is not None
        kept = await store.store(caller, "memory", {"summary": "A bell rang"}, None)
        entries = await store.exact_match(
            caller, data_type="memory", filters={}, limit=5, offset=0, newest_first=False
        )
        assert [entry.identifier for entry in entries] == [kept.identifier]
        data = Path(run_host.context["dataDir"])
        assert data.is_dir()
    assert not data.exists()


async def test_a_run_that_asks_for_nothing_opens_no_store() -> None:
    async with open_run_host(None) as run_host:
        assert [path.name for path in Path(run_host.context["dataDir"]).parent.glob("*.db")] == []
