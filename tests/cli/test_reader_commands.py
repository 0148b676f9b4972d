"""What the terminal lets a reader look up and change: journal, people, character, search, edits, notes."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.test_terminal_player import play_piped

MINE = "A heron in a waistcoat bows to you."


def plain(shown: str) -> str:
    return " ".join(shown.split())


def test_the_journal_people_character_and_search_are_there(tmp_path: Path) -> None:
    words = "1\n/journal\n/people\n/character\n/search flurbgronk\n/search the\nq\n"
    shown = plain(play_piped(tmp_path, words, "harrowmere", "--new", "--name", "Nell"))
    assert "Day 1" in shown
    assert "the story begins" in shown
    assert "name Nell" in shown
    assert "Nowhere in this story." in shown
    assert "There is no /" not in shown


def test_the_map_shows_places_seen_ways_and_who_was_last_seen_where(tmp_path: Path) -> None:
    words = "/map\ngo to the Last Fire\ngo to the bridge\n/map\nq\n"
    shown = plain(play_piped(tmp_path, words, "tomorrows-post", "--new"))
    first, _, later = shown.partition("To go somewhere, say so")
    assert "The post office you are here; ways to" in first
    assert "not seen yet" in first
    assert "last seen here" not in first
    assert "Callow Bridge you are here; ways to" in later
    assert "here with you: Ismay Corrie" in later
    assert re.search(r"The Last Fire ways to [^;]*; last seen here: [\w. ]*Hob Tarrant", later)
    assert "There is no /" not in shown


def test_a_paragraph_is_edited_and_put_back_and_an_undo_taken_back(tmp_path: Path) -> None:
    words = f"1\n/edit 1 {MINE}\n/undo\n/redo\n/edit 1\n/edit 99\nq\n"
    shown = plain(play_piped(tmp_path, words, "tomorrows-post", "--new"))
    assert f"1 edited {MINE}" in shown
    again = shown.index("Brought back.")
    assert MINE in shown[again:]
    assert "As it was told:" in shown[again:]
    assert "This scene has paragraphs 1 to" in shown


def test_scenes_are_bookmarked_listed_and_unmarked(tmp_path: Path) -> None:
    words = "/bookmark list\n1\n/bookmark\n/bookmark 1\n/bookmark list\n/bookmark 1\n/bookmark 99\nq\n"
    shown = plain(play_piped(tmp_path, words, "tomorrows-post", "--new"))
    assert "No bookmarks yet." in shown
    assert "Bookmark set in scene 2." in shown
    assert "1 the story begins 2 " in shown
    assert "Bookmark removed from scene 1." in shown
    assert "This story has scenes 1 to 2." in shown


def test_notes_are_listed_used_once_and_dropped(tmp_path: Path) -> None:
    words = "/note\n/note Keep it short\n/note once Let it rain\n/note\n1\n/note drop 1\n/note\nq\n"
    shown = plain(play_piped(tmp_path, words, "tomorrows-post", "--new"))
    assert "Only a telling model follows notes." in shown
    assert "1 Keep it short" in shown
    assert "2 once Let it rain" in shown
    assert shown.count("No notes.") == 2


def test_what_is_remembered_is_pinned_struck_out_and_put_back(tmp_path: Path) -> None:
    words = "1\n1\n/memory pin 1\n/memory\n/memory strike 1\n/memory struck\n/memory free 2\nq\n"
    shown = plain(play_piped(tmp_path, words, "tomorrows-post", "--new"))
    assert "Pinned:" in shown
    assert "1 pinned" in shown
    assert "Struck out, and not remembered any more:" in shown
    assert "As it was:" in shown


def test_tellings_are_flipped_through_by_number(tmp_path: Path) -> None:
    words = "1\n/retry\n/retry 1\nq\n"
    shown = plain(play_piped(tmp_path, words, "tomorrows-post", "--new"))
    assert "This is telling 2 of 2" in shown
    assert "This is telling 1 of 2" in shown
