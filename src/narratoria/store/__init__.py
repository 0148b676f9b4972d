"""Shared persistence: stories as logs, records that belong to turns, and search by meaning.

These names are imported when they are first used: a database takes longer to import than a story may take to
begin, and whoever wants the records or the lock alone does not want all of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from narratoria.store.playthroughs import Playthrough as Playthrough
    from narratoria.store.records import Entry as Entry
    from narratoria.store.records import Found as Found
    from narratoria.store.records import Item as Item
    from narratoria.store.records import StandingChange as StandingChange
    from narratoria.store.retention import Report as Report
    from narratoria.store.retention_policy import Retention as Retention
    from narratoria.store.scope import Scope as Scope
    from narratoria.store.store import Store as Store
    from narratoria.store.turns import Turn as Turn

_HOMES = {
    "Entry": "records",
    "Found": "records",
    "Item": "records",
    "Playthrough": "playthroughs",
    "Report": "retention",
    "Retention": "retention_policy",
    "Scope": "scope",
    "StandingChange": "records",
    "Store": "store",
    "Turn": "turns",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
