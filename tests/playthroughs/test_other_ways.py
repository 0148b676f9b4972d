"""A story goes another way: somebody is killed, the player is caught or driven out, and it goes on."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from narratoria import app
from narratoria.engine import answer_context
from narratoria.engine.persistence.library import Library
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.story_session import StorySession
from narratoria.narrator.repertoire import load_repertoire

CELLAR = "# The cellar\n\nBarrels in two rows, and a lamp.\n\n## Ways\n\n- [Yard](yard.md): up the steps\n"
YARD = "# The yard\n\nA pump and a wall.\n\n## Ways\n\n- [Cellar](cellar.md): down the steps\n"
MARL = {
    "name": "Marl Betony",
    "role": "Cellarer",
    "personality": {"traits": ["strong"]},
    "speech_patterns": {"style": "dry", "examples": ["Mind the step."], "greetings": {"cold": "You."}},
    "metadata": {"first_appearance": "cellar"},
}
TOAST = {
    "id": "toast",
    "title": "A toast",
    "description": "Marl fills two cups.",
    "conditions": {"player_choice": "Drink with Marl", "scene_count": {"min": 40}},
    "location": "cellar",
    "npcs": ["marl"],
    "ending": "cups",
}
DEATH = {
    "act": "attack",
    "outcome": "success",
    "who": {"manner": ["any"]},
    "text": "{short} goes down between the barrels and stays there. The lamp swings twice, then hangs.",
    "effects": [{"dies": "person"}],
    "fact": "The player killed {name}.",
}
DRIVEN = {
    "act": "attack",
    "outcome": "failure",
    "who": {"manner": ["any"]},
    "text": "{short} takes the broom to you. You and the broom part company only at {outside}.",
    "effects": [{"driven_out": "person"}],
    "fact": "{name} drove the player out to {outside}.",
}
CAUGHT = {
    "act": "steal",
    "outcome": "failure",
    "who": {"manner": ["any"]},
    "text": "{short} has you by the cuff. “We'll sit,” {they} say{s}, “and wait a while.”",
    "effects": [{"caught": "person"}],
    "fact": "{name} caught the player stealing.",
}

Play = Callable[..., AbstractAsyncContextManager[tuple[Library, StorySession]]]


def write_campaign(folder: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def campaign_files(outcome: str, *units: dict[str, Any]) -> dict[str, Any]:
    """The files of a campaign whose dice always end alike."""
    best = -98 if outcome == "success" else 99
    rules = f"dice: 1d6\nbands:\n  - {{name: ill, min: -99}}\n  - {{name: well, min: {best}}}\n"
    return {
        "manifest.json": {"title": "The cellar", "version": "1.0.0"},
        "plot/premise.md": "You have come for the lamp.\n\nMarl Betony is counting barrels.\n",
        "plot/beats.json": {"beats": [TOAST]},
        "plot/endings/cups.md": "# Two cups\n\nYou drink.\n",
        "lore/locations/cellar.md": CELLAR,
        "lore/locations/yard.md": YARD,
        "characters/npcs/marl/profile.json": MARL,
        "characters/player/template.json": {"starting_location": "cellar"},
        "world/rules.md": f"# Rules\n\n```yaml rules\n{rules}```\n",
        "repertoire/own.jsonl": "\n".join(json.dumps({**unit, "id": unit["fact"]}) for unit in units),
    }


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    others = tuple(unit for unit in load_repertoire() if not {"attack", "steal"} & set(unit.acts))
    monkeypatch.setattr(answer_context, "load_repertoire", lambda: others)

    @asynccontextmanager
    async def begun(
        outcome: str, *units: dict[str, Any], **more: Any
    ) -> AsyncIterator[tuple[Library, StorySession]]:
        folder = write_campaign(tmp_path / "cellar", {**campaign_files(outcome, *units), **more})
        async with app.open_isolated_library(tmp_path / "home") as library:
            session = await library.begin(
                app.open_campaign(str(folder)), {"name": "Ada", "items": ["a tin whistle"]}, seed=5
            )
            await session.resume()
            yield library, session

    return begun


def do(text: str) -> Choice:
    return Choice(text=text)


def offer_of(scene: Scene, beat: str = "the-story-goes-another-way") -> Choice | None:
    return next((choice for choice in scene.choices if choice.beat == beat), None)


async def undo_and_do_again(library: Library, session: StorySession, choice: Choice) -> None:
    """Undo the last turn, check that nothing of it is left, and play it again to the same end."""
    after = session.snapshot
    await session.undo()
    assert session.snapshot.progress.scene == after.progress.scene - 1
    assert not session.snapshot.progress.dead
    await session.choose(choice)
    assert session.snapshot.progress == after.progress
    for part in ("world", "persona"):
        assert session.snapshot.state.get(part) == after.state.get(part)
    assert (await library.replay(session.story.id)).exact


async def test_who_kills_the_one_whom_every_ending_needs_still_gets_to_an_end(play: Play) -> None:
    async with play("success", DEATH) as (library, session):
        blow = do("I kill Marl")
        await session.choose(blow)
        assert session.snapshot.progress.dead == ("marl",)
        assert session.snapshot.progress.closed_since == session.snapshot.progress.scene
        await undo_and_do_again(library, session, blow)

        scene = await session.choose(Choice(text="Wait", kind="wait"))
        offer = offer_of(scene)
        assert offer is not None, [choice.text for choice in scene.choices]
        last = await session.choose(offer)

        assert last.ending == session.snapshot.progress.ending == "otherwise"
        assert "Marl" in last.text
        assert "You killed Marl Betony" in last.text
        assert {choice.kind for choice in last.choices} == {"look-back", "branch", "again"}
        assert (await library.replay(session.story.id)).exact


async def test_an_author_may_write_how_such_a_story_ends(play: Play) -> None:
    page = "# Nobody drinks\n\nThe cups stay on their hooks.\n"
    async with play("success", DEATH, **{"plot/endings/otherwise.md": page}) as (_, session):
        await session.choose(do("I kill Marl"))
        scene = await session.choose(Choice(text="Wait", kind="wait"))
        offer = offer_of(scene)
        assert offer is not None
        last = await session.choose(offer)

        assert "The cups stay on their hooks." in last.text


async def test_as_long_as_an_ending_can_be_reached_no_other_is_offered(play: Play) -> None:
    async with play("failure", DRIVEN) as (_, session):
        await session.choose(do("I attack Marl"))
        for _ in range(3):
            scene = await session.choose(Choice(text="Wait", kind="wait"))
            assert offer_of(scene) is None
        assert session.snapshot.progress.closed_since == 0


async def test_a_thief_who_is_caught_is_held_for_a_scene_and_let_go_at_a_loss(play: Play) -> None:
    async with play("failure", CAUGHT) as (library, session):
        theft = do("I steal the lamp from Marl")
        scene = await session.choose(theft)
        assert not [choice for choice in scene.choices if choice.kind in ("go", "beat")]
        await undo_and_do_again(library, session, theft)
        before = session.snapshot

        held = await session.choose(Choice(text="Go to the yard", kind="go", target="yard"))
        after = session.snapshot
        assert after.progress.place == "cellar"
        assert len(held.paragraphs) >= 2
        lost_items = before.state.get("persona.items") != after.state.get("persona.items")
        assert lost_items or after.progress.game_time - before.progress.game_time >= 60
        assert [choice for choice in held.choices if choice.kind == "go"]

        await session.choose(Choice(text="Go to the yard", kind="go", target="yard"))
        assert session.snapshot.progress.place == "yard"
        assert (await library.replay(session.story.id)).exact


async def test_who_is_driven_out_is_next_door_and_met_coldly_on_coming_back(play: Play) -> None:
    async with play("failure", DRIVEN) as (library, session):
        blow = do("I attack Marl")
        scene = await session.choose(blow)
        assert session.snapshot.progress.place == "yard"
        assert "the yard" in scene.text
        assert {choice.target for choice in scene.choices if choice.kind == "go"} == {"cellar"}
        await undo_and_do_again(library, session, blow)

        back = await session.choose(Choice(text="Go to the cellar", kind="go", target="cellar"))
        lines = json.loads((Path(app.__file__).parent / "narrator/data/lines.json").read_text())
        cold = [line.replace("{person}", "Marl") for line in lines["narration"]["unwelcome"]]
        shortened = back.text.replace("Marl Betony", "Marl")
        assert any(line in shortened for line in cold), back.text
        assert (await library.replay(session.story.id)).exact
