"""Persists stories as logs and records that belong to turns, and searches them by meaning.

These names are imported when they are first used: a database takes longer to import than a story may take to
begin, and whoever wants the records or the lock alone does not want all of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from narratoria.store.playthroughs import Playthrough as Playthrough
    from narratoria.store.positions import Position as Position
    from narratoria.store.records import NewRecord as NewRecord
    from narratoria.store.records import RetentionPolicy as RetentionPolicy
    from narratoria.store.records import SearchHit as SearchHit
    from narratoria.store.records import StandingChange as StandingChange
    from narratoria.store.records import StoredRecord as StoredRecord
    from narratoria.store.retention import RetentionReport as RetentionReport
    from narratoria.store.scope import Scope as Scope
    from narratoria.store.store import Store as Store
    from narratoria.store.stories import StorySummary as StorySummary
    from narratoria.store.turns import Turn as Turn

_HOMES = {
    "StoredRecord": "records",
    "SearchHit": "records",
    "NewRecord": "records",
    "Playthrough": "playthroughs",
    "RetentionReport": "retention",
    "RetentionPolicy": "records",
    "Scope": "scope",
    "StandingChange": "records",
    "Position": "positions",
    "Store": "store",
    "StorySummary": "stories",
    "Turn": "turns",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
