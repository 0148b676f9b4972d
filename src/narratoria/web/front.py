"""What the first page needs, in one answer."""

from __future__ import annotations

import asyncio

import msgspec

from narratoria import __version__
from narratoria.web.campaigns import CampaignCard, cards
from narratoria.web.house import House
from narratoria.web.models import ModelStatus, model_status
from narratoria.web.operation import Operations
from narratoria.web.settings import read_settings
from narratoria.web.stories import StoryCard, story_cards

front = Operations("Home", "What the first page needs.")


class Home(msgspec.Struct, frozen=True, rename="camel"):
    version: str
    campaigns: tuple[CampaignCard, ...]
    stories: tuple[StoryCard, ...]  # the one played last comes first
    model: ModelStatus
    free_text: bool


class Alive(msgspec.Struct, frozen=True, rename="camel"):
    version: str


@front.get("/home")
async def show_home(house: House) -> Home:
    """Everything to begin or go on with."""
    return Home(
        version=__version__,
        campaigns=await asyncio.to_thread(cards, house),
        stories=await story_cards(house),
        model=await asyncio.to_thread(model_status),
        free_text=read_settings(house.home).free_text,
    )


@front.get("/alive")
async def show_alive(house: House) -> Alive:
    """Whether the server answers, and in which version."""
    return Alive(__version__)
