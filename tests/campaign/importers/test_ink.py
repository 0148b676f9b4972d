"""A story in ink becomes a campaign, without its code."""

from __future__ import annotations

from narratoria.campaign.importers import import_into
from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate_campaign

INK = """// a comment
VAR keys = 0
-> cellar

=== cellar ===
The cellar is cold. {keys: You have a key.}
* [Open the chest] You open it. -> chest
* "Hello?"[] you call. Nobody answers.
- The door shuts.
-> END

=== chest ===
Inside lies a map. # quiet
+ Take it -> END
* {keys > 1} [Leave it] -> cellar

=== function count(x) ===
~ return x
"""


def test_ink_becomes_beats_as_far_as_it_is_not_code(tmp_path):
    (tmp_path / "cellar.ink").write_text(INK)
    report = import_into(tmp_path / "cellar.ink", tmp_path / "out")

    assert validate_campaign(tmp_path / "out").ok
    campaign = load_campaign(tmp_path / "out")
    told = {beat.description for beat in campaign.beats} | {
        " ".join(e.paragraphs) for e in campaign.endings.values()
    }
    offers = {beat.conditions.player_choice for beat in campaign.beats}
    whole = " ".join(told)
    for text in ("The cellar is cold.", "You open it.", "Inside lies a map.", "The door shuts."):
        assert text in whole
    assert {"Open the chest", '"Hello?"', "Take it"} <= offers
    assert not any(mark in text for text in told for mark in "{}#~")
    left = {one.what for one in report.unmapped}
    assert {"function count", "line 6: { … } in the text"} <= left
    (leave,) = [beat for beat in campaign.beats if beat.conditions.player_choice == "Leave it"]
    assert "story_keys" in leave.conditions.custom
