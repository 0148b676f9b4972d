"""Checks which beats and endings of a campaign can be reached, and why the others cannot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from narratoria.campaign.campaign import Beat, Campaign, Topic
from narratoria.campaign.expressions import Contains, parse_expression, walk_nodes
from narratoria.campaign.load import LoadResult, read_campaign
from narratoria.campaign.plot import Plot, dead_outcome_reason, effects_by_cause, state_phrases
from narratoria.campaign.problems import CampaignProblem, Severity, info, warning
from narratoria.campaign.reachability import ReachableState
from narratoria.contracts.messages import closest_match

Verdict: TypeAlias = Literal["reachable", "unclear", "unreachable"]
OTHERWISE = "otherwise"  # the ending of stories that none of the others can end any more
VERDICTS: tuple[Verdict, ...] = ("reachable", "unclear", "unreachable")


@dataclass(frozen=True, slots=True)
class ReachabilityVerdict:
    """Says whether a beat or ending can be reached, its earliest scene, and what may prevent it."""

    id: str
    verdict: Verdict
    earliest: int | None = None
    reasons: tuple[str, ...] = ()

    def as_document(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "verdict": self.verdict,
            "earliestScene": self.earliest,
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Holds the verdicts and problems of a campaign; no verdicts for one that has errors."""

    folder: Path
    beats: tuple[ReachabilityVerdict, ...]
    endings: tuple[ReachabilityVerdict, ...]
    problems: tuple[CampaignProblem, ...]

    @property
    def ok(self) -> bool:
        return not any(problem.is_error for problem in self.problems)

    def count(self, verdict: Verdict, of: Literal["beats", "endings"]) -> int:
        return sum(fate.verdict == verdict for fate in getattr(self, of))


def check_campaign(folder: Path) -> CheckReport:
    """Check the campaign in a folder; one with errors is not checked any further."""
    reading = read_campaign(folder)
    if reading.campaign is None or any(problem.is_error for problem in reading.reader.problems):
        return CheckReport(folder, (), (), reading.problems())
    reading.reader.problems.clear()  # what single files deserve is told by the validation
    compiler = _ReachabilityCheck(reading, reading.campaign)
    reading.reader.problems += compiler.problems()
    return CheckReport(folder, tuple(compiler.beats()), tuple(compiler.endings()), reading.problems())


