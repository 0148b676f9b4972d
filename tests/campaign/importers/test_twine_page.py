"""A page that Twine has published becomes a campaign that plays its story, or is refused by its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.campaign.importers import import_into
from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate_campaign
from narratoria.errors import ContractViolation

PAGE = """<!DOCTYPE html>
<html><head><title>The Well &amp; I</title><script>var x = "<tw-story>";</script></head>
<body><tw-story></tw-story>
<tw-storydata name="The Well &amp; I" startnode="2" creator="Twine" format="SugarCube" format-version="2.36.1"
 ifid="D674C58C" options="" tags="" zoom="1"
 hidden><style role="stylesheet" id="twine-user-stylesheet" type="text/twine-css">body { color: red }</style>
<script role="script" id="twine-user-script" type="text/twine-javascript"></script>
<tw-tag name="dark" color="red"></tw-tag>
<tw-passagedata pid="1" name="The {old} road" tags="" position="1,2">The road goes on &gt; and on.
:: This is no header.</tw-passagedata>
<tw-passagedata pid="2" name="Dawn &gt; dusk" tags="dark morning"
 position="1,2" size="100,100">You wake beside the well. &lt;&lt;set $coins to 2&gt;&gt;

You have $coins coins &amp; a &quot;key&quot;.

[[Look down-&gt;Water]]
[[Walk away-&gt;The {old} road]]</tw-passagedata>
<tw-passagedata pid="3" name="Water" tags="" position="1,2" size="100,100">It is deep.
&lt;&lt;if $coins &gt; 1&gt;&gt;You throw one in.&lt;&lt;/if&gt;&gt;</tw-passagedata></tw-storydata>
<script>/* the player */</script></body></html>
"""


def write_page(folder: Path, text: str = PAGE) -> Path:
    (folder / "well.html").write_text(text)
    return folder / "well.html"


def test_a_published_page_is_played_as_it_is_written(tmp_path: Path):
    report = import_into(write_page(tmp_path), tmp_path / "out")

    assert report.kind == "a page of Twine"
    assert [one.what for one in report.unmapped] == ["passage “UserStylesheet”"]
    assert validate_campaign(tmp_path / "out").ok
    campaign = load_campaign(tmp_path / "out")
    assert campaign.title == "The Well & I"
    assert campaign.ink is not None
    turn = campaign.ink.begin(1)
    assert turn.paragraphs == ("You wake beside the well.", 'You have 2 coins & a "key".')
    assert turn.choices == ("Look down", "Walk away")
    assert campaign.ink.choose(turn.state, 0).paragraphs == ("It is deep.", "You throw one in.")
    assert campaign.ink.choose(turn.state, 1).paragraphs == (
        "The road goes on > and on.",
        ":: This is no header.",
    )


def test_what_is_not_understood_is_refused_by_the_line_of_the_page(tmp_path: Path):
    text = PAGE.replace("It is deep.\n", "It is deep.\n&lt;&lt;audio x play&gt;&gt;\n")
    with pytest.raises(ContractViolation) as refusal:
        import_into(write_page(tmp_path, text), tmp_path / "out")

    line = text[: text.index("&lt;&lt;audio")].count("\n") + 1
    assert [(one.file, one.line) for one in refusal.value.problems][:1] == [("well.html", line)]
    assert not (tmp_path / "out").exists()
    report = import_into(tmp_path / "well.html", tmp_path / "out", leave_out=True)
    assert f"well.html:{line}" in [one.what for one in report.unmapped]
    assert validate_campaign(tmp_path / "out").ok


REFUSED = {
    "no story": ("<html><body>Hello</body></html>", "holds no story of Twine"),
    "Twine 1": ('<div id="storeArea"><div tiddler="Start">Hello</div></div>', "a page of Twine 1"),
    "two stories": (PAGE + PAGE, "several stories"),
    "broken off": (PAGE[: PAGE.index("</tw-storydata>")], "breaks off"),
    "no passage": ('<tw-storydata name="A"></tw-storydata>', "without a passage"),
    "quotation marks that never close": ('<tw-storydata name="A></tw-storydata>', "breaks off"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_page_without_one_whole_story_is_refused(tmp_path: Path, case: str):
    text, reason = REFUSED[case]
    with pytest.raises(ContractViolation, match=reason):
        import_into(write_page(tmp_path, text), tmp_path / "out")

    assert not (tmp_path / "out").exists()


def test_a_page_of_harlowe_is_known_by_what_it_holds(tmp_path: Path):
    text = (
        '<tw-storydata name="Tea" startnode="1" format="Harlowe">'
        '<tw-passagedata pid="1" name="A">(set: $cups to 3)You have $cups cups.\n'
        "[[Drink-&gt;B]]</tw-passagedata>"
        '<tw-passagedata pid="2" name="B">Warm.</tw-passagedata></tw-storydata>'
    )
    (tmp_path / "tea.txt").write_text(text)
    import_into(tmp_path / "tea.txt", tmp_path / "out")

    campaign = load_campaign(tmp_path / "out")
    assert campaign.ink is not None
    assert campaign.ink.begin(1).paragraphs == ("You have 3 cups.",)
