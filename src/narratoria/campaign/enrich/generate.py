"""Generates the files of a campaign from a kit and its author's sentences, the same for one seed.

Texts of a kit are format strings: `{home:the}` and `{thing:a}` are nouns of the premise in the form a
sentence needs, `{me:a}` is who the player is, and `{a}`, `{a.they}` … are the people of the plot.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from narratoria.campaign.campaign import Campaign, Provenance
from narratoria.campaign.enrich.casting import PLOT, Cast, CastMember, Pick, cast_plot, rank_plots
from narratoria.campaign.enrich.exclusions import Exclusions, find_exclusions
from narratoria.campaign.enrich.kits import START, BeatSeed, Kit, PlaceSeed, load_kit
from narratoria.campaign.enrich.nouns import Noun
from narratoria.campaign.enrich.premise import Premise, bodies, kinds_of_world, read_premise
from narratoria.campaign.enrich.retelling import address_player
from narratoria.campaign.folder import Folder, generated_name
from narratoria.campaign.load import (
    BEATS,
    CONSTRAINTS,
    ENDINGS,
    PEOPLE,
    PLACES,
    PREMISE,
    RULES,
    SETTING,
    TEMPLATE,
)
from narratoria.campaign.lore import sentences

VERSION = "2.0.0"  # of the kits and rules: the same version and seed give the same files
GRAMMAR = f"narratoria/grammar@{VERSION}"
MAX_AUTHOR_PARAGRAPHS, MAX_AUTHOR_SENTENCES = 3, 4  # of the setting, in the first place
MAX_BELONGINGS = 3
KIT_PLACES = 6  # besides where the story begins
MAX_HEARSAY = 4  # nouns of the premise that people can be asked about
LIKED, DISLIKED = 10, -6  # what a talk and a failure do to an opinion


@dataclass(frozen=True, slots=True)
class GeneratedContent:
    """Holds files by the names an author's own would have; documents as values, pages as text."""

    premise: Premise
    plot: str  # the id of its kit and plot
    files: Mapping[str, str | dict[str, Any]]


def generate_content(
    campaign: Campaign, folder: Folder, pick: Pick, seed: int = 0, used: Collection[str] = (), plot: str = ""
) -> GeneratedContent:
    """Generate every file that the campaign lacks, and none that its author has.

    `used` are the plots of neighbouring campaigns, and `plot` is the one that was begun with, if any.
    """
    premise = read_premise(campaign)
    kit = load_kit(premise.kind)
    story = _choose_story(premise, kit, pick, seed, used, plot)
    contents = dict(story.files())
    authored = tuple(prefix for prefix in _GROUPS if any(file.startswith(prefix) for file in folder.files))
    return GeneratedContent(
        premise,
        f"{kit.kind}/{story.cast.plot.id}",
        {
            file: content
            for file, content in contents.items()
            if file not in folder.files and not file.startswith(authored)
        },
    )


# an author who has some of these has them all: people of ours in a plot of theirs would be in the way
_GROUPS = ("plot/beats", f"{ENDINGS}/", f"{PLACES}/")


def _choose_story(
    premise: Premise, kit: Kit, pick: Pick, seed: int, used: Collection[str], begun: str
) -> Story:
    """Return the story to tell: the fittest of those that the premise does not exclude."""
    exclusions = find_exclusions(premise)
    plots = rank_plots(premise, kit, seed, used)
    if begun:
        plots = [plot for plot in plots if f"{kit.kind}/{plot.id}" == begun] or plots
    stories = [Story(premise, kit, cast_plot(premise, kit, plot, seed), exclusions, pick) for plot in plots]
    fit = [story for story in stories if story.can_be_told()] or stories
    if begun:
        return fit[0]
    free = [story for story in fit if f"{kit.kind}/{story.cast.plot.id}" not in used] or fit
    openings = {story.opening: story for story in free}
    # the first is the fittest: a model may prefer another, chance does not
    chosen = pick(PLOT, tuple(openings))
    return openings.get(chosen, free[0])


