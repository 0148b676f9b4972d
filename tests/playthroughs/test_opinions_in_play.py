"""What people think of the player counts while a story is played: on the dice, in their voices, over time."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from narratoria import app
from narratoria.engine import sentiment
from narratoria.engine.persistence.library import Library
from narratoria.engine.scene import Choice
from narratoria.engine.story_session import StorySession

CELLAR = "# The cellar\n\nBarrels in two rows, and a lamp.\n\n## Ways\n\n- [Yard](yard.md): up the steps\n"
YARD = "# The yard\n\nA pump and a wall.\n\n## Ways\n\n- [Cellar](cellar.md): down the steps\n"
TALK_OF_THE_KEY = {
    "id": "key",
    "ask": "where the key hangs",
    "answer": "“Behind the third barrel,” she says.",
    "conditions": {"npc_state": {"marl": {"perception": {"min": 30}}}},
}
MARL = {
    "name": "Marl Betony",
    "role": "Cellarer",
    "personality": {"traits": ["strong"]},
    "speech_patterns": {
        "style": "dry",
        "examples": ["Mind the step."],
        "greetings": {"warm": "There you are."},
    },
    "metadata": {"first_appearance": "cellar"},
    "topics": [TALK_OF_THE_KEY],
}


def offer(name: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "title": name,
        "description": f"You do it: {name}.",
        "location": "cellar",
        "conditions": {"player_choice": text},
        **more,
    }


def risk(name: str, text: str, **more: Any) -> dict[str, Any]:
    ends = [{"name": end, "description": f"It ends in {end}."} for end in ("success", "failure")]
    return offer(name, text, risky=True, outcomes=ends, **more)


BEATS = [
    offer("gift", "Hang the good rope up for Marl", npcs=["marl"], effects={"perception": {"marl": 36}}),
    offer("rescue", "Lift the barrel off Marl", npcs=["marl"], effects={"perception": {"marl": 92}}),
    offer("theft", "Drink Marl's own bottle", npcs=["marl"], effects={"perception": {"marl": -60}}),
    offer("oath", "Take the cellarers' oath", npcs=["marl"], effects={"reputation": {"cellarers": 80}}),
    offer("night", "Sleep for a fortnight", scene_type="resolution"),
    risk("lamp", "Talk Marl out of the lamp", npcs=["marl"]),
    risk("climb", "Climb the rack to the hatch"),
]
OSK = {
    "name": "Osk Tarn",
    "role": "Carter",
    "personality": {"traits": ["slow"]},
    "speech_patterns": {"style": "slow", "examples": ["It'll keep."]},
    "metadata": {"first_appearance": "yard", "faction": "cellarers"},
    "topics": [
        {
            "id": f"above-{least}",
            "ask": question,
            "answer": "“Ask the pump,” he says.",
            "conditions": {"npc_state": {"osk": {"perception": {"min": least}}}},
        }
        for least, question in ((40, "who paid"), (41, "where the wall gives"))
    ],
}
FORTNIGHT = 336  # hours, which everything takes that is said to nobody
RULES = f"# Rules\n\n```yaml rules\ntime:\n  resolution: {FORTNIGHT}\n```\n"
FILES: dict[str, Any] = {
    "manifest.json": {"title": "The cellar", "version": "1.0.0"},
    "plot/premise.md": "You have come for the lamp.\n\nMarl Betony is counting barrels.\n",
    "plot/beats.json": {"beats": BEATS},
    "lore/locations/cellar.md": CELLAR,
    "lore/locations/yard.md": YARD,
    "characters/npcs/marl/profile.json": MARL,
    "characters/npcs/osk/profile.json": OSK,
    "characters/player/template.json": {"starting_location": "cellar"},
    "world/rules.md": RULES,
}
Play = Callable[..., AbstractAsyncContextManager[tuple[Library, StorySession]]]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    @asynccontextmanager
    async def begun(**persona: Any) -> AsyncIterator[tuple[Library, StorySession]]:
        folder = tmp_path / "cellar"
        for name, content in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))
        async with app.open_isolated_library(tmp_path / "home") as library:
            session = await library.begin(app.open_campaign(str(folder)), {"name": "Ada", **persona}, seed=5)
            await session.resume()
            yield library, session

    return begun


def beat(name: str) -> Choice:
    text = next(one["conditions"]["player_choice"] for one in BEATS if one["id"] == name)
    return Choice(text=text, kind="beat", beat=name)


def say(text: str) -> Choice:
    return Choice(text=text)


async def roll_after(session: StorySession, *choices: Choice) -> str:
    """Play the choices; return what was rolled in the last."""
    for choice in choices:
        scene = await session.choose(choice)
    assert scene.roll is not None, scene.text
    return scene.roll.formula


def tone_of_marl(session: StorySession) -> str:
    return sentiment.tone_of("marl", session.snapshot.state.to_dict())


@pytest.mark.parametrize(
    ("deeds", "steps"), [((), 0), (("rescue",), 3), (("theft",), -2), (("rescue", "theft"), 0)]
)
async def test_an_authored_risk_takes_one_to_three_by_the_opinion_of_whom_it_is_against(
    play: Play, deeds: tuple[str, ...], steps: int
) -> None:
    async with play() as (library, session):
        formula = await roll_after(session, *map(beat, deeds), beat("lamp"))
        assert formula == (f"2d6{steps:+d}" if steps else "2d6"), session.snapshot.state.get("perception")
        assert (await library.replay(session.story.id)).exact


async def test_a_typed_risk_counts_the_same_as_an_authored_one(play: Play) -> None:
    async with play() as (_, session):
        assert await roll_after(session, beat("theft"), say("I attack Marl")) == "2d6-2"


async def test_where_nobody_is_rolled_against_the_mood_of_those_present_counts_one(play: Play) -> None:
    async with play() as (_, session):
        assert await roll_after(session, beat("rescue"), beat("climb")) == "2d6+1"


async def test_opinions_fade_where_they_are_read(play: Play) -> None:
    async with play() as (library, session):
        scene = await session.choose(beat("gift"))
        assert any("where the key hangs" in choice.text for choice in scene.choices)
        assert tone_of_marl(session) == "warm"
        before = session.snapshot.state.get("perception.marl")
        scene = await session.choose(beat("night"))
        assert session.snapshot.state.get("perception.marl") == pytest.approx(before * 0.81, abs=0.01)
        offered = [choice.text for choice in scene.choices]
        assert not any("where the key hangs" in text for text in offered), offered
        assert tone_of_marl(session) == "neutral", before

        await session.undo()
        assert session.snapshot.state.get("perception.marl") == before
        assert tone_of_marl(session) == "warm"
        assert (await library.replay(session.story.id)).exact


async def test_a_roll_counts_what_is_left_of_an_opinion(play: Play) -> None:
    async with play() as (_, session):
        assert await roll_after(session, beat("rescue"), beat("night"), beat("lamp")) == "2d6+2"


async def test_a_stranger_of_a_faction_that_likes_the_player_likes_them_at_first_sight(play: Play) -> None:
    async with play() as (library, session):
        await session.choose(beat("oath"))
        await session.choose(Choice(text="Go up the steps", kind="go", target="yard"))
        first = session.snapshot.state.get("perception.osk")
        looks_and_luck = session.snapshot.state.get("impressions.osk")
        assert first == pytest.approx(40 + looks_and_luck, abs=0.11)
        assert -20 <= looks_and_luck <= 20
        after = session.snapshot
        await session.undo()
        assert session.snapshot.state.get("perception.osk") is None
        await session.choose(Choice(text="Go up the steps", kind="go", target="yard"))
        assert session.snapshot.state == after.state
        scene = await session.choose(Choice(text="Wait", kind="wait"))
        assert session.snapshot.state.get("perception.osk") == first, "a first opinion is formed once"
        topics = [choice.text for choice in scene.choices]
        assert any("who paid" in text for text in topics), "40 of the faction count for a condition"
        assert not any("where the wall gives" in text for text in topics), "looks and luck do not"
        assert (await library.replay(session.story.id)).exact


async def test_what_strangers_see_counts_and_is_stored_with_its_reason(play: Play) -> None:
    async with play(items=["a bloodstained axe", "a mask", "a crowbar"]) as (_, session):
        await session.choose(Choice(text="Wait", kind="wait"))
        assert session.snapshot.state.get("impressions.marl") < 0
        scope = await session.memory.scope()
        (record,) = [entry.record for entry in await scope.exact_match("perception")]
        assert record.npc_id == "marl"
        assert "bloodstained axe" in record.event_history
