"""Stories of Twine are played passage by passage, with their variables, conditions and links."""

from __future__ import annotations

import pytest

from narratoria.campaign.ink.story import InkStory, InkTurn
from narratoria.campaign.twee.story import parse_twee, strip_twine_markup


def load(text: str) -> InkStory:
    parsed = parse_twee("a.twee", text)
    assert parsed.problems == ()
    return parsed.story


def pick(story: InkStory, turn: InkTurn, *offers: str) -> InkTurn:
    for offer in offers:
        turn = story.choose(turn.state, turn.choices.index(offer))
    return turn


WELL = """:: StoryInit
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


def test_only_the_links_of_the_passage_where_one_is_are_offered():
    story = load(WELL)
    turn = story.begin(1)
    assert turn.choices == ("Look down", "Go to market")
    assert pick(story, turn, "Look down").choices == ("Back",)
    assert pick(story, turn, "Look down", "Back").choices == turn.choices, (
        "one comes back as often as one likes"
    )


def test_variables_decide_what_is_told_and_offered():
    story = load(WELL)
    poor = pick(story, story.begin(1), "Go to market")
    assert poor.paragraphs == ("Stalls everywhere.", "Nobody sees you.")
    assert poor.choices == ("Beg", "Back to the well")
    rich = pick(story, story.begin(1), "Look down", "Back", "Go to market")
    assert rich.paragraphs == ("Stalls everywhere.", "They see your gold.")
    assert rich.choices == ("Buy the lamp", "Back to the well")
    assert pick(story, rich, "Buy the lamp").has_ended


def test_a_variable_is_counted_up_each_time():
    story = load(WELL)
    turn = pick(story, story.begin(1), "Go to market", "Beg", "Go on", "Beg", "Go on")
    assert "Buy the lamp" not in turn.choices
    assert "Buy the lamp" in pick(story, turn, "Beg", "Go on").choices


def test_visits_are_counted_also_of_a_passage_that_leads_to_itself():
    story = load(
        ":: Start\n<<print visited()>> <<if visited('Inn')>>been<</if>>\n[[Again->Start]]\n[[Inn]]\n"
        ":: Inn\nHere <<if hasVisited('Start')>>after<</if>>.\n[[Start]]\n"
    )
    turn = story.begin(1)
    assert turn.paragraphs == ("1",)
    assert pick(story, turn, "Again", "Again").paragraphs == ("3",)
    assert pick(story, turn, "Inn").paragraphs == ("Here after.",)
    assert pick(story, turn, "Inn", "Start").paragraphs == ("2 been",)


def test_a_link_is_there_once_where_its_author_says_so():
    story = load(
        ":: Start\n<<if not visited('Chest')>>[[Open->Chest]]<</if>>\n[[Leave->Out]]\n"
        ":: Chest\nGold.\n[[Back->Start]]\n:: Out\nOut.\n"
    )
    turn = story.begin(1)
    assert turn.choices == ("Open", "Leave")
    assert pick(story, turn, "Open", "Back").choices == ("Leave",)


def test_a_condition_holds_as_it_was_where_it_stands():
    story = load(
        ":: Start\n<<if $x is 0>>[[First->Two]]<</if>><<set $x to 1>>\n[[Second->Two]]\n:: Two\nEnd.\n"
    )

    assert story.begin(1).choices == ("First", "Second")


def test_links_in_a_sentence_leave_their_words_there():
    story = load(":: Start\nYou can [[go north->N]] or [[rest|N]].\n[[Alone->N]]\n:: N\nEnd.\n")

    turn = story.begin(1)
    assert turn.paragraphs == ("You can go north or rest.",)
    assert turn.choices == ("go north", "rest", "Alone")


def test_a_file_without_a_passage_says_so():
    (problem,) = parse_twee("a.twee", "Hello.").problems

    assert "holds no passage" in problem.message


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("//one// ''two'' __three__", "one two three"),
        ("see http://a/b//c", "see http://a/b//c"),
        ("**bold** and *soft*, 2 * 3 * 4", "bold and soft, 2 * 3 * 4"),
        ("!Heading", "Heading"),
        ("## Heading", "Heading"),
        ("<b>x</b> &amp; y", "x & y"),
    ],
)
def test_marks_that_set_type_are_not_told(line: str, told: str):
    assert strip_twine_markup(line) == told
