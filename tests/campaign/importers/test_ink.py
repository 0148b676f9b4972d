"""A story in ink becomes a campaign that tells the same story, or is refused by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.campaign.importers import import_into
from narratoria.campaign.load import load_campaign
from narratoria.campaign.validate import validate_campaign
from narratoria.errors import ContractViolation

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


def test_ink_becomes_beats(tmp_path: Path) -> None:
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
    assert report.unmapped == ()
    assert campaign.premise == ("The cellar is cold.",), "nobody has a key at first"
    (leave, *_) = [beat for beat in campaign.beats if beat.conditions.player_choice == "Leave it"]
    assert "story_keys" in leave.conditions.custom


REFUSED = {
    "LIST mood = calm, angry\nHello.": (1, "LIST mood"),
    "You look. {~Rain|Sun}.": (1, "shuffles"),
    "One. {a|b|c}": (1, "a sequence"),
    "VAR x = 1\nYou have {x} coins.": (2, "a variable"),
    "VAR x = 1\n~ x = RANDOM(1, 6)\nDone.": (2, "RANDOM"),
    "VAR x = 1\n~ x = x * 2\nDone.": (2, "x * 2"),
    "VAR x = 1\nStart.\n* {x > y} [Go] Gone. -> END": (3, "x > y"),
    "Start.\n* [Go] Gone. -> END\n* -> END": (3, "no other is left"),
    "-> a\n=== a ===\nHello. <- b\n-> END\n=== b ===\nB.\n-> END": (3, "threads"),
    "-> a\n=== a ===\nHello.\n-> b ->\n-> END\n=== b ===\nB.\n->->": (4, "tunnels"),
    "-> a\n=== a(x) ===\nHello.\n-> END": (2, "given values"),
    "VAR x = 1\nHello.\n{ x > 0:\n  There.\n- else:\n  Not.\n}\n-> END": (3, "several lines"),
    "Hello.\n* [Go] -> nowhere": (2, "not there"),
    "VAR x = 1\n~ lower(x)\nHello.\n=== function lower(ref x)\nText in it.\n~ x = x - 1": (2, "lower"),
    "VAR x = true\nHello.\n* [Go] \n~ x = false\n{x: So.|Not so.}\n-> END": (5, "same passage"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_would_make_another_story_is_refused_by_its_line_and_nothing_is_written(
    tmp_path: Path, text: str
) -> None:
    line, says = REFUSED[text]
    (tmp_path / "a.ink").write_text(text)
    with pytest.raises(ContractViolation) as refusal:
        import_into(tmp_path / "a.ink", tmp_path / "out")
    problems = [one for one in refusal.value.problems if one.line]
    assert any(one.line == line and says in one.message for one in problems), problems
    assert "leave-out" in refusal.value.problems[-1].message
    assert not (tmp_path / "out").exists()


def test_who_accepts_the_loss_gets_the_rest_and_the_list(tmp_path: Path) -> None:
    (tmp_path / "a.ink").write_text("You look. {~Rain|Sun}.\n* [Go] You go. -> END\n")
    report = import_into(tmp_path / "a.ink", tmp_path / "out", leave_out=True)
    assert any(one.what.startswith("line 1:") for one in report.unmapped)
    assert validate_campaign(tmp_path / "out").ok
