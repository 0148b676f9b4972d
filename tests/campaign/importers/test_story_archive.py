"""A zip file with one story is brought in as the story would be; any other is refused with its reason."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from narratoria.campaign.importers import import_into
from narratoria.campaign.importers.story_archive import holds_story
from narratoria.campaign.load import load_campaign
from narratoria.errors import ContractViolation

MAIN = """INCLUDE rooms/cellar.ink
INCLUDE rooms/end.ink
-> cellar
"""
CELLAR = """=== cellar ===
The cellar is cold.
* [Go up] You go up. -> end
"""
END = "=== end ===\nIt is over.\n-> END\n"
INK = {"my story/main.ink": MAIN, "my story/rooms/cellar.ink": CELLAR, "my story/rooms/end.ink": END}
PAGE = (
    '<tw-storydata name="The Well" startnode="1">'
    '<tw-passagedata pid="1" name="A">Deep. [[On->B]]</tw-passagedata>'
    '<tw-passagedata pid="2" name="B">Done.</tw-passagedata></tw-storydata>'
)


def make_zip(folder: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(folder / "story.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return folder / "story.zip"


def test_ink_comes_with_all_that_it_includes_and_without_what_a_packer_adds(tmp_path: Path):
    extra = {"__MACOSX/my story/._main.ink": "Mac", "my story/.draft.ink": "No.", "my story/notes.txt": "No."}
    report = import_into(make_zip(tmp_path, INK | extra), tmp_path / "out")

    assert (report.kind, report.source) == ("ink", "story.zip")
    assert set(report.written) >= {"plot/story.ink", "plot/rooms/cellar.ink", "plot/rooms/end.ink"}
    campaign = load_campaign(tmp_path / "out")
    assert campaign.ink is not None
    turn = campaign.ink.begin(1)
    assert turn.paragraphs == ("The cellar is cold.",)
    assert campaign.ink.choose(turn.state, 0).paragraphs == ("You go up. It is over.",)


def test_an_include_of_an_include_is_named_from_the_main_file(tmp_path: Path):
    files = {
        "main.ink": "INCLUDE rooms/all.ink\n-> cellar\n",
        "rooms/all.ink": "INCLUDE rooms/cellar.ink\nINCLUDE rooms/end.ink\n",
        "rooms/cellar.ink": CELLAR,
        "rooms/end.ink": END,
    }
    import_into(make_zip(tmp_path, files), tmp_path / "out")

    assert load_campaign(tmp_path / "out").ink is not None


@pytest.mark.parametrize(
    "files",
    [{"Well.html": PAGE, "img/well.png": "x"}, {"w.twee": ":: Start\nDeep. [[On->B]]\n\n:: B\nDone.\n"}],
)
def test_a_story_of_twine_may_come_in_a_zip_file(tmp_path: Path, files: dict[str, str]):
    import_into(make_zip(tmp_path, files), tmp_path / "out")

    campaign = load_campaign(tmp_path / "out")
    assert campaign.ink is not None
    assert campaign.ink.begin(1).choices == ("On",)


REFUSED: dict[str, tuple[dict[str, str], str]] = {
    "nothing": ({"a.txt": "x"}, "no file that ends in .ink"),
    "two stories": ({"a.ink": "Hello.", "b.ink": "Hello."}, r"several stories \(a.ink, b.ink\)"),
    "outside": ({"../a.ink": "Hello."}, "leads out of the archive"),
    "in a ring": ({"a.ink": "INCLUDE b.ink\nHello.", "b.ink": "INCLUDE a.ink\nHello."}, "several stories"),
    "an archive again": ({"a.ink": "PK\x03\x04"}, "holds no text in a.ink"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_zip_file_without_one_story_is_refused(tmp_path: Path, case: str):
    files, reason = REFUSED[case]
    with pytest.raises(ContractViolation, match=reason):
        import_into(make_zip(tmp_path, files), tmp_path / "out")

    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("files", "is_story"),
    [
        (INK, True),
        ({"Well.html": PAGE}, True),
        ({"tea/checksums.json": "{}", "tea/plot/story.ink": MAIN}, False),
        ({"tea/manifest.json": "{}", "tea/plot/story.ink": MAIN}, False),
        ({"notes.txt": "No."}, False),
    ],
)
def test_a_campaign_is_told_from_a_story_by_its_manifest(
    tmp_path: Path, files: dict[str, str], is_story: bool
):
    assert holds_story(make_zip(tmp_path, files).read_bytes()) is is_story


def test_a_damaged_zip_file_is_refused(tmp_path: Path):
    file = make_zip(tmp_path, INK)
    file.write_bytes(file.read_bytes()[:100])
    assert not holds_story(file.read_bytes())
    with pytest.raises(ContractViolation, match="sound zip archive"):
        import_into(file, tmp_path / "out")
