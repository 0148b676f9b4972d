"""Builds the facts of a scene: everything the planner, the narrator and the skills are told about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from narratoria.campaign.campaign import PRIORITIES, Beat, Campaign, Profile, Tone
from narratoria.contracts.scene_facts import (
    ActionFacts,
    BandFacts,
    BeatFacts,
    CampaignFacts,
    EndingFacts,
    IntentFacts,
    KeptFacts,
    LeaningFacts,
    LineFacts,
    LoreFacts,
    MemoryFacts,
    ModifierFacts,
    PastAction,
    PersonFacts,
    PlaceFacts,
    RangeFacts,
    RecentScene,
    RulesFacts,
    SceneFacts,
)
from narratoria.engine import beats, endings, rules, sentiment
from narratoria.engine.action import (
    ResolvedAction,
    effects_of,
    first_state,
    flags_after,
    progress_after,
    situation_of,
)
from narratoria.engine.brief import build_brief
from narratoria.engine.conditions import StorySituation, items_of
from narratoria.engine.conflict import is_unwelcome, tone_at
from narratoria.engine.content_limits import limits_facts
from narratoria.engine.memory import compress
from narratoria.engine.memory.recall import NOTHING, Memory, RecallResult
from narratoria.engine.next_facts import build_next
from narratoria.engine.people import bring_company, people_at
from narratoria.engine.played_story import find_paragraphs
from narratoria.engine.scene_ledger import build_ledger
from narratoria.engine.skill_results import SkillResult
from narratoria.engine.snapshot import StorySnapshot, flags_of
from narratoria.engine.story_time import minutes, scene_type
from narratoria.narrator.composer import MAX_PARAGRAPHS, compose_drafts, find_untold_moments
from narratoria.narrator.grammar import as_wish, in_the_past
from narratoria.planner.intent import Intent
from narratoria.state import SessionState

MAX_CONSEQUENCES = 4  # of what the player has brought about, the latest
RECENT = 5  # scenes
LOOKED_BACK = 12  # actions
HOW_IT_WENT = {
    "success": "it worked",
    "partial success": "it worked, at a price",
    "failure": "it went wrong",
}


def build_facts(
    action: ResolvedAction, session: StorySnapshot, campaign: Campaign, recall_result: RecallResult = NOTHING
) -> SceneFacts:
    """Return the action, where it happens, who is there, what is remembered, and what may be done next."""
    if action.choice.kind == "again":
        session = msgspec.structs.replace(session, state=first_state(session, campaign))
    session = msgspec.structs.replace(session, progress=bring_company(session.progress, action.place.id))
    progress, history = session.progress, session.progress.history
    situation = situation_of(session, campaign, recall_result)
    outcomes = (
        rules.bands_for(action.beats[0] if action.beats else None, campaign) if action.is_risky else ("",)
    )
    kind = scene_type(action, campaign)
    facts = SceneFacts(
        campaign=CampaignFacts(
            title=campaign.title,
            genre=campaign.manifest.genre,
            tone=campaign.manifest.tone,
            guidance=campaign.manifest.hydration_guidance,
            setting=campaign.setting,
        ),
        action=_action(action, situation, recall_result),
        place=_place(action, situation),
        people=tuple(
            _person(name, profile, tone_at(name, action.place.id, situation), situation, recall_result)
            for name, profile in people_at(action.place.id, campaign, progress).items()
        ),
        beat=_beat(action.beat, action) if action.beat else None,
        due=_beat(action.due_beat, action) if action.due_beat else None,
        also_due=tuple(_beat(beat, action) for beat in action.due_beats[1:]),
        remembered=_consequences(action, session, campaign),
        scene_type=kind,
        game_time=progress.game_time + minutes(kind, campaign),
        persona=_persona(session),
        stat_range=RangeFacts(min=campaign.template.stat_range.min, max=campaign.template.stat_range.max),
        memories=tuple(_memory(memory) for memory in recall_result.memories),
        lore=tuple(
            LoreFacts(
                id=chunk.id,
                text=chunk.text,
                relevance=chunk.relevance,
                heading=chunk.heading,
                file=chunk.file,
            )
            for chunk in recall_result.lore
        ),
        constraints=campaign.constraints,
        notes=tuple(note.text for note in progress.notes),
        recent=tuple(
            RecentScene(scene=summary.scene, summary=summary.text) for summary in history.recent[-RECENT:]
        ),
        history=tuple(compress.chapter_lines(history)),
        kept=tuple(
            KeptFacts(kind=keepsake.kind, text=keepsake.text, scene=keepsake.scene)
            for keepsake in history.keepsakes
            if keepsake.kind != "name"
        ),
        rules=RulesFacts(
            dice=campaign.rules.dice,
            bands=tuple(BandFacts(name=band.name, min=band.min) for band in campaign.rules.bands),
            prose=campaign.rules.prose,
        ),
        leaning=_leaning(situation),
        ending=_ending(action, situation),
        looking_back=_looking_back(action, session, campaign),
        ledger=build_ledger(action, situation),
        limits=limits_facts(session.limits),
        next={outcome: build_next(outcome, action, situation, recall_result) for outcome in outcomes},
    )
    answers = {outcome: answer.text for outcome in outcomes if (answer := action.answer_for(outcome))}
    facts = _with_drafts(facts, outcomes, session, answers)
    if own_words := find_paragraphs(action.choice, action.beat, campaign):
        drafts = dict.fromkeys(facts.drafts, own_words)
        facts = msgspec.structs.replace(facts, draft=own_words, drafts=drafts)
    brief = build_brief(facts, action, situation, session.scenes)
    return msgspec.structs.replace(facts, brief=brief)


def _with_drafts(
    facts: SceneFacts, outcomes: Sequence[str], session: StorySnapshot, answers: Mapping[str, str]
) -> SceneFacts:
    """Add the scene as the narrator would tell it."""
    used_sentences, seed = session.progress.used_sentences, f"{session.seed}/{session.progress.scene + 1}"
    drafts = compose_drafts(facts, outcomes, seed=seed, used=used_sentences, answers=answers)
    usual = rules.UNDECIDED if rules.UNDECIDED in drafts else next(iter(drafts))
    return msgspec.structs.replace(
        facts,
        place=msgspec.structs.replace(
            facts.place, moments=tuple(find_untold_moments(facts, drafts, used_sentences))
        ),
        draft=tuple(drafts[usual]),
        drafts={outcome: tuple(paragraphs) for outcome, paragraphs in drafts.items()},
    )


def redraft(
    facts: SceneFacts, action: ResolvedAction, session: StorySnapshot, results: Sequence[SkillResult]
) -> SceneFacts:
    """Return the facts with the scene drafted anew around what skills have said; as they are without it."""
    texts = [one.text for one in results if one.text]
    if not texts or action.choice.kind == "begin":
        return facts
    if action.understanding:
        answers = {end: answer.text for end in facts.drafts if (answer := action.answer_for(end))}
        return _with_drafts(facts, tuple(facts.drafts), session, answers)
    told_last = " ".join(texts).replace("\n\n", " ")
    return msgspec.structs.replace(
        facts,
        draft=_end_with(facts.draft, told_last),
        drafts={end: _end_with(draft, told_last) for end, draft in facts.drafts.items()},
    )


def _end_with(draft: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Return a draft whose last paragraph is this one; no scene has more than three."""
    first = draft if len(draft) < MAX_PARAGRAPHS else (*draft[:-2], f"{draft[-2]} {draft[-1]}")
    return (*first, text)


