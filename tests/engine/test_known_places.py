"""The places a player knows: those seen, those that ways lead to, and whoever was last seen in each."""

from __future__ import annotations

import msgspec
from tests.engine.small_story import begin, play, story

from narratoria.engine.known_places import list_known_places
from narratoria.engine.scene import Choice

GO_TO_INN = Choice(text="Go to the inn", kind="go", target="inn")


def test_a_place_is_known_once_it_was_seen_or_a_way_leads_there() -> None:
    campaign = story()
    here, beyond = list_known_places(begin(campaign), campaign)
    assert (here.place.id, here.is_here, here.is_seen, here.ways) == ("mill", True, True, ("inn",))
    assert (beyond.place.id, beyond.is_seen, beyond.can_go, beyond.ways) == ("inn", False, True, ())


def test_people_stay_on_the_map_where_they_were_last_seen() -> None:
    campaign = story()
    session = begin(campaign)
    first = msgspec.structs.replace(session.scenes[0], people=("ada",))
    session = play(msgspec.structs.replace(session, scenes=(first,)), GO_TO_INN, campaign)
    mill, inn = list_known_places(session, campaign)
    assert (mill.people, mill.is_here, mill.can_go) == (("ada",), False, True)
    assert (inn.is_here, inn.ways) == (True, ("mill",))


def test_whoever_has_died_is_last_seen_nowhere() -> None:
    campaign = story()
    session = begin(campaign)
    first = msgspec.structs.replace(session.scenes[0], people=("ada",))
    progress = msgspec.structs.replace(session.progress, dead=("ada",))
    session = msgspec.structs.replace(session, scenes=(first,), progress=progress)
    assert [one.people for one in list_known_places(session, campaign)] == [(), ()]
