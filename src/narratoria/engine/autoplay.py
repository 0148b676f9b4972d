"""Plays stories by itself: for authors, and to prove that no fault leaves a player without a scene."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.engine.faults import Faults
from narratoria.engine.persistence.library import Library
from narratoria.engine.question_autoplay import load_questions
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.story_session import StorySession
from narratoria.errors import StoreUnavailable
from narratoria.planner.intent import load_acts

Policy: TypeAlias = Literal["random", "greedy", "chaos", "typed"]
OpenLibrary: TypeAlias = Callable[[Faults | None], AbstractAsyncContextManager[Library]]
AFTER_THE_END = ("look-back", "again", "branch", "leave")
NONSENSE_SHARE, OFFER_SHARE, QUESTION_SHARE = 0.05, 0.15, 0.3  # of what the policy "typed" types
OWN_WORDS = ("sing", "I give the last coin to whoever asks", "🦊", "look under the bed; then wait", "x" * 500)


class Report(msgspec.Struct, kw_only=True, rename="camel"):
    """Reports on a run; the four counts in the middle must all be 0."""

    campaign: str
    policy: Policy
    seed: int
    turns: int = 0
    typed: int = 0  # of the turns, those in own words
    asked_back: int = 0  # words that could not be made out, and cost no turn
    stories: int = 0
    endings: int = 0
    crashes: int = 0
    empty_scenes: int = 0
    turns_without_choices: int = 0
    lost_turns: int = 0
    undone: int = 0
    reopened: int = 0
    fallbacks: int = 0
    faults: dict[str, int] = {}
    seconds: float = 0.0
    first_ms: float = 0.0  # the median of the first tenth of the turns
    last_ms: float = 0.0  # and of the last
    problems: list[str] = []

    @property
    def never_blank(self) -> bool:
        return not (self.crashes or self.empty_scenes or self.turns_without_choices or self.lost_turns)


@dataclass
class Run:
    """Plays one story after another until the turns are played."""

    campaign: str
    turns: int
    policy: Policy
    seed: int
    open_library: OpenLibrary
    faults: Faults | None = None
    persona: dict[str, Any] = field(default_factory=dict)
    on_scene: Callable[[Scene], None] = lambda _: None

    def __post_init__(self) -> None:
        self._dice = random.Random(f"play/{self.seed}")
        self.report = Report(campaign=self.campaign, policy=self.policy, seed=self.seed, problems=[])
        self._times: list[float] = []
        self._is_typed = False
        self._was_asked_back = False  # what comes after it is picked, so that no story stands still
        self._scenes_shown: dict[str, list[Scene]] = {}  # what the player has seen, by story

    async def play(self) -> Report:
        started_at = time.monotonic()
        story_id: str | None = None
        while self.report.turns < self.turns:
            async with self.open_library(self.faults) as library:
                story_id = await self._play_session(library, story_id)
        self.report.lost_turns = await self._count_lost_turns()
        self.report.seconds = round(time.monotonic() - started_at, 1)
        self.report.faults = dict(self.faults.counts) if self.faults else {}
        tenth = max(1, len(self._times) // 10)
        self.report.first_ms, self.report.last_ms = (
            _median(self._times[:tenth]),
            _median(self._times[-tenth:]),
        )
        return self.report

    async def _play_session(self, library: Library, story_id: str | None) -> str | None:
        """Play until the turns or the story end or the player leaves; return the story to go on with."""
        session = await self._open_session(library, story_id)
        if session.scene is None or session.interrupted_input:
            self._is_typed = False
            await self._turn(session, session.resume)
        while self.report.turns < self.turns:
            scene = session.scene
            if scene is None:
                break
            if session.snapshot.progress.ending:
                self.report.endings += 1
                return None
            if self.policy in ("chaos", "typed") and await self._mischief(session):
                break
            await self._turn(session, self._choosing(session, scene))
        return session.story.id

    async def _open_session(self, library: Library, story_id: str | None) -> StorySession:
        if story_id is not None:
            for _ in range(50):  # trouble does not last for ever
                try:
                    return await library.open(story_id)
                except StoreUnavailable:
                    continue
        self.report.stories += 1
        session = await library.begin(self.campaign, self.persona, seed=self.seed + self.report.stories)
        self._scenes_shown[session.story.id] = []
        return session

    def _choosing(self, session: StorySession, scene: Scene) -> Callable[[], Any]:
        if self.policy == "chaos" and self._dice.random() < 0.05:
            words = self._dice.choice(OWN_WORDS)
            return lambda: session.say(words)
        self._is_typed = self.policy == "typed" and not self._was_asked_back
        if self._is_typed:
            own_words = self._own_words(scene)
            return lambda: session.say(own_words)
        choice = self._choice(scene)
        return lambda: session.choose(choice)

    def _own_words(self, scene: Scene) -> str:
        """Return something to type: an ordinary action, a question to who is here, an offer, or nonsense."""
        roll = self._dice.random()
        if roll < NONSENSE_SHARE:
            return self._dice.choice(OWN_WORDS)
        if roll < NONSENSE_SHARE + OFFER_SHARE:
            return self._choice(scene).text
        if scene.people and roll < NONSENSE_SHARE + OFFER_SHARE + QUESTION_SHARE:
            person = self._dice.choice(scene.people).replace("-", " ").title()
            questions = [one for one in load_questions() if "{" not in one]
            return f"Ask {person}: {self._dice.choice(questions)}"
        acts = load_acts()
        return self._dice.choice(acts[self._dice.choice(list(acts))].examples)

    def _choice(self, scene: Scene) -> Choice:
        open_ones = [choice for choice in scene.choices if choice.kind not in AFTER_THE_END]
        choices = open_ones or list(scene.choices)
        return choices[0] if self.policy == "greedy" else self._dice.choice(choices)

    async def _turn(self, session: StorySession, play: Callable[[], Any]) -> None:
        number, before = session.snapshot.progress.scene + 1, session.scene
        started_at = time.monotonic()
        try:
            scene: Scene = await play()
        except Exception as error:  # noqa: BLE001  whatever it is, it is what this run looks for
            self.report.crashes += 1
            self.report.problems.append(f"turn {number}: {type(error).__name__}: {error}")
            self.report.turns += 1  # or a story that always crashes would never end
            return
        self._was_asked_back = scene is before
        if scene is before:
            self.report.asked_back += 1
            return  # the words could not be made out: a question was asked back, and no turn was played
        self._times.append((time.monotonic() - started_at) * 1000)
        self.report.turns += 1
        self.report.typed += self._is_typed
        self._scenes_shown[session.story.id].append(scene)
        self.report.empty_scenes += not any(paragraph.strip() for paragraph in scene.paragraphs)
        self.report.turns_without_choices += not any(choice.text.strip() for choice in scene.choices)
        self.report.fallbacks += scene.source == "fallback"
        if scene.number != number:
            self.report.problems.append(f"turn {number} was told as scene {scene.number}")
            self.report.lost_turns += 1
        self.on_scene(scene)

    async def _mischief(self, session: StorySession) -> bool:
        """Undo a turn or leave, now and then, and return whether the session is over."""
        roll = self._dice.random()
        try:
            if roll < 0.02 and len(session.snapshot.scenes) > 1:
                await session.undo()
                self._scenes_shown[session.story.id].pop()
                self.report.undone += 1
            elif roll < 0.06:  # often: a new sitting gives every skill a new chance to go wrong
                self.report.reopened += 1
                return True
        except StoreUnavailable:
            pass  # the player is told, and plays on
        return False

    async def _count_lost_turns(self) -> int:
        """Count the scenes that were shown and are not in the log, word for word."""
        if self.faults:
            self.faults.is_lifted = True
        lost_turns = self.report.lost_turns
        async with self.open_library(None) as library:
            for story_id, scenes in self._scenes_shown.items():
                logged_scenes = [record.output.scene for record in await library.turns(story_id)]
                missing = sum(ours != theirs for ours, theirs in zip(scenes, logged_scenes, strict=False))
                missing += max(0, len(scenes) - len(logged_scenes))
                if missing:
                    self.report.problems.append(
                        f"{story_id}: {missing} of {len(scenes)} scenes are not in the log"
                    )
                lost_turns += missing
        return lost_turns


def _median(times: list[float]) -> float:
    return round(sorted(times)[len(times) // 2], 1) if times else 0.0
