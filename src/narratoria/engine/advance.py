"""Advances a story by a finished scene: its state, its progress, and the story so far."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine import beats, effects, sentiment
from narratoria.engine.action import (
    AFTER_THE_END,
    ResolvedAction,
    effects_of,
    first_state,
    flags_after,
    progress_after,
)
from narratoria.engine.conditions import StorySituation
from narratoria.engine.happenings import note_exchange
from narratoria.engine.memory import compress, significance
from narratoria.engine.otherwise import note_closing
from narratoria.engine.people import named_in
from narratoria.engine.played_story import find_turn
from narratoria.engine.rules import UNDECIDED, outcome_for
from narratoria.engine.scene import Scene
from narratoria.engine.skill_findings import keep_findings
from narratoria.engine.skill_results import skill_answers
from narratoria.engine.snapshot import Progress, SkillFinding, StorySnapshot
from narratoria.engine.story_time import advance_time, minutes, scene_type
from narratoria.narrator.answer_request import Answer
from narratoria.narrator.grammar import as_wish, in_the_past
from narratoria.narrator.phrase_memory import remember_phrases
from narratoria.skills.health import SessionHealth
from narratoria.state import SessionState

LEARNING_ACTS = (
    "ask",
    "talk",
    "think_back",
    "ask_narrator",
    "look",
    "examine",
    "search",
    "listen",
    "wait",
)
LONGEST = 200  # characters of a summary
HOW_IT_WENT = {"success": "It worked", "partial success": "It worked, at a price", "failure": "It went wrong"}


def advance_story(
    scene: Scene,
    action: ResolvedAction,
    session: StorySnapshot,
    campaign: Campaign,
    *,
    state: SessionState,
    health: SessionHealth,
    findings: Sequence[SkillFinding] = (),
) -> StorySnapshot:
    outcome = outcome_of(scene, action, campaign)
    if action.choice.kind == "again":
        state = first_state(msgspec.structs.replace(session, state=state), campaign)
    state = _state_after(action, outcome, state)
    progress = progress_after(action, session.progress, campaign, outcome)
    progress = keep_findings(
        progress,
        [msgspec.structs.replace(one, text=address_player(one.text)) for one in findings],
    )
    answer = _told_answer(scene, action, outcome)
    minutes_taken = minutes(scene_type(action, campaign), campaign)
    if answer is not None:
        changes = effects.describe_answer(answer, session.progress, campaign)
        scene = msgspec.structs.replace(scene, effects=changes)
        state = effects.state_after_answer(answer, state, campaign, progress)
        progress = _note_mentions(
            action, answer, effects.progress_after_answer(answer, progress, campaign), campaign
        )
        minutes_taken = effects.minutes_of(answer.effects) or minutes_taken
    game_time = advance_time(progress.game_time, minutes_taken, _narrated(scene, action))
    scene = msgspec.structs.replace(scene, game_time=game_time)
    state = state.apply_patch(sentiment.fade(state.to_dict(), session.progress.game_time, game_time))
    progress = msgspec.structs.replace(
        progress,
        game_time=game_time,
        used_sentences=remember_phrases(progress.used_sentences, scene.paragraphs, scene.number),
        history=compress.add(
            progress.history,
            summary_of(scene, action, campaign, outcome),
            outcome=significance.episodic(action, scene),
        ),
    )
    session = msgspec.structs.replace(session, progress=progress, state=state, health=health)
    housekeeping = beats.tidy(StorySituation(campaign, progress, session.flags, state.to_dict()))
    if housekeeping.reports:
        scene = msgspec.structs.replace(scene, notices=(*scene.notices, *housekeeping.reports))
    progress = note_closing(StorySituation(campaign, housekeeping.progress, session.flags, state.to_dict()))
    progress = msgspec.structs.replace(progress, notes=tuple(one for one in progress.notes if one.standing))
    return msgspec.structs.replace(session, progress=progress, scenes=(*session.scenes, scene), revisions=())


def _told_answer(scene: Scene, action: ResolvedAction, outcome: str) -> Answer | None:
    """Return what was answered; where a model told it, with the fact that the model has made true."""
    answer = action.answer_for(outcome)
    if not scene.fact or (answer is not None and answer.source.startswith("topic:")):
        return answer  # what an author wrote is told, and kept, as it is written
    if answer is None:
        return None
    return msgspec.structs.replace(answer, fact=scene.fact, text=scene.text)


def _narrated(scene: Scene, action: ResolvedAction) -> tuple[str, ...]:
    """Return what a scene tells of its own time: its paragraphs, and what was typed where it was done."""
    if action.choice.kind in ("begin", *AFTER_THE_END):
        return ()
    is_done = action.answers and action.stop is None and action.release is None and scene.roll is None
    return (*scene.paragraphs, *((f"You {as_wish(action.choice.text)}.",) if is_done else ()))


def _note_mentions(
    action: ResolvedAction, answer: Answer, progress: Progress, campaign: Campaign
) -> Progress:
    """Return the progress with whom and what the player dealt with, for the pronouns and remarks to come."""
    intents = action.understanding.intents if action.understanding else ()
    progress = note_exchange(intents, answer, action.place.id, progress, campaign)
    person = next((one.person.id for one in intents if one.person and one.person.id), progress.last_person)
    thing = next((one.thing.name or one.thing.text for one in intents if one.thing), progress.last_thing)
    return msgspec.structs.replace(progress, last_person=person, last_thing=thing)


def outcome_of(scene: Scene, action: ResolvedAction, campaign: Campaign) -> str:
    """Return how the roll ended, in the words of the beat it was for."""
    roll_outcome = scene.roll.outcome if scene.roll else UNDECIDED
    risky = next((beat for beat in action.beats if beat.is_risky), None)
    return outcome_for(risky, roll_outcome, campaign.rules) if risky else roll_outcome


def _state_after(action: ResolvedAction, outcome: str, state: SessionState) -> SessionState:
    flags = flags_after(action, frozenset(), outcome)
    if not isinstance(state.get("flags", {}), dict):
        state = state.apply_patch({"flags": None})  # a skill has put something else there
    patch = beats.patch(effects_of(action, outcome), state.to_dict())
    return state.apply_patch(patch).apply_patch({"flags": dict.fromkeys(sorted(flags), True)})


def summary_of(scene: Scene, action: ResolvedAction, campaign: Campaign, outcome: str) -> compress.Summary:
    """Return one line: what the player did, where, how it ended, and what is so from then on."""
    answer = _told_answer(scene, action, outcome)
    place = campaign.places[scene.place].name if scene.place in campaign.places else scene.place
    wish = as_wish(_cut(action.choice.text))
    has_failed = bool(scene.roll and action.is_risky and scene.roll.outcome == "failure")
    spoken = _spoken_words(action)
    if action.beat and find_turn(action.choice, action.beat, campaign):
        spoken = f"You chose “{_cut(action.beat.title)}”"  # whatever its author made of the words
    if spoken:
        wish = ""
    clause = spoken or (
        f"You tried to {wish}"
        if wish and has_failed
        else f"You {in_the_past(wish)}"
        if wish
        else f"{place}: {_cut(action.choice.text).rstrip('.')}"
    )
    consequences = [
        flag for beat in action.beats for flag in beats.consequences(beat, action.outcome_of(beat, outcome))
    ]
    if answer is not None and answer.fact:
        fact = address_player(answer.fact)
        # a promise or a loan is kept in the player's own words, and what came of it behind them
        clause = (
            f"{clause.rstrip('.')}. {fact}"
            if wish and (_was_done(action, scene) or skill_answers(answer)) and action.stop is None
            else fact
        )
    # a walk during which something came to pass is remembered for that, and not for the walk
    parts = [] if consequences and not action.beat and action.choice.kind != "free" else [clause]
    if scene.roll and action.is_risky and answer is None:
        parts.append(HOW_IT_WENT.get(scene.roll.outcome, f"It ended in {scene.roll.outcome}"))
    if scene.fact and answer is None:  # a model has told more than the author wrote
        parts.append(address_player(scene.fact))
    deed_parts = tuple(parts)
    parts += [_sentence(_cut(flag)) for flag in consequences if not _says_the_same(flag, parts[:1])]
    people = [campaign.people[who].name for who in named_in(scene.text, campaign)]
    return compress.Summary(
        scene=scene.number,
        text=_join_sentences(parts),
        recap=_join_sentences(deed_parts) if deed_parts and len(deed_parts) < len(parts) else "",
        weight=significance.weight(action, scene),
        people=tuple(people),
    )


def _spoken_words(action: ResolvedAction) -> str:
    """Return typed words as said, where they are speech and name no deed: “Brother Osk, may I see?”"""
    text = _cut(" ".join(action.choice.text.split()))
    is_speech = ("?" in text or text[:1] in '“"‘') and not _SAYING.match(text)
    if action.choice.kind not in ("free", "beat") or not is_speech:
        return ""
    intents = action.understanding.intents if action.understanding else ()
    person = next((one.person.name for one in intents if one.person and one.person.name), "")
    words = text.strip('“”"‘’ ')
    return f"You asked {person}: “{words}”" if person else f"You asked: “{words}”"


def _join_sentences(parts: Sequence[str]) -> str:
    return " ".join(part if part[-1:] in ".?!…”" else f"{part}." for part in parts if part)


def address_player(fact: str) -> str:
    """Return a fact about the player in the second person, as the journal keeps it."""
    return " ".join(_address_in_sentence(sentence) for sentence in _SENTENCE_END.split(fact))


def _address_in_sentence(sentence: str) -> str:
    text = re.sub(r"\bThe player's\b", "Your", sentence)
    text = re.sub(r"\bthe player's\b", "your", text)
    text = re.sub(rf"\bThe player ({_VERBS})\b", lambda match: f"You {_SECOND[match[1]]}", text)
    text = re.sub(rf"\bthe player ({_VERBS})\b", lambda match: f"you {_SECOND[match[1]]}", text)
    text = re.sub(r"\bThe player\b", "You", text).replace("the player", "you")
    if not text.startswith("You "):
        return text
    other = _OTHER_SUBJECT.search(text)  # from there on somebody else does something
    own, rest = (text[: other.start()], text[other.start() :]) if other else (text, "")
    own = re.sub(
        rf"(\b(?:and|but|or|then)|,) ({_VERBS})\b", lambda match: f"{match[1]} {_SECOND[match[2]]}", own
    )
    if not re.search(r"(?<!^)\b[A-Z]\w", text):  # nobody else is named whose it could be
        for theirs, yours in _POSSESSIVES:
            own = re.sub(rf"\b{theirs}\b", yours, own)
    return own + rest


_SAYING = re.compile(
    r"\W*(?:(?:i|i'll|then|quietly)\s+)*(?:ask|say|tell|whisper|shout|beg|demand|wonder|call|reply|answer|greet|"
    r"go|look|take|give|show|open|sit|kneel|put|lean|climb|lie|confess|knock|try|search|read|wait|turn|walk)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“])")
_SECOND = {
    "was": "were",
    "is": "are",
    "has": "have",
    "does": "do",
    "knows": "know",
    "owes": "owe",
    "holds": "hold",
    "keeps": "keep",
    "wants": "want",
    "carries": "carry",
    "needs": "need",
}
_VERBS = "|".join(_SECOND)
_OTHER_SUBJECT = re.compile(rf"\bwho\b|\bwhich\b|;|, (?:and|but) (?!(?:{_VERBS}|\w+ed|found|lost|got)\b)")
_POSSESSIVES = (
    ("they are", "you are"),
    ("they were", "you were"),
    ("they have", "you have"),
    ("themself", "yourself"),
    ("theirs", "yours"),
    ("their", "your"),
)


def _was_done(action: ResolvedAction, scene: Scene) -> bool:
    """Return whether own words tell something done: no question, no memory, nothing the dice decided."""
    intents = action.understanding.intents if action.understanding else ()
    return bool(intents) and scene.roll is None and intents[0].act not in LEARNING_ACTS


def _says_the_same(flag: str, sentences: list[str]) -> bool:
    """Return whether a flag repeats a sentence: “You have shared bread” after “You shared bread”."""
    stems = {word[:5] for word in re.findall(r"\w{4,}", flag.casefold()) if word != "have"}
    return bool(stems) and any(
        stems <= {word[:5] for word in re.findall(r"\w{4,}", one.casefold())} for one in sentences
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
