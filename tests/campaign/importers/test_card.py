"""A lorebook becomes pages of lore."""

from __future__ import annotations

import json

from narratoria.campaign.importers import import_into
from narratoria.campaign.validate import validate_campaign


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
