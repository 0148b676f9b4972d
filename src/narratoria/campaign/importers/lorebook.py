"""Lorebooks: the `character_book` of a card, and the world info that chat programs keep by itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from narratoria.campaign.importers.report import Haul
from narratoria.campaign.importers.text import file_name, line_of, paragraph_safe, plain, refused
from narratoria.campaign.provenance import IMPORTED

MOST_ENTRIES = 5_000
KEYWORDS = 30
_SETTINGS = {
    "constant": "always being told is not how lore is found here",
    "selective": "lore is found by what it is about, not by two keys at once",
    "secondary_keys": "kept among its keywords",
    "insertion_order": "what fits best comes first",
    "position": "prompts are put together by Narratoria",
    "probability": "lore is not left to chance",
    "use_regex": "regular expressions are not run",
    "scan_depth": "what is found is decided by relevance",
    "token_budget": "what is found is decided by relevance",
    "recursive_scanning": "what is found is decided by relevance",
    "extensions": "settings of another program",
}


def is_lorebook(document: Mapping[str, Any]) -> bool:
    return isinstance(document.get("entries"), list | Mapping)


def read_lorebook(document: Mapping[str, Any], source: str, taken: set[str]) -> Haul:
    haul = Haul(title=line_of(document.get("name"), 80))
    folder = f"lore/{file_name(haul.title or source.rpartition('.')[0], set(), 'lorebook')}"
    read_entries(document, haul, taken, f"{source} (lorebook)", folder=folder)
    if not haul.files:
        raise refused(source, "is a lorebook with no entry that says anything")
    return haul


def read_entries(book: Mapping[str, Any], haul: Haul, taken: set[str], source: str, *, folder: str) -> None:
    """A page for each entry, under its own name, with its keys as keywords."""
    entries = book.get("entries")
    listed = list(entries.values()) if isinstance(entries, Mapping) else entries
    if not isinstance(listed, list):
        haul.leave("entries", "a list or an object is expected")
        return
    for key in ("scan_depth", "token_budget", "recursive_scanning", "extensions"):
        if book.get(key):
            haul.leave(key, _SETTINGS[key])
    for number, entry in enumerate(listed[:MOST_ENTRIES]):
        _entry(entry, number, haul, taken, source, folder)
    if len(listed) > MOST_ENTRIES:
        haul.leave(f"{len(listed) - MOST_ENTRIES} entries", f"at most {MOST_ENTRIES} are brought in")


def _entry(  # noqa: PLR0917 - one after the other, as they are found
    entry: object, number: int, haul: Haul, taken: set[str], source: str, folder: str
) -> None:
    if not isinstance(entry, Mapping):
        haul.leave(f"entry {number}", "an object is expected")
        return
    named = ("keys", "key", "secondary_keys", "keysecondary")
    keys = [key for name in named for key in _words(entry.get(name))]
    title = line_of(entry.get("comment") or entry.get("name"), 80)
    title = title or (keys[0] if keys else f"Entry {number + 1}")
    text = plain(entry.get("content"))
    if not text:
        haul.leave(f"entry “{title}”", "it says nothing")
        return
    if entry.get("enabled") is False or entry.get("disable") is True:
        haul.leave(f"entry “{title}”", "it is switched off")
        return
    stem = file_name(title, taken, "entry")
    file = f"{folder}/{stem}.md"
    haul.put(f"entry “{title}”", file, page(f"# {title}\n\n{paragraph_safe(text)}", source))
    if keys:
        words = list(dict.fromkeys((title, *keys)))[:KEYWORDS]
        haul.files[f"{file}.keywords.txt"] = "".join(f"{word.lstrip('#').strip()}\n" for word in words)
    for key, why in _SETTINGS.items():
        if entry.get(key) and key not in ("insertion_order", "position", "secondary_keys", "extensions"):
            haul.leave(key, why)


def _words(value: object) -> list[str]:
    listed = value if isinstance(value, list) else str(value).split(",") if isinstance(value, str) else []
    return [word for one in listed[:100] if (word := line_of(one, 80))]


def page(text: str, source: str) -> str:
    """With where it comes from in its front matter."""
    return f"---\n{IMPORTED}: {json.dumps(source, ensure_ascii=False)}\n---\n\n{text.strip()}\n"
