"""Foreign text is cleaned before it is imported."""

from __future__ import annotations

import pytest

from narratoria.campaign.importers.draft import clean_text


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
