"""Composition root: the only module that builds the parts and wires them together."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from narratoria import paths
from narratoria.campaign.campaign import Campaign
from narratoria.campaign.folder import is_sparse, scan_folder
from narratoria.campaign.ingest import EmbeddingBackfill
from narratoria.campaign.load import generated_content_warning, load_campaign
from narratoria.contracts.struct_types import prepare_struct_types
from narratoria.engine.action import is_answered, situation_of
from narratoria.engine.content_limits import load_content_limits
from narratoria.engine.events import ModelStatus
from narratoria.engine.faults import Faults, FaultyModel
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import RETRY_AFTER_S, STORE_TIMEOUT_S, MemoryProvider
from narratoria.engine.memory.recall import RecallResult, make_recaller
from narratoria.engine.memory.retention import forget_when_idle
from narratoria.engine.memory.save import make_saver
from narratoria.engine.persistence.library import Library
from narratoria.engine.reading import Understanding
from narratoria.engine.scene import Choice
from narratoria.engine.skill_warnings import StoryWarning, describe_broken_skills
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.turn import AskBack, TurnDependencies, Understand
from narratoria.errors import ContractViolation, ModelUnavailable, NarratoriaException, StoreUnavailable
from narratoria.inference.download_manager import DownloadManager
from narratoria.inference.installed_models import find_embedder
from narratoria.narrator.gate import StoryGate
from narratoria.narrator.local_model import ModelLoadStatus, ModelService
from narratoria.planner.model_adviser import CurrentAdviser
from narratoria.planner.plan_scripts import find_offers
from narratoria.planner.planner import TurnPlanner
from narratoria.planning.plan import Planner, PlanRequest
from narratoria.planning.plan_log import PlanLog, delete_story_records
from narratoria.skills.discovery import Catalogue, CatalogueWatcher, discover
from narratoria.skills.host.quick_answers import QuickAnswers
from narratoria.skills.host.services import Host
from narratoria.skills.install import finish_interrupted_installs
from narratoria.skills.mcontrol.config import Config, load_config
from narratoria.skills.mcontrol.tools import discover as discover_mcontrol
from narratoria.skills.mcontrol.tools import tools_roots
from narratoria.skills.resolve import Tools
from narratoria.skills.sandbox import probe
from narratoria.skills.skill import compile_ahead
from narratoria.skills.warm_pool import MOST, WarmPool

if TYPE_CHECKING:
    from narratoria.engine.understanding import Embed, Understander
    from narratoria.inference.embedder import Embedder
    from narratoria.inference.text_matcher import TextMatcher
    from narratoria.narrator.unit_matcher import UnitMatcher
    from narratoria.narrator.who_tells import WhoTells
    from narratoria.planner.intent import Question
    from narratoria.planner.read import IntentReader
    from narratoria.planner.skill_scorer import SkillScorer
    from narratoria.store import Store

# changes what reads the player's words, as faults do
AdjustUnderstander: TypeAlias = "Callable[[Understander], Understander]"


def open_skills() -> Catalogue:
    """Discover the skills of the package, then the user's, then the project's."""
    finish_interrupted_installs(paths.shared_home() / "skills")
    return discover(skill_roots())


def skill_roots() -> tuple[Path, ...]:
    """Return the folders of skills; of two skills with one name, the first folder's counts."""
    return (paths.BUNDLED_SKILLS, paths.shared_home() / "skills", Path.cwd() / "skills")


def open_tools(*, allow_path: bool = False) -> Tools:
    """Collect the tools that plans may run; ContractViolation for an unusable m-control config."""
    config = load_config(Path.cwd())
    mcontrol = discover_mcontrol(tools_roots(config))
    return Tools(open_skills(), mcontrol, config, host=open_host(), allow_path=allow_path)


def open_host(memory: StoryMemory | None = None, model_service: ModelService | None = None) -> Host:
    """Build the services that skills can call: none outside a story.

    Also probes the sandboxes of this machine, once, before a story would have to wait for it.
    """
    probe()
    _compile_scripts()
    if memory is None:
        return Host()
    return Host(memory, memory if find_embedder() else None, model_service, StoryGate(), _quick_answers)


@cache
def _compile_scripts() -> None:
    """Compile the scripts of skills in a thread: a story need not wait for it."""
    folders = (paths.BUNDLED_SKILLS, paths.PACKAGE / "sdk")
    Thread(target=compile_ahead, args=folders, name="compile scripts", daemon=True).start()


