"""Answers for stories (begun, read, gone on with, undone, branched, exported), and for the first page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
from starlette.responses import Response

from narratoria import __version__
from narratoria.app import load_or_enrich_campaign, take_quick_answer, who_tells
from narratoria.engine.events import TurnStarted
from narratoria.engine.persistence.compare import Comparison
from narratoria.engine.persistence.export import MEDIA_TYPES, SUFFIXES, Format
from narratoria.engine.persistence.story import Story
from narratoria.engine.persona import Answers, Persona, create
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.snapshot import NarratorNote
from narratoria.engine.story_session import LONGEST_ACTION, StorySession
from narratoria.errors import Busy, ContractViolation
from narratoria.narrator.who_tells import WhoTells
from narratoria.web.app_state import AppState
from narratoria.web.authorization import require_room, require_story
from narratoria.web.campaigns import CampaignCard, Heading, cards, folder_of, heading_of, headings
from narratoria.web.files import SANDBOX
from narratoria.web.operation import ApiError, Operations
from narratoria.web.profiles import PlayerProfile, current_profile
from narratoria.web.settings import read_settings
from narratoria.web.store import StoreDamage, find_damage

stories = Operations("Stories", "One's own stories: to begin, read, go on with, branch and keep.")

PAGE = 60  # stories in a list
LARGEST_SAVE = 64 * 1024 * 1024
Title = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class StoryCard(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    title: str
    campaign: str
    campaign_title: str
    cover: str | None
    place: str
    scenes: int
    minutes_played: int
    created_at: str
    played_at: str
    parent: str | None  # the story it branched off
    branched_at: int | None  # the last scene they share
    ended: str  # the ending that was told, if one was
    is_trial: bool  # whether it only tries a campaign out, and is thrown away


class StoryList(msgspec.Struct, frozen=True, rename="camel"):
    """Some stories, and whether there are more after them."""

    stories: tuple[StoryCard, ...]
    more: bool


class StoryPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    story: StoryCard
    scenes: tuple[Scene, ...]
    first: int  # the number of the first scene in this answer; older ones come with `before`
    state: dict[str, Any]
    busy: bool
    last_event_id: int  # follow the events after this one: with them, this answer is up to date
    palette: tuple[str, ...]
    places: Mapping[str, str]  # names by id, for what scenes say of places and people
    people: Mapping[str, str]
    art: Mapping[str, str]  # pictures of places, by id: room can be left for one before its scene is told
    start: str  # the place of the first scene: likewise, before it is told
    take: int  # which telling of the last scene this is, from 0 on
    takes: int  # how many there are
    interrupted: Choice | None  # a choice that was made and not told when the program ended
    kept: bool  # whether all of it is on the disk
    own_words: bool  # whether the campaign lets its players say what they do
    notes: tuple[NarratorNote, ...]  # of the player to the narrator
    bookmarks: tuple[int, ...]  # scenes that the player wants to find again
    can_redo: bool  # whether the last undo can be taken back
    teller: WhoTells
    mark: str  # of the last scene: what follows it says so, and is refused where the story stands elsewhere
    is_own: bool  # whether the reader plays it; another's can only be read


class NewStory(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    campaign: str
    character: Answers | None = None  # what the player answered; the campaign's template makes the rest of it
    persona: dict[str, Any] | None = None  # or the persona of another story, as its state has it
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**53)] | None = None
    title: Title | None = None


class Choosing(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    choice: Annotated[int, msgspec.Meta(ge=0, le=100)]  # its place among the scene's choices, from 0 on
    scene: int  # the number of the scene it belongs to
    mark: str = ""  # of that scene, as `mark` of the story says


class Saying(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_ACTION)]
    scene: int | None = None
    mark: str = ""  # of that scene


class Retelling(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    take: Annotated[int, msgspec.Meta(ge=0, le=1000)] | None = None  # an earlier telling; a new one without
    mark: str = ""  # of the scene to tell anew


class Branching(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    turn: Annotated[int, msgspec.Meta(ge=1)]  # the last scene that both share
    title: Title | None = None


class Renaming(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    title: Title


class Begun(msgspec.Struct, frozen=True, rename="camel"):
    """A turn is under way; its events say how it goes."""

    turn: int


class TreeNode(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    title: str
    parent: str | None
    branched_at: int | None
    scenes: int


class Tree(msgspec.Struct, frozen=True, rename="camel"):
    nodes: tuple[TreeNode, ...]


@stories.post("/stories", status=201, tells=True)
async def begin_story(app_state: AppState, body: NewStory) -> StoryCard:
    """Begin a story; its first scene is told at once, and its events say how that goes."""
    await require_room(app_state)
    folder = folder_of(app_state, body.campaign)
    persona = (
        body.persona if body.character is None else await asyncio.to_thread(_persona, folder, body.character)
    )
    session = await app_state.library.begin(
        str(folder), persona=persona, seed=body.seed, title=body.title, owner=app_state.account.id
    )
    await app_state.open_story(session.story.id)  # tells the first scene
    return await card(app_state, session.story)


def _persona(folder: Path, answers: Answers) -> dict[str, Any]:
    made = create(load_or_enrich_campaign(folder).template, answers)
    if not isinstance(made, Persona):
        raise ContractViolation([replace(one, pointer=f"/character{one.pointer}") for one in made])
    return made.as_state()


@stories.get("/stories")
async def list_stories(
    app_state: AppState,
    after: Annotated[str, msgspec.Meta(description="the id of the last story that is known")] = "",
    limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = PAGE,
) -> StoryList:
    """Some of the stories, the one played last first."""
    if after:
        await require_story(app_state, after, reading=False)
    known = await app_state.library.story(after) if after else None
    return await story_list(app_state, limit, known)


@stories.get("/stories/{story}", readers=True)
async def show_story(
    app_state: AppState,
    story: str,
    before: Annotated[int, msgspec.Meta(ge=1, description="only scenes with a smaller number")] | None = None,
    limit: Annotated[
        int, msgspec.Meta(ge=1, le=500, description="how many scenes, the latest first to stay")
    ] = 50,
) -> StoryPage:
    """A story with its latest scenes.

    Then follow its events after `lastEventId`. A turn under way is among them from its beginning.
    """
    session = await app_state.open_story(story)
    scenes = session.snapshot.scenes
    campaign = await asyncio.to_thread(heading_of, app_state, session.story.campaign)
    shown = [scene for scene in scenes if before is None or scene.number < before][-limit:]
    return StoryPage(
        story=_card(session.story, campaign),
        scenes=tuple(shown),
        first=shown[0].number if shown else 0,
        state=session.snapshot.state.to_dict(),
        busy=session.busy or session.is_told_elsewhere,
        last_event_id=_last_event(session),
        palette=campaign.palette,
        places=campaign.places,
        people=campaign.people,
        art=campaign.art,
        start=campaign.start,
        take=session.take,
        takes=session.takes,
        interrupted=session.interrupted_input.choice if session.interrupted_input else None,
        kept=session.is_saved,
        own_words=session.own_words,
        notes=session.snapshot.progress.notes,
        bookmarks=session.snapshot.progress.bookmarks,
        can_redo=await session.can_redo(),
        teller=await asyncio.to_thread(who_tells),
        mark=session.mark,
        is_own=not app_state.has_accounts or session.story.owner == app_state.account.id,
    )


@stories.post("/stories/{story}/choose", status=202, tells=True)
async def choose(app_state: AppState, story: str, body: Choosing) -> Begun:
    """Choose what to do.

    409 `busy` while a scene is told, 409 `stale_scene` when the story has gone on since,
    in another tab perhaps, 409 `story_moved` when another server was quicker.
    """
    session = await app_state.open_story(story)
    refuse_stale(session, body.scene, body.mark)
    return await under_way(app_state, session, session.choose(body.choice))


@stories.post("/stories/{story}/say", status=202, tells=True)
async def say(app_state: AppState, story: str, body: Saying) -> Begun:
    """Do something in one's own words.

    409 `free_text_off` where the setting `freeText` is off, or the campaign closes it. Words that cannot be
    made out play no turn: the event `asked_back` has a question, and readings to say instead.
    """
    if not read_settings(app_state.settings_folder).free_text:
        message = "Your own words are turned off."
        raise ApiError(409, "free_text_off", message, "The setting “Your own words” turns them on.")
    session = await app_state.open_story(story)
    if not session.own_words:
        message = "In this story you choose from what is offered."
        raise ApiError(409, "free_text_off", message, "Its author has closed it to your own words.")
    if body.scene is not None:
        refuse_stale(session, body.scene, body.mark)
    return await under_way(app_state, session, session.say(body.text))


@stories.post("/stories/{story}/quick")
async def take_quick(app_state: AppState, story: str) -> None:
    """Take the quick answer: the model that tells this turn writes no more, and the rest is told without it.

    What it had told stays. Where nothing is under way, there is nothing to be quick about (409).
    """
    session = await app_state.open_story(story)
    if not session.busy:
        raise ApiError(409, "idle", "Nothing is being told now.")
    take_quick_answer(session.story.id)


@stories.post("/stories/{story}/cancel")
async def cancel(app_state: AppState, story: str) -> None:
    """Stop the telling; the story is as it was before the choice."""
    await (await app_state.open_story(story)).cancel()


@stories.post("/stories/{story}/retry", status=202, tells=True)
async def retry(app_state: AppState, story: str, body: Retelling) -> Begun:
    """Tell the last choice anew, or the one that was interrupted: the dice stay as they fell.

    With `take`, it is told as it was that time.
    """
    session = await app_state.open_story(story)
    refuse_stale(session, session.snapshot.progress.scene, body.mark)
    return await under_way(app_state, session, session.retry(body.take))


@stories.post("/stories/{story}/undo")
async def undo(
    app_state: AppState,
    story: str,
    mark: Annotated[str, msgspec.Meta(description="of the scene to take back")] = "",
) -> StoryPage:
    """Take the last turn back, with what was remembered in it.

    409 `stale_scene` when it is not the one of this mark any more.
    """
    session = await app_state.open_story(story)
    refuse_stale(session, session.snapshot.progress.scene, mark)
    await session.undo()
    return await show_story(app_state, story)


@stories.post("/stories/{story}/branch", status=201)
async def branch(app_state: AppState, story: str, body: Branching) -> StoryCard:
    """Another story that shares this one's scenes up to a turn; this one stays as it is."""
    await require_room(app_state)
    session = await app_state.open_story(story)
    return await card(app_state, await session.branch(body.turn, body.title))


