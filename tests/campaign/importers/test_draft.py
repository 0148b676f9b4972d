"""Foreign text is cleaned before it is imported."""

from __future__ import annotations

import pytest

from narratoria.campaign.importers.draft import ImportDraft, ImportReport, clean_text


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("<b>Bold</b> and <i>not</i>", "Bold and not"),
        ("a<script>alert(1)</script>b", "ab"),
        ("a<scr<script></script>ipt>alert(1)</script>b", "ab"),
        ("&lt;script&gt;x&lt;/script&gt;after", "after"),
        ("one<br>two", "one\ntwo"),
        ("\x1b[31mred\x07", "[31mred"),
        ("see ![pic](https://x/y.png) [here](javascript:x)", "see pic here"),
        ("a\u202eb\u200bc", "abc"),
        ("2 < 3 and 4 > 1", "2 < 3 and 4 > 1"),
    ],
)
def test_markup_and_control_characters_are_taken_out(written, kept):
    assert clean_text(written) == kept


def drafted() -> ImportReport:
    draft = ImportDraft()
    draft.add_file("the card", "characters/npcs/ada/profile.json", {"name": "Ada"})
    for _ in range(2):
        draft.skip("a script", "code is not run")
    draft.skip("a script", "it is too long")
    return ImportReport(
        "card", "ada.png", "/c", tuple(draft.files), tuple(draft.mapped), tuple(draft.unmapped)
    )


def test_a_reader_sees_what_went_where_and_what_stayed_behind() -> None:
    assert list(drafted().lines()) == [
        "ada.png (card)",
        "  the card → characters/npcs/ada/profile.json",
        "Not brought in:",
        "  a script: code is not run",
        "  a script: it is too long",
        "1 file written in /c.",
    ]


def test_a_program_reads_the_same() -> None:
    document = drafted().as_document()
    assert document["written"] == ["characters/npcs/ada/profile.json"]
    assert document["mapped"] == [{"what": "the card", "to": "characters/npcs/ada/profile.json"}]
    assert [part["why"] for part in document["unmapped"]] == ["code is not run", "it is too long"]


def test_where_all_was_brought_in_nothing_is_said_of_the_rest() -> None:
    assert list(ImportReport("text", "a.txt", "/c", (), (), ()).lines()) == [
        "a.txt (text)",
        "0 files written in /c.",
    ]
