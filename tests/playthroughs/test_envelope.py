"""The envelope of the tea room can be looked at, opened, shown and given, in the player's own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria import app

SEED = 4


@pytest.mark.parametrize(
    ("words", "beats"),
    [
        (["I open the envelope"], ["nearly-open"]),
        (["I give the envelope to Ysolde"], ["offer-to-keeper"]),
        (["wait", "I show Emeric the envelope"], ["offer-to-waiting"]),
        (["wait", "I hand Emeric the envelope"], ["offer-to-waiting"]),
    ],
)
async def test_what_is_done_with_the_envelope_is_told_by_the_story(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], beats: list[str]
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    async with app.open_isolated_library(tmp_path) as library:
        session = await library.begin("comet-tea-room", None, seed=SEED)
        await session.resume()
        for text in words:
            scene = await session.say(text)
        assert [beat for beat in scene.beats if beat in beats] == beats


async def test_the_envelope_is_given_by_picking_once_somebody_has_seen_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    async with app.open_isolated_library(tmp_path) as library:
        session = await library.begin("comet-tea-room", None, seed=SEED)
        scene = await session.resume()
        for _ in range(14):
            give = [one for one in scene.choices if one.beat in ("give-to-waiting", "offer-to-waiting")]
            asks = [one for one in scene.choices if one.beat.startswith("ask-")]
            scene = await session.choose((give or asks or list(scene.choices))[0])
            if session.snapshot.progress.ending:
                break
        assert session.snapshot.progress.ending == "whoever-waited-longest"