@stories.patch("/stories/{story}")
async def rename(app_state: AppState, story: str, body: Renaming) -> StoryCard:
    """Call a story something else."""
    return await card(app_state, await app_state.library.rename(story, body.title))


@stories.delete("/stories/{story}")
async def delete(app_state: AppState, story: str) -> None:
    """Remove a story for good; stories that branched off it stay."""
    await app_state.close_story(story)
    await app_state.library.delete(story)


@stories.get("/stories/{story}/tree")
async def show_tree(app_state: AppState, story: str) -> Tree:
    """The stories that branched off each other, this one among them."""
    branches = await app_state.library.branches(story)
    return Tree(
        tuple(TreeNode(one.id, one.title, one.parent, one.branched_at, one.scenes) for one in branches)
    )


@stories.get("/stories/{story}/compare")
async def compare(app_state: AppState, story: str, with_: str) -> Comparison:
    """Where two stories went different ways, and what happened on each."""
    return await app_state.library.compare(story, with_)


@stories.get("/stories/{story}/export", media="application/octet-stream", readers=True)
async def export(
    app_state: AppState,
    story: str,
    format: Format = "markdown",  # noqa: A002  the API's word
    scene: Annotated[int, msgspec.Meta(ge=1, description="only this scene")] | None = None,
) -> Response:
    """The story as a file to keep: to read (markdown, html, epub), or to bring back (json)."""
    content = await app_state.library.export(story, format, scene)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", story).strip("-.") or "story"
    name += f"-scene-{scene}" if scene else ""
    headers = {
        "content-disposition": f'attachment; filename="{name}.{SUFFIXES[format]}"',  # never rendered here
        "content-security-policy": SANDBOX,
    }
    return Response(content, headers=headers, media_type=MEDIA_TYPES[format])


