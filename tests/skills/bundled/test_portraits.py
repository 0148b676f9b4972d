"""The portraits skill: people drawn from descriptions, found again by id and by meaning, never left out."""

from __future__ import annotations

import importlib
import json
import struct
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.skills.bundled.calling import call
from tests.skills.bundled.story_host import Tale, configure, tale

from narratoria import paths
from narratoria.engine.render import _portraits
from narratoria.planning.aggregate import aggregate_results
from narratoria.protocol.events import AssetEvent

GENERATE, LOOKUP, UPDATE = (
    f"character-portraits/{name}-portrait" for name in ("generate", "lookup", "update")
)
HARROWMERE = str(paths.BUNDLED_CAMPAIGNS / "harrowmere")
ALDRIC = "Aldric, the old smith, is a burly man with a long white beard, a bald head and a leather apron."


def size_of(path: str) -> tuple[int, int]:
    picture = Path(path).read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


async def draw(story: Tale, **given: Any) -> dict[str, Any]:
    answer = await story.ask(GENERATE, **given)
    found: dict[str, Any] = answer
    return found


@pytest.mark.parametrize(
    ("preset", "size"),
    [("realistic", 256), ("stylized", 512), ("anime", 256), ("pixel", 256), ("pixel", 1024)],
)
async def test_a_portrait_is_a_png_of_the_preset_and_size_that_are_set(
    file: Path, preset: str, size: int
) -> None:
    configure("character-portraits", stylePreset=preset, resolution=size, timeout=25)
    async with tale(file) as story:
        made = await draw(story, characterId="aldric", description=ALDRIC)
    assert (made["source"], made["preset"], made["resolution"]) == ("drawn", preset, size)
    assert size_of(made["path"]) == (size, size)


async def test_the_same_person_is_drawn_once_and_is_the_same_in_another_sitting(file: Path) -> None:
    async with tale(file) as story:
        first = await draw(story, characterId="aldric", description=ALDRIC)
        again = await draw(story, characterId="aldric", description=ALDRIC)
    async with tale(file) as story:
        later = await story.ask(LOOKUP, characterId="aldric")
    assert (first["cached"], again["cached"], later["cached"]) == (False, True, True)
    assert first["path"] == again["path"] == later["path"]
    assert later["found"] is True


async def test_who_differs_in_name_or_description_differs_in_the_picture(file: Path) -> None:
    async with tale(file) as story:
        one = await draw(story, characterId="ann", description="A young woman with red hair.")
        other = await draw(story, characterId="bea", description="A young woman with red hair.")
        third = await draw(story, characterId="cat", description="An old woman with white hair in a bun.")
    pictures = {Path(made["path"]).read_bytes() for made in (one, other, third)}
    assert len(pictures) == 3


@pytest.mark.parametrize(
    ("description", "name"),
    [
        ("There is a woman at the oar, with grey hair.", "a woman at the oar"),
        ("I look at the old man with the beard", "the old man with the beard"),
        ("A small boy with pond weed in his red hair.", "A small boy with pond weed"),
        ("What does she look like?", "a stranger"),
    ],
)
async def test_who_has_no_name_is_called_by_what_is_said_of_them(
    file: Path, description: str, name: str
) -> None:
    async with tale(file) as story:
        made = await draw(story, description=description)
    assert (made["name"], made["characterId"]) == (name, name.lower().replace(" ", "-"))


async def test_a_scene_shows_the_portrait_with_its_person(file: Path) -> None:
    async with tale(file) as story:
        result = await story.call(GENERATE, {"characterId": "aldric", "description": ALDRIC})
        told = aggregate_results([result], story.state)
    assert result.output is not None
    assert dict(_portraits(told)) == {"aldric": result.output["assetId"]}
    (event,) = (event for _, event in told.ui_events if event.event == "portrait")
    assert (event.payload["characterId"], event.payload["assetId"]) == ("aldric", result.output["assetId"])


async def test_a_few_words_find_who_is_meant(file: Path) -> None:
    async with tale(file, by_meaning=True) as story:
        await draw(story, characterId="aldric", description=ALDRIC)
        await draw(story, characterId="elra", description="Elra, a young elf ranger with long silver hair.")
        smith = await story.ask(LOOKUP, query="the old smith")
        nobody = await story.ask(LOOKUP, query="the one-eyed submarine captain")
        again = await draw(story, description="the elf with the silver hair")
    assert (smith["found"], smith["characterId"]) == (True, "aldric")
    assert nobody["found"] is False
    assert (again["characterId"], again["cached"]) == ("elra", True)