class Story:
    """Renders one plot with its cast for one premise."""

    def __init__(self, premise: Premise, kit: Kit, cast: Cast, exclusions: Exclusions, pick: Pick) -> None:
        self.premise, self.kit, self.cast = premise, kit, cast
        self._exclusions, self._pick = exclusions, pick
        self._things = {
            "home": premise.home,
            "thing": next(iter(premise.things), Noun(cast.plot.thing)),
            "me": premise.player,
        }
        self._start = _start_id(premise, kit)
        self._aliases = {
            place.id: self._start
            for place in kit.places
            if _names_same(place, premise) and premise.knows_home
        }
        if not premise.knows_home:
            self._aliases[kit.places[0].id] = self._start

    # text

    def text(self, template: str) -> str:
        """Return the text filled in: somebody's whole name first, then what others call them."""
        people = {member.key: _Person(member) for member in self.cast.people}
        filled = template.format_map({**self._things, **people})
        return filled[:1].upper() + filled[1:] if template.startswith("{") else filled

    def told(self, template: str) -> str:
        """Return the text filled in, without the sentences that the premise excludes."""
        return self._exclusions.remove_excluded(self.text(template))

    def _all_told(self, templates: Sequence[str]) -> list[str]:
        return [text for template in templates if (text := self.told(template))]

    @property
    def opening(self) -> str:
        return self.told(self.cast.plot.beats[0].text)

    def can_be_told(self) -> bool:
        """Return whether the plot's own texts can stand with what the premise excludes."""
        plot = self.cast.plot
        needed = [text for beat in plot.beats for text in (beat.text, beat.offer, beat.fact) if text]
        needed += [paragraph for ending in plot.endings.values() for paragraph in ending.paragraphs]
        return not any(self._exclusions.excludes(self.text(text)) for text in needed)

    # files

    def files(self) -> Iterator[tuple[str, str | dict[str, Any]]]:
        yield SETTING, self._setting()
        yield PREMISE, self._premise_page()
        yield CONSTRAINTS, self._constraints()
        yield RULES, self._rules()
        yield TEMPLATE, self._template()
        yield from self._places()
        yield from self._lore()
        for member in self.cast.people:
            yield f"{PEOPLE}/{member.id}/profile.json", self._profile(member)
        yield BEATS, {"beats": list(self._beats())}
        epilogue = self._epilogue()
        for name, ending in self.cast.plot.endings.items():
            page = f"# {self.text(ending.title)}\n\n" + "\n\n".join(self._all_told(ending.paragraphs))
            yield f"{ENDINGS}/{name}.md", f"{page}\n\n## Epilogue\n\n{epilogue}\n"

    def _setting(self) -> str:
        manifest = self.premise.campaign.manifest
        begins = address_player(manifest.description) or f"{manifest.title} begins here."
        tone = f" The tone is {manifest.tone.casefold().rstrip('.')}." if manifest.tone else ""
        return f"# {self.premise.home:Title}\n\n{begins}{tone}\n\n{self.told(self.kit.setting)}\n"

    def _premise_page(self) -> str:
        manifest = self.premise.campaign.manifest
        begins = address_player(manifest.description) or f"This is {manifest.title}."
        return f"{begins}\n\n{self.told(self.kit.setting)}\n"

    def _constraints(self) -> str:
        own = [f"There is no {word} here." for word in self.premise.absences]
        kind, body = kinds_of_world()[self.premise.kind], bodies().bodies[self.premise.body]
        lines = (*own, *body.constraints, *kind.constraints)
        return "# What Always Holds\n\n" + "\n".join(f"- {line}" for line in lines) + "\n"

    def _rules(self) -> str:
        hours = bodies().scales[self.premise.scale].travel_hours
        return _RULES.format(travel=hours)

    def _template(self) -> dict[str, Any]:
        items = [noun.word for noun in self.premise.things[:MAX_BELONGINGS]]
        stats = {"nerve": 4, "craft": 4, "wit": 4, "warmth": 4}
        me = f"{self.premise.player:a}" if self.premise.knows_player else "whoever you say you are"
        presets = [
            {
                "name": name,
                "description": description,
                "traits": list(traits),
                "stats": {**stats, stat: 6},
                "items": items,
            }
            for name, description, traits, stat in _PRESETS
        ]
        return {
            "character_creation": {
                "mode": "preset",
                "guidance": f"{self.premise.campaign.title}: you are {me}. How you go about it is up to you.",
            },
            "presets": presets,
            "required_attributes": [
                {"name": "name", "prompt": "What are you called?", "kind": "text", "default": "You"}
            ],
            "starting_stats": stats,
            "stat_range": {"min": 1, "max": 8},
            "starting_items": items,
            "starting_location": self._start,
        }

    # places

    def _places(self) -> Iterator[tuple[str, str]]:
        chosen = self._kit_places()
        extra = self._named_place()
        ways = [(place.id, place.name, self.told(place.way) or "a little way on") for place in chosen]
        begins = self._author_words() or self._first_words()
        details = self._all_told(self.kit.details)
        moments = self._all_told(self.kit.moments)
        near = ways[:4]
        if extra:
            near = [*near, (extra[0], extra[1], f"on to {extra[1]}")]
            page = _place_page(extra[1], [extra[2], *details[1:]], moments[2:], [self._way_back()])
            yield f"{PLACES}/{extra[0]}.md", page
            details = details[:1]
        name = f"{self.premise.home:Title}" if self.premise.knows_home else self.kit.places[0].name
        yield (
            f"{PLACES}/{self._start}.md",
            _place_page(
                name[:1].upper() + name[1:], [begins, *details], moments, [_way(*way) for way in near]
            ),
        )
        for number, place in enumerate(chosen):
            out = [self._way_back()]
            if number >= 2:
                out.append(_way(*ways[number - 2]))
            if number + 2 < len(chosen):
                out.append(_way(*ways[number + 2]))
            paragraphs = self._all_told((place.arrival, *place.details))
            yield (
                f"{PLACES}/{place.id}.md",
                _place_page(place.name, paragraphs, self._all_told(place.moments), out),
            )

    def _kit_places(self) -> list[PlaceSeed]:
        """Return the places the plot needs, then others up to the number there should be."""
        plot = self.cast.plot
        needed = {beat.at for beat in plot.beats} | {person.at for person in plot.people.values()}
        needed |= {place for beat in plot.beats for place in beat.moves.values()}
        needed |= {extra.beat.at for _, extra in self.cast.named}
        free = [place for place in self.kit.places if place.id not in self._aliases]
        chosen = [place for place in free if place.id in needed]
        rest = [place for place in free if place.id not in needed]
        rest = [place for place in rest if self.told(place.arrival) == self.text(place.arrival)]
        number = 0
        while len(chosen) < KIT_PLACES and rest:
            number += 1
            arrivals = {self.told(place.arrival): place for place in rest}
            place = arrivals[self._pick(f"place/{number}", tuple(arrivals))]
            chosen.append(place)
            rest.remove(place)
        return chosen

    def _at(self, place: str) -> str:
        return self._start if place == START else self._aliases.get(place, place)

    def _way_back(self) -> str:
        name = f"{self.premise.home:Title}" if self.premise.knows_home else self.kit.places[0].name
        return _way(self._start, name[:1].upper() + name[1:], self.told(self.kit.back) or "back")

    def _author_words(self) -> str:
        return "\n\n".join(
            address_player(" ".join(sentences(paragraph)[:MAX_AUTHOR_SENTENCES]))
            for paragraph in self.premise.paragraphs()[:MAX_AUTHOR_PARAGRAPHS]
        )

    def _first_words(self) -> str:
        first = self.told(self.kit.places[0].arrival)
        return first if not self.premise.knows_home else f"This is {self.premise.home:the}. {first}"

    def _named_place(self) -> tuple[str, str, str] | None:
        """Return id, name and description of a place that the premise names and does not begin at."""
        for name in self.premise.places:
            bare = name.removeprefix("the ")
            noun = Noun(bare, proper=True)
            sentence = self.premise.sentence_about(Noun(bare.split()[-1]))
            if sentence and noun.id != self._start and not self.premise.home.word.startswith(bare.casefold()):
                title = f"The {bare}" if name.startswith("the ") else bare
                return noun.id, title, address_player(sentence)
        return None

    # people

    def _profile(self, member: CastMember) -> dict[str, Any]:
        seed = member.seed
        members = {other.key: other for other in self.cast.people}
        role = f"The {member.role}: {self.told(seed.role)}" if member.role else self.told(seed.role)
        topics = [
            {
                "id": f"topic-{number}",
                "ask": self.text(topic.ask),
                "answer": self.told(topic.answer),
                "fact": f"{member.name} told you that {self.text(topic.fact)}.",
                "effects": {"perception": {member.id: 4}},
            }
            for number, topic in enumerate(seed.topics, 1)
            if self.told(topic.answer) and not self._exclusions.excludes(self.text(topic.ask))
        ]
        return {
            "name": member.name,
            "role": role[:1].upper() + role[1:],
            "appearance": self.told(seed.look),
            "personality": {
                "traits": list(seed.traits),
                "habits": self._all_told(seed.habits),
            },
            "motivations": [self.text(seed.want)],
            "goals": [{"goal": self.text(seed.want), "priority": "high"}],
            "speech_patterns": {
                "style": ", ".join(seed.traits),
                "examples": self._all_told(seed.says),
                "greetings": {"neutral": self.told(seed.greeting)} if self.told(seed.greeting) else {},
            },
            "relationships": {
                members[key].id: self.told(tie) for key, tie in seed.ties.items() if key in members
            },
            "secrets": self.told(seed.secret),
            "topics": [*topics, *self._hearsay(member)],
            "metadata": {"importance": "major", "first_appearance": self._at(seed.at)},
        }

    def _hearsay(self, member: CastMember) -> Iterator[dict[str, Any]]:
        """Yield what this person can be asked of the premise's own nouns, in the author's words."""
        people, frames = self.cast.people, self.kit.hearsay
        for number, (noun, sentence) in enumerate(self._known_nouns()):
            if people[number % len(people)].key != member.key:
                continue
            frame = frames[number % len(frames)]
            told = frame.format_map(
                {**self._things, "noun": noun, "sentence": sentence.rstrip(".!? "), "p": _Person(member)}
            )
            if not self._exclusions.excludes(told):
                yield {
                    "id": f"about-{noun.id}",
                    "ask": f"about {noun:the}",
                    "answer": told,
                    "fact": f"{member.name} told you about {noun:the}.",
                }

    def _known_nouns(self) -> list[tuple[Noun, str]]:
        """Return the nouns that the author says something about, with the sentence, each sentence once."""
        known: dict[str, Noun] = {}
        for noun in self.premise.nouns:
            sentence = self.premise.sentence_about(noun)
            if sentence and _can_be_quoted(sentence) and noun.head != self.premise.home.head:
                known.setdefault(sentence, noun)
        return [(noun, sentence) for sentence, noun in known.items()][:MAX_HEARSAY]

    # lore

    def _lore(self) -> Iterator[tuple[str, str]]:
        for noun, sentence in self._known_nouns():
            page = f"# {noun:Title}\n\n{sentence}\n"
            yield f"lore/things/{noun.id}.md", page
        lines = "\n\n".join(kinds_of_world()[self.premise.kind].constraints)
        yield "lore/customs/what-always-holds.md", f"# What Always Holds\n\n{lines}\n"

    # beats

    def _beats(self) -> Iterator[dict[str, Any]]:
        ids = {member.key: member.id for member in self.cast.people}
        for beat in self.cast.plot.beats:
            yield self._beat(beat, ids)
        for _, extra in self.cast.named:
            yield self._beat(extra.beat, ids)

    def _beat(self, beat: BeatSeed, ids: Mapping[str, str]) -> dict[str, Any]:
        conditions: dict[str, Any] = {}
        if beat.scene:
            conditions["scene_count"] = {"min": beat.scene}
        if beat.offer:
            conditions["player_choice"] = self.text(beat.offer)
        if len(beat.after) == 1:
            conditions["requires_beat"] = beat.after[0]
        elif beat.after:
            conditions["requires_any_beat"] = list(beat.after)
        people = [ids[key] for key in beat.people]
        document: dict[str, Any] = {
            "id": beat.id,
            "title": self.text(beat.offer) or self.text(beat.fact)[:60],
            "description": self.told(beat.text) or self.text(beat.fact),
            "conditions": conditions,
            "location": self._at(beat.at),
            "priority": "high" if beat.offer else "critical",
            "skippable": bool(beat.offer),
        }
        if people:
            document["npcs"] = people
        if beat.fact:
            document["consequences"] = [self.text(beat.fact)]
        effects: dict[str, Any] = {}
        if people and beat.offer and not beat.outcomes:
            effects["perception"] = dict.fromkeys(people, LIKED)
        if beat.moves:
            effects["moves"] = {ids[key]: self._at(place) for key, place in beat.moves.items()}
        if effects:
            document["effects"] = effects
        if beat.outcomes:
            document["stat"] = "nerve"
            document["scene_type"] = "danger"
            document["outcomes"] = [
                {
                    "name": name,
                    "description": self.told(outcome.text) or self.text(outcome.fact),
                    "consequences": [self.text(outcome.fact)],
                    "effects": {
                        "perception": dict.fromkeys(people, DISLIKED if name == "failure" else LIKED)
                    },
                }
                for name, outcome in beat.outcomes.items()
            ]
        else:
            document["scene_type"] = "resolution" if beat.ending else "dialogue" if people else "travel"
        if beat.ending:
            document["ending"] = beat.ending
        return document

    def _epilogue(self) -> str:
        return "\n".join(f"- {line.beat}: {self.told(line.text)}" for line in self.cast.plot.epilogue)