@stories.post("/stories/import", status=201, largest=LARGEST_SAVE)
async def import_story(app_state: AppState, body: bytes) -> StoryCard:
    """Bring a story back from a file that was exported as json; the file is the body."""
    await require_room(app_state)
    return await card(app_state, await app_state.library.import_save(body, owner=app_state.account.id))


async def under_way(app_state: AppState, session: StorySession, turn: Coroutine[Any, Any, Any]) -> Begun:
    """Starts a turn beside this request; what is refused at once is told at once."""
    number = session.snapshot.progress.scene + 1
    task = app_state.run_turn(turn)
    # it begins, or refuses to, before it first waits
    await asyncio.sleep(0)
    if app_state.library.is_shared:  # whether another server was quicker, the store says
        await session.wait_until_begun(task)
    if task.done() and (error := task.exception()) is not None:
        raise error
    return Begun(number)


async def story_list(app_state: AppState, limit: int, after: Story | None = None) -> StoryList:
    """Some of the store's stories; without a store, those that are open."""
    campaign_headings = await asyncio.to_thread(headings, app_state)
    stories = await app_state.stories(limit=limit + 1, after=after)
    cards_ = tuple(
        _card(story, campaign_headings.get(story.campaign) or Heading(story.campaign))
        for story in stories[:limit]
        if not story.is_trial
    )
    return StoryList(cards_, len(stories) > limit)


