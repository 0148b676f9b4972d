"""Files that a reader brings in: a story, a packed campaign, a card, and what is none of these."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

from narratoria import paths
from narratoria.campaign.pack import pack_campaign
from narratoria.engine.persistence.save import open_save, sign_save
from narratoria.signatures import create_key

CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Wren Halloway",
        "description": "A ferry keeper with ink on every finger.",
        "personality": "dry, patient",
        "scenario": "The ferry house at low water.",
        "first_mes": "“You are late,” says Wren.",
        "mes_example": "",
        "tags": ["river"],
    },
}


def test_a_story_comes_back_from_its_file(server: Any) -> None:
    story = server.begin()
    saved = server.ask("GET", f"/api/stories/{story}/export?format=json").content
    made = server.ask("POST", "/api/imports?name=my-story.json", saved)
    assert (made.status, made.json["kind"]) == (201, "story")
    assert len(server.get(f"/api/stories/{made.json['id']}")["scenes"]) == 1


def test_a_pack_and_a_card_become_campaigns(servers: Any, tmp_path: Path) -> None:
    server = servers().start()
    packed = pack_campaign(paths.BUNDLED_CAMPAIGNS / "comet-tea-room", tmp_path / "tea.zip")
    pack = server.ask("POST", "/api/imports?name=tea.zip", packed.path.read_bytes())
    assert (pack.status, pack.json["kind"], pack.json["playable"]) == (201, "campaign", True)
    card = server.ask("POST", "/api/imports?name=..%2F..%2FWren.json", json.dumps(CARD).encode())
    assert (card.status, card.json["id"]) == (201, "wren")
    assert any("Wren" in line for line in card.json["notes"])
    again = server.ask("POST", "/api/imports?name=Wren.json", json.dumps(CARD).encode())
    assert again.json["id"] == "wren-2"
    names = {one["name"] for one in server.get("/api/home")["campaigns"]}
    assert {"wren", "wren-2"} <= names
    assert {folder.name for folder in (server.home / "campaigns").iterdir()} >= {"wren", "wren-2"}


def test_what_nobody_can_read_is_refused_and_leaves_nothing(servers: Any) -> None:
    server = servers().start()
    for content in (b"\x00\x01", b"PK\x03\x04broken", b'{"a": 1}', b""):
        assert server.ask("POST", "/api/imports?name=x.json", content).status in (400, 422), content
    folder = server.home / "campaigns"
    assert not folder.exists() or [one for one in folder.iterdir() if one.name[0] != "."] == []


def test_a_story_that_cannot_all_be_kept_is_refused_by_line_and_comes_in_part_when_asked(server: Any) -> None:
    ink = b"You wait.\nEXTERNAL play(x)\n* [Go] You go. -> END\n"
    refused = server.ask("POST", "/api/imports?name=rain.ink", ink)
    assert refused.status == 422
    assert "rain.ink:2" in json.dumps(refused.json)
    made = server.ask("POST", "/api/imports?name=rain.ink&partial=true", ink)
    assert made.status == 201
    assert any("rain.ink:2" in line for line in made.json["notes"])


def test_ink_with_its_parts_and_a_published_page_come_in_by_the_page(servers: Any, tmp_path: Path) -> None:
    server = servers().start()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("rain/main.ink", "INCLUDE parts/end.ink\nIt rains.\n* [Go in] -> end\n")
        archive.writestr("rain/parts/end.ink", "=== end ===\nYou are dry.\n-> END\n")
    page = (
        b'<html><tw-storydata name="The Well" startnode="1">'
        b'<tw-passagedata pid="1" name="A">Deep.\n[[On-&gt;B]]</tw-passagedata>'
        b'<tw-passagedata pid="2" name="B">Done.</tw-passagedata></tw-storydata></html>'
    )
    for name, content, first in (("rain.zip", packed.getvalue(), "It rains."), ("well.html", page, "Deep.")):
        sent = server.post(f"/api/imports/read?name={name}", content)
        assert sent["kind"] == "campaign"
        made = server.ask("POST", f"/api/imports?name={name}", content)
        assert (made.status, made.json["playable"]) == (201, True), made.json
        story = server.begin(campaign=made.json["id"])
        assert first in server.get(f"/api/stories/{story}")["scenes"][0]["paragraphs"]


def test_a_file_is_looked_into_before_it_is_brought_in(servers: Any, tmp_path: Path) -> None:
    server = servers().start()
    save = (Path(__file__).parents[1] / "fuzz" / "seeds" / "save.json").read_bytes()
    sent = server.post("/api/imports/read", save)
    assert (sent["kind"], sent["parts"], sent["signedBy"]) == ("story", 2, "")
    read = open_save(save, tmp_path)[0]
    assert [one["text"] for one in sent["passages"]] == [turn.output.scene.text for turn in read.turns]
    assert sent["more"] is False
    stranger = tmp_path / "stranger"
    create_key(stranger, "Ada")
    signed = server.post("/api/imports/read", sign_save(save, stranger))
    assert (signed["signedBy"], signed["knownAs"]) == ("Ada", "")
    changed = server.ask("POST", "/api/imports/read", sign_save(save, stranger).replace(b"seed", b"sead", 1))
    assert changed.status == 422
    assert server.get("/api/stories")["stories"] == []


def test_a_card_and_a_pack_can_be_read_before_they_come_in(servers: Any, tmp_path: Path) -> None:
    server = servers().start()
    card = server.post("/api/imports/read?name=Wren.json", json.dumps(CARD).encode())
    assert card["kind"] == "campaign"
    assert any("ferry" in one["text"] for one in card["passages"]), card
    packed = pack_campaign(paths.BUNDLED_CAMPAIGNS / "comet-tea-room", tmp_path / "tea.zip")
    pack = server.post("/api/imports/read?name=tea.zip", packed.path.read_bytes())
    assert (pack["kind"], bool(pack["passages"])) == ("campaign", True)
    for content in (b"\x00\x01", b"PK\x03\x04broken", b'{"a": 1}', b""):
        assert server.ask("POST", "/api/imports/read?name=x.json", content).status in (400, 422), content
    folder = server.home / "campaigns"
    assert not folder.exists() or [one for one in folder.iterdir() if one.name[0] != "."] == []
