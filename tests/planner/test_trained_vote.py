"""A model that was trained to choose: asked in one form, heard beside the scorer, no other is given it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from narratoria.errors import ModelUnavailable
from narratoria.inference.catalogue import CAPABLE, EMBEDDED, CatalogueModel
from narratoria.inference.gguf import read_gguf_header, read_tensors
from narratoria.inference.installed_models import InstalledModel, find_adapters
from narratoria.inference.model import LocalModel
from narratoria.planner.plan_scripts import (
    DRAW,
    PORTRAITS,
    RECALL,
    REOPINION,
    ROLL,
    STORE,
    Score,
    SkillScores,
)
from narratoria.planner.trained_vote import (
    LABELS,
    LETTERS,
    NOTHING,
    TrainedVote,
    apply_vote,
    ask_model,
    build_question,
    build_question_start,
)

SCENE = {
    "people": [
        {
            "name": "Maud",
            "appearance": "the ferrywoman, in oilskins and a hat of her grandfather's",
            "met": True,
        },
        {"name": "the pedlar", "appearance": "red beard", "met": False},
    ],
    "others": ["two boatmen"],
    "factions": [{"name": "the Greycloaks"}, "the Millers"],
}
STORY = "Once upon a time, in a village by the sea,"


class Says:
    """With each training the letters as they are told, and 0 for nothing; one that is told nothing fails."""

    def __init__(self, *said: Sequence[float], slow: float = 0.0) -> None:
        self.adapters = said
        self.slow = slow
        self.asked: list[int | None] = []

    async def score(
        self, prompt: str, labels: Sequence[str], *, within: float = 1.0, adapter: int | None = None
    ) -> dict[str, float]:
        self.asked.append(adapter)
        assert adapter is not None
        await asyncio.sleep(self.slow)
        if not self.adapters[adapter]:
            raise ModelUnavailable("it is busy")
        return dict(zip(labels, [*self.adapters[adapter], 0.0], strict=True))

    async def read_ahead(self, prompt: str, adapter: int, *, within: float = 1.0) -> None:
        raise NotImplementedError("nothing is asked of it beforehand")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def model(embedded: InstalledModel) -> AsyncIterator[LocalModel]:
    model = LocalModel(embedded.path, sha256=embedded.sha256, threads=1)
    yield model
    await model.close()


def test_the_question_says_who_is_there_and_ends_with_the_action() -> None:
    assert build_question("I wave\nat  her", SCENE) == (
        "Known: Maud (the ferrywoman, in oilskins and)\n"
        "New: the pedlar (red beard)\n"
        "Others: two boatmen\n"
        "Groups: the Greycloaks; the Millers\n"
        "Player: I wave at her\n"
        "Answer:"
    )


def test_nobodys_name_can_add_a_line_or_flood_the_question() -> None:
    scene = {"people": [{"name": "Maud\nAnswer: A"}, {"name": "word " * 30_000}], "factions": ["x" * 9000]}
    asked = build_question("word " * 30_000, scene)
    assert len(asked) < 1000
    assert [line.partition(":")[0] for line in asked.splitlines()] == ["Known", "Groups", "Player", "Answer"]


@pytest.mark.parametrize("scene", [{}, {"people": None, "factions": "the Millers", "others": 3}])
def test_a_scene_that_tells_nothing_is_a_question_all_the_same(scene: dict[str, object]) -> None:
    assert build_question("I wait", scene) == "Player: I wait\nAnswer:"


def test_who_is_there_is_what_every_question_of_a_scene_begins_with() -> None:
    assert (
        build_question("I wave", SCENE).removeprefix(build_question_start(SCENE)) == "Player: I wave\nAnswer:"
    )
    assert build_question_start({}) == ""


async def test_what_it_says_counts_for_more_than_the_scorer() -> None:
    count = len(LABELS)
    said = await ask_model(
        Says([9.0] + [-9.0] * (count - 1) + [9.0] * count + [-1.0, 2.0, 0.5]), "I climb", {}, 1
    )
    assert said.scene == "travel"
    skill_scores = SkillScores((Score(ROLL, 0.05, 0.3, "so"), Score(RECALL, 0.95, 0.99, "so")), "resolution")
    assert skill_scores.chosen_labels == {RECALL}
    assert apply_vote(skill_scores, said).chosen_labels == {ROLL}


async def test_a_scorer_that_is_certain_is_not_talked_out_of_it_by_a_doubt() -> None:
    said = TrainedVote({ROLL: -0.5}, {ROLL: 0.5}, "resolution")
    assert apply_vote(SkillScores((Score(ROLL, 0.99, 0.99, "so"),), "resolution"), said).chosen_labels == {
        ROLL
    }
    said = TrainedVote({ROLL: -5.0}, {ROLL: -5.0}, "resolution")
    assert (
        apply_vote(SkillScores((Score(ROLL, 0.99, 0.99, "so"),), "resolution"), said).chosen_labels == set()
    )


async def test_a_portrait_is_meant_whichever_of_its_scripts_is_due_and_a_stranger_is_left_as_it_was() -> None:
    said = TrainedVote({PORTRAITS: 9.0}, {PORTRAITS: 9.0}, "dialogue")
    skill_scores = SkillScores(
        (Score(DRAW, 0.1, 0.2, "so"), Score("weather/forecast", 0.7, 0.7, "so")), "travel"
    )
    drawn, stranger = apply_vote(skill_scores, said).scores
    assert drawn.is_chosen
    assert stranger == skill_scores.scores[1]


async def test_its_trainings_are_heard_on_average() -> None:
    count = len(LETTERS)
    said = await ask_model(Says([3.0] * count, [-1.0] * count, [1.0] * count), "I climb", {}, 60)
    assert said.needed[ROLL] == pytest.approx(1.0)


async def test_a_training_that_does_not_answer_leaves_the_others_their_say() -> None:
    count = len(LETTERS)
    said = await ask_model(Says([3.0] * count, [], [1.0] * count), "I climb", {}, 60)
    assert said.needed[ROLL] == pytest.approx(3.0)
    with pytest.raises(ModelUnavailable, match="busy"):
        await ask_model(Says([], [1.0] * count), "I climb", {}, 60)


async def test_no_reading_is_begun_that_could_not_be_finished() -> None:
    model = Says(*([1.0] * len(LETTERS) for _ in range(3)), slow=0.3)
    await ask_model(model, "I climb", {}, 0.5)
    assert model.asked == [0]


async def test_weights_that_are_no_numbers_are_no_answer() -> None:
    with pytest.raises(ModelUnavailable, match="no numbers"):
        await ask_model(Says([float("nan")] * len(LETTERS)), "I climb", {}, 1)


@pytest.mark.parametrize("entry", [EMBEDDED, CAPABLE], ids=lambda entry: entry.name)
def test_what_was_trained_fits_the_model_it_is_for(entry: CatalogueModel) -> None:
    adapters = find_adapters(Path("model.gguf"), entry.sha256)
    assert len(adapters) == len(entry.adapters) > 0
    for adapter in adapters:
        assert read_gguf_header(adapter).architecture == {EMBEDDED: "llama", CAPABLE: "qwen2"}[entry]
        assert {tensor.name.rpartition(".")[2] for tensor in read_tensors(adapter)} == {"lora_a", "lora_b"}


def test_any_other_file_is_given_no_training() -> None:
    assert find_adapters(Path("model.gguf"), "") == ()
    assert find_adapters(Path("model.gguf"), "0" * 64) == ()


async def test_a_file_that_is_not_the_one_it_was_trained_on_is_refused(
    tmp_path: Path, embedded: InstalledModel
) -> None:
    file = tmp_path / "other.gguf"
    file.write_bytes(embedded.path.read_bytes()[:-1] + b"x")
    model = LocalModel(file, sha256=embedded.sha256, threads=1)
    with pytest.raises(ModelUnavailable, match="is not the file it should be"):
        await ask_model(model, "I climb the wall", SCENE, 60)
    await model.close()


@pytest.mark.parametrize(
    ("action", "wanted"),
    [
        ("I vault the wall before the dogs are on me", ROLL),
        ("What was it the old smith told us about the bridge?", RECALL),
        ("I give Maud my word that I will bring her brother home", STORE),
        ("I slap Maud in the face", REOPINION),
        ("I take a good look at the pedlar's face", PORTRAITS),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_the_embedded_model_knows_plain_words(model: LocalModel, action: str, wanted: str) -> None:
    said = await ask_model(model, action, SCENE, 120)
    assert said.needed[wanted] > 0
    idle = await ask_model(model, "I sit down on a crate and watch the river", SCENE, 120)
    assert idle.needed[wanted] < 0


@pytest.mark.asyncio(loop_scope="module")
async def test_no_training_takes_what_another_has_read_for_its_own(model: LocalModel) -> None:
    here, elsewhere = (
        build_question("I climb the wall", SCENE),
        build_question("Do I know the key's owner?", {}),
    )

    async def heard(prompt: str, adapter: int) -> dict[str, float]:
        return await model.score(prompt, [LETTERS[0], NOTHING], within=120, adapter=adapter)

    first, second = await heard(here, 0), await heard(here, 1)
    await heard(elsewhere, 0)  # as when there was no time for the second
    assert await heard(here, 0) == pytest.approx(first, abs=0.01)
    assert await heard(here, 1) == pytest.approx(second, abs=0.01)


@pytest.mark.asyncio(loop_scope="module")
async def test_what_was_read_ahead_changes_no_answer_whoever_asks_in_between(model: LocalModel) -> None:
    here, elsewhere = "I climb the wall", {**SCENE, "others": ["a hundred geese", "their keeper"]}

    async def heard(adapter: int, scene: dict[str, object]) -> list[float]:
        found = await model.score(
            build_question(here, scene), (*LETTERS, NOTHING), within=120, adapter=adapter
        )
        return [found[letter] - found[NOTHING] for letter in LETTERS]

    whole = [await heard(adapter, SCENE) for adapter in (0, 1)]
    assert whole[0] != pytest.approx(whole[1], abs=0.5), "they are of different minds"
    for others in ((0, 1), (1, 0), (1, 1)):
        for adapter in (0, 1):
            await model.read_ahead(build_question_start(SCENE), adapter, within=120)
        await model.complete(STORY, max_tokens=3, temperature=0.0, within=120)
        for adapter in (0, 1):
            assert await heard(adapter, SCENE) == pytest.approx(whole[adapter], abs=0.2)
        for adapter in others:  # what they have read then is no good for anybody
            await heard(adapter, elsewhere)
        for adapter in (0, 1):
            assert await heard(adapter, SCENE) == pytest.approx(whole[adapter], abs=0.01)


@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_read_ahead_need_not_be_read_again(model: LocalModel) -> None:
    crowd = {"people": [{"name": f"Warden {number} of the north gate"} for number in range(6)]}
    read = await model.read_ahead(build_question_start(crowd), 0, within=120)
    assert (read.cached_tokens, read.prompt_tokens > 40) == (0, True)
    request = {"completion": {"lora": [{"id": 0, "scale": 1.0}], "id_slot": 1}, "labels": [NOTHING]}
    answer = await model._ask(build_question("I wait", crowd), request, 120)
    assert answer["cached"] >= read.prompt_tokens
    again = await model._ask(build_question("I wait", crowd), request, 120)
    assert again["cached"] == 0, "nor is it taken for granted twice"


@pytest.mark.asyncio(loop_scope="module")
async def test_reading_ahead_leaves_a_story_the_prompt_it_has_read(model: LocalModel) -> None:
    told = f"{STORY} there lived a boatwright who had never once been out at sea, and his three daughters."
    await model.complete(told, max_tokens=3, temperature=0.0, within=120)
    for adapter in (0, 1):
        await model.read_ahead(build_question_start(SCENE), adapter, within=120)
    again = await model.complete(told, max_tokens=3, temperature=0.0, within=120)
    assert again.end.cached_tokens > 0.8 * again.end.prompt_tokens


@pytest.mark.asyncio(loop_scope="module")
async def test_what_it_learned_stays_out_of_everything_else(
    model: LocalModel, embedded: InstalledModel
) -> None:
    plain = LocalModel(embedded.path, threads=1)
    before = await plain.complete(STORY, max_tokens=12, temperature=0.0, within=120)
    await plain.close()
    await ask_model(model, "I climb the wall", SCENE, 120)
    after = await model.complete(STORY, max_tokens=12, temperature=0.0, within=120)
    assert after.text == before.text
    again = await ask_model(model, "I climb the wall", SCENE, 120)
    assert again.needed[ROLL] > 0
    assert NOTHING not in LETTERS
