"""The format Chapbook has its own conditions and values."""

from __future__ import annotations

from narratoria.campaign.twee.story import parse_twee


def test_the_format_chapbook_has_its_own_conditions_and_values():
    parsed = parse_twee(
        "a.twee",
        ':: StoryData\n{"format": "Chapbook"}\n:: Start\ngold: 3\nname: "Pike"\n--\n{name} has {gold + 1}.\n'
        "\n[if gold > 2]\nRich.\n[[Buy->Two]]\n\n[else]\nPoor.\n\n[continue]\n"
        "Ever.\n[[Go->Two]]\n:: Two\nEnd.\n",
    )

    assert parsed.problems == ()
    turn = parsed.story.begin(1)
    assert turn.paragraphs == ("Pike has 4.", "Rich.", "Ever.")
    assert turn.choices == ("Buy", "Go")


def test_what_is_not_understood_is_refused_by_its_line():
    text = ':: StoryData\n{"format": "Chapbook"}\n:: Start\nx: 1\n--\nOne {x}.\n{reveal link: \'a\'}\n'
    problems = parse_twee("a.twee", text).problems

    assert [one.line for one in problems] == [7]
