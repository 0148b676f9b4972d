"""Writes the pages of places: where the story begins, in the author's words, and those of the kit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from narratoria.campaign.enrich.casting import Pick, suits_ground
from narratoria.campaign.enrich.kit_renderer import KitRenderer
from narratoria.campaign.enrich.kits import PlaceSeed
from narratoria.campaign.enrich.nouns import Noun
from narratoria.campaign.enrich.retelling import address_player
from narratoria.campaign.lore import sentences
from narratoria.campaign.pages import PLACES

KIT_PLACES = 6  # besides where the story begins
NEAR_START = 4  # of them are reached from there
MAX_AUTHOR_PARAGRAPHS, MAX_AUTHOR_SENTENCES = 3, 4  # of the setting, in the first place


def write_places(story: KitRenderer, pick: Pick) -> Iterator[tuple[str, str]]:
    """Yield the page of each place by its file."""
    chosen = choose_places(story, pick)
    ways = [_way(place.id, place.name, story.told(place.way) or "on") for place in chosen]
    back = _way(story.start, story.start_name, _route_back(story))
    details, moments = story.all_told(story.kit.details), story.all_told(story.kit.moments)
    near = ways[:NEAR_START]
    for noun in story.own_places:
        described = [address_player(story.premise.sentence_about(noun)), *details[1:]]
        name = f"{noun:Title}"
        name = name[:1].upper() + name[1:]
        yield f"{PLACES}/{noun.id}.md", _page(name, described, moments[1:], [back])
        near.append(_way(noun.id, name, f"over to {noun:the}"))
        details, moments = details[:1], moments[:1]
    if not story.kit.is_own and (named := _find_named_place(story)):
        named_id, name, description = named
        yield f"{PLACES}/{named_id}.md", _page(name, [description, *details[1:]], moments[2:], [back])
        near.append(
            _way(named_id, name, f"on to {name[0].lower() + name[1:] if name.startswith('The ') else name}")
        )
        details, moments = details[:1], moments[:2]
    yield f"{PLACES}/{story.start}.md", _page(story.start_name, [_begin(story), *details], moments, near)
    for number, place in enumerate(chosen):
        neighbours = [ways[other] for other in (number - 2, number + 2) if 0 <= other < len(ways)]
        paragraphs = story.all_told((place.arrival, *place.details))
        page = _page(place.name, paragraphs, story.all_told(place.moments), [back, *neighbours])
        yield f"{PLACES}/{place.id}.md", page


def _route_back(story: KitRenderer) -> str:
    if story.premise.knows_home:
        return story.told(story.kit.back) or "back"
    return f"back to {story.start_name[0].lower()}{story.start_name[1:]}"


def choose_places(story: KitRenderer, pick: Pick) -> list[PlaceSeed]:
    """Return the places the plot needs, then others up to the number there should be."""
    plot = story.cast.plot
    needed = {beat.at for beat in plot.beats} | {person.at for person in plot.people.values()}
    needed |= {place for beat in plot.beats for place in beat.moves.values()}
    needed |= {place for _, extra in story.cast.named for place in (extra.beat.at, extra.person.at)}
    free = [place for place in story.places if not story.is_start(place)]
    chosen = [place for place in free if place.id in needed]
    rest = [place for place in free if place.id not in needed and not story.excludes(place.arrival)]
    rest = [place for place in rest if suits_ground(place.grounds, story.premise)]
    while len(chosen) < KIT_PLACES and rest:
        arrivals = {story.told(place.arrival): place for place in rest}
        place = arrivals[pick(f"place/{len(chosen)}", tuple(arrivals))]
        chosen.append(place)
        rest.remove(place)
    return chosen


def _begin(story: KitRenderer) -> str:
    """Return how the first place is told: by its author, or by the kit."""
    premise = story.premise
    if not premise.campaign.setting:
        here = next((place for place in story.places if story.is_start(place)), None)
        return story.told(here.arrival if here else story.kit.setting)
    return "\n\n".join(
        address_player(" ".join(sentences(paragraph)[:MAX_AUTHOR_SENTENCES]))
        for paragraph in premise.paragraphs()[:MAX_AUTHOR_PARAGRAPHS]
    )


def _find_named_place(story: KitRenderer) -> tuple[str, str, str] | None:
    """Return id, name and description of a place that the premise names and does not begin at."""
    for name in story.premise.places:
        bare = name.removeprefix("the ")
        noun = Noun(bare, proper=True)
        sentence = story.premise.sentence_about(Noun(bare.split()[-1]))
        is_left = f"from {name}" in story.premise.text  # nobody can go back there by a few steps
        if sentence and noun.id != story.start and not is_left and not _speaks_of_player(sentence):
            return noun.id, f"The {bare}" if name.startswith("the ") else bare, address_player(sentence)
    return None


def _speaks_of_player(sentence: str) -> bool:
    return sentence.casefold().startswith(("you ", "i ", "i'", "i’", "we "))


def _page(name: str, paragraphs: Sequence[str], moments: Sequence[str], ways: Sequence[str]) -> str:
    page = f"# {name}\n\n" + "\n\n".join(paragraphs)
    if moments:
        page += "\n\n## Moments\n\n" + "\n".join(f"- {moment}" for moment in moments)
    return page + "\n\n## Ways\n\n" + "\n".join(f"- {way}" for way in ways) + "\n"


def _way(place: str, name: str, route: str) -> str:
    return f"[{name}]({place}.md): {route}"
