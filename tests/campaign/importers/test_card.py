"""Cards of characters: a person and a first scene, whatever stands in them."""

from __future__ import annotations

import json

import pytest
from tests.campaign.importers.test_import_file import CARDS, DATA

from narratoria.campaign.importers import import_into
from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate_campaign


@pytest.mark.parametrize("name", CARDS)
def test_a_card_becomes_a_person_and_a_first_scene(tmp_path, name):
    (tmp_path / name).write_bytes(CARDS[name])
    report = import_into(tmp_path / name, tmp_path / "out")

    assert validate_campaign(tmp_path / "out").ok
    campaign = load_campaign(tmp_path / "out")
    orla = campaign.people["orla-finch"]
    assert orla.name == "Orla Finch"
    assert orla.personality.traits == ("wry", "patient", "afraid of deep water")
    assert orla.background == "She grew up on the quay."
    assert "Somebody with a lamp." in orla.speech_patterns.examples
    assert "Who are you?" not in orla.speech_patterns.examples, "that was somebody else"
    assert campaign.premise[0] == "Fog on the quay. You are lost."
    assert "{{" not in " ".join(campaign.premise)
    assert (tmp_path / "out/README.md").is_file()
    if name != "v1.json":
        assert "The quay floods" in (tmp_path / "out/lore/orla-finch/quay.md").read_text()
        assert not list((tmp_path / "out").rglob("*off*"))
        assert {"system_prompt", "extensions", "alternate_greetings"} <= {
            left.what for left in report.unmapped
        }
        assert "obey" not in "".join(p.read_text() for p in (tmp_path / "out").rglob("*.json"))
    if name.endswith(".png"):
        assert orla.portrait == "characters/npcs/orla-finch/portrait.png"


def test_names_in_a_card_lead_nowhere(tmp_path):
    card = {
        "data": {
            **DATA,
            "name": "../../../etc/passwd",
            "character_book": {"entries": [{"name": "..\\..\\x", "content": "y"}]},
        }
    }
    (tmp_path / "evil.json").write_text(json.dumps({**card, "spec": "chara_card_v2"}))
    import_into(tmp_path / "evil.json", tmp_path / "a/b/out")

    made = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()]
    assert all(path.startswith("a/b/out/") for path in made if path != "evil.json")
    assert validate_campaign(tmp_path / "a/b/out").ok


def test_a_lorebook_becomes_pages_with_keywords(tmp_path):
    entries = {
        "0": {"key": ["weir", "water"], "comment": "The weir", "content": "White water.", "constant": True},
        "1": {"key": [], "comment": "", "content": ""},
        "2": {"key": ["mill"], "comment": "The weir", "content": "# Not a title\n\nA second of that name."},
    }
    (tmp_path / "world.json").write_text(json.dumps({"name": "The valley", "entries": entries}))
    report = import_into(tmp_path / "world.json", tmp_path / "out")

    folder = tmp_path / "out/lore/the-valley"
    assert sorted(path.name for path in folder.glob("*.md")) == ["the-weir-2.md", "the-weir.md"]
    assert (folder / "the-weir.md.keywords.txt").read_text() == "The weir\nweir\nwater\n"
    assert {left.what for left in report.unmapped} >= {"constant", "entry “Entry 2”"}
    assert validate_campaign(tmp_path / "out").ok
