"""Shared persistence: stories as logs, records that belong to turns, and search by meaning."""

from narratoria.store.embeddings import Embedder
from narratoria.store.playthroughs import Playthrough
from narratoria.store.records import Entry, Found, StandingChange
from narratoria.store.retention import Report, Retention
from narratoria.store.scope import Item, Scope
from narratoria.store.store import Store
from narratoria.store.turns import Turn

__all__ = [
    "Embedder",
    "Entry",
    "Found",
    "Item",
    "Playthrough",
    "Report",
    "Retention",
    "Scope",
    "StandingChange",
    "Store",
    "Turn",
]