class _Person:
    """Formats somebody in one text: the whole name at the first mention, the first name after it."""

    def __init__(self, member: CastMember) -> None:
        self._member, self._mentioned = member, False

    def __format__(self, spec: str) -> str:
        name = self._member.first if self._mentioned or spec == "first" else self._member.name
        self._mentioned = True
        return name

    def __getattr__(self, name: str) -> str:
        return _PRONOUNS[self._member.they][name]


_PRONOUNS = {
    "she": {"they": "she", "them": "her", "their": "her", "They": "She", "Their": "Her", "self": "herself", "theirs": "hers"},
    "he": {"they": "he", "them": "him", "their": "his", "They": "He", "Their": "His", "self": "himself", "theirs": "his"},
}  # fmt: skip

_PRESETS = (
    (
        "The careful one",
        "You look twice before you begin, and once more after.",
        ("exact", "patient"),
        "craft",
    ),
    (
        "The one who talks",
        "They tell you things. You have stopped wondering why.",
        ("easy", "curious"),
        "warmth",
    ),
    (
        "The one who stays",
        "You are not quick, and never yet the first to leave.",
        ("steady", "stubborn"),
        "nerve",
    ),
)

_RULES = """# What Is Left to Chance

Nobody is rolled for who is only talking. Where a thing may go wrong, two dice are thrown. Ten or more is well done; from seven on it is done, and costs something. Whoever is good with nerve, craft, wit or warmth has one more where it counts.

```yaml rules
dice: 2d6
bands:
  - {{name: failure, min: -99}}
  - {{name: partial success, min: 7}}
  - {{name: success, min: 10}}
modifiers: {{trait: 1, sentiment: 1, callback: 1, stat: none, most: 2}}
time: {{travel: {travel}, dialogue: 0.25, danger: 0.5, resolution: 1}}
```
"""


