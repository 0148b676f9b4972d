"""The embedder gives the published model's vectors, and starts no process for them."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import numpy as np
import psutil
import pytest

from narratoria.errors import ModelUnavailable
from narratoria.inference.embedder import Embedder

# The vectors beside this file are the published model's own, computed once with its reference implementation.
TEXTS = [
    "The player helped the blacksmith repair an anvil.",
    "interactions with craftspeople",
    "Naïve façades — 'quoted', and punctuated!",
    "a",
    "Der Wächter schläft.",
    "The wardens of the pass kept their oath. " * 40,
]
PUBLISHED = np.load(Path(__file__).with_name("published_vectors.npy"))


async def test_the_vectors_are_those_of_the_published_model(embedder: Embedder) -> None:
    vectors = await embedder.embed(TEXTS)
    assert vectors.shape == (6, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.all((vectors * PUBLISHED).sum(axis=1) > 0.9999)


async def test_meaning_counts_and_not_the_words(embedder: Embedder) -> None:
    smith, query, storm = await embedder.embed(
        ["Aldric the blacksmith mended her sword", "dealings with craftspeople", "A storm rose over the bay"]
    )
    assert query @ smith > query @ storm + 0.1


async def test_a_text_gives_the_same_vector_alone_and_in_any_company(embedder: Embedder) -> None:
    texts = [f"the {n}th lantern on the quay" for n in range(70)]
    together = await embedder.embed(texts)
    alone = Embedder(embedder._folder)
    try:
        assert np.allclose(await alone.embed(texts[33:34]), together[33:34], atol=1e-3)
    finally:
        await alone.close()


@pytest.mark.parametrize("letters", ["a", "é", "e\u0301", "한", "漢", "_", "a-", "zq1"])
async def test_a_text_without_a_space_is_embedded_like_any_other(letters: str, embedder: Embedder) -> None:
    rows = await embedder.embed([letters * 20_000, f"I open the door. {letters * 20_000}"])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)


async def test_a_scream_is_one_word_that_nobody_knows(embedder: Embedder) -> None:
    short, long = await embedder.embed([f"I shout {'a' * number} at the guard" for number in (101, 20_000)])
    assert short @ long == pytest.approx(1, abs=1e-3)


async def test_nothing_to_embed_is_no_work(tmp_path: Path, model_folder: Path) -> None:
    shutil.copytree(model_folder, tmp_path / "model")
    embedder = Embedder(tmp_path / "model")
    (tmp_path / "model" / "model.gguf").unlink()
    assert (await embedder.embed([])).shape == (0, 384)


async def test_a_text_that_was_embedded_before_needs_no_model(tmp_path: Path, model_folder: Path) -> None:
    shutil.copytree(model_folder, tmp_path / "model")
    embedder = Embedder(tmp_path / "model")
    first = await embedder.embed(["the tide clock"])
    (tmp_path / "model" / "model.gguf").unlink()
    assert np.array_equal(await embedder.embed(["the tide clock"]), first)
    with pytest.raises(ModelUnavailable):
        await embedder.embed(["another"])


async def test_no_process_is_started_and_none_is_left(embedder: Embedder) -> None:
    before = psutil.Process().children(recursive=True)
    await embedder.embed(["quiet"])
    assert psutil.Process().children(recursive=True) == before


async def test_a_closed_embedder_embeds_the_same_again(embedder: Embedder) -> None:
    first = await embedder.embed(TEXTS[:1])
    await embedder.close()
    assert np.array_equal(await embedder.embed(TEXTS[:1]), first)


async def test_a_question_does_not_wait_for_what_is_embedded_in_the_background(embedder: Embedder) -> None:
    await embedder.embed(["warm"])
    background = asyncio.create_task(embedder.embed([f"long work {n} " * 50 for n in range(64)]))
    await asyncio.sleep(0)
    await embedder.embed(["what a player asks"])
    assert not background.done()
    await background


async def test_a_cancelled_request_leaves_no_answer_for_the_next_one(embedder: Embedder) -> None:
    await embedder.embed(["warm"])
    task = asyncio.create_task(embedder.embed([f"long work {n} " * 50 for n in range(64)]))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert np.allclose((await embedder.embed(TEXTS[:1])) @ PUBLISHED[0], 1, atol=1e-3)


async def test_many_callers_are_answered_each_with_their_own(embedder: Embedder) -> None:
    texts = [f"caller {n} speaks of the {n}th door" for n in range(12)]
    answers = await asyncio.gather(*(embedder.embed([text]) for text in texts))
    fresh = await embedder.embed(texts)
    assert np.allclose(np.concatenate(answers), fresh, atol=1e-3)


@pytest.mark.parametrize("damage", ["missing", "empty", "garbage", "truncated"])
async def test_a_damaged_model_file_is_told_and_nothing_hangs(
    model_folder: Path, tmp_path: Path, damage: str
) -> None:
    shutil.copy(model_folder / "vocab.txt", tmp_path)
    whole = (model_folder / "model.gguf").read_bytes()
    content = {"empty": b"", "garbage": b"not a model" * 1000, "truncated": whole[: len(whole) // 2]}
    (tmp_path / "model.gguf").write_bytes(content.get(damage, whole))
    embedder = Embedder(tmp_path)
    if damage == "missing":
        (tmp_path / "model.gguf").unlink()
    try:
        with pytest.raises(ModelUnavailable):
            await embedder.embed(["anything"])
    finally:
        await embedder.close()
