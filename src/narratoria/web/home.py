"""Answers with everything that the first page needs."""

from __future__ import annotations

import asyncio

import msgspec

from narratoria import __version__
from narratoria.web.app_state import AppState
from narratoria.web.campaigns import CampaignCard, cards
from narratoria.web.models import ModelInUse, model_status
from narratoria.web.operation import Operations
from narratoria.web.settings import read_settings
from narratoria.web.stories import StoryCard, story_cards

home = Operations("Home", "What the first page needs.")


class Home(msgspec.Struct, frozen=True, rename="camel"):
    version: str
    campaigns: tuple[CampaignCard, ...]
    stories: tuple[StoryCard, ...]  # the one played last comes first
    model: ModelInUse
    free_text: bool


class Alive(msgspec.Struct, frozen=True, rename="camel"):
    version: str


@home.get("/home")
async def show_home(app_state: AppState) -> Home:
    """Everything to begin or continue a story."""
    return Home(
        version=__version__,
        campaigns=await asyncio.to_thread(cards, app_state),
        stories=await story_cards(app_state),
        model=await asyncio.to_thread(model_status),
        free_text=read_settings(app_state.home).free_text,
    )


@home.get("/alive")
async def show_alive(app_state: AppState) -> Alive:
    """Whether the server answers, and in which version."""
    return Alive(__version__)