def _start_id(premise: Premise, kit: Kit) -> str:
    return premise.home.id if premise.knows_home else kit.places[0].id


def _names_same(place: PlaceSeed, premise: Premise) -> bool:
    return place.name.casefold().split()[-1] == premise.home.head.casefold() or place.id == premise.home.id


def _can_be_quoted(sentence: str) -> bool:
    """Return whether a sentence can be said by somebody: it speaks of nobody in particular."""
    words = {word.strip(".,;:!?“”\"'").casefold() for word in sentence.split()}
    return not words & {"i", "you", "your", "my", "me", "we", "our", "us"} and 4 <= len(words) <= 40


def _place_page(name: str, paragraphs: Sequence[str], moments: Sequence[str], ways: Sequence[str]) -> str:
    page = f"# {name}\n\n" + "\n\n".join(paragraphs)
    if moments:
        page += "\n\n## Moments\n\n" + "\n".join(f"- {moment}" for moment in moments)
    return page + "\n\n## Ways\n\n" + "\n".join(f"- {way}" for way in ways) + "\n"


def _way(place: str, name: str, route: str) -> str:
    return f"[{name}]({place}.md): {route}"


def with_provenance(file: str, content: str | dict[str, Any], origin: Provenance) -> tuple[str, bytes]:
    """Return the file under its generated name, marked as generated, with its provenance."""
    provenance = {
        "source_model": origin.source_model,
        "generated_at": origin.generated_at,
        "seed_data": origin.seed_data,
        "version": origin.version,
    }
    if isinstance(content, dict):
        document = {**content, "generated": True, "provenance": provenance}
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    else:
        front = yaml.safe_dump({"provenance": provenance}, allow_unicode=True, sort_keys=False, width=10_000)
        text = f"---\ngenerated: true\n{front}---\n\n{content}"
    return generated_name(file), text.encode()