class _ReachabilityCheck:
    def __init__(self, reading: LoadResult, campaign: Campaign) -> None:
        self._campaign, self._reading = campaign, reading
        self._file = reading.files.get("beats", "")
        self._plot = Plot(campaign)
        self._optimistic = ReachableState(self._plot, optimistic=True).explore()
        self._certain = ReachableState(self._plot, optimistic=False).explore()
        self._index = {beat.id: at for at, beat in reversed(list(enumerate(campaign.beats)))}

    # what becomes of them

    def beats(self) -> Iterator[ReachabilityVerdict]:
        yield from map(self._fate, self._plot.beats.values())

    def _fate(self, beat: Beat) -> ReachabilityVerdict:
        verdict, scene = self._verdict(beat.id), self._optimistic.beats.get(beat.id)
        earliest = None if scene is None else max(1, scene)
        if verdict == "reachable":
            return ReachabilityVerdict(beat.id, verdict, earliest)
        world = self._certain if verdict == "unclear" else self._optimistic
        return ReachabilityVerdict(
            beat.id, verdict, earliest, tuple(dict.fromkeys(b.reason for b in world.blockers(beat)))
        )

    def _verdict(self, beat: str) -> Verdict:
        if beat in self._certain.beats:
            return "reachable"
        return "unclear" if beat in self._optimistic.beats else "unreachable"

    def endings(self) -> Iterator[ReachabilityVerdict]:
        for name in self._campaign.endings:
            fates = [self._fate(beat) for beat in self._plot.beats.values() if beat.ending == name]
            best = min(fates, key=lambda fate: VERDICTS.index(fate.verdict), default=None)
            if best is None and name == OTHERWISE:
                yield ReachabilityVerdict(name, "reachable", None, ("once no other ending can be reached",))
            elif best is None:
                yield ReachabilityVerdict(name, "unreachable", None, ("no beat leads to it",))
            else:
                reasons = () if best.verdict == "reachable" else (f"by '{best.id}'", *best.reasons)
                yield ReachabilityVerdict(name, best.verdict, best.earliest, reasons)

    # what to tell

    def problems(self) -> Iterator[CampaignProblem]:
        for beat in self._plot.beats.values():
            yield from self._about(beat)
        yield from self._about_endings()
        yield from self._about_places()
        yield from self._about_flags()

    def _about(self, beat: Beat) -> Iterator[CampaignProblem]:
        at, verdict = f"/beats/{self._index[beat.id]}", self._verdict(beat.id)
        if verdict == "unreachable":
            needed = beat.priority == "critical" or not beat.skippable
            severity: Severity = "error" if needed else "warning"
            for blocker in self._optimistic.blockers(beat):
                message = f"'{beat.id}' can never happen: {blocker.reason}"
                yield CampaignProblem(severity, "unreachable", message, self._file, at + blocker.pointer)
        elif verdict == "unclear":
            for blocker in self._certain.blockers(beat):
                message = f"whether '{beat.id}' can happen cannot be told: {blocker.reason}"
                yield info("unclear", message, self._file, at + blocker.pointer)
        for number, outcome in enumerate(beat.outcomes):
            if reason := dead_outcome_reason(beat, outcome, self._campaign):
                message = f"'{beat.id}' never ends in '{outcome.name}': {reason}"
                yield warning("dead-branch", message, self._file, f"{at}/outcomes/{number}")
        for earlier in self._plot.certain(beat):
            if earlier in self._plot.beats and (ending := self._plot.beats[earlier].ending):
                message = f"'{beat.id}' waits for '{earlier}', with which the story ends ('{ending}')"
                yield warning("after-the-end", message, self._file, f"{at}/conditions")

    def _about_endings(self) -> Iterator[CampaignProblem]:
        for fate in self.endings():
            file = self._reading.files[f"ending:{fate.id}"]
            if fate.reasons == ("no beat leads to it",):
                message = f'no beat has `"ending": "{fate.id}"`, so that the story never ends like this'
                yield warning("ending-without-beat", message, file, "", 1, 1)
            elif fate.verdict == "unreachable":
                message = f"the ending '{fate.id}' can never be reached {'; '.join(fate.reasons)}"
                yield CampaignProblem("error", "unreachable-ending", message, file, "", 1, 1)
        if self._campaign.beats and not any(beat.ending for beat in self._campaign.beats):
            yield info("no-ending", "no beat ends the story", self._file, "/beats")

    def _about_places(self) -> Iterator[CampaignProblem]:
        for name in self._campaign.places:
            if name not in self._optimistic.places:
                message = f"no way leads to '{name}' from '{self._campaign.start}', where the story begins"
                yield warning("no-way-there", message, self._reading.files.get(f"place:{name}", ""), "", 1, 1)

    def _about_flags(self) -> Iterator[CampaignProblem]:
        read: set[str] = {
            trigger
            for ending in self._campaign.endings.values()
            for line in ending.epilogue
            for trigger in line.triggers
        }
        topics = [topic for profile in self._campaign.people.values() for topic in profile.topics]
        read |= {flag for topic in topics for flag in (*_phrases(topic), *_in_expression(topic))}
        for beat in self._plot.beats.values():
            at = f"/beats/{self._index[beat.id]}"
            asked = [*state_phrases(beat), *(("/conditions/custom", flag) for flag in _in_expression(beat))]
            for pointer, flag in asked:
                read.add(flag)
                if flag not in self._plot.setters:
                    where = "only a memory could bear it out" if "custom" not in pointer else "it is never so"
                    near = closest_match(flag, self._plot.setters)
                    advice = f"; did you mean “{near}”?" if near else ""
                    message = f"no beat brings “{flag}” about: {where}{advice}"
                    yield warning("never-set", message, self._file, at + pointer)
        yield from self._unheard(read)

    def _unheard(self, read: set[str]) -> Iterator[CampaignProblem]:
        for beat in self._plot.beats.values():
            for source, consequences, _ in effects_by_cause(beat):
                outcomes = [outcome.name for outcome in beat.outcomes]
                of = f"/outcomes/{outcomes.index(source.outcome)}" if source.outcome else ""
                for number, flag in enumerate(consequences):
                    if flag not in read:
                        pointer = f"/beats/{self._index[beat.id]}{of}/consequences/{number}"
                        yield info("never-read", f"no condition asks for “{flag}”", self._file, pointer)


def _phrases(topic: Topic) -> Iterator[str]:
    yield from (phrase for _, phrase in state_phrases(topic))


def _in_expression(beat: Beat | Topic) -> Iterator[str]:
    for node in walk_nodes(parse_expression(beat.conditions.custom)) if beat.conditions.custom else ():
        if isinstance(node, Contains) and node.name == "flags":
            yield node.value
