"""Imported stories are played as they were written: one passage at a time, with variables and conditions."""

from __future__ import annotations

from pathlib import Path

from tests.engine.small_story import begin, play

from narratoria.campaign.campaign import Campaign
from narratoria.campaign.importers import import_into
from narratoria.campaign.load import load_campaign
from narratoria.engine.action import first_state, openings_at, situation_of
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import StorySnapshot

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

<<if $gold gte 3>>[[Buy the lamp->Lamp]]<<else>>[[Beg->Beg]]<</if>>
<<if random(1,6) gt 3>>[[Gamble->Beg]]<</if>>
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


def test_what_cannot_be_kept_is_named_by_its_line(tmp_path: Path) -> None:
    _, left = imported(tmp_path, "well.twee", TWEE)
    assert "line 19: the condition “random(1,6) gt 3”" in left
    assert "line 23: set $gold to $gold + 1" in left


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
