"""Every operation of the API says which role it needs; nothing of the owner's is open to a player."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from narratoria.web.accounts import SOLE_PLAYER, Account
from narratoria.web.app_state import AppState
from narratoria.web.authorization import authorize
from narratoria.web.operation import ApiError, Operation
from narratoria.web.rate_limits import AccountLimits
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
    assert telling == {"begin_story", "begin_trial", "choose", "say", "retry", "ask_person", "go_to_place"}


def test_who_has_not_said_who_they_are_can_only_say_so() -> None:
    assert {path for _, path in FOR_ANYBODY} == {
        "/api/profiles",
        "/api/profiles/enter",
        "/api/profiles/leave",
        "/api/alive",
    }


def operation_named(name: str) -> Operation:
    return next(operation for group in GROUPS for operation in group.all if operation.name == name)


def open_nothing() -> Any:
    raise AssertionError("no story is opened here")


async def test_an_account_that_is_too_fast_is_told_when_to_go_on_and_the_home_s_own_never(
    tmp_path: Path,
) -> None:
    limits = AccountLimits(turns_per_minute=1, changes_per_minute=2)
    state, ada = AppState(tmp_path, open_nothing, limits=limits), Account(id="ada-1")
    change, turn, look = map(operation_named, ("change_settings", "begin_story", "show_settings"))
    for operation in (change, change, turn, look, look, look):
        assert (await authorize(state, operation, ada, {})).account is ada
    for operation in (change, turn):
        with pytest.raises(ApiError) as refused:
            await authorize(state, operation, ada, {})
        assert (refused.value.status, refused.value.body.code) == (429, "too_fast")
        assert refused.value.retry_after is not None
        for _ in range(5):
            await authorize(state, operation, SOLE_PLAYER, {})
    await authorize(state, turn, Account(id="ben-1"), {})


async def test_a_role_may_do_what_it_is_for_and_no_more(tmp_path: Path) -> None:
    state = AppState(tmp_path, open_nothing)
    for role, name, is_allowed in (
        ("player", "show_campaign_text", False),
        ("author", "show_campaign_text", True),
        ("author", "list_skills", False),
        ("owner", "list_skills", True),
    ):
        account = Account(id="ada-1", role=role)  # type: ignore[arg-type]
        if is_allowed:
            await authorize(state, operation_named(name), account, {})
            continue
        with pytest.raises(ApiError) as refused:
            await authorize(state, operation_named(name), account, {})
        assert refused.value.status == 403
