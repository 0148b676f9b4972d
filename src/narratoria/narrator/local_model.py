"""Loads the local model and serves it to skills, for what it was found fit for.

A story starts at once with what there is. A model that is to write is loaded, and examined where nobody has
yet, while the first scenes are told; one that was fetched meanwhile takes over between two turns. Whatever
goes wrong here is told to the skill that asks, which goes on without.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from narratoria.errors import HostRefusal, ModelUnavailable
from narratoria.inference.catalogue import EMBEDDED
from narratoria.inference.chat_template import Message
from narratoria.inference.installed_models import InstalledModel, chosen_model
from narratoria.sdk import narration
from narratoria.sdk.brief import COUNTING_ROUNDS, TokenCounts
from narratoria.sdk.quick_answer import TAKEN
from narratoria.skills.host.quick_answers import QuickAnswers
from narratoria.skills.host.services import Caller, Generation, HostModelStatus, TextPiece

if TYPE_CHECKING:  # takes longer to import than a first scene may wait
    from narratoria.inference.exam import Tier
    from narratoria.inference.model import AnswerPiece as Written
    from narratoria.inference.model import LocalModel

WRITING_TIERS = ("embellishes", "narrates")
ANSWER_TIMEOUT_S = 55.0  # seconds for a form
TEXT_TIMEOUT_S = (
    1200.0  # seconds for a text: who keeps writing is slow, and a skill need not listen to the end
)
_MESSAGES = {
    "scores": "weigh choices",
    "fills": "fill in forms",
}


@dataclass(frozen=True, slots=True)
class ModelLoadStatus:
    """The state of loading a model, for whoever shows it."""

    model: str
    tier: str
    state: Literal["loading", "ready", "failed"]
    progress: float = 0.0
    reason: str = ""


OnStatus: TypeAlias = Callable[[ModelLoadStatus], None]
FindModel: TypeAlias = Callable[[], InstalledModel | None]
OpenModel: TypeAlias = Callable[[InstalledModel], "LocalModel"]


def open_model(installed_model: InstalledModel) -> LocalModel:
    from narratoria.inference.model import LocalModel

    return LocalModel(installed_model.path, sha256=installed_model.sha256)


class ModelService:
    """Implements the host's `Model`; used from one event loop and closed there."""

    def __init__(
        self,
        find: FindModel = chosen_model,
        *,
        on_status: OnStatus = lambda _: None,
        open_model: OpenModel = open_model,
        quick_answers: QuickAnswers | None = None,
    ) -> None:
        self._quick_answers = quick_answers or QuickAnswers()
        self._find, self._on_status, self._open_model = find, on_status, open_model
        self._installed: InstalledModel | None = None
        self._mark: object = None
        self._model: LocalModel | None = None
        self._outgoing: list[LocalModel] = []  # which others take over from; closed by whichever comes to it
        self._tier: Tier | None = None
        self._reason = "no model is here; `narratoria model list` shows those to be had"
        self._getting_ready: asyncio.Task[None] | None = None
        self._has_looked = False

    def refresh(self) -> None:
        """Switch to the model that is chosen now, in the background, between turns; return at once."""
        try:
            installed_model = self._find()
        except (ModelUnavailable, OSError) as error:
            installed_model, self._reason = None, str(error)
        mark = _file_identity(installed_model)
        if self._has_looked and mark == self._mark:
            return
        self._has_looked, self._mark = True, mark
        if self._model is not None:
            self._outgoing.append(self._model)
        earlier_task, self._installed, self._tier, self._model = (
            self._getting_ready,
            installed_model,
            None,
            None,
        )
        self._getting_ready = asyncio.create_task(self._take_over(installed_model, earlier_task))

    def load_chooser(self) -> None:
        """Load a model that can only choose, once words were typed; return at once."""
        if self._model is None and self._installed is not None and self._is_ready():
            from narratoria.inference.installed_models import find_adapters

            if find_adapters(self._installed.path, self._installed.sha256):
                self._getting_ready = asyncio.create_task(self._load_chooser(self._installed))

    async def wait_until_settled(self) -> None:
        """Return when the model is ready, or is not going to be."""
        if self._getting_ready is not None:
            await asyncio.wait({self._getting_ready})

    async def read_brief(self, facts: Mapping[str, Any], style: str = "vivid") -> None:
        """Let a model that tells read what the next brief begins with, while the player reads."""
        if self._tier != "narrates" or self.model is None:
            return
        from narratoria.sdk.examples import choose_examples

        document = dict(facts)
        examples = choose_examples(document, narration.LOCAL_EXAMPLES)
        counts = TokenCounts()
        write = partial(
            narration.opening,
            document,
            style,
            examples=examples,
            budget=narration.LOCAL_BUDGET,
            count=counts,
            structured=True,
        )
        with contextlib.suppress(ModelUnavailable):  # the telling itself will say so
            system, opening = write()
            for _ in range(COUNTING_ROUNDS):
                if not counts.missing:
                    break
                counts.add(await self.model.count_tokens(counts.missing))
                system, opening = write()
            await self.model.warm([Message("system", system), Message("user", opening)])

    @property
    def tier(self) -> str:
        return self._tier or ""

    @property
    def model(self) -> LocalModel | None:
        """Return the loaded model, for a planner that weighs with it."""
        return self._model if self._is_ready() else None

    async def close(self) -> None:
        if self._getting_ready is not None:
            self._getting_ready.cancel()
            await asyncio.wait({self._getting_ready})
        await self._close_outgoing()
        if self._model is not None:
            await self._model.close()
        self._model = self._getting_ready = self._installed = None
        self._has_looked = False

    # the host's model

    def about(self) -> HostModelStatus:
        if self._installed is None:
            return HostModelStatus(reason=self._reason)
        name = self._installed.title
        if self._getting_ready is not None and not self._getting_ready.done():
            return HostModelStatus(
                name=name, tier=self.tier, state="loading", reason=f"{name} is being made ready"
            )
        if self._reason:
            return HostModelStatus(name=name, tier=self.tier, state="failed", reason=self._reason)
        return HostModelStatus(name=name, tier=self.tier, state="ready")

    async def generate(self, caller: Caller, request: Generation) -> AsyncGenerator[TextPiece, None]:
        model = self._require_model(request)
        prompt = [Message("user", request.prompt)]
        if request.system:
            prompt.insert(0, Message("system", request.system))
        temperature = 0.7 if request.temperature is None else request.temperature
        with _refuse_to_skills():
            if request.schema is not None and not request.stream:
                value = await model.complete_json(
                    request.schema,
                    prompt,
                    max_tokens=request.max_tokens,
                    temperature=temperature,
                    seed=request.seed,
                    within=ANSWER_TIMEOUT_S,
                )
                yield TextPiece(json.dumps(value, ensure_ascii=False), "stop")
                return
            answer = model.generate(
                prompt,
                max_tokens=request.max_tokens,
                stop=request.stop if request.schema is None else (),  # JSON ends by itself
                schema=request.schema,
                temperature=temperature,
                seed=request.seed,
                within=TEXT_TIMEOUT_S,
            )
            async with (
                aclosing(answer),
                aclosing(self._until_quick_answer(caller.playthrough, answer)) as pieces,
            ):
                async for piece in pieces:
                    yield _to_host_piece(piece)

    async def count(self, _caller: Caller, texts: Sequence[str]) -> Sequence[int]:
        """Count tokens by the tokenizer of the model that writes."""
        about = self.about()
        if about.state != "ready" or self._model is None:
            raise HostRefusal("NOT_AVAILABLE", about.reason or "no model is loaded", "estimate them")
        with _refuse_to_skills():
            return await self._model.count_tokens(texts)

    async def _until_quick_answer(
        self, story: str, answer: AsyncGenerator[Written, None]
    ) -> AsyncGenerator[Written, None]:
        """Yield what the model writes; HostRefusal once the player takes the quick answer."""
        taken = asyncio.ensure_future(self._quick_answers.wait(story))
        try:
            while True:
                coming = asyncio.ensure_future(anext(answer, None))
                await asyncio.wait({coming, taken}, return_when=asyncio.FIRST_COMPLETED)
                if taken.done():
                    coming.cancel()
                    await asyncio.wait({coming})
                    raise HostRefusal("NOT_AVAILABLE", TAKEN, "go on without it")
                if (piece := coming.result()) is None:
                    return
                yield piece
        finally:
            taken.cancel()

    def _require_model(self, request: Generation) -> LocalModel:
        """Return the model; raise HostRefusal where there is none that may be asked for this."""
        about = self.about()
        if about.state != "ready":
            raise HostRefusal("NOT_AVAILABLE", about.reason, "go on without it")
        if self._tier in WRITING_TIERS or (request.schema is not None and self._tier == "fills"):
            assert self._model is not None  # a writer that is ready was loaded
            return self._model
        able = _MESSAGES.get(self.tier, "nothing yet")
        raise HostRefusal(
            "NOT_AVAILABLE",
            f"{about.name} can be trusted to {able}, and not to write",
            "go on without it; `narratoria model download` brings one that can",
        )

    def _is_ready(self) -> bool:
        return self.about().state == "ready"

    # getting ready

    async def _take_over(
        self, installed_model: InstalledModel | None, earlier_task: asyncio.Task[None] | None
    ) -> None:
        if earlier_task is not None and not earlier_task.done():
            earlier_task.cancel()
            await asyncio.wait({earlier_task})
        await self._close_outgoing()
        if installed_model is None:
            return
        self._reason = ""
        try:
            await self._make_ready(installed_model)
        except (ModelUnavailable, OSError) as error:
            self._reason = str(error)
            self._on_status(ModelLoadStatus(installed_model.name, self.tier, "failed", reason=self._reason))
            if self._model is not None:
                await self._model.close()
                self._model = None
        else:
            self._on_status(ModelLoadStatus(installed_model.name, self.tier, "ready", 1.0))

    async def _close_outgoing(self) -> None:
        while self._outgoing:
            await self._outgoing[0].close()
            del self._outgoing[0]

    async def _make_ready(self, installed_model: InstalledModel) -> None:
        from narratoria.inference.exam import examine_model, load_exam, save_exam

        report = await asyncio.to_thread(load_exam, installed_model)
        if report is not None:
            self._tier = report.tier
        elif installed_model.sha256 == EMBEDDED.sha256:
            self._tier = "scores"  # as every examination of it has found
        if self._tier == "scores":
            return  # it has nothing to say, and needs no memory before it is to choose
        self._on_status(ModelLoadStatus(installed_model.name, self.tier, "loading"))
        model = self._model = self._open_model(installed_model)
        if report is None:

            def mark(steps_done: int, steps: int) -> None:
                self._on_status(ModelLoadStatus(installed_model.name, "", "loading", steps_done / steps))

            report = await examine_model(model, on_step=mark)
            await asyncio.to_thread(save_exam, installed_model, report)
            self._tier = report.tier
        if self._tier in WRITING_TIERS:
            await model.warm(_first_words(self._tier))
        elif self._tier == "scores":
            await model.close()
            self._model = None

    async def _load_chooser(self, installed_model: InstalledModel) -> None:
        self._on_status(ModelLoadStatus(installed_model.name, self.tier, "loading"))
        model = self._model = self._open_model(installed_model)
        try:
            await model.warm("A")
        except (ModelUnavailable, OSError) as error:
            self._reason = str(error)
            self._on_status(ModelLoadStatus(installed_model.name, self.tier, "failed", reason=self._reason))
            await model.close()
            self._model = None
        else:
            self._on_status(ModelLoadStatus(installed_model.name, self.tier, "ready", 1.0))


def _first_words(tier: Tier) -> list[Message]:
    """Return the beginning of every question to such a writer, to be read before the first scene."""
    question = narration.ask_for_deed({"action": {"kind": "free", "text": "…"}})
    if tier == "narrates" or question is None:
        return [Message("system", narration.ask({})[0]), Message("user", "##")]
    return [Message("system", question[0]), Message("user", "Deed:")]


def _file_identity(model: InstalledModel | None) -> object:
    """Return what tells one model file from another, also from one put in its place."""
    if model is None:
        return None
    try:
        status = model.path.stat()
    except OSError:
        return model.path, model.sha256
    return model.path, model.sha256, status.st_size, status.st_mtime_ns


def _to_host_piece(piece: Written) -> TextPiece:
    if piece.end is None:
        return TextPiece(piece.text)
    return TextPiece(piece.text, "stop" if piece.end.reason == "stop" else "length")


@contextlib.contextmanager
def _refuse_to_skills() -> Iterator[None]:
    try:
        yield
    except ModelUnavailable as error:
        raise HostRefusal("NOT_AVAILABLE", str(error), "go on without it") from None
