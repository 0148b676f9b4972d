"""Cards hold what was met, seen and told, and nothing that is still to come."""

from __future__ import annotations

from tests.engine.conftest import OpenLibrary

from narratoria import app
from narratoria.engine.lore_cards import list_cards


async def test_cards_are_of_whom_the_player_met_and_where_they_were_with_what_was_told(
    open_library: OpenLibrary,
) -> None:
    campaign = app.open_campaign("harrowmere")
    async with open_library() as library:
        session = await library.begin("harrowmere", {"name": "Nell"}, seed=7)
        await session.resume()
        before = {card.id: card for card in list_cards(session.snapshot, campaign)}
        assert session.scene is not None
        question = next(choice for choice in session.scene.choices if choice.topic)
        await session.choose(question)
        cards = {card.id: card for card in list_cards(session.snapshot, campaign)}
    asked = cards[f"person/{question.target}"]
    assert asked.title == campaign.people[question.target].name
    assert asked.title in asked.names
    assert {fact.scene for fact in asked.facts} >= {2}
    assert f"place/{session.snapshot.progress.place}" in before
    places = {card.id for card in cards.values() if card.kind == "place"}
    assert places == {f"place/{scene.place}" for scene in session.snapshot.scenes}  # none that was not seen
    people = {card.id.removeprefix("person/") for card in cards.values() if card.kind == "person"}
    assert people < set(campaign.people)
