"""The local model answers in pieces, by schema and by likelihood, and outlives what befalls its process."""

from __future__ import annotations

import asyncio
import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from narratoria.errors import ModelUnavailable
from narratoria.inference.chat_template import Message
from narratoria.inference.model import LocalModel
from narratoria.sdk import narration
from narratoria.sdk.structured_answer import SCHEMA

pytestmark = pytest.mark.asyncio(loop_scope="module")

LONG = 600.0  # seconds: this machine may be busy
STORY = "Once upon a time, in a village by the sea,"
ENDLESS = "root ::= line{900}\nline ::= [a-z ]{900}"
CAT = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "mood": {"enum": ["calm", "angry"]},
        "age": {"type": "integer", "minimum": 1, "maximum": 20},
    },
    "required": ["name", "mood", "age"],
}


async def works(model: LocalModel) -> bool:
    return bool((await model.complete(STORY, max_tokens=2, within=LONG)).text)


async def test_pieces_come_one_by_one_and_the_last_tells_what_it_took(model: LocalModel) -> None:
    pieces = [piece async for piece in model.generate(STORY, max_tokens=12, temperature=0, within=LONG)]
    assert len(pieces) > 5
    assert all(piece.end is None for piece in pieces[:-1])
    end = pieces[-1].end
    assert end is not None
    assert (end.reason, end.generated_tokens) == ("length", 12)
    whole = await model.complete(STORY, max_tokens=12, temperature=0, within=LONG)
    assert whole.text == "".join(piece.text for piece in pieces)


async def test_a_seed_gives_the_same_text_again_and_another_another(model: LocalModel) -> None:
    texts = [
        (await model.complete(STORY, max_tokens=16, temperature=1.2, seed=seed, within=LONG)).text
        for seed in (7, 7, 8)
    ]
    assert texts[0] == texts[1] != texts[2]


async def test_a_stop_word_ends_the_answer_and_is_not_part_of_it(model: LocalModel) -> None:
    whole = await model.complete(STORY, max_tokens=40, temperature=0, within=LONG)
    word = whole.text.split()[4]
    cut = await model.complete(STORY, max_tokens=40, temperature=0, stop=[word], within=LONG)
    assert cut.end.reason == "stop"
    assert word not in cut.text
    assert whole.text.startswith(cut.text)


async def test_a_grammar_leaves_only_what_it_allows(model: LocalModel) -> None:
    answer = await model.complete("Is it raining?", grammar='root ::= "yes" | "no"', within=LONG)
    assert answer.text in {"yes", "no"}


@pytest.mark.parametrize("seed", range(3))
async def test_json_is_always_what_the_schema_allows(model: LocalModel, seed: int) -> None:
    cat = await model.complete_json(CAT, "A cat as JSON:", temperature=1.5, seed=seed, within=LONG)
    assert set(cat) == {"name", "mood", "age"}
    assert cat["mood"] in {"calm", "angry"}
    assert 1 <= cat["age"] <= 20


async def test_json_that_has_no_room_is_told_as_unfinished(model: LocalModel) -> None:
    with pytest.raises(ModelUnavailable, match="3 tokens were too few"):
        await model.complete_json(CAT, "A cat as JSON:", max_tokens=3, within=LONG)


async def test_labels_are_weighed_by_the_models_own_probabilities(model: LocalModel) -> None:
    prompt = "Paris is in France. Rome is in Italy. Paris is in"
    scores = await model.score(prompt, [" France", " Italy", " zebra"], within=LONG)
    assert list(scores) == [" France", " Italy", " zebra"]
    assert scores[" France"] > scores[" Italy"] > scores[" zebra"]
    assert sum(map(math.exp, scores.values())) <= 1


async def test_a_label_that_is_no_token_is_named(model: LocalModel) -> None:
    with pytest.raises(ModelUnavailable, match="not one token for this model: 'blacksmithery'"):
        await model.score(STORY, [" A", "blacksmithery"], within=LONG)
    assert await works(model)


async def test_two_prompts_in_turn_are_each_read_once(model: LocalModel) -> None:
    planner = "You choose skills. " + " ".join(f"Skill {n} does thing {n}." for n in range(15))
    narrator = "You tell stories. " + " ".join(f"House {n} is red." for n in range(15))
    for prefix in (planner, narrator):
        await model.warm(prefix, within=LONG)
    for turn in range(3):
        for prefix in (planner, narrator):
            answer = await model.complete(f"{prefix}\nTurn {turn}:", max_tokens=4, within=LONG)
            assert answer.end.cached_tokens > 0.85 * answer.end.prompt_tokens


async def test_a_conversation_is_told_in_the_models_own_form(model: LocalModel) -> None:
    asked = [Message("system", "Answer in one word."), Message("user", "What colour is the sky?")]
    answer = await model.complete(asked, max_tokens=24, temperature=0, within=LONG)
    assert answer.end.reason == "stop"
    assert "blue" in answer.text.lower()


async def test_the_deadline_ends_an_answer_with_what_there_is(model: LocalModel) -> None:
    await works(model)
    answer = await model.complete(STORY, max_tokens=4000, within=1.0, grammar=ENDLESS)
    assert answer.end.reason == "deadline"
    assert answer.end.generated_tokens > 0
    assert await works(model)


