"""Every operation of the API says which role it needs; nothing of the owner's is open to a player."""

from __future__ import annotations

from narratoria.web.server import FOR_ANYBODY, GROUPS

OWNERS_GROUPS = {"Skills", "Models", "Providers", "Privacy", "Phone", "Audit"}
# of those, what a player needs to see who tells
EXCEPTIONS = {"show_teller"}


def test_the_groups_of_the_owner_are_the_owner_s() -> None:
    for group in GROUPS:
        for operation in group.all:
            if group.group in OWNERS_GROUPS and operation.name not in EXCEPTIONS:
                assert operation.role == "owner", operation.name


def test_readers_of_a_story_may_only_look() -> None:
    for group in GROUPS:
        for operation in group.all:
            if operation.is_open_to_readers:
                assert operation.method == "GET"
                assert "{story}" in operation.path


def test_whatever_begins_a_turn_waits_in_the_queue() -> None:
    telling = {operation.name for group in GROUPS for operation in group.all if operation.tells}
    assert telling == {"begin_story", "choose", "say", "retry", "ask_person", "go_to_place"}


def test_who_has_not_said_who_they_are_can_only_say_so() -> None:
    assert {path for _, path in FOR_ANYBODY} == {
        "/api/profiles",
        "/api/profiles/enter",
        "/api/profiles/leave",
        "/api/alive",
    }