@asynccontextmanager
async def open_library() -> AsyncIterator[Library]:
    """Open the library of all stories in this home; the store is opened when it is first needed."""
    prepare_struct_types()

    def on_status(status: ModelLoadStatus) -> None:
        library.broadcast(_model_status(status))
        if status.state == "ready":  # let it read the planner's instructions while nobody waits
            asyncio.get_running_loop().call_soon(
                lambda: current_adviser(find_offers(PlanRequest("", tools(Host()).offered())))
            )

    model_service = ModelService(on_status=on_status, quick_answers=_quick_answers)
    _model_services.append(model_service)
    current_adviser = CurrentAdviser(model_service)
    planner = TurnPlanner(open_scorer, advise=current_adviser, on_words=model_service.load_chooser)

    pool = WarmPool(lambda script: tools(Host()).resolve(script))

    def dependencies_for(campaign: Campaign, memory: StoryMemory) -> TurnDependencies:
        _quick_answers.begin_turn(memory.story_id)
        model_service.refresh()  # a model that was fetched or chosen meanwhile takes over between two turns
        offered = replace(tools(open_host(memory, model_service)), pool=pool)
        dependencies = build_dependencies(campaign, offered, memory)
        reads = model_service.read_brief if model_service.tier == "narrates" else None
        return replace(dependencies, planner=planner, read_brief=reads)

    upkeep = partial(forget_when_idle, paths.shared_home())
    memory_provider, backfill = MemoryProvider(open_store, open_embedder, upkeep=upkeep), EmbeddingBackfill()
    library = Library(
        memory_provider,
        open_campaign,
        dependencies_for,
        stories_folder(),
        assets=assets_folder(),
        prepare=partial(prepare_campaign, memory_provider, backfill),
        forget=partial(delete_story_records, paths.home() / "logs"),
        read_limits=lambda account: load_content_limits(paths.account_folder(paths.shared_home(), account)),
    )
    with watch_skills() as tools:
        try:
            yield library
        finally:
            await backfill.stop()
            await library.close()
            await pool.close()
            await planner.close()
            await current_adviser.close()
            _model_services.remove(model_service)
            await model_service.close()


async def prepare_campaign(
    memory_provider: MemoryProvider, backfill: EmbeddingBackfill, campaign: Campaign
) -> None:
    """Ingest a campaign into the store, so that its lore can be searched; without a store do nothing."""
    from narratoria.campaign.ingest import ingest_campaign

    try:
        store = await memory_provider.store()
        await ingest_campaign(campaign.folder, store)
    except (NarratoriaException, OSError):
        return  # the library reports an unusable store, and the campaign has been validated before
    await backfill.fill(store)


@asynccontextmanager
async def open_isolated_library(
    folder: Path,
    faults: Faults | None = None,
    *,
    store_timeout_s: float = STORE_TIMEOUT_S,
    skills: Catalogue | None = None,
    planner: Planner | None = None,
    most_warm: int = MOST,
) -> AsyncIterator[Library]:
    """Open a library in a folder of its own, without a language model and with injected faults.

    `skills` and `planner` are those of this home where they are not given; `most_warm` is how many processes
    of skills may be started ahead."""
    prepare_struct_types()
    config, catalogue = _mcontrol_config(), skills or open_skills()

    async def store(embedder: Embedder | None) -> Store:
        await asyncio.to_thread(import_module, "narratoria.store.store")
        from narratoria.store import Store

        opened = await Store.open(folder / "narratoria.db", embedder, logs=folder / "logs")
        return faults.on_store(opened) if faults else opened

    pool = WarmPool(Tools(catalogue, mcontrol_config=config).resolve, most=most_warm)

    def dependencies_for(campaign: Campaign, memory: StoryMemory) -> TurnDependencies:
        _quick_answers.begin_turn(memory.story_id)
        model = FaultyModel(faults) if faults else None
        host = replace(open_host(memory), model=model)
        tools = Tools(catalogue, mcontrol_config=config, host=host, pool=pool)
        adjust = faults.on_understander if faults else None
        dependencies = replace(
            build_dependencies(campaign, tools, memory, adjust),
            assets=folder,
            plan_log=PlanLog(folder / "logs"),
            planner=planner or default_planner(),
        )
        return faults.on_dependencies(dependencies) if faults else dependencies

    retry_after = 0.0 if faults else RETRY_AFTER_S
    memory_provider = MemoryProvider(store, open_embedder, timeout=store_timeout_s, retry_after=retry_after)
    library = Library(memory_provider, open_campaign, dependencies_for, folder)
    try:
        yield library
    finally:
        await library.close()
        await pool.close()


_model_services: list[ModelService] = []  # those of the open libraries
_watchers: list[CatalogueWatcher] = []  # likewise: every page says who tells, and need not read all skills
_quick_answers = QuickAnswers()


def take_quick_answer(story: str) -> None:
    """Have the turn of this story that is under way told without waiting for a model any longer."""
    _quick_answers.take(story)