async def test_an_answer_nobody_reads_any_more_is_stopped_and_the_process_stays(model: LocalModel) -> None:
    await works(model)
    starts = model.starts
    pieces = model.generate(STORY, max_tokens=4000, grammar=ENDLESS, within=LONG)
    async for _ in pieces:
        break
    await pieces.aclose()
    assert await works(model)
    assert model.starts == starts


async def test_requests_are_answered_in_the_order_they_came(model: LocalModel) -> None:
    ended: list[int] = []

    async def ask(number: int, tokens: int) -> None:
        await model.complete(STORY, max_tokens=tokens, within=LONG)
        ended.append(number)

    await asyncio.gather(*(ask(number, tokens) for number, tokens in enumerate((24, 1, 12, 1))))
    assert ended == [0, 1, 2, 3]


async def test_who_cannot_wait_for_the_others_is_told_and_disturbs_nobody(model: LocalModel) -> None:
    await works(model)
    first = asyncio.create_task(model.complete(STORY, max_tokens=60, grammar=ENDLESS, within=LONG))
    await asyncio.sleep(0)
    with pytest.raises(ModelUnavailable, match="busy"):
        await model.complete(STORY, within=0.05)
    assert (await first).end.reason == "length"


async def test_too_long_a_prompt_is_refused_with_its_length(model: LocalModel) -> None:
    with pytest.raises(ModelUnavailable, match=r"9\d\d\d tokens and the context holds 4096"):
        await model.complete("word " * 9000, within=LONG)
    assert await works(model)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("missing", "no such model file"),
        ("empty", "not a GGUF"),
        ("garbage", "not a GGUF"),
        ("a picture", "not a GGUF"),
        ("header", "cut off or damaged"),
        ("truncated", "cut off or damaged: it has"),
        ("hash", "not the file it should be"),
    ],
)
async def test_a_damaged_file_is_told_in_plain_words_and_a_good_one_in_its_place_works(
    model_file: Path, tmp_path: Path, damage: str, told: str
) -> None:
    from narratoria.inference.catalogue import EMBEDDED

    whole = model_file.read_bytes()
    path = tmp_path / "model.gguf"
    damaged = {
        "empty": b"",
        "garbage": b"not a model" * 1000,
        "a picture": b"\x89PNG\r\n\x1a\n" + bytes(100),
        "header": whole[:5000],
        "truncated": whole[: len(whole) // 2],
        "hash": whole[:-1] + bytes([whole[-1] ^ 1]),
    }
    if damage in damaged:
        path.write_bytes(damaged[damage])
    model = LocalModel(path, sha256=EMBEDDED.sha256, threads=1)
    try:
        with pytest.raises(ModelUnavailable, match=told):
            await model.complete(STORY, within=LONG)
        path.write_bytes(whole)
        assert await works(model)
    finally:
        await model.close()


ALONE = """
import asyncio, pathlib, socket, sys
from narratoria.inference.model import LocalModel
from narratoria.sdk import narration
from narratoria.sdk.structured_answer import SCHEMA
assert [name for _, name in socket.if_nameindex()] == ["lo"]
async def main():
    model = LocalModel(pathlib.Path(sys.argv[1]), threads=1)
    answer = await model.complete("Once upon a time", max_tokens=3, within=100)
    await model.close()
    print(answer.end.generated_tokens)
asyncio.run(main())
"""


async def test_it_answers_where_there_is_no_network_at_all(model_file: Path) -> None:
    alone = ["unshare", "--map-root-user", "--net"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("this machine gives no namespaces to ordinary users")
    command = [*alone, sys.executable, "-c", ALONE, str(model_file)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "3\n"


async def test_a_streamed_answer_is_held_to_a_schema_and_its_paragraphs_are_read_on_the_way(
    model: LocalModel,
) -> None:
    telling, paragraphs, pieces = narration.Telling(), [], 0
    short = {"type": "string", "minLength": 5, "maxLength": 40}
    properties = {
        **SCHEMA["properties"],
        "paragraphs": {**SCHEMA["properties"]["paragraphs"], "items": short},
    }
    prompt = "A scene as JSON: the door opens."
    answer = model.generate(
        prompt, schema={**SCHEMA, "properties": properties}, max_tokens=90, temperature=0, within=LONG
    )
    async for piece in answer:
        pieces += 1
        paragraphs += telling.add(piece.text)
    assert pieces > 10
    assert telling.ends or paragraphs
    assert paragraphs
    assert all(len(one) <= 40 for one in paragraphs)
    assert telling.finish() == []


async def test_tokens_are_counted_as_the_model_reads_them(model: LocalModel) -> None:
    counts = await model.count_tokens(["", "lamp", STORY, STORY * 2], within=LONG)
    read = (await model.complete(STORY, max_tokens=1, within=LONG)).end.prompt_tokens
    assert counts[0] == 0
    assert counts[1] in (1, 2)
    assert counts[2] in (read, read - 1)  # a mark at the beginning of a text is not part of it
    assert counts[3] == 2 * counts[2]
    assert await model.count_tokens([]) == []
