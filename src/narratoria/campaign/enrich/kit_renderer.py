"""Fills in the texts of a kit for one premise and one cast.

Texts of a kit are format strings: `{home:the}` and `{thing:a}` are nouns of the premise in the form a
sentence needs, `{me:a}` is who the player is, `{event:the}` what is about to happen, and `{a}`, `{a.they}` …
are the people of the plot. Kits for no kind of world also say `{trouble}`, `{matter:the}`, `{lost:the}`,
`{dead:the}` and `{when}`: what the premise is about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import Formatter

import msgspec

from narratoria.campaign.enrich.casting import Cast, CastMember
from narratoria.campaign.enrich.exclusions import Exclusions
from narratoria.campaign.enrich.kits import OWN, START, Kit, PlaceSeed
from narratoria.campaign.enrich.nouns import Noun
from narratoria.campaign.enrich.premise import Premise


class KitRenderer:
    """Renders the texts of one plot with its cast, without what the premise excludes."""

    def __init__(self, premise: Premise, kit: Kit, cast: Cast, exclusions: Exclusions) -> None:
        self.premise, self.kit, self.cast = premise, kit, cast
        self._exclusions = exclusions
        thing = next(iter(premise.things), Noun(cast.plot.thing))
        trouble = premise.trouble
        self._nouns: dict[str, object] = {
            "home": premise.home,
            "thing": thing,
            "matter": trouble.matter or thing,
            "lost": _name_lost(trouble.lost, cast),
            "dead": trouble.dead or Noun("one who is gone"),
            "when": Noun(trouble.when or "before long", proper=True),
            "trouble": trouble.sentence,
            "me": premise.player,
            "event": premise.event or Noun(cast.plot.event or "day"),
        }
        self.start = premise.home.id if self._knows_start else kit.places[0].id
        self.own_places = premise.find_other_places() if kit.is_own else ()
        self.places = [msgspec.structs.replace(place, name=self.text(place.name)) for place in kit.places]
        # a place of the kit that the premise begins at is no second place
        self._aliases = {place.id: self.start for place in kit.places if self._is_start(place)}

    @property
    def plot_id(self) -> str:
        return f"{self.kit.kind}/{self.cast.plot.id}"

    @property
    def _knows_start(self) -> bool:
        return self.premise.knows_home or self.kit.is_own

    @property
    def start_name(self) -> str:
        name = f"{self.premise.home:Title}" if self._knows_start else self.kit.places[0].name
        return name[:1].upper() + name[1:]

    @property
    def opening(self) -> str:
        return self.told(self.cast.plot.beats[0].text)

    def text(self, template: str) -> str:
        """Return the text filled in: somebody's whole name first, then what others call them."""
        people = {member.key: PersonInText(member) for member in self.cast.people}
        return self._fill(template, {**self._nouns, **people})

    def told(self, template: str) -> str:
        """Return the text filled in, without the sentences that the premise excludes."""
        text, own = self.text(template), self.premise.trouble.sentence
        if own and text.startswith(own):  # the author may say what there is none of
            return f"{own} {self._exclusions.remove_excluded(text.removeprefix(own).strip())}".strip()
        return self._exclusions.remove_excluded(text)

    def all_told(self, templates: Sequence[str]) -> list[str]:
        return [text for template in templates if (text := self.told(template))]

    def hearsay(self, frame: str, noun: Noun, sentence: str, member: CastMember) -> str:
        """Return what somebody says of a noun in the author's words; empty where it is excluded."""
        values = {"noun": noun, "sentence": sentence.rstrip(".!? "), "p": PersonInText(member)}
        return self._exclusions.remove_excluded(self._fill(frame, {**self._nouns, **values}))

    def excludes(self, template: str) -> bool:
        own = self.premise.trouble.sentence
        return self._exclusions.excludes(self.text(template).removeprefix(own))

    def can_be_told(self) -> bool:
        """Return whether the plot's own texts can stand with what the premise excludes."""
        plot = self.cast.plot
        needed = [text for beat in plot.beats for text in (beat.text, beat.offer, beat.fact) if text]
        needed += [paragraph for ending in plot.endings.values() for paragraph in ending.paragraphs]
        return not any(map(self.excludes, needed))

    def place(self, name: str) -> str:
        """Return the id of a place that the kit calls by this name."""
        if name == OWN:
            return self.own_places[0].id if self.own_places else self.start
        return self.start if name == START else self._aliases.get(name, name)

    def is_start(self, place: PlaceSeed) -> bool:
        return place.id in self._aliases

    def _is_start(self, place: PlaceSeed) -> bool:
        if self.kit.is_own:
            return False
        if not self.premise.knows_home:
            return place.id == self.kit.places[0].id
        head = self.premise.home.head.casefold()
        return place.id == self.premise.home.id or place.name.casefold().split()[-1] == head

    @staticmethod
    def _fill(template: str, values: dict[str, object]) -> str:
        filled = ""
        for literal, field, spec, _ in Formatter().parse(template):
            filled += literal
            if field is not None:
                value = format(_resolve(field, values), spec or "")
                filled += value[:1].upper() + value[1:] if _BEGINS.search(filled) else value
        return filled


def _name_lost(lost: Noun | None, cast: Cast) -> Noun:
    """Return who is gone; one of several has a name too."""
    is_one_of_several = lost is None or lost.word.startswith("one of ")
    return (
        Noun(cast.lost or "one who is gone", proper=bool(cast.lost))
        if is_one_of_several
        else lost or Noun("")
    )


# where a sentence begins, what stands there has a capital: "your wife", "before long"
_BEGINS = re.compile(r"(?:^|[.!?…][”\"*)]* |\n|(?:^|[.!?:] )“)$")


def _resolve(field: str, values: dict[str, object]) -> object:
    name, _, form = field.partition(".")
    return getattr(values[name], form) if form else values[name]


class PersonInText:
    """Formats somebody in one text: the whole name at the first mention, the first name after it."""

    def __init__(self, member: CastMember) -> None:
        self._member, self._mentioned = member, False

    def __format__(self, spec: str) -> str:
        name = self._member.first if self._mentioned or spec == "first" else self._member.name
        self._mentioned = True
        return name

    def __getattr__(self, name: str) -> str:
        form = _PRONOUNS[self._member.they][name.casefold()]
        return form.capitalize() if name[:1].isupper() else form


_PRONOUNS = {
    "she": {"they": "she", "them": "her", "their": "her", "self": "herself", "theirs": "hers"},
    "it": {"they": "it", "them": "it", "their": "its", "self": "itself", "theirs": "its own"},
    "he": {"they": "he", "them": "him", "their": "his", "self": "himself", "theirs": "his"},
}
