"""Validates beats one by one and as a graph, and topics, whose conditions and effects are those of beats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from narratoria.campaign import references
from narratoria.campaign.assets import slug
from narratoria.campaign.campaign import Beat, BeatOutcome, Campaign, Conditions, Effects, Window
from narratoria.campaign.expressions import (
    Compare,
    Contains,
    expression_problem,
    parse_expression,
    walk_nodes,
)
from narratoria.campaign.load import RULES, LoadResult
from narratoria.campaign.problems import CampaignProblem, error, warning
from narratoria.contracts import load
from narratoria.contracts.json_pointer import join_pointer

SPEAKERS = ("player", "narrator")


def check_beats(reading: LoadResult, campaign: Campaign) -> Iterator[CampaignProblem]:
    if "beats" not in reading.files:
        return
    look = _BeatValidator(reading, campaign, reading.files["beats"])
    for index, beat in enumerate(campaign.beats):
        yield from look.at(beat, index)
    yield from _find_cycles(campaign.beats, look.file)


def check_topics(reading: LoadResult, campaign: Campaign) -> Iterator[CampaignProblem]:
    """Check what people can be asked about by the rules for beats: conditions, effects, names used once."""
    for person, profile in campaign.people.items():
        look = _BeatValidator(reading, campaign, reading.files[f"person:{person}"])
        first: dict[str, int] = {}
        for index, topic in enumerate(profile.topics):
            at = f"/topics/{index}"
            if first.setdefault(topic.id, index) != index:
                message = f"there is a second topic '{topic.id}'; rename one"
                yield error("duplicate", message, look.file, f"{at}/id")
            kinds = load("unit")["$defs"]["kind"]["enum"] if topic.kind else ()
            yield from references.check_name("kind", topic.kind, kinds, look.file, f"{at}/kind")
            yield from look.conditions(topic.conditions, f"{at}/conditions")
            yield from look.effects(topic.effects, f"{at}/effects")
            if topic.conditions.player_choice or topic.conditions.player_choices:
                message = "a topic is offered by its `ask`; take the player's choice out of its conditions"
                yield warning("topic-choice", message, look.file, f"{at}/conditions")


class _BeatValidator:
    def __init__(self, reading: LoadResult, campaign: Campaign, file: str) -> None:
        self.file = file
        self._folder, self._campaign = reading.folder, campaign
        self._names = {
            "place": reading.names_of("place") or frozenset(campaign.places),
            "person": reading.names_of("person"),
            "faction": reading.names_of("faction"),
            "ending": reading.names_of("ending"),
            "beat": frozenset(beat.id for beat in campaign.beats),
            "stat": frozenset(campaign.template.starting_stats),
        }
        self._unsure = {"stat"} if reading.is_broken("template") else set()
        self._rolls = not reading.is_broken(RULES)
        self._first: dict[str, int] = {}

    def at(self, beat: Beat, index: int) -> Iterator[CampaignProblem]:
        at = f"/beats/{index}"
        if self._first.setdefault(beat.id, index) != index:
            yield error("duplicate", f"there is a second beat '{beat.id}'; rename one", self.file, f"{at}/id")
        yield from self.conditions(beat.conditions, f"{at}/conditions", beat.id)
        yield from self._unknown("place", beat.location, f"{at}/location")
        for number, person in enumerate(beat.npcs):
            yield from self._unknown("person", person, f"{at}/npcs/{number}")
        for number, line in enumerate(beat.dialogue):
            if line.speaker not in SPEAKERS:
                yield from self._unknown("person", line.speaker, f"{at}/dialogue/{number}/speaker")
        yield from self.effects(beat.effects, f"{at}/effects")
        for person in beat.remarks:
            yield from self._unknown("person", person, at + join_pointer(["remarks", person]))
        yield from self._outcomes(beat, f"{at}/outcomes")
        yield from self._unknown("ending", beat.ending, f"{at}/ending")
        yield from self._unknown("stat", beat.stat, f"{at}/stat")
        yield from references.check_asset_path(
            beat.music, "piece of music", self._folder, self.file, f"{at}/music"
        )
        yield from references.check_asset_path(
            beat.background, "picture", self._folder, self.file, f"{at}/background"
        )
        yield from self._encounter(beat, at)
        if beat.timeout and beat.timeout.fallback_beat:
            pointer = f"{at}/timeout/fallback_beat"
            yield from self._unknown("beat", beat.timeout.fallback_beat, pointer)
            if beat.timeout.fallback_beat == beat.id:
                yield warning("requires-itself", "the beat would follow itself", self.file, pointer)

    def _encounter(self, beat: Beat, at: str) -> Iterator[CampaignProblem]:
        if not beat.encounter:
            return
        if beat.conditions.player_choice or beat.conditions.player_choices:
            message = "an encounter comes by itself; take the player's choice out of its conditions"
            yield error("encounter-choice", message, self.file, f"{at}/encounter")
        if beat.ending:
            message = "the story would end by chance; let the encounter lead to a beat that ends it"
            yield error("encounter-ending", message, self.file, f"{at}/encounter")
        if not beat.skippable:
            message = "what must not be skipped may never come as an encounter; leave out one of the two"
            yield error("encounter-required", message, self.file, f"{at}/encounter")

    def _unknown(self, kind: str, name: str, pointer: str) -> Iterator[CampaignProblem]:
        if kind not in self._unsure:
            yield from references.check_name(kind, name, self._names[kind], self.file, pointer)

    def conditions(self, needs: Conditions, at: str, beat: str = "") -> Iterator[CampaignProblem]:
        yield from self._window(needs.scene_count, f"{at}/scene_count")
        yield from self._earlier(beat, needs.requires_beat, f"{at}/requires_beat")
        for number, earlier in enumerate(needs.requires_any_beat):
            yield from self._earlier(beat, earlier, f"{at}/requires_any_beat/{number}")
        for person, condition in needs.npc_state.items():
            pointer = at + join_pointer(["npc_state", person])
            yield from self._unknown("person", person, pointer)
            if condition.perception:
                yield from self._window(condition.perception, f"{pointer}/perception")
        if needs.custom:
            yield from self._expression(needs.custom, f"{at}/custom")

    def _window(self, window: Window, pointer: str) -> Iterator[CampaignProblem]:
        if window.max is not None and window.min > window.max:
            message = f"nothing lies between {window.min} and {window.max}; the least is more than the most"
            yield error("empty-window", message, self.file, pointer)

    def _earlier(self, beat: str, earlier: str, pointer: str) -> Iterator[CampaignProblem]:
        yield from self._unknown("beat", earlier, pointer)
        if beat and earlier == beat:
            message = f"'{beat}' requires itself and can never happen"
            yield warning("requires-itself", message, self.file, pointer)

    def _expression(self, expression: str, pointer: str) -> Iterator[CampaignProblem]:
        if problem := expression_problem(expression):
            yield error("expression", problem, self.file, pointer)
            return
        for node in walk_nodes(parse_expression(expression)):
            match node:
                case Contains("told", name) | Compare(("told", name, *_), _, _):
                    yield from self._unknown("beat", name, pointer)
                case Contains("met", name) | Compare(("perception", name, *_), _, _):
                    yield from self._unknown("person", name, pointer)
                case Compare(("reputation", name, *_), _, _):
                    yield from self._unknown("faction", name, pointer)
                case Compare(("stats", name, *_), _, _):
                    yield from self._unknown("stat", name, pointer)
                case Compare(("place",), _, str(name)):
                    yield from self._unknown("place", name, pointer)
                case _:
                    pass

    def effects(self, effects: Effects, at: str) -> Iterator[CampaignProblem]:
        for person in effects.perception:
            yield from self._unknown("person", person, at + join_pointer(["perception", person]))
        for faction in effects.reputation:
            yield from self._unknown("faction", faction, at + join_pointer(["reputation", faction]))
        for number, person in enumerate(effects.dies):
            yield from self._unknown("person", person, f"{at}/dies/{number}")
        for person, place in effects.moves.items():
            pointer = at + join_pointer(["moves", person])
            yield from self._unknown("person", person, pointer)
            yield from self._unknown("place", place, pointer)
        yield from self._unknown("place", effects.move_to, f"{at}/move_to")

    def _outcomes(self, beat: Beat, at: str) -> Iterator[CampaignProblem]:
        seen: set[str] = set()
        for number, outcome in enumerate(beat.outcomes):
            pointer = f"{at}/{number}"
            if slug(outcome.name) in seen:
                message = f"there is a second outcome '{outcome.name}'; rename one"
                yield error("duplicate", message, self.file, f"{pointer}/name")
            seen.add(slug(outcome.name))
            yield from self._unknown("beat", outcome.next_beat, f"{pointer}/next_beat")
            yield from self.effects(outcome.effects, f"{pointer}/effects")
            for person in outcome.remarks:
                yield from self._unknown("person", person, pointer + join_pointer(["remarks", person]))
        yield from self._chances(beat.outcomes, at)
        if beat.is_risky and self._rolls:
            yield from self._bands(beat.outcomes, at)

    def _chances(self, outcomes: Sequence[BeatOutcome], at: str) -> Iterator[CampaignProblem]:
        given = [outcome.probability for outcome in outcomes if outcome.probability is not None]
        if given and len(given) < len(outcomes):
            missing = next(n for n, outcome in enumerate(outcomes) if outcome.probability is None)
            message = "has no probability, and others have one; give all of them one, or none"
            yield warning(
                "probability", f"'{outcomes[missing].name}' {message}", self.file, f"{at}/{missing}"
            )
        elif given and abs(sum(given) - 1) > 1e-6:
            message = f"the probabilities come to {sum(given):g}, not to 1"
            yield warning("probability", message, self.file, at)

    def _bands(self, outcomes: Sequence[BeatOutcome], at: str) -> Iterator[CampaignProblem]:
        bands = [band.name for band in self._campaign.rules.bands]
        for number, outcome in enumerate(outcomes):
            if outcome.name not in bands:
                message = f"no roll ends in '{outcome.name}'; the rules know {', '.join(bands)}"
                yield warning("unknown-band", message, self.file, f"{at}/{number}/name")
        missing = [band for band in bands if band not in {outcome.name for outcome in outcomes}]
        if missing:
            message = f"a roll may end in {' or '.join(map(repr, missing))}, and no outcome tells of it"
            yield warning("missing-band", message, self.file, at)


def _find_cycles(beats: Sequence[Beat], file: str) -> Iterator[CampaignProblem]:
    """Report beats that wait for each other, each cycle once; `_earlier` reports self-references."""
    needs = {beat.id: beat.conditions.requires_beat for beat in beats}
    index = {beat.id: at for at, beat in reversed(list(enumerate(beats)))}
    finished: set[str] = set()
    for start in needs:
        path: list[str] = []
        at = start
        while at and at in needs and at not in finished and at not in path:
            path.append(at)
            at = needs[at]
        if at in path and len(circle := path[path.index(at) :]) > 1:
            around = " → ".join(name for name, _ in pairwise([*circle, circle[0]])) + f" → {circle[0]}"
            message = f"these beats wait for each other, and none of them can happen: {around}"
            pointer = f"/beats/{index[circle[0]]}/conditions/requires_beat"
            yield warning("cycle", message, file, pointer)
        finished.update(path)
