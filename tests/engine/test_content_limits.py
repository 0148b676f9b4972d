"""Content limits in play, on the bundled campaigns: what is turned aside, told, offered and remembered."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from narratoria import app
from narratoria.contracts.content_limits import NO_LIMITS, STRICTEST, ContentLimits
from narratoria.engine.action import ResolvedAction, choose, prepare_answers, situation_of
from narratoria.engine.answer_context import answer_context, units_of
from narratoria.engine.content_limits import (
    LoadedLimits,
    describe_excess,
    find_stop,
    is_choice_within,
    limits_facts,
    load_content_limits,
    save_content_limits,
)
from narratoria.engine.events import Notice
from narratoria.engine.facts import build_facts
from narratoria.engine.memory.recall import RecallResult
from narratoria.engine.reading import Understanding
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.narrator.content import find_excess
from narratoria.planner.intent import Intent, Mention
from narratoria.sdk import brief

CHILDREN = ContentLimits(children=True)
HARROWMERE = app.open_campaign("harrowmere")
POST = app.open_campaign("tomorrows-post")
PIKE = Mention("Pike", "pike", "Pike")
OTTOLINE = Mention("Ottoline", "ottoline-carrow", "Dame Ottoline Carrow")
HOB = Mention("Hob", "hob-tarrant", "Hob Tarrant")


def at(place: str, limits: ContentLimits, campaign: str = "harrowmere") -> StorySnapshot:
    progress = Progress(scene=2, place=place)
    return StorySnapshot(id="s-1", campaign=campaign, seed=7, progress=progress, limits=limits)


def act(limits: ContentLimits, *intents: Intent, place: str = "foundry") -> ResolvedAction:
    text = " and ".join(intent.text for intent in intents)
    understanding = Understanding(intents=intents, evidence=((),) * len(intents))
    recalled, story = RecallResult(understanding=understanding), at(place, limits)
    action = choose(Choice(text=text), story, HARROWMERE, recalled)
    return prepare_answers(action, story, HARROWMERE, recalled)


def stab() -> Intent:
    return Intent(act="attack", text="I stab Ottoline", person=OTTOLINE)


def slap() -> Intent:
    return Intent(act="attack", text="I slap Ottoline", person=OTTOLINE)


def place_of(person: str) -> str:
    return HARROWMERE.people[person].metadata.first_appearance


@pytest.mark.parametrize(
    ("intent", "limits"),
    [
        (stab(), CHILDREN),
        (stab(), ContentLimits(violence="mild")),
        (slap(), ContentLimits(violence="none")),
        (Intent(act="threaten", text="I threaten her", person=OTTOLINE), ContentLimits(fear="none")),
        (Intent(act="flirt", text="I flirt with her", person=OTTOLINE), ContentLimits(romance="none")),
        (Intent(act="embrace", text="I kiss her", person=OTTOLINE), ContentLimits(romance="none")),
        (
            Intent(act="use", text="I murder her with a hammer", person=OTTOLINE),
            ContentLimits(violence="mild"),
        ),
        (Intent(act="drink", text="I get drunk on wine"), CHILDREN),
    ],
)
def test_an_act_beyond_the_limits_is_turned_aside_without_dice_or_harm(
    intent: Intent, limits: ContentLimits
) -> None:
    action = act(limits, intent, place=place_of("ottoline-carrow"))
    answer = action.answers[""]
    assert not action.is_risky
    assert answer.effects == ()
    assert answer.limit_note
    assert action.text == "Think better of it"  # what skills, and memory, hear of it


@pytest.mark.parametrize(
    ("intent", "limits"),
    [
        (stab(), NO_LIMITS),
        (slap(), ContentLimits(violence="mild")),
        (stab(), ContentLimits(romance="none")),
        (Intent(act="embrace", text="I hug her", person=OTTOLINE), CHILDREN),
        (Intent(act="ask", text="ask who killed the king", person=OTTOLINE), CHILDREN),
        (Intent(act="drink", text="I drink the water"), CHILDREN),
    ],
)
def test_an_act_within_the_limits_is_done(intent: Intent, limits: ContentLimits) -> None:
    action = act(limits, intent, place=place_of("ottoline-carrow"))
    assert action.stop is None
    assert action.limit_note == ""
    assert action.text == intent.text


def test_what_comes_before_it_is_done_and_what_comes_after_is_not() -> None:
    look = Intent(act="look", text="look around")
    wait = Intent(act="wait", text="wait")
    action = act(CHILDREN, look, slap(), wait, place=place_of("ottoline-carrow"))
    assert action.text == "look around"
    assert len(action.answers[""].units) == 2


@pytest.mark.parametrize("deed", ["flirt", "embrace"])
def test_nobody_flirts_with_or_kisses_a_child_whatever_the_limits(deed: str) -> None:
    intent = Intent(act=deed, text="I kiss Pike", person=PIKE)
    action = act(NO_LIMITS, intent, place=place_of("pike"))
    assert action.stop is not None
    assert action.stop.barrier == "child"
    assert action.limit_note == ""
    grown = Intent(act=deed, text="I kiss Hob", person=HOB)
    assert find_stop([grown], POST, NO_LIMITS) is None


def test_words_that_mean_an_offered_beat_are_turned_aside_all_the_same() -> None:
    understanding = Understanding(intents=(stab(),), beat="the-letter")
    story, recalled = at(place_of("ottoline-carrow"), CHILDREN), RecallResult(understanding=understanding)
    assert choose(Choice(text="I stab her"), story, HARROWMERE, recalled).beat is None


def test_units_beyond_the_limits_are_not_at_hand() -> None:
    situation = situation_of(at("landing", CHILDREN), HARROWMERE)
    units = answer_context(situation, HARROWMERE.places[HARROWMERE.start], seed="1").units
    assert 0 < len(units) < len(units_of(HARROWMERE))
    assert all(CHILDREN.allows(unit.content) for unit in units)
    free = situation_of(at("landing", NO_LIMITS), HARROWMERE)
    assert answer_context(free, HARROWMERE.places[HARROWMERE.start], seed="1").units == units_of(HARROWMERE)


def test_the_facts_carry_the_limits_and_a_model_is_told_of_them() -> None:
    story = at(HARROWMERE.start, CHILDREN)
    facts = build_facts(choose(Choice(text="Wait", kind="wait"), story, HARROWMERE), story, HARROWMERE)
    assert facts.limits.children
    assert facts.limits.violence == "none"
    assert "murder" in facts.limits.words
    assert "A child is playing" in brief.write(facts.to_json_values(), budget=2400).stable
    free = msgspec.structs.replace(facts, limits=limits_facts(NO_LIMITS))
    assert free.limits.words == ()
    assert "child is playing" not in brief.write(free.to_json_values(), budget=2400).stable
    mild = msgspec.structs.replace(facts, limits=limits_facts(ContentLimits(violence="mild", fear="none")))
    assert "Keep violence mild." in brief.write(mild.to_json_values(), budget=2400).stable
    assert "Tell of no fear." in brief.write(mild.to_json_values(), budget=2400).stable


def test_a_choice_is_offered_within_the_limits_only() -> None:
    assert is_choice_within("Stab the ferryman", "", NO_LIMITS)
    assert not is_choice_within("Stab the ferryman", "", CHILDREN)
    assert not is_choice_within("Make him speak", "threaten", ContentLimits(fear="none"))
    assert is_choice_within("Share your bread with Pike", "give", CHILDREN)


def test_a_models_text_beyond_the_limits_is_found() -> None:
    assert find_excess("He bled on the floor, and screamed.", CHILDREN) == "violence"
    assert find_excess("He bled on the floor.", NO_LIMITS) is None


def test_who_has_set_limits_is_told_that_a_campaign_is_rated_beyond_them() -> None:
    told = describe_excess("Teen", ContentLimits(violence="none", romance="none"))
    assert told.startswith("This campaign is rated Teen.")
    assert "violence and romance" in told
    assert describe_excess("Teen", NO_LIMITS) == ""
    assert describe_excess("Everyone", CHILDREN) == ""
    assert describe_excess("", CHILDREN) == ""


def test_limits_are_kept_beside_the_other_settings(tmp_path: Path) -> None:
    assert load_content_limits(tmp_path) == LoadedLimits(NO_LIMITS)
    (tmp_path / "settings.json").write_text('{"theme": "light"}')
    save_content_limits(tmp_path, ContentLimits(fear="mild"))
    assert load_content_limits(tmp_path) == LoadedLimits(ContentLimits(fear="mild"))
    assert msgspec.json.decode((tmp_path / "settings.json").read_bytes())["theme"] == "light"


@pytest.mark.parametrize(
    "content",
    [
        b"{torn",
        b"",
        b"null",
        b"[]",
        b"\xff\xfe{}",
        b"[" * 100_000,
        b'{"contentLimits": {"violence": "nnoe"}}',
        b'{"contentLimits": {"children": 1}}',
        b'{"contentLimits": null}',
    ],
    ids=repr,
)
def test_a_damaged_file_lifts_no_limit_and_is_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "settings.json").write_bytes(content)
    loaded = load_content_limits(tmp_path)
    assert loaded.limits == STRICTEST
    assert "settings.json is damaged" in loaded.problem
    save_content_limits(tmp_path, ContentLimits(fear="mild"))
    assert load_content_limits(tmp_path) == LoadedLimits(ContentLimits(fear="mild"))
    damaged = tmp_path / "settings.damaged.json"
    assert not damaged.exists() or damaged.read_bytes() == content, "what somebody could mend is kept"


async def test_a_story_says_that_the_strictest_limits_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    async with app.open_library() as library:
        session = await library.begin("harrowmere", seed=3)
        await session.resume()
        (tmp_path / "settings.json").write_text("{torn")
        before = session.log.last
        scene = await session.say("I stab Pike")
        assert scene.limit_note == "Content limits are set for children."
        notices = [one for one in session.log.since(before) if isinstance(one, Notice)]
        assert [one.kind for one in notices] == ["settings"]
        assert "settings.json is damaged" in notices[0].message


@pytest.mark.parametrize(("campaign", "person"), [("harrowmere", "Pike"), ("tomorrows-post", "Hob")])
async def test_nothing_of_what_was_turned_aside_is_remembered_and_a_replay_is_exact(
    campaign: str, person: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    async with app.open_library() as library:
        session = await library.begin(campaign, seed=3)
        await session.resume()
        save_content_limits(tmp_path, CHILDREN)
        scene = await session.say(f"I stab {person}")
        assert scene.limit_note == "Content limits are set for children."
        assert scene.roll is None
        assert scene.action == f"I stab {person}"
        assert "stab" not in session.snapshot.progress.history.recent[-1].text
        state = session.snapshot.state  # nobody thinks anything but what they thought at first sight
        assert state.get("perception", {}) == state.get("impressions", {})
        assert (await library.replay(session.story.id)).exact
        save_content_limits(tmp_path, NO_LIMITS)
        assert (await session.say("I look around")).limit_note == ""
        assert (await library.replay(session.story.id)).exact