async def test_somebody_is_drawn_anew_only_when_the_description_contradicts_the_portrait(file: Path) -> None:
    told = "Wren is a woman with long brown hair and a green cloak."
    async with tale(file) as story:
        first = await draw(story, characterId="wren", description=told)
        same = await draw(
            story, characterId="wren", description="Wren, in her green cloak, brown hair loose."
        )
        changed = await draw(
            story, characterId="wren", description="Wren has cropped white hair and an eye-patch."
        )
    assert same["path"] == first["path"]
    assert changed["path"] != first["path"]


async def test_a_stranger_with_other_hair_is_somebody_else(file: Path) -> None:
    async with tale(file, by_meaning=True) as story:
        elra = await draw(story, characterId="elra", description="Elra, a young elf with long silver hair.")
        stranger = await draw(story, description="the young elf with the long red hair")
        again = await draw(story, characterId="elra")
    assert stranger["characterId"] != "elra"
    assert stranger["path"] != elra["path"]
    assert again["path"] == elra["path"]


async def test_who_has_changed_is_drawn_as_the_scene_says(file: Path) -> None:
    changed = [{"id": "pike", "name": "Pike", "appearance": "Pike is a boy with cropped white hair."}]
    async with tale(file) as story:
        first = await draw(story, characterId="pike")
        again = await draw(story, characterId="pike", people=changed)
    assert again["path"] != first["path"]


HAIR_WORDS = [
    ("His hair, once black, is white.", "white hair"),
    ("Her hair went grey early.", "grey hair"),
    ("hair that was red once and is grey now", "grey hair"),
    ("a beard and hair, which is grey, of an old man", "grey hair"),
    ("a red-headed girl", "red hair"),
    ("a blond beard and dark hair", "dark hair"),
    ("a ginger tomcat on the lap of a black-haired woman", "black hair"),
    ("a brown-haired man in a blond fur coat", "brown hair"),
    ("blue-black hair", "black hair"),
    ("a blonde in a grey coat", "blonde hair"),
]


@pytest.mark.parametrize(("description", "same"), HAIR_WORDS)
def test_hair_is_drawn_as_the_description_says(
    description: str, same: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(paths.BUNDLED_SKILLS / "character-portraits/scripts"))
    look = importlib.import_module("_portrait_look")
    assert look.read("x", description).hair == look.read("x", same).hair


async def test_the_threshold_of_change_is_a_setting(file: Path) -> None:
    configure("character-portraits", changeThreshold=1)
    async with tale(file) as story:
        first = await draw(story, characterId="wren", description="Wren is a woman with long brown hair.")
        again = await draw(story, characterId="wren", description="Wren has cropped white hair.")
    assert again["path"] == first["path"]


async def test_an_update_adds_what_changed_and_keeps_the_rest(file: Path) -> None:
    async with tale(file) as story:
        first = await draw(story, characterId="wren", name="Wren", description="A woman with long red hair.")
        made = await story.ask(UPDATE, characterId="wren", changes="a scar across the cheek")
        looked = await story.ask(LOOKUP, characterId="wren")
    assert (made["updated"], made["previous"]) == (True, first["path"])
    assert made["description"].startswith("a scar across the cheek")
    assert "red hair" in made["description"]
    assert looked["path"] == made["path"]


async def test_the_campaigns_own_words_and_colours_are_known_without_being_told(file: Path) -> None:
    async with tale(file) as story:
        result = await story.call(GENERATE, {"characters": ["maren-tolliver"]}, campaignDir=HARROWMERE)
    assert result.output is not None
    assert result.output["name"] == "Maren Tolliver"
    assert "grey plait" in result.output["description"]


async def test_an_authors_picture_is_shown_and_never_drawn_over(file: Path, tmp_path: Path) -> None:
    campaign = tmp_path / "campaign"
    (campaign / "art" / "characters").mkdir(parents=True)
    (campaign / "art" / "characters" / "merlin.png").write_bytes(b"\x89PNG\r\n\x1a\n an author's own")
    async with tale(file) as story:
        result = await story.call(
            GENERATE, {"characterId": "merlin", "description": "a wizard"}, campaignDir=str(campaign)
        )
    assert result.output is not None
    assert result.output["source"] == "campaign"
    assert Path(result.output["path"]).name == "merlin.png"


