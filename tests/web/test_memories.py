"""What the page shows of a story's memory: each scene once, and opinions in words that fit their number."""

from __future__ import annotations

from typing import Any

from narratoria.web.memories import FACTIONS, PEOPLE, MemoryPage, _each_scene_once, words_for


def page(summary: str, turn: int, **about: Any) -> MemoryPage:
    empty = {"characters": (), "witnesses": (), "tags": (), "significance": "medium", "relevance": None}
    fields = {"id": summary, "episodic": False, "skill": "", "added_by": "", "mark": "none", **empty, **about}
    return MemoryPage(summary=summary, turn=turn, **fields)


def test_a_choice_in_its_own_words_is_not_listed_beside_its_scene() -> None:
    echo = page("The player: Promise Senna to try", 4, skill="memory", episodic=True)
    told = page("You promised Senna to try.", 4)
    (left,) = _each_scene_once([echo, told])
    assert (left.summary, left.episodic) == (told.summary, True)  # what made it a turning point stays


def test_a_choice_that_is_remembered_by_nothing_else_is_listed() -> None:
    alone = [page("The player: Promise Senna to try", 4, skill="memory"), page("You went home.", 5)]
    assert _each_scene_once(alone) == alone


def test_an_opinion_is_put_into_the_words_of_the_number_that_is_shown() -> None:
    assert (words_for(19.8, FACTIONS), words_for(20, FACTIONS)) == ("think well of you",) * 2
    assert words_for(-19.7, PEOPLE) == words_for(-20, PEOPLE) == "does not think well of you"
