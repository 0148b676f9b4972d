"""Answers for the reader's own pages: the journal, and what may be searched in a story."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Annotated

import msgspec

from narratoria.engine.journal import (
    Day,
    KnownFact,
    OpenMatter,
    list_days,
    list_known_facts,
    list_open_matters,
)
from narratoria.engine.lore_cards import LoreCard, list_cards
from narratoria.engine.scene import Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.web.app_state import AppState
from narratoria.web.memories import load_story_campaign
from narratoria.web.operation import Operations

journal = Operations(
    "Journal", "What happened, what is still open, what the player knows, and where it stands."
)

MOST_HITS = 50
AROUND = 60  # characters on each side of a hit


class JournalPage(msgspec.Struct, frozen=True, rename="camel"):
    days: tuple[Day, ...]
    matters: tuple[OpenMatter, ...]
    known: tuple[KnownFact, ...]


class TextHit(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A place in the text: the words around it, and the words themselves."""

    scene: int
    before: str
    match: str
    after: str


class TextHits(msgspec.Struct, frozen=True, rename="camel"):
    hits: tuple[TextHit, ...]
    total: int


@journal.get("/stories/{story}/journal", readers=True)
async def show_journal(app_state: AppState, story: str) -> JournalPage:
    """What happened by day and place, what is promised and owed, and what the player knows."""
    session = await app_state.open_story(story)
    campaign = await asyncio.to_thread(load_story_campaign, app_state, session)
    snapshot = session.snapshot
    return JournalPage(
        days=list_days(snapshot.scenes),
        matters=list_open_matters(snapshot.state.to_dict()),
        known=list_known_facts(snapshot, campaign) if campaign else (),
    )


@journal.get("/stories/{story}/cards", readers=True)
async def show_cards(app_state: AppState, story: str) -> tuple[LoreCard, ...]:
    """What the player has learned of people, places and matters of the lore, each fact with its scene."""
    session = await app_state.open_story(story)
    campaign = await asyncio.to_thread(load_story_campaign, app_state, session)
    return list_cards(session.snapshot, campaign) if campaign else ()


@journal.get("/stories/{story}/search", readers=True)
async def search_story(
    app_state: AppState,
    story: str,
    query: Annotated[str, msgspec.Meta(min_length=1, max_length=200, description="words as they stand")],
) -> TextHits:
    """Where words stand in the scenes of a story, whatever their case; the latest first."""
    session = await app_state.open_story(story)
    hits = list(_find_hits(session.snapshot, " ".join(query.split())))
    return TextHits(tuple(hits[:MOST_HITS]), len(hits))


def _find_hits(snapshot: StorySnapshot, words: str) -> Iterator[TextHit]:
    for scene in reversed(snapshot.scenes):
        for text in _texts_of(scene):
            yield from _hits_in(text, words.casefold(), scene.number)


def _texts_of(scene: Scene) -> Iterator[str]:
    yield from ((scene.action,) if scene.number > 1 else ())
    yield from (paragraph.replace("*", "") for paragraph in scene.paragraphs)


def _hits_in(text: str, words: str, scene: int) -> Iterator[TextHit]:
    folded = text.casefold()
    if len(folded) != len(text):  # a letter that folds to two would shift every hit after it
        folded = text.lower()
    at = folded.find(words) if words else -1
    while at >= 0:
        end = at + len(words)
        yield TextHit(
            scene=scene,
            before=("…" if at > AROUND else "") + text[max(0, at - AROUND) : at],
            match=text[at:end],
            after=text[end : end + AROUND] + ("…" if end + AROUND < len(text) else ""),
        )
        at = folded.find(words, end)
