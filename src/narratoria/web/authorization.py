"""Decides what an account may do: by its role, by whose a story is, and by how much it has done lately."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from narratoria.errors import NoSuchRecord
from narratoria.web.accounts import HOME_ACCOUNT, Account
from narratoria.web.app_state import AppState
from narratoria.web.operation import ApiError, Operation
from narratoria.web.rate_limits import whole_seconds

STORY_PARAMETERS = ("story", "with_")  # of an operation: ids of stories


async def authorize(
    app_state: AppState, operation: Operation, account: Account, given: Mapping[str, Any]
) -> AppState:
    """Return the state on behalf of an account; raise an error for what it may not do."""
    state = app_state.on_behalf_of(account)
    require_role(state, operation)
    for name in STORY_PARAMETERS:
        if story_id := given.get(name):
            await require_story(state, story_id, reading=operation.is_open_to_readers)
    if operation.method != "GET":
        _limit_rate(state, operation)
    return state


def require_role(state: AppState, operation: Operation) -> None:
    """Raise ApiError unless the account has the role that an operation needs."""
    if not state.account.may(operation.role):
        who = {"owner": "the owner", "author": "an author or the owner"}[operation.role]
        raise ApiError(403, "not_allowed", f"Only {who} may do this here.")


async def require_story(state: AppState, story_id: str, *, reading: bool) -> None:
    """Raise an error unless a story is the account's own, or one that it may read and only reads."""
    if not state.has_accounts:
        return
    story = await state.library.story(story_id)
    if story.owner == state.account.id:
        return
    if state.account.id not in await state.library.readers(story_id):
        raise NoSuchRecord(f"there is no story {story_id!r}")  # as if it were not there
    if not reading:
        message = "You may read this story; what happens in it is its player's to say."
        raise ApiError(403, "read_only", message)


async def require_room(state: AppState) -> None:
    """Raise ApiError where an account has as many stories as it may."""
    most = state.limits.stories
    if state.account.id == HOME_ACCOUNT or not most:
        return
    if await state.library.count(state.account.id) >= most:
        message = f"You have {most} stories, as many as one player may keep here."
        raise ApiError(409, "too_many_stories", message, "Delete one that you do not need any more.")


def _limit_rate(state: AppState, operation: Operation) -> None:
    if state.account.id == HOME_ACCOUNT:
        return
    limit = state.turn_rate if operation.tells else state.change_rate
    if (wait := limit.seconds_to_wait(state.account.id)) > 0:
        seconds = whole_seconds(wait)
        message = f"That was a lot in a short time. Go on in {seconds} s."
        raise ApiError(429, "too_fast", message, retry_after=seconds)
