"""Imported stories are played as they were written: one passage at a time, with variables and conditions."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.small_story import begin, play

from narratoria.campaign.campaign import Campaign
from narratoria.campaign.importers import import_into
from narratoria.campaign.load import load_campaign
from narratoria.engine.action import first_state, openings_at, situation_of
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot
from narratoria.errors import ContractViolation

TWEE = """:: StoryInit
<<set $gold to 0>>

:: Start
You stand at the well.

[[Look down->Water]]
[[Go to market->Market]]

:: Water
A coin glints. <<set $gold to 3>>

[[Back->Start]]

:: Market
Stalls everywhere.

<<if $gold gte 3>>They see your gold.<<else>>Nobody sees you.<</if>>
<<if $gold gte 3>>[[Buy the lamp->Lamp]]<<else>>[[Beg->Beg]]<</if>>
[[Back to the well->Start]]

:: Beg
Nobody gives you anything. <<set $gold to $gold + 1>>

[[Go on->Market]]

:: Lamp
It is yours.
"""

INK = """VAR bold = false
-> hall

=== hall ===
You are in the hall.
* [Drink] You drink.
  ~ bold = true
  -> hall
+ [Look around] Dust. -> hall
* {bold} [Open the vault] -> vault
* {not bold} [Tremble] You tremble. -> hall
+ {vault} [Go home] -> END

=== vault ===
Gold.
-> END
"""


def imported(folder: Path, name: str, text: str) -> tuple[Campaign, list[str]]:
    (folder / name).write_text(text)
    report = import_into(folder / name, folder / "out")
    return load_campaign(folder / "out"), [one.what for one in report.unmapped]


def last_text(story: StorySnapshot, campaign: Campaign) -> str:
    beat = campaign.beat(list(story.progress.beat_outcomes)[-1])
    return beat.description if beat else ""


def offers(story: StorySnapshot, campaign: Campaign) -> set[str]:
    situation = situation_of(story, campaign)
    place = campaign.places[campaign.start]
    return {beat.conditions.player_choice for beat in openings_at(place, situation)}


def pick(story: StorySnapshot, campaign: Campaign, text: str) -> StorySnapshot:
    situation = situation_of(story, campaign)
    found = openings_at(campaign.places[campaign.start], situation)
    beat = next(one for one in found if one.conditions.player_choice == text)
    return play(story, Choice(text=text, kind="beat", beat=beat.id), campaign)


def test_only_the_links_of_the_passage_where_one_is_are_offered(tmp_path: Path) -> None:
    campaign, _ = imported(tmp_path, "well.twee", TWEE)
    story = begin(campaign)
    assert offers(story, campaign) == {"Look down", "Go to market"}
    story = pick(story, campaign, "Look down")
    assert offers(story, campaign) == {"Back"}
    story = pick(story, campaign, "Back")
    assert offers(story, campaign) == {"Look down", "Go to market"}, "one comes back as often as one likes"


def test_a_variable_decides_which_link_is_offered(tmp_path: Path) -> None:
    campaign, _ = imported(tmp_path, "well.twee", TWEE)
    poor = pick(begin(campaign), campaign, "Go to market")
    assert {"Beg", "Back to the well"} <= offers(poor, campaign)
    assert "Buy the lamp" not in offers(poor, campaign)
    rich = pick(pick(begin(campaign), campaign, "Look down"), campaign, "Back")
    rich = pick(rich, campaign, "Go to market")
    assert "Buy the lamp" in offers(rich, campaign)
    assert "Beg" not in offers(rich, campaign)


def test_text_under_a_condition_is_told_where_it_holds(tmp_path: Path) -> None:
    campaign, _ = imported(tmp_path, "well.twee", TWEE)
    poor = pick(begin(campaign), campaign, "Go to market")
    assert "Nobody sees you." in last_text(poor, campaign)
    rich = pick(pick(begin(campaign), campaign, "Look down"), campaign, "Back")
    rich = pick(rich, campaign, "Go to market")
    assert "They see your gold." in last_text(rich, campaign)


def test_a_variable_is_counted_up_each_time(tmp_path: Path) -> None:
    campaign, left = imported(tmp_path, "well.twee", TWEE)
    story = pick(begin(campaign), campaign, "Go to market")
    for _ in range(3):
        assert "Buy the lamp" not in offers(story, campaign)
        story = pick(pick(story, campaign, "Beg"), campaign, "Go on")
    assert "Buy the lamp" in offers(story, campaign)
    assert left == []


def test_what_cannot_be_kept_is_refused_by_its_line(tmp_path: Path) -> None:
    changed = TWEE.replace("<<set $gold to $gold + 1>>", "<<set $gold to random(1, 6)>> You have $gold.")
    with pytest.raises(ContractViolation) as refusal:
        imported(tmp_path, "well.twee", changed)
    lines = {one.line: one.message for one in refusal.value.problems}
    assert "set $gold to random(1, 6)" in lines[23] or "$gold in the text" in lines[23]


WEAVE = """VAR trust = 1
-> meeting

