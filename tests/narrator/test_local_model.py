"""The local model as skills reach it: made ready in the background, trusted by its tier, switched at will."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from narratoria import paths
from narratoria.errors import HostRefusal
from narratoria.inference.chat_template import Message
from narratoria.inference.exam import ModelExam, Tier, save_exam
from narratoria.inference.installed_models import InstalledModel
from narratoria.inference.model import LocalModel
from narratoria.narrator.gate import StoryGate
from narratoria.narrator.local_model import ModelLoadStatus, ModelService
from narratoria.planning.execute import execute
from narratoria.planning.plan import Plan, ToolInvocation
from narratoria.planning.prepare import prepare_plan
from narratoria.sdk import narration
from narratoria.skills.discovery import discover
from narratoria.skills.host.quick_answers import QuickAnswers
from narratoria.skills.host.services import Caller, Generation, Host
from narratoria.skills.resolve import Tools
from narratoria.state import SessionState

ME = Caller("storyteller", "p1", "s1")
FACTS: dict[str, Any] = {
    "draft": ["You try the door. It gives, with a noise.", "Marten looks up. “You took your time,” he says."],
    "action": {"kind": "free", "text": "I try the door"},
    "people": [{"name": "Marten"}],
    "place": {"name": "the boathouse"},
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    monkeypatch.setenv("NARRATORIA_THREADS", "1")
    return tmp_path


@pytest.fixture
async def model_service(embedded: InstalledModel) -> AsyncIterator[ModelService]:
    model_service = ModelService(lambda: embedded)
    yield model_service
    await model_service.close()


def found_to(model: InstalledModel, tier: Tier) -> None:
    """As if an examination had come to this."""
    save_exam(model, ModelExam(tier, 1, 1, 1, 100, 50, 10, 1, 100, 10))


async def ready(model_service: ModelService) -> None:
    model_service.refresh()
    await model_service.wait_until_settled()


async def text_of(model_service: ModelService, wanted: Generation) -> str:
    async with aclosing(model_service.generate(ME, wanted)) as pieces:
        return "".join([piece.text async for piece in pieces])


async def test_what_came_along_is_there_at_once_and_trusted_with_no_story(
    model_service: ModelService,
) -> None:
    await ready(model_service)
    about = model_service.about()
    assert (about.state, about.tier) == ("ready", "scores")
    assert model_service.model is None  # it needs no memory before it is to choose
    with pytest.raises(HostRefusal, match="can be trusted to weigh choices, and not to write"):
        await text_of(model_service, Generation(prompt="Tell a story."))


async def test_words_that_are_typed_bring_the_model_that_was_trained_to_choose(
    model_service: ModelService,
) -> None:
    await ready(model_service)
    model_service.load_chooser()
    assert model_service.about().state == "loading"
    await model_service.wait_until_settled()
    model = model_service.model
    assert model is not None
    assert model.adapters
    model_service.load_chooser()
    model_service.refresh()
    await model_service.wait_until_settled()
    assert model_service.model is model  # once is enough
    with pytest.raises(HostRefusal, match="can be trusted to weigh choices, and not to write"):
        await text_of(model_service, Generation(prompt="Tell a story."))


async def test_a_model_that_cannot_be_loaded_to_choose_is_not_tried_at_every_word(
    embedded: InstalledModel, tmp_path: Path
) -> None:
    file = tmp_path / "broken.gguf"
    file.write_bytes(embedded.path.read_bytes()[:1000])
    told: list[ModelLoadStatus] = []
    model_service = ModelService(lambda: replace(embedded, path=file), on_status=told.append)
    await ready(model_service)
    for _ in range(2):
        model_service.load_chooser()
        await model_service.wait_until_settled()
    assert [status.state for status in told] == ["ready", "loading", "failed"]
    assert "cut off" in model_service.about().reason
    await model_service.close()


async def test_a_small_model_that_nobody_trained_is_not_kept_in_memory(embedded: InstalledModel) -> None:
    stranger = replace(embedded, sha256="")
    found_to(stranger, "scores")
    model_service = ModelService(lambda: stranger)
    await ready(model_service)
    model_service.load_chooser()
    await model_service.wait_until_settled()
    assert (model_service.about().state, model_service.about().tier) == ("ready", "scores")
    assert model_service.model is None
    await model_service.close()


async def test_a_model_that_was_found_fit_writes_piece_by_piece_and_by_schema(
    model_service: ModelService, embedded: InstalledModel
) -> None:
    found_to(embedded, "narrates")
    await ready(model_service)
    assert model_service.about().tier == "narrates"
    async with aclosing(
        model_service.generate(ME, Generation(prompt="Once", max_tokens=12, seed=1))
    ) as pieces:
        told = [piece async for piece in pieces]
    assert len(told) > 4
    assert [piece.finish for piece in told[-1:]] == ["length"]
    schema = {"type": "object", "properties": {"mood": {"enum": ["calm"]}}, "required": ["mood"]}
    assert json.loads(await text_of(model_service, Generation(prompt="A cat:", schema=schema))) == {
        "mood": "calm"
    }


@pytest.mark.parametrize("tier", ["narrates", "embellishes"])
async def test_what_a_writer_is_asked_first_it_has_read_before(
    model_service: ModelService, embedded: InstalledModel, tier: Tier
) -> None:
    found_to(embedded, tier)
    await ready(model_service)
    deed = narration.ask_for_deed(FACTS)
    assert deed is not None
    system, prompt = narration.ask(FACTS) if tier == "narrates" else deed
    assert model_service.model is not None
    end = await model_service.model.warm([Message("system", system), Message("user", prompt)])
    assert end.cached_tokens > end.prompt_tokens / 2


async def test_one_that_fills_in_forms_is_asked_for_nothing_else(
    model_service: ModelService, embedded: InstalledModel
) -> None:
    found_to(embedded, "fills")
    await ready(model_service)
    schema = {"type": "object", "properties": {"n": {"enum": [1]}}, "required": ["n"]}
    assert json.loads(await text_of(model_service, Generation(prompt="n:", schema=schema))) == {"n": 1}
    with pytest.raises(HostRefusal, match="fill in forms, and not to write"):
        await text_of(model_service, Generation(prompt="Tell a story."))


async def test_while_it_gets_ready_nobody_waits_for_it(embedded: InstalledModel) -> None:
    found_to(embedded, "narrates")
    seen: list[ModelLoadStatus] = []
    model_service = ModelService(lambda: embedded, on_status=seen.append)
    try:
        model_service.refresh()
        assert model_service.about().state == "loading"
        with pytest.raises(HostRefusal, match="is being made ready"):
            await text_of(model_service, Generation(prompt="Tell a story."))
        await model_service.wait_until_settled()
    finally:
        await model_service.close()
    assert [status.state for status in seen] == ["loading", "ready"]


async def test_a_model_that_came_meanwhile_takes_over_between_turns(embedded: InstalledModel) -> None:
    chosen: list[InstalledModel | None] = [None]
    model_service = ModelService(lambda: chosen[0])
    try:
        await ready(model_service)
        assert model_service.about().state == "none"
        chosen[0] = embedded
        assert model_service.about().state == "none"  # not in the middle of one
        await ready(model_service)
        assert model_service.about().state == "ready"
        found_to(embedded, "narrates")
        model_service.refresh()  # the same model stays as it is
        assert model_service.about().tier == "scores"
    finally:
        await model_service.close()


async def test_a_file_that_was_mended_is_tried_again_at_the_next_turn(
    embedded: InstalledModel, tmp_path: Path
) -> None:
    own = replace(embedded, path=tmp_path / "own.gguf", folder=tmp_path)
    own.path.write_bytes(b"GGUF, or so it says")
    found_to(own, "narrates")
    model_service = ModelService(lambda: own)
    try:
        await ready(model_service)
        assert model_service.about().state == "failed"
        await ready(model_service)  # nothing has changed, and nothing is tried
        assert model_service.about().state == "failed"
        own.path.unlink()
        own.path.symlink_to(embedded.path)
        await ready(model_service)
        assert model_service.about().state == "ready"
    finally:
        await model_service.close()


async def test_a_model_that_two_others_take_over_from_while_it_loads_is_closed(
    embedded: InstalledModel, tmp_path: Path
) -> None:
    files = [tmp_path / f"{name}.gguf" for name in "abc"]
    own = [replace(embedded, path=file, folder=tmp_path, name=file.stem) for file in files]
    for model in own:
        model.path.symlink_to(embedded.path)
        found_to(model, "narrates")
    opened: list[LocalModel] = []

    def open_model(found: InstalledModel) -> LocalModel:
        opened.append(LocalModel(found.path, sha256=found.sha256, threads=1))
        return opened[-1]

    chosen = [own[0]]
    model_service = ModelService(lambda: chosen[0], open_model=open_model)
    try:
        model_service.refresh()
        while not (opened and opened[0].pid):
            await asyncio.sleep(0.01)
        for chosen[0] in own[1:]:
            model_service.refresh()
            await asyncio.sleep(0)
        await model_service.wait_until_settled()
        assert model_service.about().state == "ready"
        assert [model.state.phase for model in opened] == ["idle", "ready"]
    finally:
        await model_service.close()


async def test_it_is_closed_while_it_loads(embedded: InstalledModel) -> None:
    found_to(embedded, "narrates")
    model_service = ModelService(lambda: embedded)
    model_service.refresh()
    await asyncio.sleep(0)
    await model_service.close()
    assert model_service.about().state == "none"


@pytest.mark.parametrize("tier", ["narrates", "embellishes", "scores"])
async def test_whoever_tells_it_there_is_a_scene_and_its_passages_say_by_whom(
    model_service: ModelService, embedded: InstalledModel, tier: Tier
) -> None:
    """The smallest model, trusted with more than it can do: what stands is whole, the rest is the draft."""
    found_to(embedded, tier)
    await ready(model_service)
    plan = Plan(
        request_id="00000000-0000-4000-8000-000000000001",
        tools=(ToolInvocation(tool_id="narrate", tool_path="skills/storyteller/narrate", input=FACTS),),
    )
    tools = Tools(discover([paths.BUNDLED_SKILLS]), host=Host(model=model_service, gate=StoryGate()))
    result = await execute(prepare_plan(plan, tools.resolve), SessionState(), context={"seed": 7})
    assert result.success, result
    told = result.tool_results[0].output
    assert 2 <= len(told["paragraphs"]) <= 3
    for paragraph, passage in zip(told["paragraphs"], told["passages"], strict=True):
        assert (passage["source"] == "model") == (paragraph not in FACTS["draft"])
    if tier == "scores":
        assert told["paragraphs"] == FACTS["draft"]
        assert "not trusted" in told["steps"][0]["reason"]


async def test_a_player_who_takes_the_quick_answer_is_not_kept_waiting(embedded: InstalledModel) -> None:
    found_to(embedded, "narrates")
    quick_answers = QuickAnswers()
    model_service = ModelService(lambda: embedded, quick_answers=quick_answers)
    wanted = Generation(prompt="Tell a long story.", max_tokens=4000)
    try:
        await ready(model_service)
        async with aclosing(model_service.generate(ME, wanted)) as pieces:
            await anext(pieces)  # it writes
            quick_answers.take(ME.playthrough)
            with pytest.raises(HostRefusal, match="you took the quick answer"):
                async for _ in pieces:
                    pass
        with pytest.raises(HostRefusal, match="you took the quick answer"):
            await text_of(model_service, wanted)
        quick_answers.begin_turn(ME.playthrough)
        assert await text_of(model_service, Generation(prompt="Tell a story.", max_tokens=4))
    finally:
        await model_service.close()
