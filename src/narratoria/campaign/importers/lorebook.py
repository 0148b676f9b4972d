"""Imports lorebooks: the `character_book` of a card, and the world info of chat programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from narratoria.campaign.importers.report import ImportDraft
from narratoria.campaign.importers.text import (
    clean_text,
    escape_markup,
    import_error,
    single_line,
    unique_file_name,
)
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


def read_lorebook(document: Mapping[str, Any], source: str, used_names: set[str]) -> ImportDraft:
    draft = ImportDraft(title=single_line(document.get("name"), 80))
    folder = f"lore/{unique_file_name(draft.title or source.rpartition('.')[0], set(), 'lorebook')}"
    read_entries(document, draft, used_names, f"{source} (lorebook)", folder=folder)
    if not draft.files:
        raise import_error(source, "is a lorebook with no entry that says anything")
    return draft


def read_entries(
    book: Mapping[str, Any], draft: ImportDraft, used_names: set[str], source: str, *, folder: str
) -> None:
    """Add a page for each entry, under its own name, with its keys as keywords."""
    entries = book.get("entries")
    listed = list(entries.values()) if isinstance(entries, Mapping) else entries
    if not isinstance(listed, list):
        draft.skip("entries", "a list or an object is expected")
        return
    for key in ("scan_depth", "token_budget", "recursive_scanning", "extensions"):
        if book.get(key):
            draft.skip(key, _SETTINGS[key])
    for number, entry in enumerate(listed[:MOST_ENTRIES]):
        _entry(entry, number, draft, used_names, source, folder)
    if len(listed) > MOST_ENTRIES:
        draft.skip(f"{len(listed) - MOST_ENTRIES} entries", f"at most {MOST_ENTRIES} are brought in")


def _entry(  # noqa: PLR0917 - one after the other, as they are found
    entry: object, number: int, draft: ImportDraft, used_names: set[str], source: str, folder: str
) -> None:
    if not isinstance(entry, Mapping):
        draft.skip(f"entry {number}", "an object is expected")
        return
    named = ("keys", "key", "secondary_keys", "keysecondary")
    keys = [key for name in named for key in _words(entry.get(name))]
    title = single_line(entry.get("comment") or entry.get("name"), 80)
    title = title or (keys[0] if keys else f"Entry {number + 1}")
    text = clean_text(entry.get("content"))
    if not text:
        draft.skip(f"entry “{title}”", "it says nothing")
        return
    if entry.get("enabled") is False or entry.get("disable") is True:
        draft.skip(f"entry “{title}”", "it is switched off")
        return
    stem = unique_file_name(title, used_names, "entry")
    file = f"{folder}/{stem}.md"
    draft.add_file(f"entry “{title}”", file, page(f"# {title}\n\n{escape_markup(text)}", source))
    if keys:
        words = list(dict.fromkeys((title, *keys)))[:KEYWORDS]
        draft.files[f"{file}.keywords.txt"] = "".join(f"{word.lstrip('#').strip()}\n" for word in words)
    for key, why in _SETTINGS.items():
        if entry.get(key) and key not in ("insertion_order", "position", "secondary_keys", "extensions"):
            draft.skip(key, why)


def _words(value: object) -> list[str]:
    listed = value if isinstance(value, list) else str(value).split(",") if isinstance(value, str) else []
    return [word for one in listed[:100] if (word := single_line(one, 80))]


def page(text: str, source: str) -> str:
    """Return a page with its origin in the front matter."""
    return f"---\n{IMPORTED}: {json.dumps(source, ensure_ascii=False)}\n---\n\n{text.strip()}\n"
