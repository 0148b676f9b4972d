"""A story in Twee 3 becomes a campaign that plays it as it is written, or is refused by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.campaign.importers import import_into
from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate_campaign
from narratoria.errors import ContractViolation

TWEE = """:: StoryTitle
The Well

:: StoryAuthor
Ada

:: StoryData
{"ifid": "A", "start": "Dawn"}

:: Style [stylesheet]
body { color: red }

:: Dawn [morning] {"position":"1,2"}
You wake beside the well. <<set $x to 1>>

[[Look down->The Water]]
[[The Road<-Walk away]]

:: The Water
It is very far down.

[[Climb down|Below]]

:: Below
It is a whole town. You stay.

:: The Road
The road goes on.
"""


def test_a_twine_story_is_brought_in_as_it_is(tmp_path: Path):
    (tmp_path / "well.twee").write_text(TWEE)
    report = import_into(tmp_path / "well.twee", tmp_path / "out")

    assert [one.what for one in report.unmapped] == ["passage “Style”"]
    assert (tmp_path / "out/plot/story.twee").read_text() == TWEE
    assert validate_campaign(tmp_path / "out").ok
    campaign = load_campaign(tmp_path / "out")
    assert (campaign.title, campaign.manifest.author) == ("The Well", "Ada")
    assert campaign.ink is not None
    turn = campaign.ink.begin(1)
    assert (turn.paragraphs, turn.choices) == (("You wake beside the well.",), ("Look down", "Walk away"))


MACROS = TWEE.replace("It is very far down.", "It is <<widget>> $deep.down. <<audio x play>>")


def test_what_is_not_understood_is_refused_by_its_line_and_nothing_is_written(tmp_path: Path):
    (tmp_path / "well.twee").write_text(MACROS)
    with pytest.raises(ContractViolation) as refusal:
        import_into(tmp_path / "well.twee", tmp_path / "out")

    *problems, advice = refusal.value.problems
    line = MACROS[: MACROS.index("<<widget>>")].count("\n") + 1
    assert {(one.file, one.line) for one in problems} == {("well.twee", line)}
    assert len(problems) == 3
    assert "nothing was written" in advice.message
    assert not (tmp_path / "out").exists()


def test_who_accepts_the_loss_gets_the_rest_and_the_list(tmp_path: Path):
    (tmp_path / "well.twee").write_text(MACROS)
    report = import_into(tmp_path / "well.twee", tmp_path / "out", leave_out=True)

    assert any("<<audio x play>>" in one.why for one in report.unmapped)
    assert validate_campaign(tmp_path / "out").ok
    campaign = load_campaign(tmp_path / "out")
    assert campaign.ink is not None
    turn = campaign.ink.choose(campaign.ink.begin(1).state, 0)
    assert turn.paragraphs[0].startswith("It is")
    assert turn.choices == ("Climb down",)


def test_a_broken_twine_story_in_a_campaign_is_named_by_line(tmp_path: Path):
    (tmp_path / "well.twee").write_text(TWEE)
    import_into(tmp_path / "well.twee", tmp_path / "out")
    (tmp_path / "out/plot/story.twee").write_text(":: Start\nHello.\n[[Go->Nowhere]]\n")
    report = validate_campaign(tmp_path / "out")

    assert [(one.file, one.line) for one in report.problems if one.is_error] == [("plot/story.twee", 3)]