=== meeting ===
{She looks up.|She has not moved.}
* [Greet her] "Good evening."
  * * [Bow] You bow.
      ~ raise(trust)
  * * [Stand] You stand there.
  - - (sit) She points at a chair.
* [Say nothing] Silence.
- (talk) The clock strikes.
+ {is_friend()} [Ask for the key] She gives it to you. -> END
+ [Wait] You wait. -> talk
* {trust < 2} [Pay her] Coins change hands.
  ~ raise(trust)
  -> talk
+ [Begin again] -> meeting

=== function raise(ref x)
~ x = x + 1
=== function is_friend()
~ return trust >= 2
"""


def test_choices_within_choices_come_together_where_ink_says(tmp_path: Path) -> None:
    campaign, _ = imported(tmp_path, "weave.ink", WEAVE)
    story = begin(campaign)
    assert offers(story, campaign) == {"Greet her", "Say nothing"}
    story = pick(story, campaign, "Greet her")
    assert offers(story, campaign) == {"Bow", "Stand"}
    story = pick(story, campaign, "Bow")
    assert "chair" in last_text(story, campaign)
    assert "The clock strikes." in last_text(story, campaign)
    assert offers(story, campaign) == {"Ask for the key", "Wait", "Begin again"}


def test_a_function_changes_what_is_offered(tmp_path: Path) -> None:
    campaign, _ = imported(tmp_path, "weave.ink", WEAVE)
    story = pick(begin(campaign), campaign, "Say nothing")
    assert offers(story, campaign) == {"Wait", "Pay her", "Begin again"}
    story = pick(pick(story, campaign, "Wait"), campaign, "Pay her")
    assert offers(story, campaign) == {"Ask for the key", "Wait", "Begin again"}


def test_the_second_time_is_told_otherwise(tmp_path: Path) -> None:
    campaign, _ = imported(tmp_path, "weave.ink", WEAVE)
    assert campaign.premise == ("She looks up.",)
    story = pick(pick(begin(campaign), campaign, "Say nothing"), campaign, "Begin again")
    assert "She has not moved." in last_text(story, campaign)


def test_choices_of_ink_are_offered_once_or_again_and_by_their_conditions(tmp_path: Path) -> None:
    campaign, left = imported(tmp_path, "hall.ink", INK)
    story = begin(campaign)
    assert offers(story, campaign) == {"Drink", "Look around", "Tremble"}
    story = pick(pick(story, campaign, "Look around"), campaign, "Look around")
    story = pick(story, campaign, "Drink")
    assert offers(story, campaign) == {"Look around", "Open the vault"}
    assert left == []


def test_a_story_that_begins_again_stands_at_its_beginning(tmp_path: Path) -> None:
    campaign, _ = imported(tmp_path, "well.twee", TWEE)
    story = pick(begin(campaign), campaign, "Look down")
    state = first_state(story, campaign).to_dict()
    assert "passage" not in state
    assert "story_gold" not in state
