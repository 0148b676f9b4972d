"""Lets a player share a story with others to read, and lists what others share."""

from __future__ import annotations

from typing import Annotated

import msgspec

from narratoria.web.accounts import HOME_ACCOUNT
from narratoria.web.app_state import AppState
from narratoria.web.operation import ApiError, FieldError, Operations
from narratoria.web.profiles import HOME_PROFILE
from narratoria.web.stories import StoryCard, card

MOST_READERS = 100

sharing = Operations("Sharing", "Stories that others may read.")


class Readers(msgspec.Struct, frozen=True, rename="camel"):
    """The profiles that may read a story besides its player."""

    readers: Annotated[tuple[str, ...], msgspec.Meta(max_length=MOST_READERS)]


class SharedStories(msgspec.Struct, frozen=True, rename="camel"):
    stories: tuple[StoryCard, ...]


@sharing.get("/shared")
async def list_shared(app_state: AppState) -> SharedStories:
    """The stories of others that one may read, the one played last first."""
    shared = await app_state.library.shared_with(app_state.account.id) if app_state.has_accounts else ()
    return SharedStories(tuple([await card(app_state, story) for story in shared]))


@sharing.get("/stories/{story}/readers")
async def show_readers(app_state: AppState, story: str) -> Readers:
    """Who may read a story of one's own."""
    readers = await app_state.library.readers(story)
    return Readers(tuple(sorted(one or HOME_PROFILE for one in readers)))


@sharing.put("/stories/{story}/readers")
async def share_story(app_state: AppState, story: str, body: Readers) -> Readers:
    """Let these profiles read a story of one's own, and no others; none takes it back from all."""
    accounts = {HOME_ACCOUNT if one == HOME_PROFILE else one for one in body.readers}
    accounts.discard(app_state.account.id)
    for account_id in accounts:
        if app_state.accounts.get(account_id) is None:
            raise ApiError(422, "invalid", "There is no such person.", fields=[FieldError("readers", "")])
    await app_state.library.set_readers(story, accounts)
    return await show_readers(app_state, story)