def _action(action: ResolvedAction, situation: StorySituation, recall_result: RecallResult) -> ActionFacts:
    campaign, progress = situation.campaign, situation.progress
    person = campaign.people.get(action.person)
    sayings = person.speech_patterns.examples if person else ()
    risky = next((beat for beat in action.beats if beat.is_risky), action.beat)
    modifiers = rules.modifiers(
        risky, action.choice.text, situation, recall_result, people=_people_acted_on(action)
    )
    return ActionFacts(
        kind=action.choice.kind,
        text=action.text,
        number=progress.scene + 1,
        begun=progress.scene if action.choice.kind == "again" else progress.began_after,
        premise=_premise(action, campaign),
        route=action.route,
        person=person.name if person else "",
        saying=_at(sayings, progress.saying_counts.get(action.person, 0)),
        detail=_at(action.place.details, progress.detail_counts.get(action.place.id, 0)),
        intents=tuple(_intent(one) for one in action.understanding.intents) if action.understanding else (),
        skill=action.choice.skill,
        risky=action.is_risky,
        formula=rules.formula(campaign.rules, modifiers if action.is_risky else ()),
        modifiers=tuple(
            ModifierFacts(value=one.value, kind=one.kind, id=one.id, text=one.text)
            for one in (modifiers if action.is_risky else ())
        ),
    )


