"""Imports character cards (V1, V2, V3) and lorebooks: a person, their lore, and a first scene."""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from narratoria.campaign.importers.draft import (
    ImportDraft,
    MappedPart,
    clean_text,
    escape_markup,
    import_error,
    single_line,
    unique_file_name,
)
from narratoria.campaign.load import PEOPLE, PREMISE
from narratoria.campaign.provenance import IMPORTED, IMPORTED_KEY

MOST_ENTRIES = 5_000
MAX_KEYWORDS = 30
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
        words = list(dict.fromkeys((title, *keys)))[:MAX_KEYWORDS]
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


PNG = b"\x89PNG\r\n\x1a\n"
CARD_CHUNKS = ("ccv3", "chara")  # the newer kind first
MOST_CHUNK = 32 * 2**20  # bytes of a card inside a picture
_QUOTED = re.compile(r"[“\"]([^”\"\n]{3,300})[”\"]")
_START = re.compile(r"<START>", re.IGNORECASE)
_SPEAKER = re.compile(r"^\s*\{\{(user|char)\}\}\s*:|^\s*([^\n:]{1,40}):", re.IGNORECASE | re.MULTILINE)
NO_PLACE = {
    "system_prompt": "Narratoria's narrator takes no instructions from a card",
    "post_history_instructions": "Narratoria's narrator takes no instructions from a card",
    "extensions": "settings of another program",
    "alternate_greetings": "a story has one first scene; kept as further things they say",
    "group_only_greetings": "there are no group chats",
    "assets": "only the card's own picture is brought in",
    "nickname": "kept as a tag",
    "creator_notes_multilingual": "one language is brought in",
}
TRAITS = 8


def card_in_png(content: bytes, source: str) -> dict[str, Any]:
    """Return the card in a picture, the newer kind first."""
    texts = dict(_texts(content))
    for keyword in CARD_CHUNKS:
        if keyword in texts:
            try:
                return _object(base64.b64decode(texts[keyword], validate=False), source)
            except binascii.Error:
                raise import_error(source, f"its {keyword} text is not base64") from None
    raise import_error(source, "is a picture with no character card in it")


def _texts(content: bytes) -> Iterator[tuple[str, bytes]]:
    at = len(PNG)
    while at + 12 <= len(content):
        length, kind = struct.unpack(">I4s", content[at : at + 8])
        body = content[at + 8 : at + 8 + length]
        if kind == b"IEND" or length > MOST_CHUNK or len(body) < length:
            return
        name, _, text = body.partition(b"\0")
        keyword = name.decode("latin-1")
        if (
            keyword in CARD_CHUNKS
        ):  # others are not even unpacked: a thousand small ones would fill the memory
            if kind == b"tEXt":
                yield keyword, text
            elif kind == b"iTXt" and text.count(b"\0") >= 1:
                packed, rest = text[:1] == b"\x01", text[2:]
                text = rest.partition(b"\0")[2].partition(b"\0")[2]
                yield keyword, _unpacked(text) if packed else text
        at += 12 + length


def _unpacked(text: bytes) -> bytes:
    """Decompress a text up to a limit: a small picture may claim to hold a large card."""
    try:
        return zlib.decompressobj().decompress(text, MOST_CHUNK)
    except zlib.error:
        return b""


def _object(content: bytes, source: str) -> dict[str, Any]:
    try:
        document = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as reason:
        raise import_error(source, f"is not a card: {reason}") from None
    if not isinstance(document, dict):
        raise import_error(source, "is not a card: an object is expected")
    return document


def is_card(document: Mapping[str, Any]) -> bool:
    return str(document.get("spec", "")).startswith("chara_card") or (
        isinstance(document.get("name"), str) and ("first_mes" in document or "personality" in document)
    )


def read_card(document: Mapping[str, Any], source: str, used_names: set[str]) -> ImportDraft:
    data = document.get("data") if isinstance(document.get("data"), Mapping) else document
    assert isinstance(data, Mapping)
    name = single_line(data.get("name"), 80)
    if not name:
        raise import_error(source, "names nobody: a card needs a `name`")
    draft = ImportDraft(title=name)
    home = unique_file_name(name, used_names, "somebody")
    marked = f"{source} (character card)"
    draft.add_file(
        "name, personality, description", f"{PEOPLE}/{home}/profile.json", _profile(data, name, marked)
    )
    _fields(data, draft)
    scenario, first = (clean_text(data.get(key), char=name) for key in ("scenario", "first_mes"))
    opening = "\n\n".join(escape_markup(part) for part in (scenario, first) if part)
    if opening:
        draft.add_file("scenario, first_mes", PREMISE, page(opening, marked))
    book = data.get("character_book")
    if isinstance(book, Mapping):
        read_entries(book, draft, used_names, marked, folder=f"lore/{home}")
    for key, why in NO_PLACE.items():
        if data.get(key):
            draft.skip(key, why)
    return draft


def _profile(data: Mapping[str, Any], name: str, source: str) -> dict[str, Any]:
    description, personality = (
        clean_text(data.get(key), char=name) for key in ("description", "personality")
    )
    looks, _, rest = description.partition("\n\n")
    examples = _examples(data, name)
    nickname = single_line(data.get("nickname"), 60)
    tags = [tag for one in _list(data.get("tags"))[:20] if (tag := single_line(one, 60))]
    profile: dict[str, Any] = {
        "name": name,
        "role": _first_sentence(description) or _first_sentence(personality) or "Somebody from elsewhere",
        "personality": {"traits": _traits(personality)},
        "appearance": looks,
        "background": rest,
        "speech_patterns": {"style": personality[:500], "examples": examples},
        "metadata": {"importance": "major", "tags": ["imported", *([nickname] if nickname else []), *tags]},
        IMPORTED_KEY: source,
    }
    return {key: value for key, value in profile.items() if value}


def _examples(data: Mapping[str, Any], name: str) -> list[str]:
    """Return what the character says in examples and greetings, without what others say there."""
    utterances: list[str] = []
    for block in _START.split(str(data.get("mes_example") or "")[:100_000]):
        speaker = "char"
        for line in block.split("\n"):
            if match := _SPEAKER.match(line):
                who = (match[1] or match[2]).casefold()
                speaker = "char" if who in ("char", name.casefold()) else "user"
                line = line[match.end() :]  # noqa: PLW2901 - the rest of it is what is said
            if speaker == "char" and (text := clean_text(line, char=name)):
                utterances += _QUOTED.findall(text) or ([] if text.startswith("*") else [text[:300]])
    greetings = [data.get("first_mes"), *_list(data.get("alternate_greetings"))]
    for greeting in greetings[:20]:
        utterances += _QUOTED.findall(clean_text(greeting, char=name))
    return list(dict.fromkeys(" ".join(line.split()) for line in utterances if line.strip()))[:12]


def _traits(personality: str) -> list[str]:
    parts = re.split(r"[,;\n•+]|\band\b", re.sub(r"[\[\]{}()\"]", " ", personality))
    short = (" ".join(part.split()).strip(" .-*") for part in parts)
    return [part for part in dict.fromkeys(short) if 2 < len(part) <= 40][:TRAITS]


def _first_sentence(text: str) -> str:
    match = re.match(r"[^.!?\n]{3,120}[.!?]?", text)
    return match[0].strip() if match else ""


def _fields(data: Mapping[str, Any], draft: ImportDraft) -> None:
    for key, field in (("creator", "author"), ("creator_notes", "description")):
        if text := single_line(data.get(key), 300):
            draft.fields[field] = text
            draft.mapped.append(MappedPart(key, f"manifest.json {field}"))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