def who_tells() -> WhoTells:
    """Return who tells the stories of this home now, and why not another."""
    from narratoria.narrator.who_tells import who_tells

    live = _model_services[-1].about() if _model_services else None
    catalogue = _watchers[-1].catalogue if _watchers else open_skills()
    teller = who_tells(catalogue.skill("storyteller"), paths.shared_home(), live)
    coming = download_manager().coming()
    if coming is None or teller.state == "tells":
        return teller
    return msgspec.structs.replace(
        teller, state="preparing", advice=f"{coming[0].title} is being downloaded: {coming[1]:.0%}."
    )


@cache
def download_manager() -> DownloadManager:
    """Return the program's one download manager: there is one download at a time."""
    return DownloadManager()


def _model_status(status: ModelLoadStatus) -> ModelStatus:
    return ModelStatus(
        model=status.model, tier=status.tier, state=status.state, progress=round(status.progress, 2)
    )


async def open_store(embedder: Embedder | None) -> Store:
    """Open the store of this home or of NARRATORIA_DATABASE_URL; StoreUnavailable says why it cannot be."""
    await asyncio.to_thread(import_module, "narratoria.store.store")  # too slow for the event loop
    from narratoria.store import Store

    return await Store.open(store_location(), embedder, logs=paths.home() / "logs")


@asynccontextmanager
async def use_store(*, embed: bool) -> AsyncIterator[Store]:
    """Open the store for one piece of work, with the embedding model if `embed` and if it is installed."""
    embedder = await open_embedder() if embed else None
    try:
        store = await open_store(embedder)
        try:
            yield store
        finally:
            await store.close()
    finally:
        if embedder is not None:
            await embedder.close()


def store_location() -> str | Path:
    """Return the database's address, or the file in this home."""
    return os.environ.get("NARRATORIA_DATABASE_URL") or paths.home() / "narratoria.db"


async def open_embedder() -> Embedder | None:
    """Load the installed embedding model, if there is one."""
    folder = find_embedder()
    return None if folder is None else await asyncio.to_thread(_load_embedder, folder)


def _load_embedder(folder: Path) -> Embedder:
    from narratoria.inference.embedder import Embedder

    return Embedder(folder)


def open_plan_log(story: str = "") -> PlanLog:
    return PlanLog(paths.home() / "logs", story=story)


def open_campaign(name: str) -> Campaign:
    """Load a campaign by its folder, or by its name among the user's and the bundled ones."""
    roots = (paths.shared_home() / "campaigns", paths.BUNDLED_CAMPAIGNS)
    if Path(name).is_dir():
        return load_or_enrich_campaign(Path(name).resolve())
    for root in roots:
        if (root / name).is_dir():
            return load_or_enrich_campaign(root / name)
    known = sorted(
        {folder.name for root in roots for folder in root.glob("*/") if not folder.name.startswith(".")}
    )
    message = f"there is no campaign '{name}'; give the path of its folder, or one of: {', '.join(known)}"
    raise NarratoriaException(message)


def load_or_enrich_campaign(folder: Path) -> Campaign:
    """Load the campaign in a folder; a sparse one is enriched first, in files of its own."""
    campaign = load_campaign(folder)  # a broken one is reported before anything is written
    if not is_sparse(scan_folder(folder)):
        return campaign
    from narratoria.campaign.enrich.enrichment import enrich_campaign

    try:
        return load_campaign(enrich_campaign(folder).folder)
    except ContractViolation:
        return campaign  # it cannot be written to: it is played as it is


@contextmanager
def watch_skills() -> Iterator[Callable[[Host], Tools]]:
    """Watch the skill folders, and yield a function that returns the tools of the moment."""
    config = _mcontrol_config()
    following = CatalogueWatcher(skill_roots(), open_skills())
    _watchers.append(following)
    try:
        yield lambda host: Tools(following.catalogue, mcontrol_config=config, host=host)
    finally:
        _watchers.remove(following)
        following.close()


def _mcontrol_config() -> Config | None:
    """Load the m-control config, or None: an unusable one must not end a story."""
    try:
        return load_config(Path.cwd())
    except ContractViolation:
        return None


def build_dependencies(
    campaign: Campaign,
    tools: Tools,
    memory: StoryMemory | None = None,
    adjust: AdjustUnderstander | None = None,
) -> TurnDependencies:
    """Build what a turn of this campaign depends on; `adjust` changes what reads the player's words."""
    offered, problems = tools.survey()
    of_settings = (str(problem) for problem in problems if problem not in tools.catalogue.problems)
    return TurnDependencies(
        campaign,
        default_planner(),
        offered,
        tools.resolve,
        open_plan_log(memory.story_id if memory else ""),
        assets=assets_folder(),
        recall=make_recaller(memory.scope, campaign, memory.late_recall, judge_statement) if memory else None,
        understand=_make_understand(campaign, memory, adjust) if memory else None,
        ask_back=_make_ask_back(campaign, memory, adjust) if memory else None,
        save=make_saver(memory.scope, campaign, memory.pending_records) if memory else None,
        expect_scene=tools.host.gate.expect_scene if isinstance(tools.host.gate, StoryGate) else None,
        expect_tools=tools.pool.expect_turn if tools.pool else None,
        session_id=memory.session_id if memory else "",
        warnings=(
            *describe_broken_skills(tools.catalogue),
            *map(StoryWarning, filter(None, (*of_settings, generated_content_warning(campaign)))),
        ),
    )


