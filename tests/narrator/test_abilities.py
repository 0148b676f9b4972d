"""What somebody cannot do: read out of what the author says, and kept to by the repertoire."""

from __future__ import annotations

import pytest

from narratoria.narrator.abilities import find_missing, find_needs, is_animal
from narratoria.narrator.repertoire import (
    UnitSituation,
    load_repertoire,
    measure_fit,
    person_slots,
    pick_unit,
)


@pytest.mark.parametrize(
    ("role", "notes", "missing"),
    [
        ("The child from below", ("silent", "Hardly a word, and then a hymn"), {"speak"}),
        ("Night porter", ("silent", "watchful"), set()),
        ("Keeper of the bell", ("His blind eyes are the colour of fog.",), {"see"}),
        ("Warden", ("One sleeve is pinned; he holds the empty cuff.",), {"hands"}),
        ("An old pack mule", (), {"speak", "hands"}),
        ("Master of horse", ("proud",), set()),
        ("Ticket seller", ("window-blind", "talks without end"), set()),
    ],
)
def test_what_somebody_cannot_do_is_read_out_of_role_and_notes(
    role: str, notes: tuple[str, ...], missing: set[str]
) -> None:
    assert find_missing(role, notes, has_sayings=False) == missing


def test_an_animal_whose_sayings_an_author_wrote_speaks_and_has_no_hands() -> None:
    assert find_missing("A talking fox", (), has_sayings=True) == {"hands"}


def test_a_role_that_only_names_an_animal_is_a_persons() -> None:
    assert is_animal("ship's cat")
    assert not is_animal("keeper of the royal horse")
    assert not is_animal("the woman who feeds the goat")


def test_the_players_own_hands_are_no_need_of_the_person() -> None:
    assert find_needs("{They} turn{s} away. Your hands are cold.") == frozenset()
    assert find_needs("{Their} hands are cold.") == {"hands"}
    assert find_needs("“No,” say{s} {short}.") == {"speak"}


@pytest.mark.parametrize("act", ["ask", "tell", "greet", "give", "threaten", "comfort", "praise"])
def test_nobody_who_cannot_speak_is_made_to(act: str) -> None:
    for cannot in (frozenset({"speak"}), frozenset({"speak", "hands"})):
        for outcome in ("none", "success"):
            situation = UnitSituation(
                act=act,
                outcome=outcome,
                evidence="none" if act == "ask" else "",
                has_person=True,
                cannot=cannot,
                thing="carried" if act == "give" else "",
                slots=person_slots("Oru", "Oru", "she")
                | {"the thing": "your coin", "it": "it", "thing": "coin"},
            )
            fitting = [unit for unit in load_repertoire() if measure_fit(unit, situation) is not None]
            assert not [unit.id for unit in fitting if unit.who and "“" in unit.text]
            picked = pick_unit(fitting, situation, {}, 1, "seed")
            assert picked is None or "“" not in picked.text or picked.who is None
