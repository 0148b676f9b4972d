"""A story in ink becomes a campaign that plays it as it is written, or is refused by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.campaign.importers import import_into
from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate_campaign
from narratoria.errors import ContractViolation

INK = """# title: The Cellar
# author: Ada
INCLUDE parts/chest.ink
VAR keys = 0
-> cellar

=== cellar ===
The cellar is cold. {keys: You have a key.}
* [Open the chest] You open it. -> chest
* "Hello?"[] you call. Nobody answers.
- The door shuts.
-> END
"""
CHEST = """=== chest ===
Inside lies a map. # quiet
+ Take it -> END
"""


def write_story(folder: Path) -> Path:
    (folder / "parts").mkdir(parents=True)
    (folder / "cellar.ink").write_text(INK)
    (folder / "parts/chest.ink").write_text(CHEST)
    return folder / "cellar.ink"


def test_an_ink_story_is_brought_in_as_it_is_with_what_it_includes(tmp_path: Path):
    report = import_into(write_story(tmp_path / "story"), tmp_path / "out")

    assert [one.what for one in report.unmapped] == ["the tag “# quiet” (parts/chest.ink:2)"]
    assert (tmp_path / "out/plot/story.ink").read_text() == INK
    assert (tmp_path / "out/plot/parts/chest.ink").read_text() == CHEST
    assert validate_campaign(tmp_path / "out").ok
    campaign = load_campaign(tmp_path / "out")
    assert (campaign.title, campaign.manifest.author) == ("The Cellar", "Ada")
    assert campaign.ink is not None
    turn = campaign.ink.begin(1)
    assert turn.paragraphs == ("The cellar is cold.",)
    assert turn.choices == ("Open the chest", '"Hello?"')
    assert campaign.ink.choose(turn.state, 0).paragraphs == ("You open it. Inside lies a map.",)


def test_tags_that_nothing_is_made_of_are_listed_with_their_lines(tmp_path: Path):
    (tmp_path / "a.ink").write_text(
        "# title: Rain\n# theme: dark\nIt rains. # IMAGE: rain.png\n"
        "* [Wait # CLEAR] It stops. # CLEAR\n-> END\n"
    )
    report = import_into(tmp_path / "a.ink", tmp_path / "out")

    assert [one.what for one in report.unmapped] == [
        "the tag “# theme: dark” (a.ink:2)",
        "the tag “# IMAGE: rain.png” (a.ink:3)",
        "the tag “# CLEAR” (a.ink:4)",
    ]
    campaign = load_campaign(tmp_path / "out")
    assert campaign.title == "Rain"
    assert campaign.ink is not None
    turn = campaign.ink.begin(1)
    assert (turn.paragraphs, turn.choices) == (("It rains.",), ("Wait",))


REFUSED = {
    "Hello.\nEXTERNAL play(x)": (2, "EXTERNAL play"),
    "Hello.\n* [Go] -> nowhere": (2, "leads nowhere"),
    "VAR x = 1\nHello {y}.": (2, "nothing is called “y”"),
    "Hello.\nINCLUDE ../secret.ink": (2, "there is no such file"),
    "Hello.\nINCLUDE story.ink": (2, "there is no such file"),
    "Hello.\n{true:\n* Go\n}": (3, "leads on by a divert"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_understood_is_refused_by_its_line_and_nothing_is_written(tmp_path: Path, text: str):
    line, message = REFUSED[text]
    (tmp_path / "secret.ink").write_text("Secret.")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.ink").write_text(text)
    (tmp_path / "in/story.ink").write_text("Another story.")
    with pytest.raises(ContractViolation) as refusal:
        import_into(tmp_path / "in/a.ink", tmp_path / "out")

    (problem, advice) = refusal.value.problems
    assert (problem.file, problem.line) == ("a.ink", line)
    assert message in problem.message
    assert "nothing was written" in advice.message
    assert not (tmp_path / "out").exists()


def test_who_accepts_the_loss_gets_the_rest_and_the_list(tmp_path: Path):
    (tmp_path / "a.ink").write_text("Hello.\nEXTERNAL play(x)\n* Go -> nowhere\n* Stay\n- Bye.\n-> END\n")
    report = import_into(tmp_path / "a.ink", tmp_path / "out", leave_out=True)

    assert [one.what for one in report.unmapped] == [
        "a.ink:2: “EXTERNAL play(x)”",
        "a.ink:3: “* Go -> nowhere”",
    ]
    campaign = load_campaign(tmp_path / "out")
    assert campaign.ink is not None
    assert campaign.ink.begin(1).choices == ("Stay",)


@pytest.mark.parametrize(
    "text", ["", "=== a ===\nNobody comes here.\n", "-> a ->\n=== a ===\n-> a ->\n->->\n"]
)
def test_a_story_that_says_nothing_is_refused(tmp_path: Path, text: str):
    (tmp_path / "a.ink").write_text(text)

    with pytest.raises(ContractViolation, match="cannot be played"):
        import_into(tmp_path / "a.ink", tmp_path / "out")


def test_a_broken_ink_file_in_a_campaign_is_named_by_file_and_line(tmp_path: Path):
    import_into(write_story(tmp_path / "story"), tmp_path / "out")
    (tmp_path / "out/plot/parts/chest.ink").write_text("=== chest ===\nInside.\n-> nowhere\n")
    report = validate_campaign(tmp_path / "out")

    assert [(one.file, one.line) for one in report.problems if one.is_error] == [("plot/parts/chest.ink", 3)]
