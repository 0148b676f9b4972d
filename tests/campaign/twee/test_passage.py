"""The commonest macros of SugarCube and Harlowe do what they say; the rest is refused by line."""

from __future__ import annotations

import pytest

from narratoria.campaign.twee.story import parse_twee

END = "\n[[End]]\n:: End\nThe end.\n:: Note\nA note.\n"


def tell(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a passage tells and what it offers."""
    parsed = parse_twee("a.twee", f":: Start\n{text}{END}")
    assert parsed.problems == ()
    turn = parsed.story.begin(1)
    assert turn.problem == ""
    return turn.paragraphs, turn.choices


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<<set $a to 2>>$a <<= $a * 2>> <<print $a + 1>> <<- $a>>", "2 4 3 2"),
        ("<<set $a to 1; $a += 4; $a -= 2>><<set $a *= 2>>$a", "6"),
        ('<<set $n to "Pike">>$n\'s <<if $n is "Pike">>own<</if>>', "Pike's own"),
        ("<<set $a to 2>><<if $a eq 1>>1<<elseif $a gt 1 and $a lt 3>>2<<else>>3<</if>>", "2"),
        ("<<if true>>a <<if false>>b<<else>>c <<if not false>>d<</if>><</if>><</if>>", "a c d"),
        ("<<set $a to 3>><<switch $a>><<case 1 2>>low<<case 3>>three<<default>>high<</switch>>", "three"),
        ("<<silently>>quiet <<set $a to 5>><</silently>>$a", "5"),
        ("<<nobr>>x<</nobr>> y <<unset $a>>", "x y"),
        ('<<include "Note">>', "A note."),
        ("a /* no */ b <!-- no --> c /% no %/ d", "a b c d"),
        ("10 / 4 is <<= 10 / 4>>", "10 / 4 is 2.5"),
        ("(set: $a to 2, $b to $a + 1)$a $b", "2 3"),
        ("(set: $a to 2)(set: $a to it * 3)$a (print: $a + 1)", "6 7"),
        ("(put: 4 into $a)(if: $a is 4)[yes](else:)[no]", "yes"),
        ("(if: false)[a](else-if: $x is not 0)[b] (else:)[c (unless: true)[d](else:)[e]]", "c e"),
        ('(display: "Note")', "A note."),
        ("<<set _t to 3>><<= _t>>", "3"),
    ],
)
def test_a_macro_does_what_it_says(text: str, told: str):
    assert tell(text)[0] == (told,)


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("[[Go->End]]", "Go"),
        ("[[End<-Go]]", "Go"),
        ("[[Go|End]]", "Go"),
        ("[[Go|End][$a to 3]]", "Go"),
        ("<<set $n to 'Osk'>>[[Ask $n->End]]", "Ask Osk"),
        ('<<link "Go" "End">><<set $a to 1>><</link>>', "Go"),
        ("<<button [[Go|End]]>><</button>>", "Go"),
        ('<<link "Go">><<goto "End">><</link>>', "Go"),
        ('(link-goto: "Go", "End")', "Go"),
        ('(link: "Go")[(set: $a to 1)(goto: "End")]', "Go"),
        ("(if: true)[ [[Go->End]] ]", "Go"),
    ],
)
def test_a_link_is_offered(text: str, offered: str):
    assert tell(text)[1] == (offered, "End")


def test_a_link_that_sets_a_variable_sets_it_when_it_is_followed():
    parsed = parse_twee("a.twee", ":: Start\n[[Take->End][$a to $a + 2]]\n:: End\nYou have $a.\n")
    turn = parsed.story.begin(1)

    assert parsed.story.choose(turn.state, 0).paragraphs == ("You have 2.",)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("<<audio 'x' play>>", "<<audio"),
        ("<<set $a to [1, 2]>>", "[1, 2]"),
        ("<<set $a.b to 1>>", "$a.b"),
        ("<<run alert(1)>>", "<<run"),
        ("$a.b and $a[0]", "$a.b"),
        ("<<if $a includes 1>>x<</if>>", "includes"),
        ("<<if true>>x", "is not closed"),
        ("<</if>>", "nothing is open"),
        ("<<linkreplace 'x'>>y<</linkreplace>>", "linkreplace"),
        ("(live: 2s)[x]", "(live:"),
        ("(if: $a contains 2)[x]", "contains"),
        ("[[Go->Nowhere]]", "no passage “Nowhere”"),
        ("<script>alert(1)</script>", "programs are not run"),
        ('(link: "More")[text]', "(link:"),
    ],
)
def test_what_is_not_understood_is_refused_by_its_line(text: str, what: str):
    problems = parse_twee("a.twee", f":: Start\nFirst.\n{text}{END}").problems

    assert [one.line for one in problems if what in one.message][:1] == [3]


@pytest.mark.parametrize(
    "text", ["(" * 300, "<<" * 300, "[" * 300 + "]" * 300, "(if: true)[" * 60, "(set: $a to " + "(" * 90]
)
def test_a_text_of_opening_brackets_comes_to_an_end(text: str):
    parsed = parse_twee("a.twee", f":: Start\n{text}{END}")

    assert parsed.problems or parsed.story.begin(1)
