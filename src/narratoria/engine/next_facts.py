"""Builds what can be done after a scene: what the story offers, ways, people, questions and deeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache, partial

from narratoria.campaign.campaign import Beat, Campaign
from narratoria.contracts.scene_facts import NextFacts, OpeningFacts, ReceiptFacts, WayFacts
from narratoria.engine import beats, effects, rules, sentiment
from narratoria.engine.action import ResolvedAction, effects_of, flags_after, openings_at, progress_after
from narratoria.engine.conditions import StorySituation
from narratoria.engine.conflict import held_by
from narratoria.engine.deeds import list_deeds
from narratoria.engine.memory.recall import RecallResult
from narratoria.engine.people import people_at
from narratoria.engine.snapshot import flags_of
from narratoria.engine.story_evidence import tellable_evidence
from narratoria.engine.story_time import minutes, scene_type
from narratoria.engine.topics import list_topics, list_topics_elsewhere
from narratoria.engine.travel import ways_out
from narratoria.state import SessionState

LEAST_ENDINGS = 2  # that one beat brings within reach: it is what the story was heading for


def build_next(
    end: str, action: ResolvedAction, before: StorySituation, recall_result: RecallResult
) -> NextFacts:
    """Return what can be done after the action, if its roll ends this way."""
    campaign = before.campaign
    outcome = _outcome_of_band(end, action, campaign)
    anew = action.choice.kind == "again"
    state = SessionState(before.state).apply_patch(beats.patch(effects_of(action, outcome), before.state))
    progress = progress_after(action, before.progress, campaign, outcome)
    flags = frozenset() if anew else flags_after(action, flags_of(state), outcome)
    if answer := action.answer_for(outcome):
        state = effects.state_after_answer(answer, state, campaign, progress)
        flags |= flags_of(state)
        progress = effects.progress_after_answer(answer, progress, campaign)
    until = before.progress.game_time + minutes(scene_type(action, campaign), campaign)
    state = state.apply_patch(sentiment.fade(state.to_dict(), before.progress.game_time, until))
    after = StorySituation(campaign, progress, flags, state.to_dict(), before.borne_out, before.limits)
    place = campaign.places[after.progress.place]
    is_held = held_by(after) is not None
    openings = [] if is_held else openings_at(place, after)
    climaxes = _find_climaxes(openings)
    stays = is_held or (action.beat is not None and action.beat.id in climaxes)
    tellable = cache(partial(tellable_evidence, situation=after))  # is asked for by several lists

    def answerable(person: str) -> frozenset[str]:
        return frozenset(one.id for one in tellable(person) if not one.secret)

    return NextFacts(
        openings=tuple(
            _opening(beat, after, recall_result, is_pressing=_ends_after(beat) in climaxes)
            for beat in openings
        ),
        ways=tuple(
            WayFacts(
                to=to,
                name=campaign.places[to].in_a_sentence,
                visited=to in after.progress.visits,
                urgent=urgent,
                steps=steps,
            )
            for to, (urgent, steps) in ({} if stays else ways_out(place, after)).items()
        ),
        people=tuple(people_at(place.id, campaign, after.progress)),
        topics=list_topics(after, place.id, answerable),
        elsewhere=() if stays else list_topics_elsewhere(after, place, answerable),
        deeds=list_deeds(
            after,
            place.id,
            tellable,
            frozenset(after.progress.evidence) - frozenset(before.progress.evidence),
        ),
        ended=after.progress.ending,
    )


def _find_climaxes(openings: Sequence[Beat]) -> frozenset[str]:
    """Return the beats that have brought the story to its end, so that only how it ends is to be decided.

    Nobody is offered a walk across the town right after one; who wants to go says so.
    """
    counts = Counter(name for beat in openings if (name := _ends_after(beat)))
    return frozenset(name for name, count in counts.items() if count >= LEAST_ENDINGS)


def _ends_after(beat: Beat) -> str:
    """Return the beat that an ending follows from; empty for what ends nothing, or can come at any time."""
    return beat.conditions.requires_beat if beat.ending else ""


def _outcome_of_band(end: str, action: ResolvedAction, campaign: Campaign) -> str:
    risky = next((beat for beat in action.beats if beat.is_risky), None)
    return rules.outcome_for(risky, end, campaign.rules) if risky and end else end


def _opening(
    beat: Beat, after: StorySituation, recall_result: RecallResult, *, is_pressing: bool
) -> OpeningFacts:
    text = beats.offer_of(beat)
    modifiers = rules.modifiers(beat, text, after, recall_result) if beat.is_risky else ()
    grounds = beats.grounds(beat.conditions, after.campaign, after.progress)
    helps = rules.callbacks(beat, after) if beat.is_risky else ()
    formula = rules.formula(after.campaign.rules, modifiers) if beat.is_risky else ""
    return OpeningFacts(
        beat=beat.id,
        text=text,
        priority="critical" if is_pressing else beat.priority,
        risky=beat.is_risky,
        formula=formula,
        difficulty=rules.difficulty(formula, after.campaign.rules) if beat.is_risky else "",
        because=tuple(dict.fromkeys((*grounds, *helps))),
        receipts=(
            *(
                ReceiptFacts(
                    kind="beat", id=name, text=beats.describe_result(name, after.campaign, after.progress)
                )
                for name in grounds
            ),
            *(
                ReceiptFacts(kind=one.kind, id=one.id, text=f"{one.text} ({one.value:+d})")
                for one in modifiers
            ),
        ),
    )
