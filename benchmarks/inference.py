"""What the local model costs over bare llama.cpp, how soon it speaks, what its cache saves, its memory."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measure import Effort, Row, Table, side_by_side, table
from narratoria import paths
from narratoria.inference.catalogue import EMBEDDED
from narratoria.inference.installed_models import install_model
from narratoria.inference.model import LocalModel
from narratoria.inference.worker import load

TOKENS = 64  # of an answer
TURNS = 20
THREADS = 1
LONG = 600.0
BARE, OURS = "bare llama.cpp", "through its own process"
STORY = "Once upon a time, in a village by the sea, there lived a keeper of clocks."
ENDLESS = "root ::= line{900}\nline ::= [a-z ]{900}"
PLANNER = "You choose what a player's action needs. " + " ".join(
    f"Skill {number} is for deeds of kind {number}." for number in range(30)
)
NARRATOR = "You tell the player what happens. " + " ".join(f"House {number} is red." for number in range(30))


async def measure(effort: Effort) -> list[Table]:
    file = install_model(EMBEDDED, paths.INSTALLED_MODELS).path
    model = LocalModel(file, threads=THREADS)
    with tempfile.TemporaryDirectory() as folder:
        bare = _bare(file, Path(folder))
        try:
            return [
                await _same_tokens(effort, model, bare),
                await _first_word(effort, model, bare),
                await _cache(effort, model),
                await _memory(model),
            ]
        finally:
            await model.close()
            del bare


def _bare(file: Path, folder: Path) -> Any:
    settings = {
        "model": str(file),
        "text": True,
        "context": 4096,
        "parallel": 1,
        "cache_mib": 256,
        "adapters": [],
        "threads": THREADS,
        "socket": str(folder / "bare.sock"),
    }
    return load(settings)


async def _same_tokens(effort: Effort, model: LocalModel, bare: Any) -> Table:
    tokens = effort.of(TOKENS)
    fields = {
        "prompt": STORY,
        "n_predict": tokens,
        "temperature": 0,
        "grammar": ENDLESS,
        "cache_prompt": True,
    }

    async def ours() -> None:
        answer = await model.complete(STORY, max_tokens=tokens, temperature=0, grammar=ENDLESS, within=LONG)
        assert answer.end.generated_tokens == tokens

    contenders = {BARE: lambda: asyncio.to_thread(bare.handle_completions, fields), OURS: ours}
    timings = await side_by_side(contenders, effort.repeats)
    return table(
        f"An answer of {tokens} tokens, streamed",
        timings,
        amount=tokens,
        unit="ms a token",
        limit=BARE,
        better="lower",
        targets={OURS: 1.1},
        note="The same file, settings, prompt and tokens; bare is one call in a thread, without streaming.",
    )


async def _first_word(effort: Effort, model: LocalModel, bare: Any) -> Table:
    times = effort.of(2)
    fields = {"prompt": PLANNER, "n_predict": 1, "temperature": 0, "cache_prompt": True}

    async def known() -> None:
        for turn in range(times):
            await _speak(model, f"{PLANNER}\nTurn {turn}:")

    async def unknown() -> None:
        for turn in range(times):
            await _speak(model, f"Story {turn * 7 + _count()}. {PLANNER}")

    async def bare_known() -> None:
        for turn in range(times):
            prompt = f"{PLANNER}\nTurn {turn}:"
            await asyncio.to_thread(bare.handle_completions, {**fields, "prompt": prompt})

    contenders = {BARE: bare_known, f"{OURS}, prompt known": known, f"{OURS}, prompt new": unknown}
    timings = await side_by_side(contenders, min(effort.repeats, 3))
    return table(
        "Time to the first word",
        timings,
        amount=times,
        unit="ms",
        limit=BARE,
        better="lower",
        note="A prompt of some 400 tokens: all but its last line read before, or never seen.",
    )


async def _speak(model: LocalModel, prompt: str) -> None:
    pieces = model.generate(prompt, max_tokens=1, temperature=0, within=LONG)
    async for _ in pieces:
        pass


_seen = 0


def _count() -> int:
    global _seen  # noqa: PLW0603  a prompt that no round has used
    _seen += 1
    return _seen


async def _cache(effort: Effort, model: LocalModel) -> Table:
    turns = max(2, effort.of(TURNS))
    for prefix in (PLANNER, NARRATOR):
        await model.warm(prefix, within=LONG)
    read = cached = 0
    for turn in range(turns):
        for prefix in (PLANNER, NARRATOR):
            prompt = f"{prefix}\nTurn {turn}: the player opens door {turn}.\n"
            end = (await model.complete(prompt, max_tokens=8, within=LONG)).end
            read += end.prompt_tokens
            cached += end.cached_tokens
    rate = 100 * cached / read
    limit = "every token known"
    rows = [
        Row(limit, 100, 100, 1),
        Row("planner and narrator in turn", rate, rate, rate / 100, 0.9, rate >= 90),
    ]
    return Table(f"Prompt tokens that are not read again, over {turns} turns", "", "%", limit, "higher", rows)


async def _memory(model: LocalModel) -> Table:
    await model.warm(STORY, within=LONG)
    held = model.memory / 1e6
    size = model.path.stat().st_size / 1e6
    limit = "the file"
    rows = [Row(limit, size, size, 1), Row("its process, after all of the above", held, held, held / size)]
    note = "Weights, a context of 4,096 tokens, up to 256 MiB of prompts that were read, and the runtime."
    return Table("Memory", note, "MB", limit, "lower", rows)