async def test_the_player_is_drawn_from_the_persona(file: Path) -> None:
    async with tale(file) as story:
        story.state = story.state.apply_patch({"persona": {"name": "Isak", "description": "A bearded tuner"}})
        made = await draw(story, characterId="player")
    assert (made["name"], made["source"]) == ("Isak", "drawn")


async def test_without_a_host_a_silhouette_stands_in(tmp_path: Path) -> None:
    outcome, events = await call(
        GENERATE, {"characterId": "aldric", "description": ALDRIC}, dataDir=str(tmp_path)
    )
    assert outcome.ok, outcome
    (asset,) = (event for event in events if isinstance(event, AssetEvent))
    assert asset.metadata["source"] == "silhouette"
    assert size_of(asset.path) == (512, 512)


@pytest.mark.parametrize(
    ("script", "given"),
    [
        (GENERATE, {}),
        (LOOKUP, {}),
        (UPDATE, {}),
        (GENERATE, {"characterId": 7}),
        (GENERATE, {"characters": "aldric"}),
        (GENERATE, {"characters": [{}]}),
        (GENERATE, {"characterId": "aldric", "preset": "oil"}),
        (GENERATE, {"characterId": "aldric", "resolution": 300}),
        (GENERATE, {"characterId": "aldric", "palette": "red"}),
        (LOOKUP, {"query": ["old"]}),
        (UPDATE, {"characterId": "aldric", "changes": 3}),
    ],
)
async def test_what_cannot_be_drawn_is_refused_with_the_field(
    tmp_path: Path, script: str, given: dict[str, Any]
) -> None:
    outcome, _ = await call(script, given, dataDir=str(tmp_path))
    assert not outcome.ok
    assert outcome.failure is not None
    assert "INVALID_INPUT" in str(outcome.failure)


async def test_a_place_outside_the_data_folder_is_not_used(file: Path, tmp_path: Path) -> None:
    configure("character-portraits", storageLocation="../../elsewhere")
    async with tale(file) as story:
        made = await draw(story, characterId="aldric", description=ALDRIC)
    assert "character-portraits" in Path(made["path"]).parts
    assert Path(made["path"]).parent.name == "portraits"


# hosted pictures

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000"
    "0500010d0a2db40000000049454e44ae426082"
)


@contextmanager
def service(answer: bytes, status: int = 200) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    asked: list[dict[str, Any]] = []

    class Pictures(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append({"path": self.path, "key": self.headers["Authorization"], **body})
            self.send_response(status)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pictures)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def hosted(url: str, folder: Path) -> dict[str, Any]:
    config = {"imageProvider": "hosted", "hostedUrl": url, "hostedApiKey": "k", "hostedModel": "m"}
    return {"config": config, "dataDir": str(folder)}


def assets(events: list[Any]) -> list[str]:
    return [event.metadata["source"] for event in events if isinstance(event, AssetEvent)]


async def test_a_hosted_picture_is_asked_for_with_the_description_and_kept(tmp_path: Path) -> None:
    answer = json.dumps({"data": [{"b64_json": b64encode(PIXEL).decode()}]}).encode()
    given = {"characterId": "aldric", "description": ALDRIC}
    with service(answer) as (url, asked):
        _, events = await call(GENERATE, given, **hosted(url, tmp_path))
        _, again = await call(GENERATE, given, **hosted(url, tmp_path))
    assert assets(events) == assets(again) == ["hosted"]
    (question,) = asked
    assert (question["path"], question["key"], question["model"]) == (
        "/v1/images/generations",
        "Bearer k",
        "m",
    )
    assert "the old smith" in question["prompt"]


@pytest.mark.parametrize(
    ("answer", "status"),
    [(b"{}", 500), (b"{}", 200), (b"<html>", 200), (b'{"data": [{"b64_json": "aGk="}]}', 200)],
)
async def test_a_service_that_fails_costs_no_portrait(tmp_path: Path, answer: bytes, status: int) -> None:
    given = {"characterId": "aldric", "description": ALDRIC}
    with service(answer, status) as (url, _):
        outcome, events = await call(GENERATE, given, **hosted(url, tmp_path))
    assert outcome.ok
    assert assets(events) == ["silhouette"]  # there is no host here that could draw


async def test_a_skill_without_the_network_draws_by_itself(file: Path) -> None:
    configure("character-portraits", imageProvider="hosted", hostedUrl="http://127.0.0.1:9/v1")
    async with tale(file) as story:
        made = await draw(story, characterId="aldric", description=ALDRIC)
    assert made["source"] == "drawn"
