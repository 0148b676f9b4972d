"""A story in Twee 3 becomes a campaign."""

from __future__ import annotations

from narratoria.campaign.check import check_campaign
from narratoria.campaign.importers import import_into
from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate_campaign

TWEE = """:: StoryTitle
The Well

:: StoryData
{"ifid": "A", "start": "Dawn"}

:: Style [stylesheet]
body { color: red }

:: Dawn [morning] {"position":"1,2"}
You wake beside the well. <<set $x to 1>>

[[Look down->The Water]]
[[The Road<-Walk away]]

:: The Water
It is very far down. <script>alert(1)</script>

[[Climb down|Below]]
[[Wave]]
[[Nowhere at all]]

:: Wave
They laugh.

[[Look again->The Water]]

:: Below
It is a whole town. You stay.

:: The Road
The road goes on.

:: The Miller's Song
Grind, grind.
"""


def test_twee_becomes_a_first_scene_beats_endings_and_lore(tmp_path):
    (tmp_path / "well.twee").write_text(TWEE)
    report = import_into(tmp_path / "well.twee", tmp_path / "out", leave_out=True)

    campaign = load_campaign(tmp_path / "out")
    compiled = check_campaign(tmp_path / "out")
    assert validate_campaign(tmp_path / "out").ok
    assert {fate.verdict for fate in (*compiled.beats, *compiled.endings)} == {"reachable"}
    assert campaign.title == "The Well"
    assert campaign.premise == ("You wake beside the well.",)
    beats = {beat.id: beat for beat in campaign.beats}
    assert beats["the-water"].conditions.player_choice == "Look down"
    assert beats["the-water"].description == "It is very far down."
    assert beats["below"].conditions.custom == 'state.passage == "the-water"', (
        "one is at one passage at a time"
    )
    assert beats["the-road"].conditions.custom == '!("passage" in state)'
    assert beats["the-water"].repeats, "one can come back to it"
    assert not beats["below"].repeats
    assert set(campaign.endings) == {"below", "the-road"}
    assert (tmp_path / "out/lore/imported/the-miller-s-song.md").is_file()
    left = {one.what for one in report.unmapped}
    assert {"passage “Style”", "line 21: link “Nowhere at all”"} <= left