def _premise(action: ResolvedAction, campaign: Campaign) -> tuple[str, ...]:
    """Return what the first scene of a story tells; a trial story that begins elsewhere has none."""
    is_first = action.choice.kind in ("begin", "again") and not action.choice.target
    return tuple(campaign.premise) if is_first else ()


def _people_acted_on(action: ResolvedAction) -> tuple[str, ...]:
    """Return whom the player deals with, be it that the words say only "him"."""
    intents = action.understanding.intents if action.understanding else ()
    ids = (action.person, *(one.person.id for one in intents if one.person))
    return tuple(dict.fromkeys(filter(None, ids)))


def _intent(intent: Intent) -> IntentFacts:
    person, thing = intent.person, intent.thing
    return IntentFacts(
        act=intent.act,
        person=(person.name or person.text) if person else "",
        person_id=person.id if person else "",
        thing=(thing.name or thing.text) if thing else "",
        place=intent.place.id if intent.place else "",
        topic=intent.topic,
    )


def _place(action: ResolvedAction, situation: StorySituation) -> PlaceFacts:
    place, progress = action.place, situation.progress
    return PlaceFacts(
        id=place.id,
        name=place.in_a_sentence,
        arrival=place.arrival,
        details=tuple(place.details),
        moments=tuple(place.moments),
        visits=0 if action.choice.kind == "again" else progress.visits.get(place.id, 0),
        unseen=max(0, len(place.details) - progress.detail_counts.get(place.id, 0)),
        unwelcome=is_unwelcome(place.id, situation),
    )


def _person(
    name: str, profile: Profile, tone: Tone, situation: StorySituation, recall_result: RecallResult
) -> PersonFacts:
    progress, state = situation.progress, situation.state
    return PersonFacts(
        id=name,
        name=profile.name,
        role=profile.role,
        faction=profile.metadata.faction,
        appearance=profile.appearance,
        traits=tuple(profile.personality.traits),
        flaws=tuple(profile.personality.flaws),
        virtues=tuple(profile.personality.virtues),
        habits=tuple(profile.personality.habits),
        motivations=tuple(profile.motivations),
        relationships={
            situation.campaign.people[other].name: text
            for other, text in profile.relationships.items()
            if other in situation.campaign.people
        },
        voice=profile.speech_patterns.style,
        sayings=tuple(profile.speech_patterns.examples),
        greetings=dict(profile.speech_patterns.greetings),
        greeting=profile.speech_patterns.greetings.get(tone, ""),
        met=name in progress.met_people,
        heard=progress.saying_counts.get(name, 0),
        unheard=max(0, len(profile.speech_patterns.examples) - progress.saying_counts.get(name, 0)),
        has_opinion=name in sentiment.scores(state, "perception"),
        perception=round(100 * sentiment.sentiment_of(name, state), 1),
        sentiment=sentiment.sentiment_of(name, state),
        tone=tone,
        witnessed=tuple(_memory(memory) for memory in recall_result.by_witness.get(name, ())),
    )