async def card(app_state: AppState, story: Story) -> StoryCard:
    return _card(story, await asyncio.to_thread(heading_of, app_state, story.campaign))


def _card(story: Story, campaign: Heading) -> StoryCard:
    return StoryCard(
        id=story.id,
        title=story.title,
        campaign=story.campaign,
        campaign_title=campaign.title,
        cover=campaign.cover,
        place=campaign.places.get(story.place, story.place),
        scenes=story.scenes,
        minutes_played=story.minutes_played,
        created_at=story.created_at,
        played_at=story.played_at,
        parent=story.parent,
        branched_at=story.branched_at,
        ended=story.ended,
        is_trial=story.is_trial,
    )


def _last_event(session: StorySession) -> int:
    if not session.busy:
        return session.log.last
    begun = [event.id for event in session.log.since(0) if isinstance(event, TurnStarted)]
    return begun[-1] - 1 if begun else 0


def refuse_stale(session: StorySession, number: int, mark: str = "") -> None:
    """Raise Busy while a scene is told, ApiError when the one of this number and mark is not the last."""
    if session.busy:  # a turn that ends a moment later would let the choice pass in its scene
        raise Busy("the story is being told; wait for the scene, or cancel it")
    present = session.snapshot.progress.scene
    is_other = bool(mark and session.mark and mark != session.mark)
    if number != present or is_other:
        message = f"The story has gone on: it is at scene {present} now."
        raise ApiError(409, "stale_scene", message, "Read on, and choose there.")


home = Operations("Home", "What the first page needs.")


class Home(msgspec.Struct, frozen=True, rename="camel"):
    version: str
    campaigns: tuple[CampaignCard, ...]
    stories: tuple[StoryCard, ...]  # the one played last comes first
    more_stories: bool  # whether there are others, which `/stories` lists
    teller: WhoTells
    free_text: bool
    profile: PlayerProfile | None  # who plays in this browser, where people are told apart
    damage: StoreDamage | None  # of the file with the stories, for its owner


class Alive(msgspec.Struct, frozen=True, rename="camel"):
    version: str


@home.get("/home")
async def show_home(app_state: AppState) -> Home:
    """Everything to begin or continue a story."""
    listed = await story_list(app_state, PAGE)
    return Home(
        version=__version__,
        campaigns=await asyncio.to_thread(cards, app_state),
        stories=listed.stories,
        more_stories=listed.more,
        teller=await asyncio.to_thread(who_tells),
        free_text=read_settings(app_state.settings_folder).free_text,
        profile=current_profile(app_state),
        damage=await find_damage(app_state),
    )


@home.get("/alive")
async def show_alive(app_state: AppState) -> Alive:
    """Whether the server answers, and in which version."""
    return Alive(__version__)