def judge_statement(statement: str, event: str) -> float:
    """Return how probably a statement is so once an event has happened; 0 without the model."""
    from narratoria.inference.statement_model import open_statement_model

    try:
        folder = find_embedder()
        return open_statement_model(folder).probability(statement, event) if folder else 0.0
    except ModelUnavailable:
        return 0.0


@asynccontextmanager
async def use_understander() -> AsyncIterator[Understander]:
    """Load what reads players' words outside a story, for one piece of work."""
    embedder = await open_embedder()
    try:
        yield await _open_understander(embedder.embed if embedder else None)
    finally:
        if embedder is not None:
            await embedder.close()


async def _open_understander(embed: Embed | None) -> Understander:
    """Load what reads players' words: with the embedding model where it is installed, else by words alone."""
    from narratoria.engine.understanding import Understander
    from narratoria.planner.read import read_by_words

    folder = find_embedder()
    if folder is not None and embed is not None:
        try:
            reader, matcher, unit_matcher = await asyncio.to_thread(_load_readers, folder)
            return Understander(reader, embed, matcher, unit_matcher)
        except ModelUnavailable:
            pass  # the story goes on by the words alone
    return Understander(read_by_words(), None)


def _make_understand(
    campaign: Campaign, memory: StoryMemory, adjust: AdjustUnderstander | None
) -> Understand:
    """Return what reads the choices of a story; the reader is loaded when there is something to read."""

    async def understand(
        choice: Choice, story: StorySnapshot, recalled: RecallResult
    ) -> Understanding | None:
        from narratoria.engine.picked_choice import understand_picked

        situation = situation_of(story, campaign, recalled)
        if not is_answered(choice, situation):
            return None
        if picked := understand_picked(choice, situation):
            return picked  # nothing needs to be loaded for it
        understander = await _open_understander(memory.embed_texts)
        understander = adjust(understander) if adjust else understander
        try:
            return await understander.understand_choice(choice, story, campaign, recalled)
        except ModelUnavailable:
            understander = replace(understander, embed=None)
            return await understander.understand_choice(choice, story, campaign, recalled)

    return understand


def _make_ask_back(campaign: Campaign, memory: StoryMemory, adjust: AdjustUnderstander | None) -> AskBack:
    """Return what asks back where a player's words cannot be made out."""

    async def ask_back(text: str, story: StorySnapshot) -> Question | None:
        understander = await _open_understander(memory.embed_texts)
        understander = adjust(understander) if adjust else understander
        return await understander.ask_back(text, story, campaign)

    return ask_back


@cache
def _load_readers(folder: Path) -> tuple[IntentReader, TextMatcher, UnitMatcher | None]:
    from narratoria.inference.text_matcher import open_matcher
    from narratoria.narrator.unit_matcher import open_unit_matcher
    from narratoria.planner.act_classifier import open_reader

    scorer = _load_scorer(folder)
    return open_reader(folder, scorer.spelling.mend), open_matcher(folder), open_unit_matcher(folder)


@cache
def default_planner() -> TurnPlanner:
    """Return the one planner for all turns, which loads its scorer once, in the background."""
    return TurnPlanner(open_scorer)


async def open_scorer() -> SkillScorer | None:
    """Load the scorer that scores skills for an action, if the embedding model is installed."""
    folder = find_embedder()
    return None if folder is None else await asyncio.to_thread(_load_scorer, folder)


@cache
def _load_scorer(folder: Path) -> SkillScorer:
    """Load the scorer once; it is read-only."""
    from narratoria.planner.skill_scorer import SkillScorer

    return SkillScorer.open(folder)


def store_file() -> Path:
    """Return the file of the store; StoreUnavailable where a server keeps it."""
    from narratoria.store.store import file_of

    place = store_location()
    if isinstance(place, str) and place.startswith("postgres"):
        raise StoreUnavailable(
            "this store is a server's (NARRATORIA_DATABASE_URL); use the server's own tools"
        )
    return file_of(place)


def stories_folder() -> Path:
    """Return the folder of what stories keep on this machine: their latest events and unsaved turns."""
    return paths.home() / "playthroughs"


def assets_folder() -> Path:
    """Return the folder of the files that stories made, which servers share."""
    return paths.shared_home() / "playthroughs"