def _beat(beat: Beat, action: ResolvedAction) -> BeatFacts:
    return BeatFacts(
        id=beat.id,
        title=beat.title,
        description=beat.description,
        outcomes={outcome.name: outcome.description for outcome in beat.outcomes},
        fate=action.chance_outcomes.get(beat.id, ""),
        risky=beat.is_risky,
        dialogue=tuple(LineFacts(speaker=line.speaker, text=line.text) for line in beat.dialogue),
        mood=beat.mood,
        npcs=tuple(beat.npcs),
    )


def _consequences(action: ResolvedAction, session: StorySnapshot, campaign: Campaign) -> tuple[str, ...]:
    """Return what the player has brought about that was so before the action and still is."""
    before = beats.lasting_consequences(campaign, session.progress)
    after = beats.lasting_consequences(campaign, progress_after(action, session.progress, campaign))
    return tuple(consequence for consequence in before if consequence in after)[-MAX_CONSEQUENCES:]


def _persona(session: StorySnapshot) -> dict[str, Any]:
    state = session.state.to_dict()
    persona = state.get("persona")
    return {**(persona if isinstance(persona, Mapping) else {}), "items": items_of(state)}


def _memory(memory: Memory) -> MemoryFacts:
    return MemoryFacts(
        id=memory.id,
        summary=memory.summary,
        relevance=memory.relevance,
        episodic=memory.episodic,
        outcome=memory.outcome,
        scene=memory.scene,
        significance=memory.significance,
        characters=tuple(memory.people),
        witnesses=tuple(memory.witnesses),
        location=memory.location,
    )


def _leaning(situation: StorySituation) -> LeaningFacts | None:
    leans = endings.leaning(situation)
    if leans is None:
        return None
    ending = situation.campaign.endings.get(leans.ending)
    return LeaningFacts(
        ending=leans.ending, title=ending.title if ending else "", share=round(leans.share, 2)
    )


def _ending(action: ResolvedAction, situation: StorySituation) -> EndingFacts | None:
    """Return the words of the end, when it comes with this action."""
    ends = next((beat for beat in action.beats if beat.ending), None)
    if ends is None:
        return None
    ending = endings.ending_of(action.beats, situation)
    state = SessionState(situation.state).apply_patch(beats.patch(effects_of(action, ""), situation.state))
    certain = StorySituation(
        situation.campaign,
        progress_after(action, situation.progress, situation.campaign),
        frozenset(flags_after(action, situation.flags & flags_of(state))),
        state.to_dict(),
        situation.borne_out,
        situation.limits,
    )
    return EndingFacts(
        id=ends.ending,
        title=ending.title if ending else ends.title,
        paragraphs=tuple(ending.paragraphs) if ending else (),
        epilogue=tuple(endings.epilogue(ending, certain)) if ending else (),
        looking_back=tuple(
            endings.looking_back(situation.campaign, situation.progress, situation.progress.history)
        ),
    )


def _looking_back(
    action: ResolvedAction, session: StorySnapshot, campaign: Campaign
) -> tuple[PastAction, ...]:
    """Return what the player did, each as a clause in the past; what weighed most, in its order."""
    if action.choice.kind not in ("look-back", "branch"):
        return ()
    progress, past_actions = session.progress, []
    for name, outcome in progress.beat_outcomes.items():
        beat = campaign.beat(name)
        wish = as_wish(beats.offer_of(beat)) if beat else ""
        if beat and wish:
            went = HOW_IT_WENT.get(outcome, "") if beat.is_risky else ""
            did = f"tried to {wish}" if beat.is_risky and outcome == "failure" else in_the_past(wish)
            past = PastAction(
                scene=progress.beat_scenes.get(name, 0),
                text=f"you {did}" + (f", and {went}" if went else ""),
                ends=bool(beat.ending),
                did=did,
            )
            past_actions.append((2 * beat.is_risky - PRIORITIES.index(beat.priority), past))
    heaviest = sorted(past_actions, key=lambda weighted: -weighted[0])[:LOOKED_BACK]
    return tuple(sorted((past for _, past in heaviest), key=lambda past: past.scene))


def _at(texts: tuple[str, ...], index: int) -> str:
    return texts[index] if index < len(texts) else ""
